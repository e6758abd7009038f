"""Text and buttons as Slack's elements, within Slack's limits, and as plain text.

Text is data there, never markup and never a mention. ``mrkdwn`` cannot express a literal asterisk
or backtick, and a message's plain text can be parsed for names; rich text does neither, so nothing
needs escaping. Lengths are in UTF-16 units, which are never fewer than the characters that Slack
may count. Plain text is for notifications, screen readers and tests.
https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
https://docs.slack.dev/reference/block-kit/block-elements/button-element
"""

from __future__ import annotations

import html
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from bot.messaging.sender import compact_json
from bot.util.sanitize import address, legible, legible_lines
from digest.document import Button, Code, Emphasis, Link, Span, Spans, Strong

LONGEST = 4000
"""Characters of a message's own text: more is refused in an edit.
https://docs.slack.dev/reference/methods/chat.update"""


def words_of(blocks: Iterable[dict[str, Any]]) -> str:
    """The words of the blocks, one line per unit."""
    return "\n".join(line for block in blocks for line in _lines(block))


def fallback(text: str) -> str:
    """A text as the ``text`` of a message: escaped, and cut, as the blocks hold all of it."""
    if _units(text) <= LONGEST:
        return escape(text)
    fitting = bisect_right(range(LONGEST), LONGEST - 2, key=lambda end: _units(text[:end])) - 1
    return escape(text[:fitting]) + " …"


def _units(text: str) -> int:
    """The length of the escaped text in UTF-16."""
    return len(escape(text).encode("utf-16-le")) // 2


def escape(text: str) -> str:
    """No links and mentions: https://docs.slack.dev/messaging/formatting-message-text."""
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
        yield mark + _section_text(container)
        return
    indent = "  " * container["indent"]
    for number, entry in enumerate(container["elements"], container.get("offset", 0) + 1):
        mark = f"{number}. " if container["style"] == "ordered" else "• "
        yield indent + mark + _section_text(entry)


def _cell(cell: dict[str, Any]) -> str:
    if cell["type"] == "raw_text":
        return str(cell["text"])
    return " ".join(map(_section_text, cell["elements"]))


def _section_text(section: dict[str, Any]) -> str:
    return "".join(element.get("text", "") for element in section["elements"])


MOST_BUTTONS = 25
"""Buttons in a row: https://docs.slack.dev/reference/block-kit/blocks/actions-block"""

LONGEST_LABEL = 75
LONGEST_VALUE = 2000
LONGEST_ACTION = 200
LONGEST_BUTTON_URL = 3000


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def plain_text(text: str) -> Json:
    """A text in which nothing is markup."""
    # With ``emoji`` a colon in a name could become an emoji.
    return {"type": "plain_text", "text": text, "emoji": False}


def element(button: Button, number: int) -> Json | None:
    """The button, or ``None`` if its label or address is not valid in a Slack button."""
    label = legible(button.label).strip()
    url = web_address(button.url, LONGEST_BUTTON_URL)
    value = legible(button.value)
    known = bool(button.action) and units(button.action) <= LONGEST_ACTION
    fits = 0 < units(label) <= LONGEST_LABEL and units(value) <= LONGEST_VALUE
    if not fits or not (url or known):
        return None
    # The number makes action ids unique, as Slack requires.
    made: Json = {"type": "button", "text": plain_text(label), "action_id": f"{number}/"}
    if url:
        return made | {"url": url}
    made["action_id"] += legible(button.action)
    return made | {"value": value} if value else made


Json = dict[str, Any]
LONGEST_URL = 2000  # bytes of a link's address; a longer address is dropped, its text stays
LONGEST_LINE = 8_000  # bytes of one line's elements; a longer line is split
_STYLES = {Strong: {"bold": True}, Emphasis: {"italic": True}, Code: {"code": True}}

# In JSON a character takes at most four bytes, because ``legible`` leaves none that is escaped
# except the quotation mark and the backslash.
_BYTES_A_CHARACTER = 4
_DEEPEST = 8  # the deepest list that Slack's own editor makes


class LineFrame(NamedTuple):
    """The container of a line: a paragraph, a list level, a quote or code."""

    kind: str
    style: str = ""
    indent: int = 0


