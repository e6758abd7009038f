"""Pieces packed into messages, within every limit that Slack sets to one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from bot.platforms.base import Counted, Limit, Part, Unit
from bot.platforms.slack.pieces import Piece, pieces
from bot.platforms.slack.rich import Json, containers, dump
from bot.platforms.slack.spoken import spoken
from digest.document import Document

MOST_BLOCKS = 50
"""https://docs.slack.dev/reference/block-kit/blocks"""

MOST_HOME_BLOCKS = 100
"""https://docs.slack.dev/reference/block-kit/blocks"""

LIMIT = Limit(
    size=12_000,
    unit=Unit.BYTES,
    source="https://github.com/slackapi/bolt-js/issues/2509",
    counts=Counted.BODY,
)
"""Slack refuses blocks of about 13,200 characters, of which no page tells the exact count.

Blocks weigh more than their words there (a divider took 125), rich text most, so everything that is
sent is counted, in the larger unit.
"""

_BLOCK = 125
"""What a block weighs beside its JSON, by the same source."""

_RICH = 40
"""Bytes of an empty ``rich_text`` block."""

_MOST_LEADING = 2
"""So many headings go on to the next message, to stand with what they lead to."""


def render(document: Document) -> tuple[Part, ...]:
    """The messages of a document."""
    messages = pack(pieces(document), MOST_BLOCKS)
    return tuple(Part(text=spoken(blocks), body=dump(blocks)) for blocks in messages)


def home_blocks(document: Document) -> list[Json]:
    """The blocks of a page that shows the document; what does not fit is left out, with a mark."""
    first, *rest = pack(pieces(document, tables=False), MOST_HOME_BLOCKS - 1)
    more = {"type": "context", "elements": [{"type": "plain_text", "text": "…"}]}
    return [*first, more] if rest else first


def pack(found: Iterable[Piece], most: int) -> Iterator[list[Json]]:
    """The blocks of each message, at most so many."""
    message = _Message(most)
    for piece in found:
        if not message.takes(piece):
            leading = message.leading()
            yield message.blocks()
            message = _Message(most)
            for one in leading:
                message.add(one)
        message.add(piece)
    yield message.blocks()


class _Message:
    """Pieces that go into one message."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[Piece] = []
        self._weight = 2
        self._blocks = 0

    def takes(self, piece: Piece) -> bool:
        """Whether there is room for the piece."""
        weight = self._weight + piece.size + (_BLOCK + _RICH) * self._opens(piece)
        fits = weight <= (LIMIT.size or weight) and self._blocks + self._opens(piece) <= self._most
        return fits and not (piece.table and any(one.table for one in self._pieces))

    def add(self, piece: Piece) -> None:
        """Put the piece behind the others."""
        self._weight += piece.size + (_BLOCK + _RICH) * self._opens(piece)
        self._blocks += self._opens(piece)
        self._pieces.append(piece)

    def leading(self) -> list[Piece]:
        """Take out the last pieces, where they lead to what comes next and others stay."""
        count = 0
        while count < min(_MOST_LEADING, len(self._pieces)) and self._pieces[-count - 1].leads:
            count += 1
        if not count or count == len(self._pieces):
            return []
        taken = self._pieces[-count:]
        del self._pieces[-count:]
        return taken

    def _opens(self, piece: Piece) -> bool:
        """Whether the piece needs a block of its own."""
        last = self._pieces[-1] if self._pieces else None
        return not (last and last.lines and piece.lines and last.group == piece.group)

    def blocks(self) -> list[Json]:
        """The blocks, lines of one group in one."""
        made: list[Json] = []
        for (_, rich), run in groupby(self._pieces, key=lambda one: (one.group, bool(one.lines))):
            if rich:
                joined = containers(line for one in run for line in one.lines)
                made.append({"type": "rich_text", "elements": joined})
            else:
                made.extend(one.block for one in run if one.block is not None)
        return made
