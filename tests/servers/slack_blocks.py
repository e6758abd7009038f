"""Which blocks Slack accepts, and what a person then sees; stricter than Slack where it is vague."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

MOST_BLOCKS, MOST_HOME_BLOCKS = 50, 100
MOST_SIZE = 13_200
BLOCK_WEIGHT = 125
STYLES = {"bold", "italic", "strike", "code"}
MENTION = re.compile(r"<(?:@|!|#)[^<>]*>")


class Refused(Exception):
    """The error code of Slack's answer, and what was wrong."""

    def __init__(self, code: str, why: str = "") -> None:
        super().__init__(f"{code}: {why}")
        self.code = code
        self.why = why


def check_blocks(blocks: Any, *, home: bool = False) -> None:
    """Raise ``Refused`` unless Slack would accept the blocks."""
    _want(isinstance(blocks, list) and blocks, "blocks must be a list with something in it")
    if len(blocks) > (MOST_HOME_BLOCKS if home else MOST_BLOCKS):
        raise Refused("invalid_blocks", "too many blocks")
    tables = [block for block in blocks if block.get("type") == "table"]
    _want(len(tables) <= (0 if home else 1), "a message takes one table, a page none")
    for block in blocks:
        _check_block(block)
    size = sum(units(json.dumps(block, ensure_ascii=False)) + BLOCK_WEIGHT for block in blocks)
    if size > MOST_SIZE:
        raise Refused("msg_blocks_too_long", f"{size}")


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _want(true: Any, why: str) -> None:
    if not true:
        raise Refused("invalid_blocks", why)


def _keys(value: Any, needed: set[str], allowed: set[str] = frozenset()) -> None:
    _want(isinstance(value, dict), "an object is wanted")
    _want(needed <= set(value) <= needed | allowed, f"keys {sorted(value)}")


def _words(value: Any, most: int) -> None:
    _want(isinstance(value, str) and value, "words are wanted")
    _want(units(value) <= most, f"longer than {most}")
    _want(not any(0xD800 <= ord(char) < 0xE000 for char in value), "half a character")


def _check_block(block: Any) -> None:
    match block.get("type"):
        case "header":
            _keys(block, {"type", "text"}, {"block_id"})
            _plain(block["text"], 150)
            _want(block["text"]["text"].strip(), "an empty header")
        case "section":
            _keys(block, {"type", "text"}, {"block_id"})
            _text(block["text"], 3000)
        case "context":
            _keys(block, {"type", "elements"}, {"block_id"})
            _want(1 <= len(block["elements"]) <= 10, "elements of a context")
            for element in block["elements"]:
                _text(element, 2000)
        case "divider":
            _keys(block, {"type"}, {"block_id"})
        case "actions":
            _check_actions(block)
        case "rich_text":
            _keys(block, {"type", "elements"}, {"block_id"})
            _want(block["elements"], "nothing in it")
            for container in block["elements"]:
                _check_container(container)
        case "table":
            _check_table(block)
        case other:
            raise Refused("invalid_blocks", f"no block {other!r}")


def _plain(value: Any, most: int) -> None:
    _keys(value, {"type", "text"}, {"emoji"})
    _want(value["type"] == "plain_text", "plain text is wanted")
    _words(value["text"], most)


def _text(value: Any, most: int) -> None:
    if value.get("type") == "mrkdwn":
        _keys(value, {"type", "text"}, {"verbatim"})
        _words(value["text"], most)
    else:
        _plain(value, most)


def _check_actions(block: Any) -> None:
    _keys(block, {"type", "elements"}, {"block_id"})
    buttons = block["elements"]
    _want(1 <= len(buttons) <= 25, "buttons")
    names = [button.get("action_id") for button in buttons]
    _want(len(set(names)) == len(names), "two buttons of one action_id")
    for button in buttons:
        _keys(button, {"type", "text", "action_id"}, {"value", "url", "style"})
        _want(button["type"] == "button", "a button is wanted")
        _plain(button["text"], 75)
        _words(button["action_id"], 255)
        if "value" in button:
            _words(button["value"], 2000)
        if "url" in button:
            _words(button["url"], 3000)
            _want(button["url"].lower().startswith(("http://", "https://")), "no address")


