"""A changed file as finders of facts see it: both sides, their lines and changed places.

``SideLines`` holds the changed lines of a side and its whole text if available: a manifest's line
gets its meaning from its position (``rand = "1"`` under ``[dependencies]`` or not), which a hunk
without context does not show. ``SideText`` holds a text and the places that the change touches.
Offsets count characters from 0; lines count from 1, as in a diff.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice, repeat
from operator import itemgetter

from digest.core.change import FileChange, FileStatus, Hunk, Side
from digest.core.facts import Action, Area, Evidence, Fact, FactKind
from digest.facts.syntax.grammar import ParseBudget

_LONGEST_LINE = 600
"""Maximum characters of a line; longer ones are data or hostile, and are not searched."""

COMMENT = re.compile(r"\s*(?:///?!?|#|\*|/\*|--)")
"""The beginning of a line of comment, in most languages."""


Values = tuple[str | None, str | None]
"""What something was before a change and is after it."""


@dataclass(kw_only=True)
class FileSide:
    """A file, by its name on one side of a change, or the message."""

    path: str
    side: Side

    def evidence(self, line: int) -> Evidence:
        """A line of this side, counted from 1, as evidence."""
        return Evidence(path=self.path, line=line, side=self.side)

    def fact(
        self,
        kind: FactKind,
        action: Action,
        name: str,
        line: int,
        values: Values = (None, None),
        *,
        detail: str = "",
        public: bool | None = None,
    ) -> Fact:
        """A fact that a line of this side shows."""
        return Fact(
            kind=kind,
            action=action,
            name=name,
            before=values[0],
            after=values[1],
            detail=detail,
            evidence=self.evidence(line),
            public=public,
        )


@dataclass(kw_only=True)
class SideLines(FileSide):
    """A side: ``changed`` as (1-based number, text) in order; ``text`` is ``None`` if missing.

    ``alone``: the other side is empty, so that the changed lines may be the whole text.
    """

    changed: tuple[tuple[int, str], ...]
    text: str | None = None
    alone: bool = False

    @cached_property
    def whole(self) -> tuple[str, ...]:
        """All lines of the text; empty if it is missing."""
        if self.text is not None:
            return tuple(self.text.split("\n"))
        complete = self.alone and self.changed and self.changed[-1][0] == len(self.changed)
        return tuple(line for _, line in self.changed) if complete else ()

    @cached_property
    def texts(self) -> dict[int, str]:
        """The changed lines by their numbers."""
        return dict(self.changed)

    def above(self, line: int, most: int = 200) -> Iterator[str]:
        """The lines above a line, nearest first; none if the whole text is missing."""
        for index in range(min(line - 1, len(self.whole)) - 1, max(-1, line - 2 - most), -1):
            yield self.whole[index]


def _numbered(hunks: Iterable[Hunk], side: int) -> tuple[tuple[int, str], ...]:
    """The lines of hunks on the old or new side with their numbers, without overlong ones."""
    return tuple(
        [
            one
            for start, lines in (hunk.sides[side] for hunk in hunks)
            for one in enumerate(lines, start)
            if len(one[1]) <= _LONGEST_LINE
        ]
    )


def changed_text(file: FileChange) -> str:
    """All changed lines of both sides as one text, by which finders decide to look closer."""
    return "\n".join(["\n".join(side) for hunk in file.hunks for _, side in hunk.sides])


_STEP = 512
"""Distance in characters between positions with precomputed line numbers. This takes a tenth of the
time of splitting a text into lines, few of which are needed."""

_NEXT = 4  # lines around a changed place that belong to it: an attribute, the rest of a call
_REACH = 4_000
"""Characters before a changed place in which something that extends into it may begin."""


@dataclass(kw_only=True)
class SideText(FileSide):
    """The text of a file on one side of a change.

    ``rows`` are the changed places as half-open pairs of
    0-based line numbers in ascending order; an empty pair ``(n, n)`` marks where the other side has
    lines before line ``n`` that this side lacks. ``changed_text`` is the text of those places.
    """

    text: str
    rows: tuple[tuple[int, int], ...]
    changed_text: str

    @cached_property
    def _counts(self) -> list[int]:
        """The number of newlines before each multiple of ``_STEP``, and in the whole text."""
        starts = range(0, len(self.text), _STEP)
        ends = range(_STEP, len(self.text) + _STEP, _STEP)
        counts = map(self.text.count, repeat("\n"), starts, ends)
        return list(accumulate(counts, initial=0))

    @property
    def height(self) -> int:
        """The number of lines; an empty text is one line."""
        return self._counts[-1] + 1

    def _start(self, row: int) -> int:
        """The start of a line; after the last one, as if the text ended in a newline."""
        if row > self._counts[-1]:
            return len(self.text) + 1
        if not row:
            return 0
        step = bisect_left(self._counts, row) - 1
        at = step * _STEP - 1
        for _ in range(row - self._counts[step]):
            at = self.text.find("\n", at + 1)
        return at + 1

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """The changed places as half-open pairs of offsets, in ascending order."""
        return [
            (start := self._start(a), start if a == b else self._start(b)) for a, b in self.rows
        ]

    @cached_property
    def windows(self) -> list[tuple[int, int, str]]:
        """The changed places and their text, with what extends in before them, overlaps joined."""
        windows: list[tuple[int, int]] = []
        for first, last in self.spans:
            start = max(0, first - _REACH)
            if windows and start <= windows[-1][1]:
                windows[-1] = (windows[-1][0], max(last, windows[-1][1]))
            else:
                windows.append((start, last))
        return [(first, last, self.text[first:last]) for first, last in windows]

    def line_at(self, offset: int) -> int:
        """The 1-based number of the line that contains an offset; 0 before the text."""
        if not 0 <= offset <= len(self.text):
            return 0 if offset < 0 else self.height + 1
        step = offset // _STEP
        return self._counts[step] + self.text.count("\n", step * _STEP, offset) + 1

    def touches(self, start: int, end: int) -> bool:
        """Whether the change adds or removes something inside ``text[start:end]``.

        Lines that were removed, or are only on the other side, count if they were strictly inside.
        """
        return _meets(self.spans, start, end)

    def touches_rows(self, first: int, last: int) -> bool:
        """The same for 0-based lines ``first`` to ``last``, both included."""
        return _meets(self.rows, first, last + 1)

    def changed(self) -> Iterator[tuple[int, str]]:
        """The changed lines of this side with their 0-based numbers."""
        for (first, lines), (start, _) in zip(self.places, self.spans, strict=True):
            if lines and start <= len(self.text):
                yield from enumerate(lines, first)

    def matches(self, pattern: re.Pattern[str], most: int) -> Iterator[tuple[int, re.Match[str]]]:
        """The first changed lines that begin like a pattern, with their 0-based numbers."""
        found = ((row, m) for row, line in self.changed() if (m := pattern.match(line)))
        return islice(found, most)

    @cached_property
    def first_changed(self) -> dict[str, int]:
        """The number of the first changed line with a word, counted from 1."""
        lines: dict[str, int] = {}
        for row, line in self.changed():
            for word in re.findall(r"\w++", line):
                lines.setdefault(word, row + 1)
        return lines

    def offset(self, line: int) -> int:
        """The offset of the start of a line, counted from 1."""
        return self._start(line - 1)

    @cached_property
    def places(self) -> list[tuple[int, list[str]]]:
        """Each changed place with the 0-based number of its first line and its lines."""
        return [
            (first, self.text[start : end - 1].split("\n") if first < last else [])
            for (first, last), (start, end) in zip(self.rows, self.spans, strict=True)
        ]

    def above(self, row: int, most: int) -> Iterator[str]:
        """The lines above a 0-based line, nearest first."""
        end = self._start(row) - 1
        for _ in range(most):
            if end < 0:
                return
            start = self.text.rfind("\n", 0, end) + 1
            yield self.text[start:end]
            end = start - 1

    def changed_line(self, first: int, last: int) -> int | None:
        """The first changed line among lines ``first`` to ``last``, all counted from 1."""
        for at in range(bisect_left(self.rows, first, key=_END), len(self.rows)):
            start, end = self.rows[at]
            if start >= last:
                break
            if start < end:
                return max(start + 1, first)
        return None


_END = itemgetter(1)


def _meets(places: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one of the places, in ascending order, has something inside a half-open range."""
    for at in range(bisect_left(places, start, key=_END), len(places)):
        first, last = places[at]
        if first >= end:
            break
        if last > start:
            return True
    return False


