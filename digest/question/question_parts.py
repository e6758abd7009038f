"""What a reader of one language hands to ``question``: the parts of a question, as written.

Imports ``grade`` and ``reference``.

Misspelt command words. Names of things are never mended: one letter makes another name.

A word of four to six letters may be one step off, a longer one two; a step is a letter too many,
too few or another, or two neighbours exchanged. A shorter word must be as it is. Of several words
the nearest is meant, and of equally near ones the first by the alphabet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from digest.core.grade import Level
from digest.core.reference import Reference


class Verb(StrEnum):
    """What is to be done."""

    EXPLAIN = "explain"
    CHANGED = "changed"
    SEARCH = "search"
    DIGEST = "digest"
    HELP = "help"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionParts:
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


_SHORTEST = 4

_LONG = 7


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that a lower-case word misspells, itself where it is known; else nothing."""
    most = 0 if len(word) < _SHORTEST else 1 if len(word) < _LONG else 2
    best = (most + 1, "")
    for other in known:
        if abs(len(other) - len(word)) <= most and len(other) >= _SHORTEST:
            best = min(best, (steps(word, other), other))
    return best[1] if best[0] <= most else ""


def steps(one: str, other: str) -> int:
    """How many steps lead from one word to the other (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, beside in enumerate(other, 1):
            step = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != beside))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == beside:
                step = min(step, older[j - 2] + 1)
            row.append(step)
    return row[-1]
