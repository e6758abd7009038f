"""Lines packed into messages: none too long, none with too many entities, no word lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bot.platforms.base import Counted, Limit, Part, Unit
from bot.platforms.telegram.lines import Gap, Line, Run, compose, units

# "1-4096 characters after entities parsing". Whether the server counts code points or UTF-16 units
# is not said; the latter are never fewer.
LIMIT = Limit(
    size=4096,
    unit=Unit.UTF16,
    source="https://core.telegram.org/bots/api#sendmessage",
    counts=Counted.TEXT,
)
# What goes beyond is not refused but ignored:
# https://docs.python-telegram-bot.org/en/stable/telegram.constants.html (MESSAGE_ENTITIES)
MOST_ENTITIES = 100
# https://core.telegram.org/bots/api#inlinekeyboardmarkup has no number; clients show about so many.
MOST_KEYS = 60

_LENGTH = 4096
# A line beyond one of these is cut into pieces. Code points; each is two units at most.
_PIECE = 1000
_PIECE_MARKS = 40
# A message is ended early, for a better place to end it, only beyond this share of its length.
_EARLY = 0.4
_WORD = re.compile(r"\s{0,50}\S{1,200}|\s{1,50}")


def pack(lines: Iterable[Line], fallback: str) -> tuple[Part, ...]:
    """The messages that the lines make, in order; at least one.

    ``fallback`` is the text of a message that has buttons and no words.
    """
    parts = tuple(compose(some, fallback) for some in _messages(lines))
    return parts or (compose((), fallback),)


def _messages(lines: Iterable[Line]) -> Iterator[Sequence[Line]]:
    packing = _Packing()
    for line in lines:
        for piece, size in _pieces(line):
            while not packing.add(piece, size):
                full, packing = packing.split(piece.gap)
                yield full
    if packing.lines:
        yield packing.lines


class _Size(NamedTuple):
    """What a line takes of a message's room."""

    units: int
    entities: int
    keys: int


def _size(line: Line) -> _Size:
    return _Size(units(line.said) + line.above, line.marks, len(line.keys))


class _Packing:
    """The lines of one message, each with its size and the units before it."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._sizes: list[_Size] = []
        self._before: list[int] = []
        self._units = self._entities = self._keys = 0

    def add(self, line: Line, size: _Size) -> bool:
        """Whether the line was taken; the first one always is."""
        # A quote over several lines is one entity, counted where it begins.
        begins = bool(line.frame) and (not self.lines or self.lines[-1].frame != line.frame)
        entities = self._entities + size.entities + begins
        if self.lines and (
            self._units + size.units > _LENGTH
            or entities > MOST_ENTITIES
            or self._keys + size.keys > MOST_KEYS
        ):
            return False
        self.lines.append(line)
        self._sizes.append(size)
        self._before.append(self._units)
        self._units += size.units
        self._entities = entities
        self._keys += size.keys
        return True

    def split(self, gap: Gap) -> tuple[Sequence[Line], _Packing]:
        """The lines before the best place to end the message, and those after it.

        ``gap`` is that before the line which does not fit.
        """
        end = self._best_end(gap)
        rest = _Packing()
        for line, size in zip(self.lines[end:], self._sizes[end:], strict=True):
            rest.add(line, size)
        return self.lines[:end], rest

    def _best_end(self, gap: Gap) -> int:
        """The last of the best gaps that leave the message well filled."""
        best, end = gap, len(self.lines)
        for place in range(len(self.lines) - 1, 0, -1):
            if self._before[place] < self._units * _EARLY:
                break
            if self.lines[place].gap > best:
                best, end = self.lines[place].gap, place
        return end


def _pieces(line: Line) -> Iterator[tuple[Line, _Size]]:
    """The line, or what it is cut into where a message might not hold it, with the sizes."""
    size = _size(line)
    if size.units <= _PIECE and size.entities <= _PIECE_MARKS:
        yield line, size
        return
    runs: list[Run] = []
    length = marks = 0
    first = line
    for run in _short(line.runs):
        if runs and (length + len(run.text) > _PIECE or marks + len(run.marks) > _PIECE_MARKS):
            piece = first._replace(runs=tuple(runs))
            yield piece, _size(piece)
            runs, length, marks = [], 0, 0
            first = line._replace(gap=Gap.INSIDE, above=0)
        runs.append(run)
        length += len(run.text)
        marks += len(run.marks)
    piece = first._replace(runs=tuple(runs))
    yield piece, _size(piece)


def _short(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, long ones cut between words where there are any."""
    for run in runs:
        if len(run.text) <= _PIECE:
            yield run
            continue
        text = ""
        for word in _WORD.findall(run.text):
            if text and len(text) + len(word) > _PIECE:
                yield Run(text, run.marks)
                text = ""
            text += word
        yield Run(text, run.marks)