def entire(source: SideText) -> SideText:
    """The same text as if every line had changed."""
    return SideText(
        path=source.path,
        side=source.side,
        text=source.text,
        rows=((0, source.height),),
        changed_text=source.text,
    )


def indent_of(line: str) -> int:
    """The number of characters before the text of a line."""
    return len(line) - len(line.lstrip())


def enclosing(above: Iterable[str], depth: int) -> Iterator[str]:
    """The heads of what a line is in, nearest first: each is indented less than those below."""
    for line in above:
        if line.strip() and (here := indent_of(line)) < depth:
            yield line
            depth = here


def block(text: str, start: int) -> str:
    """The text of a declaration: up to the next line with the same or less indentation."""
    line = text.rfind("\n", 0, start) + 1
    depth = indent_of(text[line:start])
    end = re.compile(rf"^[ \t]{{0,{depth}}}[^\s)\]#]", re.MULTILINE).search(
        text, text.find("\n", start) + 1 or len(text)
    )
    return text[start : end.start() if end else len(text)]


def whole(path: str, text: str) -> SideText:
    """A file that is searched as a whole."""
    return entire(SideText(path=path, side=Side.NEW, text=text, rows=(), changed_text=""))


def same_place(before: SideText, after: SideText, old: int, new: int) -> bool:
    """Whether two lines, counted from 1, are in or next to the same changed place."""
    return any(
        a - _NEXT <= old <= b + _NEXT and c - _NEXT <= new <= d + _NEXT
        for (a, b), (c, d) in zip(before.rows, after.rows, strict=False)
    )


