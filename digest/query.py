"""A question put to the archive. Imports ``window`` and ``grade`` only."""

from __future__ import annotations

from dataclasses import dataclass

from digest.grade import Level
from digest.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Conditions that all must hold; an empty one always holds.

    ``topics`` are index terms of which one is enough (see ``topics``). ``about`` are ways of
    being about something, of which one is enough: each is a row of sets of index terms, and of
    every set one must be borne. ``terms`` must all stand in the text (subject, body, paths, fact
    names), compared without case; ``paths`` are prefixes of which one is enough; ``level`` is the
    least level; ``author`` is part of the name. ``limit`` cuts the answer, newest first; 0 is no
    limit. ``ranked`` orders by text rank. ``among`` are full names of commits, of which it must be
    one; ``None`` asks for none.
    """

    window: Window | None = None
    topics: tuple[str, ...] = ()
    about: tuple[tuple[frozenset[str], ...], ...] = ()
    terms: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    author: str = ""
    level: Level | None = None
    limit: int = 0
    ranked: bool = False
    among: tuple[str, ...] | None = None
