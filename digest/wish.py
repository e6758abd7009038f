"""What a reader of one language hands to ``question``: the parts of a question, as written.

Imports ``grade`` and ``reference``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from digest.grade import Level
from digest.reference import Reference


class Verb(StrEnum):
    """What is to be done."""

    EXPLAIN = "explain"
    CHANGED = "changed"
    SEARCH = "search"
    DIGEST = "digest"
    HELP = "help"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A question without its period.

    ``days`` is the length of the default period where the wording has one of its own (a weekly
    report); ``bare`` says that nothing but a topic was written, so that a period must be named.
    """

    verb: Verb
    reference: Reference | None = None
    topic: str = ""
    author: str = ""
    path: str = ""
    terms: tuple[str, ...] = ()
    level: Level | None = None
    days: int = 0
    bare: bool = False