def _rows(hunks: Iterable[Hunk], side: int) -> tuple[tuple[int, int], ...]:
    # Git numbers an empty side by the line before it.
    sides = [(start - bool(lines), len(lines)) for start, lines in (h.sides[side] for h in hunks)]
    return tuple(sorted((max(start, 0), max(start + count, 0)) for start, count in sides))


DEFINED = re.compile(
    r"^(?=[^\n=]*+(?:=|\n\s{0,8}:))[^\n=()]{0,80}?\b([A-Za-z_]\w{0,80})"
    r"(?:\s{0,8}:[^=\n]{1,60})?[ \t]{0,8}=[ \t]{0,8}"
    r"([\w.\"'+-]{1,80}(?: ?\* ?[\w.]{1,40}){0,4}|\[[^\[\]\n]{0,80}\])[ \t]{0,8};?[ \t]*$",
    re.MULTILINE,
)
"""A line that gives a name a plain value."""

_FIXED = re.compile(
    r"[A-Z][A-Z0-9_]{3,80}|\w{0,60}[Dd]efault\w{1,60}|\w{0,40}(?:[Nn]amespace|[Ss]ubsystem)"
)
_MOST_USES = 20  # lines that use a changed constant
_MOST_LINES = 40  # changed lines of one place in which constants are looked for


def constants(hunks: Iterable[Hunk]) -> tuple[str, ...]:
    """The constants to which a change gives other plain values."""
    found: list[str] = []
    for hunk in hunks:
        if hunk.removed and hunk.added and len(hunk.added) + len(hunk.removed) <= _MOST_LINES:
            old = {n: value for n, value in _defined(hunk.removed) if _FIXED.fullmatch(n)}
            new = dict(_defined(hunk.added)) if old else {}
            found += [n for n in old if old[n] != new.get(n, old[n])]
    return tuple(found)


