"""A document as JSON text and back, exactly: what the delivery ledger freezes.

Imports ``document`` only. A block or span is an object with its ``type``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from digest.document import (
    Actions,
    Block,
    Button,
    Code,
    CodeBlock,
    Divider,
    Document,
    Emphasis,
    Heading,
    Image,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Span,
    Spans,
    Strong,
    Table,
    Text,
)

VERSION = 1
"""The form of the text; a delivery that was frozen in another one is not read."""

_SPANS: dict[str, type[Text | Strong | Emphasis | Code]] = {
    "text": Text,
    "strong": Strong,
    "emphasis": Emphasis,
    "code": Code,
}
_SPAN_NAMES = {kind: name for name, kind in _SPANS.items()}


class BrokenDocument(ValueError):
    """A text that no version of :func:`document_to_json` can have written."""


def document_to_json(document: Document) -> str:
    """The document as one line of JSON; the same document always gives the same text."""
    data = {
        "version": VERSION,
        "title": document.title,
        "language": document.language,
        "blocks": [_block(block) for block in document.blocks],
    }
    return json.dumps(data, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def document_from_json(text: str) -> Document:
    """The document that :func:`document_to_json` wrote. Raises ``BrokenDocument`` for any other."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise BrokenDocument(f"a document of version {data['version']!r}, not {VERSION}")
        return Document(
            title=data["title"],
            language=data["language"],
            blocks=tuple(_READERS[block["type"]](block) for block in data["blocks"]),
        )
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError, RecursionError) as error:
        raise BrokenDocument(f"no document: {error!r}") from error


def _span(span: Span) -> dict[str, Any]:
    if isinstance(span, Link):
        return {"type": "link", "text": span.text, "url": span.url}
    return {"type": _SPAN_NAMES[type(span)], "text": span.text}


def _spans(spans: Spans) -> list[dict[str, Any]]:
    return [_span(span) for span in spans]


def _item(item: Item) -> dict[str, Any]:
    return {"spans": _spans(item.spans), "children": [_item(child) for child in item.children]}


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Heading(level, spans, anchor):
            return {"type": "heading", "level": level, "spans": _spans(spans), "anchor": anchor}
        case Paragraph(spans):
            return {"type": "paragraph", "spans": _spans(spans)}
        case Listing(items, ordered):
            return {"type": "list", "ordered": ordered, "items": [_item(i) for i in items]}
        case Table(header, rows):
            cells = [[_spans(cell) for cell in row] for row in rows]
            return {"type": "table", "header": [_spans(cell) for cell in header], "rows": cells}
        case Quote(paragraphs):
            return {"type": "quote", "paragraphs": [_spans(p) for p in paragraphs]}
        case CodeBlock(text, language):
            return {"type": "code_block", "text": text, "language": language}
        case Divider():
            return {"type": "divider"}
        case Actions(buttons):
            return {"type": "actions", "buttons": [_button(button) for button in buttons]}
        case Image(url, alt):
            return {"type": "image", "url": url, "alt": alt}


def _button(button: Button) -> dict[str, str]:
    return {
        "label": button.label,
        "action": button.action,
        "value": button.value,
        "url": button.url,
    }


def _read_span(data: dict[str, Any]) -> Span:
    if data["type"] == "link":
        return Link(data["text"], data["url"])
    return _SPANS[data["type"]](data["text"])


def _read_spans(data: list[dict[str, Any]]) -> Spans:
    return tuple(_read_span(span) for span in data)


def _read_item(data: dict[str, Any]) -> Item:
    return Item(_read_spans(data["spans"]), tuple(_read_item(c) for c in data["children"]))


_READERS: dict[str, Callable[[dict[str, Any]], Block]] = {
    "heading": lambda d: Heading(d["level"], _read_spans(d["spans"]), d["anchor"]),
    "paragraph": lambda d: Paragraph(_read_spans(d["spans"])),
    "list": lambda d: Listing(tuple(_read_item(i) for i in d["items"]), d["ordered"]),
    "table": lambda d: Table(
        tuple(_read_spans(cell) for cell in d["header"]),
        tuple(tuple(_read_spans(cell) for cell in row) for row in d["rows"]),
    ),
    "quote": lambda d: Quote(tuple(_read_spans(p) for p in d["paragraphs"])),
    "code_block": lambda d: CodeBlock(d["text"], d["language"]),
    "divider": lambda _: Divider(),
    "actions": lambda d: Actions(tuple(Button(**button) for button in d["buttons"])),
    "image": lambda d: Image(d["url"], d["alt"]),
}