SECTION = LineFrame("rich_text_section")
QUOTE = LineFrame("rich_text_quote")
CODE = LineFrame("rich_text_preformatted")


def list_frame(*, ordered: bool, depth: int) -> LineFrame:
    """The frame of a list item."""
    return LineFrame("rich_text_list", "ordered" if ordered else "bullet", min(depth, _DEEPEST))


def elements(spans: Spans, *, strong: bool = False) -> list[Json]:
    """The spans as elements with text; ``strong`` makes all of them bold."""
    found: list[Json] = []
    for span in spans:
        element = _element(span, strong=strong)
        if element is None:
            continue
        last = found[-1] if found else None
        alike = last and last.get("style") == element.get("style")
        if last and alike and element["type"] == "text" == last["type"]:
            last["text"] += element["text"]
        else:
            found.append(element)
    return found


class RichLine(NamedTuple):
    """Elements in a frame, with their bytes; ``number`` counts earlier items of an ordered list."""

    frame: LineFrame
    elements: tuple[Json, ...]
    size: int = 0
    number: int = 0


def _element(span: Span, *, strong: bool) -> Json | None:
    text = legible(span.text)
    if not text:
        return None
    style = {"bold": True} if strong else {}
    if isinstance(span, Link):
        url = web_address(span.url)
        if url and text.strip():
            return _with_style({"type": "link", "url": url, "text": text}, style)
    else:
        style = style | _STYLES.get(type(span), {})
    return _with_style({"type": "text", "text": text}, style)


def _with_style(element: Json, style: Json) -> Json:
    return element | {"style": style} if style else element


def web_address(url: str, longest: int = LONGEST_URL) -> str:
    """An address that Slack can open; empty for paths, anchors, other schemes and overlong ones."""
    split = address(url)
    usable = split.lower().startswith(("https://", "http://")) and weight(split) <= longest
    return split if usable else ""


def code_lines(text: str) -> list[Json]:
    """Lines as written."""
    shown = "\n".join(legible_lines(text))
    return [{"type": "text", "text": shown}] if shown else []


def weight(value: Any) -> int:
    """Bytes of a value as it is sent."""
    text = compact_json(value)
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def lines_of(frame: LineFrame, found: Sequence[Json], number: int = 0) -> Iterator[RichLine]:
    """The elements in as many lines as their length needs; none if nothing is visible."""
    if not any(element["text"].strip() for element in found):
        return
    size = weight(found)
    if size <= LONGEST_LINE:
        yield RichLine(frame, tuple(found), size, number)
        return
    line: list[Json] = []
    used = 0
    for piece in (piece for element in found for piece in _split(element)):
        size = weight(piece) + 1
        if line and used + size > LONGEST_LINE:
            yield RichLine(frame, tuple(line), used, number)
            line, used = [], 0
        line.append(piece)
        used += size
    yield RichLine(frame, tuple(line), used, number)


def _split(element: Json) -> Iterator[Json]:
    """The element, or its text in several elements, split after spaces if possible."""
    text = element["text"]
    most = (LONGEST_LINE - LONGEST_URL - 200) // _BYTES_A_CHARACTER
    while len(text) > most:
        end = max(text.rfind(" ", 0, most), text.rfind("\n", 0, most)) + 1 or most
        yield element | {"text": text[:end]}
        text = text[end:]
    yield element | {"text": text}


def containers(lines: Iterable[RichLine]) -> list[Json]:
    """The content of a ``rich_text`` block: lines in their frames, items of a list together."""
    made: list[Json] = []
    before: LineFrame | None = None
    for line in lines:
        held = list(line.elements)
        if line.frame.kind != "rich_text_list":
            made.append({"type": line.frame.kind, "elements": held})
        else:
            if line.frame != before:
                made.append(_list(line))
            made[-1]["elements"].append({"type": "rich_text_section", "elements": held})
        before = line.frame
    return made


def _list(line: RichLine) -> Json:
    made: Json = {"type": "rich_text_list", "style": line.frame.style, "indent": line.frame.indent}
    if line.number and line.frame.style == "ordered":
        made["offset"] = line.number
    return made | {"elements": []}
