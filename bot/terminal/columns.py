"""Tables in columns of a terminal's cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.terminal.wrapping import Line, Run, width_of, wrap

_LEAST_COLUMN = 4
_GAP = 2


def columns(rows: Sequence[Sequence[int]], width: int) -> list[int]:
    """The widths of a table's columns; empty where the table has no room."""
    widths = [max(2, *column) for column in zip(*rows, strict=True)]
    room = width - _GAP * (len(widths) - 1)
    if not widths or room < _LEAST_COLUMN * len(widths):
        return []
    while sum(widths) > room:
        # The widest column gives way, down to the next widest.
        widest = max(widths)
        second = max((size for size in widths if size < widest), default=_LEAST_COLUMN)
        over = sum(widths) - room
        for place in [place for place, size in enumerate(widths) if size == widest]:
            taken = min(widest - max(second, _LEAST_COLUMN), over) or min(1, over)
            widths[place] -= taken
            over -= taken
    return widths


def row_lines(cells: Sequence[Sequence[Run]], widths: Sequence[int]) -> Iterator[Line]:
    """A row in as many lines as its tallest cell."""
    wrapped = [list(wrap(cell, size)) for cell, size in zip(cells, widths, strict=True)]
    for level in range(max((len(lines) for lines in wrapped), default=0) or 1):
        yield joined([lines[level] if level < len(lines) else () for lines in wrapped], widths)


def joined(cells: Sequence[Line], widths: Sequence[int]) -> Line:
    """Lines beside each other, each in its column."""
    runs: list[Run] = []
    for cell, size in zip(cells, widths, strict=True):
        runs.extend(cell)
        runs.append(Run(" " * (size - width_of(cell) + _GAP)))
    return tuple(runs[:-1])
