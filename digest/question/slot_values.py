"""The slots of a question, its words, and what is known of its repository."""

from __future__ import annotations

from dataclasses import dataclass

from digest.core.enums import ChangeKind
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.reference import Reference
from digest.question.commit_range import Span
from digest.question.lexicon import NONE


@dataclass(frozen=True, slots=True)
class Quote:
    """Text in quotation marks."""

    text: str


@dataclass(frozen=True, slots=True)
class Release:
    """A version, or the mark for the latest one."""

    name: str


@dataclass(frozen=True, slots=True)
class Path:
    """A path of the repository."""

    path: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name of code; ``sure`` if it is certainly one, such as a flag."""

    name: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions given as ``key:value``."""

    author: str = ""
    path: str = ""
    level: Level | None = None
    kinds: tuple[ChangeKind, ...] = ()
    label: str = ""
    things: tuple[FactKind, ...] = ()
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Stray:
    """Text that is not part of a question: an unrelated URL, an option of a command."""

    text: str


Slot = Quote | Release | Path | Symbol | Filters | Stray | Reference | Span


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its tags, or a slot.

    ``owns``: it ended in ``'s``. ``glued``: there is no blank before it.
    """

    text: str
    tags: frozenset[str] = NONE
    slot: Slot | None = None
    owns: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of the repository in question.

    ``own`` are its names in lower case; ``known`` are the lower-case words in its index, ``None``
    if nobody looked.
    """

    own: frozenset[str] = frozenset()
    known: frozenset[str] | None = None
