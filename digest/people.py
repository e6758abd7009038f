"""Who made the changes of an answer, counted. Imports ``graded``, ``document`` and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from digest.document import Block, Item, Listing, Paragraph, Strong, Text
from digest.grade import Level
from digest.graded import Graded
from digest.language import Language
from digest.words.labels import LEVEL_MARKS
from digest.words.replies import BY_AUTHORS, MORE_PEOPLE, PERSON

MOST = 15
"""People that are named, those with most changes first; the others are counted."""


def by_author(changes: Sequence[Graded], language: Language) -> tuple[Block, ...]:
    """The authors with their numbers of changes, and how many of these matter."""
    levels: dict[str, Counter[Level]] = {}
    for graded in changes:
        name = " ".join(graded.commit.author.split())
        levels.setdefault(name, Counter())[graded.grade.level] += 1
    ranked = sorted(levels.items(), key=lambda one: (-one[1].total(), one[0]))
    items = [Item((Text(_line(name, counted, language)),)) for name, counted in ranked[:MOST]]
    if len(ranked) > MOST:
        items.append(Item((Text(MORE_PEOPLE.text(language, n=len(ranked) - MOST)),)))
    head = BY_AUTHORS.text(language, n=len(ranked))
    return Paragraph((Strong(head),)), Listing(tuple(items))


def _line(name: str, counted: Counter[Level], language: Language) -> str:
    told = [f"{LEVEL_MARKS[level]} {counted[level]}" for level in Level if counted[level]]
    return f"{PERSON.text(language, name=name, n=counted.total())} · {' '.join(told)}"
