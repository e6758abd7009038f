"""Which files the changes of an answer touched, counted. Imports ``graded`` and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from digest.change import printable
from digest.document import Block, Code, Item, Listing, Paragraph, Strong, Text
from digest.graded import Graded
from digest.language import Language
from digest.words.replies import BY_FILES, MORE_FILES, OF_FILE

MOST = 15
"""Files that are named, those of most changes first; the others are counted."""


def by_file(changes: Sequence[Graded], language: Language) -> tuple[Block, ...]:
    """The files with how many of the changes touched them, and how many lines."""
    touched: Counter[str] = Counter()
    added: Counter[str] = Counter()
    deleted: Counter[str] = Counter()
    for graded in changes:
        for file in graded.facts.files:
            touched[file.path] += 1
            added[file.path] += file.added
            deleted[file.path] += file.deleted
    ranked = sorted(touched, key=lambda path: (-touched[path], -added[path] - deleted[path], path))
    items = [
        Item(
            OF_FILE(
                language,
                path=Code(printable(path)),
                n=touched[path],
                added=added[path],
                deleted=deleted[path],
            )
        )
        for path in ranked[:MOST]
    ]
    if len(ranked) > MOST:
        items.append(Item((Text(MORE_FILES.text(language, n=len(ranked) - MOST)),)))
    head = BY_FILES.text(language, n=len(ranked))
    return Paragraph((Strong(head),)), Listing(tuple(items))
