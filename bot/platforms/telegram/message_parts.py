"""Lines of text with their marks, packed into messages without losing a word.

No message is too long or has too many entities. Offsets and lengths are in UTF-16 code units, as
Telegram counts them: https://core.telegram.org/bots/api#messageentity
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from bot.messaging.sender import Counted, Limit, Part, Unit, compact_json


class Mark(NamedTuple):
    """The properties of an entity. ``serial`` keeps neighbours of one kind apart."""

    type: str
    url: str = ""
    language: str = ""
    serial: int = 0

    def entity(self, offset: int) -> dict[str, Any]:
        """The entity as the Bot API takes it; its length is set when it ends."""
        made: dict[str, Any] = {"type": self.type, "offset": offset, "length": 0}
        if self.url:
            made["url"] = self.url
        if self.language:
            made["language"] = self.language
        return made


class TextRun(NamedTuple):
    """Words with the same marks, the outermost first."""

    text: str
    marks: tuple[Mark, ...] = ()


class ButtonKey(NamedTuple):
    """A button under the message: pressing it opens ``url`` or sends ``data`` back."""

    text: str
    data: str = ""
    url: str = ""


class Gap(IntEnum):
    """How well a message may end before a line."""

    INSIDE = 0  # within a line that is itself too long
    KEEP = 1  # between a heading and its content
    LINE = 2
    ITEM = 3
    BLOCK = 4


class MessageLine(NamedTuple):
    """One line."""

    runs: tuple[TextRun, ...]
    gap: Gap = Gap.BLOCK
    above: int = 2  # line feeds before it, unless first in a message
    frame: tuple[Mark, ...] = ()  # the quote or code block that it belongs to
    keys: tuple[ButtonKey, ...] = ()  # a row of buttons instead of words

    @property
    def said(self) -> str:
        """The words alone."""
        if self.keys:
            return " ".join(f"[{key.text}]" for key in self.keys)
        return "".join([run.text for run in self.runs])

    @property
    def marks(self) -> int:
        """The most entities that the line makes, not counting its frame."""
        return sum([len(run.marks) for run in self.runs])


def units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def compose(lines: Sequence[MessageLine], fallback: str) -> Part:
    """The message of some lines. ``fallback`` is its text if they hold nothing to be seen."""
    rows = [[_key(key) for key in line.keys] for line in lines if line.keys]
    body, entities = _text_of([line for line in lines if not line.keys])
    if _is_blank(body):
        body, entities = "…" if _is_blank(fallback) else fallback, []
    spoken = _with_buttons(lines, body) if rows else body.lstrip()
    content = {"text": body, "entities": entities, "buttons": rows}
    return Part(text=spoken, body=compact_json(content))


def _text_of(lines: Iterable[MessageLine]) -> tuple[str, list[dict[str, Any]]]:
    text = _Text()
    frame: tuple[Mark, ...] = ()
    for line in lines:
        if text.offset:
            text.add("\n" * line.above, frame if frame == line.frame else ())
        frame = line.frame
        for run in line.runs:
            text.add(run.text, (*frame, *run.marks) if frame else run.marks)
    return text.end()


def _with_buttons(lines: Sequence[MessageLine], body: str) -> str:
    if not any(line.said for line in lines if not line.keys):
        lines = [MessageLine((TextRun(body),)), *lines]
    return "".join(
        ("\n" * line.above if place else "") + line.said for place, line in enumerate(lines)
    ).strip()


def _key(key: ButtonKey) -> dict[str, str]:
    return {"text": key.text, **({"url": key.url} if key.url else {"data": key.data})}


# What the server treats as empty: strip_empty_characters in td/telegram/misc.cpp of TDLib.
_NOTHING = frozenset(
    " \n\xa0\u1680\u180e\u202e\u202f\u205f\u2060\u2800\u3000\ufeff\ufffc"
    + "".join(map(chr, range(0x2000, 0x2010)))
)


def _is_blank(text: str) -> bool:
    return all(char in _NOTHING for char in text)


class _Text:
    """The text of a message with its entities, written from start to end."""

    def __init__(self) -> None:
        self.offset = 0
        self._pieces: list[str] = []
        self._entities: list[dict[str, Any]] = []
        self._open: list[tuple[Mark, dict[str, Any]]] = []

    def add(self, text: str, marks: tuple[Mark, ...]) -> None:
        if not text:
            return
        if self._open or marks:
            kept = 0
            for (mark, _), wanted in zip(self._open, marks, strict=False):
                if mark != wanted:
                    break
                kept += 1
            self._close(kept)
            for mark in marks[kept:]:
                entity = mark.entity(self.offset)
                self._entities.append(entity)
                self._open.append((mark, entity))
        self._pieces.append(text)
        self.offset += len(text) if text.isascii() else units(text)

    def end(self) -> tuple[str, list[dict[str, Any]]]:
        self._close(0)
        text = "".join(self._pieces)
        kept = text.rstrip(" \n")
        last = self.offset - (len(text) - len(kept))
        for entity in self._entities:
            entity["length"] = min(entity["length"], last - entity["offset"])
        return kept, [entity for entity in self._entities if entity["length"] > 0]

    def _close(self, kept: int) -> None:
        while len(self._open) > kept:
            _, entity = self._open.pop()
            entity["length"] = self.offset - entity["offset"]


# "1-4096 characters after entities parsing". Whether the server counts code points or UTF-16 units
# is not documented; the latter are never fewer.
LIMIT = Limit(
    size=4096,
    unit=Unit.UTF16,
    source="https://core.telegram.org/bots/api#sendmessage",
    counts=Counted.TEXT,
)

# Entities beyond this number are not refused but ignored:
# https://docs.python-telegram-bot.org/en/stable/telegram.constants.html (MESSAGE_ENTITIES)
MOST_ENTITIES = 100

# https://core.telegram.org/bots/api#inlinekeyboardmarkup has no number; clients show about so many.
MOST_KEYS = 60
_LENGTH = 4096

# A longer line is cut into pieces. Code points; each is two units at most.
_PIECE = 1000
_PIECE_MARKS = 40

# A message may end early at a better place only beyond this share of its length.
_EARLY = 0.4
_WORD = re.compile(r"\s{0,50}\S{1,200}|\s{1,50}")


def pack(lines: Iterable[MessageLine], fallback: str) -> tuple[Part, ...]:
    """The messages that the lines make, at least one; ``fallback`` is the text of bare buttons."""
    parts = tuple(compose(some, fallback) for some in _messages(lines))
    return parts or (compose((), fallback),)


def _messages(lines: Iterable[MessageLine]) -> Iterator[Sequence[MessageLine]]:
    packing = _Packing()
    for line in lines:
        for piece, size in _pieces(line):
            while not packing.add(piece, size):
                full, packing = packing.split(piece.gap)
                yield full
    if packing.lines:
        yield packing.lines


class _Size(NamedTuple):
    units: int
    entities: int
    keys: int


def _size(line: MessageLine) -> _Size:
    return _Size(units(line.said) + line.above, line.marks, len(line.keys))


class _Packing:
    """The lines of one message, each with its size and the units before it."""

    def __init__(self) -> None:
        self.lines: list[MessageLine] = []
        self._sizes: list[_Size] = []
        self._before: list[int] = []
        self._units = self._entities = self._keys = 0

    def add(self, line: MessageLine, size: _Size) -> bool:
        """Add a line if it fits and return whether it did; the first one always fits."""
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

    def split(self, gap: Gap) -> tuple[Sequence[MessageLine], _Packing]:
        """The lines before the best place to end, at most at ``gap``, and those after it."""
        # The last of the best gaps that leave the message well filled.
        best, end = gap, len(self.lines)
        for place in range(len(self.lines) - 1, 0, -1):
            if self._before[place] < self._units * _EARLY:
                break
            if self.lines[place].gap > best:
                best, end = self.lines[place].gap, place
        rest = _Packing()
        for line, size in zip(self.lines[end:], self._sizes[end:], strict=True):
            rest.add(line, size)
        return self.lines[:end], rest


def _pieces(line: MessageLine) -> Iterator[tuple[MessageLine, _Size]]:
    """The line, or its pieces if a message might not hold it, with the sizes."""
    size = _size(line)
    if size.units <= _PIECE and size.entities <= _PIECE_MARKS:
        yield line, size
        return
    runs: list[TextRun] = []
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


def _short(runs: Iterable[TextRun]) -> Iterator[TextRun]:
    """The runs, long ones split between words if possible."""
    for run in runs:
        if len(run.text) <= _PIECE:
            yield run
            continue
        text = ""
        for word in _WORD.findall(run.text):
            if text and len(text) + len(word) > _PIECE:
                yield TextRun(text, run.marks)
                text = ""
            text += word
        yield TextRun(text, run.marks)
