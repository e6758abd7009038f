"""Packs pieces into cards within every limit that Feishu sets for a message.

https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-structure
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.feishu_card.card_pieces import CardPiece, Json, pieces
from bot.messaging.sender import Part
from bot.util.sanitize import legible
from digest.document import Block, Document, Heading, Link, plain

MOST_COMPONENTS = 200
"""The most components of one card, nested ones included."""

_NUMBERED = 19
"""Characters of an identity that fit into a component's id after the leading letter."""

_LONGEST_TITLE = 150
_LONGEST_SUMMARY = 80

# The largest frame of a card: the longest title and summary, all Chinese, in bytes as sent.
_FRAME = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The limits of one of the two bots.

    ``size`` is the most bytes of a card's JSON text, encoded as a JSON string once more: that is
    how an app sends it. ``interactive`` says that button presses come back.
    """

    size: int
    interactive: bool


def render(document: Document, style: Style) -> tuple[Part, ...]:
    """The cards of a document, in order; the first one has the title."""
    title, blocks = _titled(document)
    packed = _packed(pieces(blocks, interactive=style.interactive), style.size - _FRAME)
    summary = legible(document.title).strip()[:_LONGEST_SUMMARY]
    return tuple(
        _part(found, title if place == 0 else "", summary) for place, found in enumerate(packed)
    )


def marked(body: str, identity: str) -> str:
    """The card with the identity in its first component's id, which is not displayed."""
    if not identity:
        return body
    card = json.loads(body)
    card["body"]["elements"][0]["element_id"] = mark_of(identity)
    return dump(card)


def mark_of(identity: str) -> str:
    """The id that encodes a message's identity: at most 20 characters, a letter first."""
    return f"d{identity[:_NUMBERED]}"


def dump(card: Json) -> str:
    """The JSON text to send: compact, with every script unescaped."""
    return json.dumps(card, ensure_ascii=False, separators=(",", ":"))


def weight(card: Json) -> int:
    """Bytes of the card as a JSON string within JSON."""
    text = dump(card)
    return len(text.encode()) + text.count('"') + text.count("\\")


def _titled(document: Document) -> tuple[str, tuple[Block, ...]]:
    """The document's title, if a card's header can show all of it, and the remaining blocks."""
    head, *rest = document.blocks or (None,)
    if isinstance(head, Heading) and head.level == 1 and rest:
        title = legible(plain(head.spans)).strip()
        linked = any(isinstance(span, Link) for span in head.spans)
        if title and len(title) <= _LONGEST_TITLE and not linked:
            return title, tuple(rest)
    return "", document.blocks


def _packed(found: Iterable[CardPiece], size: int) -> Iterator[list[CardPiece]]:
    message: list[CardPiece] = []
    room, places = size, MOST_COMPONENTS
    for piece in found:
        needed = weight(piece.component) + 1
        if message and (needed > room or piece.places > places):
            leading = _leading(message)
            yield message[: len(message) - len(leading)]
            message = leading
            room = size - sum(weight(one.component) + 1 for one in leading)
            places = MOST_COMPONENTS - sum(one.places for one in leading)
        message.append(piece)
        room -= needed
        places -= piece.places
    yield message


def _leading(message: list[CardPiece]) -> list[CardPiece]:
    """The last pieces, at most two, that lead to what follows and move to the next message."""
    count = 0
    while count < min(2, len(message) - 1) and message[-1 - count].leads:
        count += 1
    return message[len(message) - count :]


def _part(found: list[CardPiece], title: str, summary: str) -> Part:
    elements = [piece.component for piece in found]
    if not elements:
        # Feishu refuses a card without a body.
        elements = [{"tag": "markdown", "content": "…"}]
    card: Json = {"schema": "2.0", "config": {"update_multi": True}}
    if summary:
        card["config"]["summary"] = {"content": summary}
    if title:
        shown = {"tag": "plain_text", "content": title}
        card["header"] = {"title": shown, "template": "blue"}
    card["body"] = {"elements": elements}
    texts = [title, *(piece.text for piece in found)]
    return Part(text="\n".join(text for text in texts if text), body=dump(card))
