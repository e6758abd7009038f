"""A delivery's content as text, to be frozen in the ledger.

Both the document and its rendered parts are stored: a delivery that continues after a restart posts
what was claimed, even if the renderer or the width of the terminal has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from bot.messaging.sender import Part, Receipt
from digest import document as model
from digest.document import Block, Document
from digest.frozen import frozen

_TYPES = {
    kind.__name__: kind
    for kind in vars(model).values()
    if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == model.__name__
}


@frozen
class Messages:
    """What to send: ``parts`` about ``repository`` (may be empty), in reply to ``thread``."""

    parts: tuple[Part, ...]
    thread: Receipt | None = None
    repository: str = ""


@frozen
class Payload(Messages):
    """A document with its rendered parts: the first ``own`` are its own, the others ``details``."""

    document: Document
    own: int = 0
    details: Document | None = None


def freeze(
    document: Document,
    parts: Sequence[Part],
    at: datetime | None = None,
    thread: Receipt | None = None,
    *,
    repository: str = "",
    details: Document | None = None,
    following: Sequence[Part] = (),
) -> str:
    """The document and its parts as JSON in ASCII, since databases reject lone surrogates."""
    # ``at`` is the time of freezing, aware, in UTC; ``following`` are the parts of ``details``.
    rendered = [[part.text, part.body] for part in (*parts, *following)]
    frozen: dict[str, Any] = {"document": _encode(document), "parts": rendered}
    if at is not None:
        frozen["at"] = at.isoformat()
    if thread is not None:
        frozen["thread"] = thread.dump()
    if repository:
        frozen["repository"] = repository
    if details is not None:
        frozen |= {"details": _encode(details), "own": len(parts)}
    return json.dumps(frozen)


def messages(content: str) -> Messages:
    """What to send, from the text of :func:`freeze`, without parsing documents."""
    return Messages(**_messages(json.loads(content)))


@lru_cache(maxsize=256)
def thaw(content: str) -> Payload:
    """The payload that :func:`freeze` wrote; cached, because many channels get the same text."""
    loaded = json.loads(content)
    return Payload(
        **_messages(loaded),
        document=_decode(loaded["document"]),
        own=loaded.get("own", len(loaded["parts"])),
        details=_decode(loaded["details"]) if "details" in loaded else None,
    )


def _messages(loaded: Mapping[str, Any]) -> dict[str, Any]:
    at = datetime.fromisoformat(loaded["at"]) if "at" in loaded else None
    return {
        "parts": tuple(Part(text=text, body=body, since=at) for text, body in loaded["parts"]),
        "thread": Receipt.parse(loaded.get("thread", "")),
        "repository": loaded.get("repository", ""),
    }


# The documents of many channels differ only in their buttons.
@lru_cache(maxsize=4096)
def _block(block: Block) -> Any:
    return _encode(block)


def _encode(value: Any) -> Any:
    if isinstance(value, Document):
        blocks = [_block(block) for block in value.blocks]
        encoded = {"title": value.title, "blocks": blocks, "language": value.language}
        return {"is": "Document", **encoded}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if is_dataclass(value):
        encoded = {field.name: _encode(getattr(value, field.name)) for field in fields(value)}
        return {"is": type(value).__name__, **encoded}
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    if isinstance(value, dict):
        decoded = {name: _decode(item) for name, item in value.items() if name != "is"}
        return _TYPES[value["is"]](**decoded)
    return value
