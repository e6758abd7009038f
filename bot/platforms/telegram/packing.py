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
        for piece in _pieces(line):
            while not packing.holds(piece):
                full, packing = packing.split(piece.gap)
                yield full
            packing.add(piece)
    if packing.lines:
        yield packing.lines


class _Size(NamedTuple):
    """What lines take of a message's room."""

    units: int = 0
    entities: int = 0
    keys: int = 0

    def plus(self, other: _Size) -> _Size:
        return _Size(
            self.units + other.units, self.entities + other.entities, self.keys + other.keys
        )


class _Packing:
    """The lines of one message, each with the size of everything before it."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._before: list[_Size] = []
        self._total = _Size()

    def holds(self, line: Line) -> bool:
        """Whether the line still fits; the first one always does."""
        total = self._total.plus(self._size(line))
        return not self.lines or (
            total.units <= _LENGTH and total.entities <= MOST_ENTITIES and total.keys <= MOST_KEYS
        )

    def add(self, line: Line) -> None:
        size = self._size(line)
        self.lines.append(line)
        self._before.append(self._total)
        self._total = self._total.plus(size)

    def split(self, gap: Gap) -> tuple[Sequence[Line], _Packing]:
        """The lines before the best place to end the message, and those after it.

        ``gap`` is that before the line which does not fit.
        """
        end = self._best_end(gap)
        rest = _Packing()
        for line in self.lines[end:]:
            rest.add(line)
        return self.lines[:end], rest

    def _best_end(self, gap: Gap) -> int:
        """The last of the best gaps that leave the message well filled."""
        best, end = gap, len(self.lines)
        for place in range(len(self.lines) - 1, 0, -1):
            if self._before[place].units < self._total.units * _EARLY:
                break
            if self.lines[place].gap > best:
                best, end = self.lines[place].gap, place
        return end

    def _size(self, line: Line) -> _Size:
        """A frame counts where it begins."""
        begins = line.frame and (not self.lines or self.lines[-1].frame != line.frame)
        entities = line.marks + (len(line.frame) if begins else 0)
        return _Size(units(line.said) + line.above, entities, len(line.keys))


def _pieces(line: Line) -> Iterator[Line]:
    """The line, or what it is cut into where a message might not hold it."""
    if len(line.said) <= _PIECE and line.marks <= _PIECE_MARKS:
        yield line
        return
    runs: list[Run] = []
    length = 0
    gap, above = line.gap, line.above
    for run in _short(line.runs):
        marks = sum([len(one.marks) for one in runs])
        if runs and (length + len(run.text) > _PIECE or marks >= _PIECE_MARKS):
            yield line._replace(runs=tuple(runs), gap=gap, above=above)
            runs, length, gap, above = [], 0, Gap.INSIDE, 0
        runs.append(run)
        length += len(run.text)
    yield line._replace(runs=tuple(runs), gap=gap, above=above)


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
