"""Lines of words with their marks, and the message that a run of lines makes.

Offsets and lengths are in UTF-16 code units, as Telegram counts them:
https://core.telegram.org/bots/api#messageentity
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from bot.platforms.base import Part


class Mark(NamedTuple):
    """What an entity says of the words in it. ``serial`` keeps neighbours of one kind apart."""

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


class Run(NamedTuple):
    """Words with the same marks, the outermost first."""

    text: str
    marks: tuple[Mark, ...] = ()


class Key(NamedTuple):
    """A button under the message: pressing it opens ``url`` or sends ``data`` back."""

    text: str
    data: str = ""
    url: str = ""


class Gap(IntEnum):
    """How well a message may end before a line."""

    INSIDE = 0  # within a line that is too long for itself
    KEEP = 1  # between a heading and what it is about
    LINE = 2
    ITEM = 3
    BLOCK = 4


class Line(NamedTuple):
    """One line. ``frame`` is the quote or the code that it is a line of.

    ``above`` is the number of line feeds before it, unless it is the first of a message.
    ``keys`` is a row of buttons in the place of words.
    """

    runs: tuple[Run, ...]
    gap: Gap = Gap.BLOCK
    above: int = 2
    frame: tuple[Mark, ...] = ()
    keys: tuple[Key, ...] = ()

    @property
    def said(self) -> str:
        """The words alone."""
        if self.keys:
            return " ".join(f"[{key.text}]" for key in self.keys)
        return "".join([run.text for run in self.runs])

    @property
    def marks(self) -> int:
        """The most entities that the line makes, its frame apart."""
        return sum([len(run.marks) for run in self.runs])


def units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def compose(lines: Sequence[Line], fallback: str) -> Part:
    """The message of some lines. ``fallback`` is its text where they hold no words at all."""
    rows = [[_key(key) for key in line.keys] for line in lines if line.keys]
    body, entities = _written([line for line in lines if not line.keys])
    if _is_blank(body):
        body, entities = fallback, []
    spoken = _spoken(lines, body) if rows else body.lstrip()
    content = {"text": body, "entities": entities, "buttons": rows}
    return Part(text=spoken, body=json.dumps(content, ensure_ascii=False, separators=(",", ":")))


def _written(lines: Iterable[Line]) -> tuple[str, list[dict[str, Any]]]:
    """The text of some lines with its entities."""
    text = _Text()
    frame: tuple[Mark, ...] = ()
    for line in lines:
        if text.offset:
            text.add("\n" * line.above, frame if frame == line.frame else ())
        frame = line.frame
        for run in line.runs:
            text.add(run.text, (*frame, *run.marks) if frame else run.marks)
    return text.end()


def _spoken(lines: Sequence[Line], body: str) -> str:
    """The same with the buttons in their places."""
    if not any(line.said for line in lines if not line.keys):
        lines = [Line((Run(body),)), *lines]
    return "".join(
        ("\n" * line.above if place else "") + line.said for place, line in enumerate(lines)
    ).strip()


def _key(key: Key) -> dict[str, str]:
    return {"text": key.text, **({"url": key.url} if key.url else {"data": key.data})}


# What the server takes for nothing: strip_empty_characters in td/telegram/misc.cpp of TDLib.
_NOTHING = frozenset(
    " \n\xa0\u1680\u180e\u202e\u202f\u205f\u2060\u2800\u3000\ufeff\ufffc"
    + "".join(map(chr, range(0x2000, 0x2010)))
)


def _is_blank(text: str) -> bool:
    return all(char in _NOTHING for char in text)


class _Text:
    """The text of a message with its entities, written from the begin to the end."""

    def __init__(self) -> None:
        self.offset = 0
        self._pieces: list[str] = []
        self._entities: list[dict[str, Any]] = []
        self._open: list[tuple[Mark, dict[str, Any]]] = []

    def add(self, text: str, marks: tuple[Mark, ...]) -> None:
        """Write words; entities go on as long as their mark does."""
        if not text:
            return
        if self._open or marks:
            self._turn_to(marks)
        self._pieces.append(text)
        self.offset += len(text) if text.isascii() else units(text)

    def _turn_to(self, marks: tuple[Mark, ...]) -> None:
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

    def end(self) -> tuple[str, list[dict[str, Any]]]:
        """The text without blanks at its end, and the entities in their order."""
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
