"""Blocks as plain text: for notifications, screen readers and tests."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Any

LONGEST = 4000
"""Characters of a message's own text: more is refused in an edit.

https://docs.slack.dev/reference/methods/chat.update
"""


def spoken(blocks: Iterable[dict[str, Any]]) -> str:
    """The words of the blocks, one line per unit."""
    return "\n".join(line for block in blocks for line in _lines(block))


def fallback(text: str) -> str:
    """A text as the ``text`` of a message: escaped, and cut if it is too long.

    The blocks still hold all of it.
    """
    whole = escape(text)
    if len(whole.encode("utf-16-le")) // 2 <= LONGEST:
        return whole
    kept: list[str] = []
    room = LONGEST - 2
    for character in text:
        escaped = escape(character)
        room -= max(len(escaped), len(escaped.encode("utf-16-le")) // 2)
        if room < 0:
            break
        kept.append(escaped)
    return "".join(kept) + " …"


def escape(text: str) -> str:
    """A text in which nothing is a link or a mention.

    https://docs.slack.dev/messaging/formatting-message-text
    """
    return html.escape(text, quote=False)


def _lines(block: dict[str, Any]) -> Iterator[str]:
    match block["type"]:
        case "header":
            yield block["text"]["text"]
        case "rich_text":
            for container in block["elements"]:
                yield from _rich(container)
        case "actions":
            yield " ".join(f"[{button['text']['text']}]" for button in block["elements"])
        case "table":
            for row in block["rows"]:
                yield " | ".join(map(_cell, row))
        case "context":
            yield " ".join(element["text"] for element in block["elements"])
        case _:
            yield "—"


def _rich(container: dict[str, Any]) -> Iterator[str]:
    if container["type"] != "rich_text_list":
        mark = "> " if container["type"] == "rich_text_quote" else ""
        yield mark + _joined(container)
        return
    indent = "  " * container["indent"]
    for number, entry in enumerate(container["elements"], container.get("offset", 0) + 1):
        mark = f"{number}. " if container["style"] == "ordered" else "• "
        yield indent + mark + _joined(entry)


def _cell(cell: dict[str, Any]) -> str:
    if cell["type"] == "raw_text":
        return str(cell["text"])
    return " ".join(map(_joined, cell["elements"]))


def _joined(section: dict[str, Any]) -> str:
    return "".join(element.get("text", "") for element in section["elements"])