def _check_container(container: Any) -> None:
    kind = container.get("type")
    if kind == "rich_text_list":
        _keys(container, {"type", "style", "elements"}, {"indent", "offset", "border"})
        _want(container["style"] in {"bullet", "ordered"}, "style of a list")
        _want(0 <= container.get("indent", 0) <= 8, "indent")
        _want(container.get("offset", 0) >= 0, "offset")
        _want(container["elements"], "an empty list")
        for section in container["elements"]:
            _want(section.get("type") == "rich_text_section", "entries are sections")
            _check_container(section)
        return
    _want(
        kind in {"rich_text_section", "rich_text_quote", "rich_text_preformatted"},
        f"no element {kind!r}",
    )
    _keys(container, {"type", "elements"}, {"border"})
    _want(container["elements"], "an empty element")
    for element in container["elements"]:
        _check_element(element)


def _check_element(element: Any) -> None:
    match element.get("type"):
        case "text":
            _keys(element, {"type", "text"}, {"style"})
            _words(element["text"], MOST_SIZE)
        case "link":
            _keys(element, {"type", "url"}, {"text", "style", "unsafe"})
            _words(element["url"], 3000)
            _want(element["url"].lower().startswith(("http://", "https://")), "no address")
            if "text" in element:
                _words(element["text"], MOST_SIZE)
        case "user" | "usergroup" | "broadcast" | "channel" | "emoji" | "date":
            _want("type" in element, "")
        case other:
            raise Refused("invalid_blocks", f"no element {other!r}")
    style = element.get("style", {})
    _want(set(style) <= STYLES and all(v is True for v in style.values()), "style")


def _check_table(block: Any) -> None:
    _keys(block, {"type", "rows"}, {"block_id", "column_settings"})
    _want(1 <= len(block["rows"]) <= 100, "rows of a table")
    for row in block["rows"]:
        _want(1 <= len(row) <= 20, "cells of a row")
        for cell in row:
            if cell.get("type") == "raw_text":
                _keys(cell, {"type", "text"})
                _words(cell["text"], 10_000)
            else:
                _keys(cell, {"type", "elements"})
                for container in cell["elements"]:
                    _check_container(container)
    _want(sum(len(_cell(cell)) for row in block["rows"] for cell in row) <= 10_000, "a big table")


def shown(blocks: list[Any] | None, text: str, *, mrkdwn: bool = True) -> str:
    """The visible text."""
    if blocks:
        return "\n".join(line for block in blocks for line in _shown(block))
    del mrkdwn  # marks stay marks or become type; the words are the same
    return html.unescape(text)


def notifying(blocks: list[Any] | None, values: dict[str, Any]) -> Iterator[str]:
    """Everything in a message that notifies somebody."""
    text = values.get("text") or ""
    yield from MENTION.findall(text)
    if values.get("link_names") or values.get("parse") == "full":
        yield from re.findall(r"@\w+", text)
    for value in _objects(blocks or []):
        if value.get("type") == "mrkdwn":
            yield from MENTION.findall(value["text"])
            if not value.get("verbatim"):
                yield from re.findall(r"[@#]\w+", value["text"])
        if value.get("type") in {"user", "usergroup", "broadcast", "channel"}:
            yield value["type"]


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _objects(inner)


def _shown(block: Any) -> Iterator[str]:
    match block["type"]:
        case "header" | "section":
            yield block["text"]["text"]
        case "context":
            yield " ".join(element["text"] for element in block["elements"])
        case "divider":
            yield "-" * 8
        case "actions":
            yield " ".join(f"[{button['text']['text']}]" for button in block["elements"])
        case "table":
            for row in block["rows"]:
                yield " | ".join(map(_cell, row))
        case _:
            for container in block["elements"]:
                if container["type"] == "rich_text_list":
                    for section in container["elements"]:
                        yield "  " * container.get("indent", 0) + "* " + _inline(section)
                else:
                    yield _inline(container)


def _inline(container: Any) -> str:
    return "".join(e.get("text") or e.get("url", "") for e in container["elements"])


def _cell(cell: Any) -> str:
    if cell["type"] == "raw_text":
        return cell["text"]
    return " ".join(map(_inline, cell["elements"]))
