"""Shapes that several platforms lay out alike. Imports ``legible``, ``terminal`` and documents."""

from __future__ import annotations

import unicodedata

from bot.showing.legible import legible
from bot.terminal import cells
from digest.document import Link, Spans, Table, plain


def signed(spans: Spans) -> bool:
    """Whether the words begin with a sign of their own, such as a level's: no bullet is needed."""
    words = plain(spans).lstrip()
    return bool(words) and unicodedata.category(words[0]) == "So"


def columns_of(table: Table, most: int) -> list[str]:
    """The table as lines of letters of one width, a rule below its header.

    Empty where it is wider than ``most`` cells, holds links, or holds no word.
    """
    rows = (table.header, *table.rows)
    if any(isinstance(span, Link) for row in rows for cell in row for span in cell):
        return []
    texts = [[legible(plain(cell)).strip() for cell in row] for row in rows]
    widths = [max(map(cells, column)) for column in zip(*texts, strict=True)]
    if not sum(widths) or sum(widths) + 2 * (len(widths) - 1) > most:
        return []
    lines = [
        "  ".join(
            text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in texts
    ]
    return [lines[0], "─" * max(map(cells, lines)), *lines[1:]]