def _defined(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names to which lines give plain values."""
    for line in lines:
        if "=" in line and (match := DEFINED.match(line[:_LONGEST_LINE])):
            yield match[1], match[2]


def _uses(file: FileChange, old: str, new: str) -> Iterator[Hunk]:
    """The unchanged lines that use a changed constant, as if they had changed."""
    if not (names := constants(file.hunks)):
        return
    use = re.compile(rf"\b(?:{'|'.join(names[:_MOST_USES])})\b")
    own = {n for h in file.hunks for n in range(h.new_start, h.new_start + len(h.added))}
    lines = enumerate(new.split("\n"), 1)
    olds = old.split("\n")
    for number, line in islice(
        (x for x in lines if use.search(x[1]) and x[0] not in own), _MOST_USES
    ):
        above = (h for h in file.hunks if h.new_start + max(len(h.added) - 1, 0) < number)
        at = number + sum(len(h.removed) - len(h.added) for h in above)
        if olds[at - 1 : at] == [line]:
            yield Hunk(old_start=at, new_start=number, removed=(line,), added=(line,))


@dataclass(kw_only=True)
class FileContext:
    """One file. ``old`` and ``new`` are whole contents, or ``None`` if not wanted or missing.

    ``budget`` is that of the whole change. Values that several finders need are computed once.
    """

    file: FileChange
    area: Area
    language: str
    old: str | None = None
    new: str | None = None
    budget: ParseBudget = field(default_factory=ParseBudget)

    @cached_property
    def changed_text(self) -> str:
        """All changed lines of both sides as one text."""
        return changed_text(self.file)

    @property
    def _sides(self) -> tuple[tuple[Side, str, str | None, FileStatus], ...]:
        """Each side with its path and text, and the status of a file that only it has."""
        old = self.file.old_path or self.file.path
        return (
            (Side.OLD, old, self.old, FileStatus.DELETED),
            (Side.NEW, self.file.path, self.new, FileStatus.ADDED),
        )

    @cached_property
    def lines(self) -> tuple[SideLines, SideLines]:
        """The old and the new side as lines."""
        old, new = (
            SideLines(
                path=path,
                side=side,
                changed=_numbered(self.file.hunks, number),
                text=text,
                alone=self.file.status is alone,
            )
            for number, (side, path, text, alone) in enumerate(self._sides)
        )
        return old, new

    @cached_property
    def texts(self) -> tuple[SideText, SideText] | None:
        """The file before and after, or ``None`` if a text that is needed is missing.

        An added or deleted file is complete in its hunks, so its text is never requested.
        """
        hunks, status = self.file.hunks, self.file.status
        if self.old is not None and self.new is not None:
            hunks = (*hunks, *_uses(self.file, self.old, self.new))
        sides = []
        for number, (side, path, given, alone) in enumerate(self._sides):
            changed = "\n".join([line for hunk in hunks for line in hunk.sides[number][1]])
            complete = status in {FileStatus.ADDED, FileStatus.DELETED}
            text = (changed if status is alone else "") if complete else given
            if text is None:
                return None
            rows = _rows(hunks, number)
            sides.append(SideText(path=path, side=side, text=text, rows=rows, changed_text=changed))
        return sides[0], sides[1]


_HEADER = re.compile(r"[ \t]*(?:async +)?(def|class)\b")
_LONGEST_FUNCTION = 20_000  # characters above a line in which its function begins


def is_local(text: str, start: int) -> bool:
    """Whether a line is inside a Python function, whose variables are not members of a class."""
    depth = indent_of(text[start:].partition("\n")[0])
    above = text[max(0, start - _LONGEST_FUNCTION) : start]
    for head in enclosing(reversed(above.split("\n")), depth):
        if header := _HEADER.match(head):
            return header[1] == "def"
    return False
