"""One side of a changed file: its text, and where in it the change has lines.

Offsets count characters from 0; lines count from 1, as in a diff. Imports ``change`` and ``scene``
only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from digest.change import FileStatus, Hunk, Side
from digest.facts.model import Evidence
from digest.facts.scene import Scene


@dataclass(kw_only=True)
class Source:
    """The text of a file on one side of a change.

    ``path`` is the file's name on that side. ``rows`` are the changed places as half-open pairs of
    0-based line numbers in rising order; an empty pair ``(n, n)`` stands where the other side has
    lines before line ``n`` that this side lacks. ``changed_text`` is the text of those places.
    """

    path: str
    side: Side
    text: str
    rows: tuple[tuple[int, int], ...]
    changed_text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their newline."""
        return self.text.split("\n")

    @cached_property
    def _lengths(self) -> list[int]:
        """For each line, the characters before it without their newlines."""
        return list(accumulate(map(len, self.lines), initial=0))

    def _start(self, row: int) -> int:
        return self._lengths[row] + row

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """The changed places as half-open pairs of offsets, in rising order."""
        last = len(self._lengths) - 1
        return [(self._start(min(a, last)), self._start(min(b, last))) for a, b in self.rows]

    @cached_property
    def _ends(self) -> list[int]:
        return [end for _, end in self.spans]

    def line_at(self, offset: int) -> int:
        """The 1-based number of the line that holds an offset."""
        return bisect_right(range(len(self._lengths)), offset, key=self._start)

    def touches(self, start: int, end: int) -> bool:
        """Whether the change adds or removes something inside ``text[start:end]``.

        Lines that were taken away, or that stand on the other side only, count where they stood
        strictly inside.
        """
        at = bisect_left(self._ends, start)
        while at < len(self.spans):
            first, last = self.spans[at]
            if first >= end:
                return False
            if (first < last and last > start) or (first == last and first > start):
                return True
            at += 1
        return False

    def touches_rows(self, first: int, last: int) -> bool:
        """The same for 0-based lines ``first`` to ``last``, both included."""
        return any(
            (a < b and a <= last and b > first) or (a == b and first < a <= last)
            for a, b in self.rows
        )

    def first_touched(self, start: int, end: int) -> int:
        """The line of the first changed offset in ``text[start:end]``; of ``start`` if none is."""
        for first, last in self.spans:
            if first < last and first < end and last > start:
                return self.line_at(max(first, start))
        return self.line_at(start)

    def changed(self) -> Iterator[tuple[int, str]]:
        """The changed lines of this side with their 0-based numbers."""
        lines = self.lines
        for first, last in self.rows:
            for row in range(first, min(last, len(lines))):
                yield row, lines[row]

    def changed_line(self, first: int, last: int) -> int | None:
        """The first changed line among lines ``first`` to ``last``, all counted from 1."""
        for start, end in self.rows:
            line = max(start + 1, first)
            if line <= min(end, last):
                return line
        return None

    def evidence(self, line: int) -> Evidence:
        """A place on this side."""
        return Evidence(path=self.path, line=line, side=self.side)


def _rows(hunks: tuple[Hunk, ...], *, new: bool) -> tuple[tuple[int, int], ...]:
    rows = []
    for hunk in hunks:
        count = len(hunk.added if new else hunk.removed)
        start = hunk.new_start if new else hunk.old_start
        # Git numbers an empty side by the line before it.
        rows.append((start - 1, start - 1 + count) if count else (start, start))
    return tuple(sorted((max(a, 0), max(b, 0)) for a, b in rows))


def sides(scene: Scene) -> tuple[Source, Source] | None:
    """The file before and after, or ``None`` where a text that is needed is not at hand.

    A file that comes or goes is whole in its hunks, so its text is never asked for.
    """
    file = scene.file
    old, new = scene.old, scene.new
    if file.status is FileStatus.ADDED:
        old, new = "", "\n".join(line for hunk in file.hunks for line in hunk.added)
    elif file.status is FileStatus.DELETED:
        old, new = "\n".join(line for hunk in file.hunks for line in hunk.removed), ""
    if old is None or new is None:
        return None
    return (
        Source(
            path=file.old_path or file.path,
            side=Side.OLD,
            text=old,
            rows=_rows(file.hunks, new=False),
            changed_text="\n".join(line for hunk in file.hunks for line in hunk.removed),
        ),
        Source(
            path=file.path,
            side=Side.NEW,
            text=new,
            rows=_rows(file.hunks, new=True),
            changed_text="\n".join(line for hunk in file.hunks for line in hunk.added),
        ),
    )
