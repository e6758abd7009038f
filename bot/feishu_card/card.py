"""Documents as Feishu cards, within every limit that Feishu sets for a message.

Blocks become components, each far smaller than a message: long paragraphs, lists and code make
several. Components are then packed into cards; none spans two messages.

https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-structure
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from bot.feishu_card.card_text import markdown
from bot.messaging.sender import Part, compact_json
from bot.util.sanitize import legible, legible_lines, lines_of, split_text, web_url
from bot.util.terminal import columns_of, has_own_sign
from digest import document as doc
from digest.frozen import frozen

Json = dict[str, Any]

# Characters of one line. The worst characters, escaped, take six bytes in the card and seven as
# sent, so that three such lines fit into the smallest message.
_LONGEST_LINE = 800

# Lines of one list share a component up to this many characters, because components are limited.
_ENOUGH, _MOST = 1600, 3600
_LONGEST_LABEL = 60

# Monospaced characters that fit side by side on a phone.
_PHONE = 34
_LONGEST_VALUE = 400
_MOST_IN_A_ROW = 6
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,20}")


class CardPiece(NamedTuple):
    """One component of a card's body."""

    component: Json
    text: str
    places: int = 1  # Feishu's component count, nested ones included
    leads: bool = False  # it belongs to what follows, as a heading does


class CardLine(NamedTuple):
    """A line of Markdown, its depth, and its words as displayed."""

    marked: str
    text: str
    depth: int = 0


def pieces(blocks: Iterable[doc.Block], *, interactive: bool) -> Iterator[CardPiece]:
    """The pieces of the blocks in order. Without ``interactive`` only link buttons are made."""
    for block in blocks:
        yield from _pieces(block, interactive=interactive)


def _pieces(block: doc.Block, *, interactive: bool) -> Iterator[CardPiece]:
    match doc.charts_as_text(block):
        case doc.Heading() as heading:
            yield from _heading(heading)
        case doc.Paragraph(spans=spans, aside=aside):
            yield from (_markdown(line, small=aside) for line in _lines(spans))
        case doc.Listing(items=items, ordered=ordered):
            for lines in _items(items, ordered=ordered):
                yield from _group(lines)
        case doc.Table() as table if columns := columns_of(table, _PHONE):
            yield from _code(doc.CodeBlock("\n".join(columns)))
        case doc.Table() as table:
            yield from _group(_table(table))
        case doc.Quote(paragraphs=paragraphs):
            for spans in paragraphs:
                yield from (
                    _markdown(CardLine(f"> {line.marked}", line.text)) for line in _lines(spans)
                )
        case doc.CodeBlock() as code:
            yield from _code(code)
        case doc.Divider():
            yield CardPiece({"tag": "hr"}, "")
        case doc.Actions(buttons=buttons):
            yield from _actions(buttons, interactive=interactive)


def _lines(spans: doc.Spans) -> Iterator[CardLine]:
    for line in lines_of(spans, _LONGEST_LINE):
        if marked := markdown(line):
            yield CardLine(marked, doc.plain(line))


def _markdown(line: CardLine, *, small: bool = False) -> CardPiece:
    component: Json = {"tag": "markdown", "content": line.marked}
    if small:
        component["text_size"] = "notation"
    return CardPiece(component, line.text)


def _heading(heading: doc.Heading) -> Iterator[CardPiece]:
    for line in _lines(doc.strong(heading.spans)):
        component: Json = {"tag": "markdown", "content": line.marked}
        if heading.level <= 2:
            component["text_size"] = "heading"
        yield CardPiece(component, line.text, leads=True)


def _listing(
    items: Sequence[doc.Item], depth: int, first: int = 1, *, ordered: bool
) -> Iterator[CardLine]:
    for number, item in enumerate(items, first):
        if not ordered and has_own_sign(item.spans):
            # An item that begins with its own sign: neither it nor a single item in it gets a mark.
            yield from (line._replace(depth=depth) for line in _lines(item.spans))
            if len(item.children) == 1 and not item.children[0].children:
                yield from (line._replace(depth=depth) for line in _lines(item.children[0].spans))
            else:
                yield from _listing(item.children, depth, ordered=False)
            continue
        mark = f"{number}. " if ordered else "- "
        lines = [*_lines(item.spans)]
        if not lines:
            # A mark without words would turn what is below it into code.
            yield from _listing(item.children, depth, ordered=False)
            continue
        deeper = depth + max(4, len(mark))
        yield CardLine(mark + lines[0].marked, mark + lines[0].text, depth)
        yield from (line._replace(depth=deeper) for line in lines[1:])
        yield from _listing(item.children, deeper, ordered=False)


def _table(table: doc.Table) -> Iterator[CardLine]:
    """One line per row, because a phone has no room for columns."""
    for spans in doc.rows_as_lines(table):
        for part, line in enumerate(_lines(spans)):
            yield line._replace(depth=4) if part else CardLine(f"- {line.marked}", line.text)


def _items(items: Sequence[doc.Item], *, ordered: bool) -> Iterator[Iterator[CardLine]]:
    """Lines that belong together: an item with its children, and runs of items without any."""
    begin = 0
    for place, item in enumerate(items):
        if item.children:
            yield _listing(items[begin:place], 0, begin + 1, ordered=ordered)
            yield _listing((item,), 0, place + 1, ordered=ordered)
            begin = place + 1
    yield _listing(items[begin:], 0, begin + 1, ordered=ordered)


def _group(lines: Iterable[CardLine]) -> Iterator[CardPiece]:
    """Lines packed into components, split at the outer margin if possible."""
    group: list[CardLine] = []
    length = 0
    for line in lines:
        most = _MOST if line.depth else _ENOUGH
        if group and length + len(line.marked) > most:
            yield _together(group)
            group, length = [], 0
        group.append(line)
        length += len(line.marked)
    if group:
        yield _together(group)


def _together(lines: Sequence[CardLine]) -> CardPiece:
    """The lines as one component; a continuation starts at the margin."""
    base = lines[0].depth
    marked = (" " * max(line.depth - base, 0) + line.marked for line in lines)
    return _markdown(
        CardLine("\n".join(marked), "\n".join(" " * one.depth + one.text for one in lines))
    )


def _code(block: doc.CodeBlock) -> Iterator[CardPiece]:
    """Lines as written. Text that could be a tag is shown as plain text instead of in a fence."""
    match = _LANGUAGE.fullmatch(block.language)
    for text in _sheets(legible_lines(block.text.rstrip("\r\n"))):
        if "<" in text or "```" in text:
            shown = {"tag": "plain_text", "content": text}
            yield CardPiece({"tag": "div", "text": shown}, text, 2)
        elif text.strip():
            fence = f"```{match[0] if match else ''}\n{text}\n```"
            yield CardPiece({"tag": "markdown", "content": fence}, text)


def _sheets(lines: Iterable[str]) -> Iterator[str]:
    sheet: list[str] = []
    length = 0
    for line in chain.from_iterable(split_text(line, _LONGEST_LINE) for line in lines):
        if sheet and length + len(line) > _ENOUGH:
            yield "\n".join(sheet)
            sheet, length = [], 0
        sheet.append(line)
        length += len(line) + 1
    yield "\n".join(sheet)


def _actions(buttons: Sequence[doc.Button], *, interactive: bool) -> Iterator[CardPiece]:
    """The buttons side by side; a button that cannot be pressed becomes text in its place."""
    row: list[tuple[str, Json]] = []
    for button in buttons:
        label = legible(button.label).strip()
        behaviour = _behaviour(button, interactive=interactive)
        if behaviour is None or len(label) > _LONGEST_LABEL:
            yield from _row(row)
            row = []
            yield from map(_markdown, _lines(doc.button_as_text(button)))
        if behaviour is not None:
            row.append((label, behaviour))
    yield from _row(row)


def _row(buttons: Sequence[tuple[str, Json]]) -> Iterator[CardPiece]:
    for at in range(0, len(buttons), _MOST_IN_A_ROW):
        row = buttons[at : at + _MOST_IN_A_ROW]
        columns = [_column(label or "…", behaviour) for label, behaviour in row]
        component = {"tag": "column_set", "flex_mode": "flow", "columns": columns}
        text = " ".join(f"[{label}]" for label, _ in row)
        yield CardPiece(component, text, 1 + 2 * len(columns))


def _behaviour(button: doc.Button, *, interactive: bool) -> Json | None:
    if url := web_url(button.url):
        return {"type": "open_url", "default_url": url}
    if interactive and button.action and len(button.value) <= _LONGEST_VALUE:
        value = {"action": legible(button.action), "value": legible(button.value)}
        return {"type": "callback", "value": value}
    return None


def _column(label: str, behaviour: Json) -> Json:
    short = label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"
    button = {
        "tag": "button",
        "text": {"tag": "plain_text", "content": short},
        "behaviors": [behaviour],
    }
    return {"tag": "column", "width": "auto", "elements": [button]}


MOST_COMPONENTS = 200  # the most components of one card, nested ones included
_NUMBERED = 19  # characters of an identity that fit into a component's id after the leading letter
_LONGEST_TITLE = 150
_LONGEST_SUMMARY = 80

# The largest frame of a card: the longest title and summary, all Chinese, in bytes as sent.
_FRAME = 1200


@frozen
class Style:
    """The limits of one of the two bots."""

    size: int  # bytes of a card's JSON, encoded as a JSON string once more: so an app sends it
    interactive: bool  # button presses come back


def render(document: doc.Document, style: Style) -> tuple[Part, ...]:
    """The cards of a document, in order; the first one has the title."""
    title, blocks = _split_title(document)
    packed = _pack(pieces(blocks, interactive=style.interactive), style.size - _FRAME)
    summary = legible(document.title).strip()[:_LONGEST_SUMMARY]
    return tuple(
        _part(found, title if place == 0 else "", summary) for place, found in enumerate(packed)
    )


def with_identity(body: str, identity: str) -> str:
    """The card with the identity in its first component's id, which is not displayed."""
    if not identity:
        return body
    card = json.loads(body)
    card["body"]["elements"][0]["element_id"] = mark_of(identity)
    return compact_json(card)


def mark_of(identity: str) -> str:
    """The id that encodes a message's identity: at most 20 characters, a letter first."""
    return f"d{identity[:_NUMBERED]}"


def weight(card: Json) -> int:
    """Bytes of the card as a JSON string within JSON."""
    text = compact_json(card)
    return len(text.encode()) + text.count('"') + text.count("\\")


def _split_title(document: doc.Document) -> tuple[str, tuple[doc.Block, ...]]:
    """The document's title, if a card's header can show all of it, and the remaining blocks."""
    head, *rest = document.blocks or (None,)
    if isinstance(head, doc.Heading) and head.level == 1 and rest:
        title = legible(doc.plain(head.spans)).strip()
        linked = any(isinstance(span, doc.Link) for span in head.spans)
        if title and len(title) <= _LONGEST_TITLE and not linked:
            return title, tuple(rest)
    return "", document.blocks


def _pack(found: Iterable[CardPiece], size: int) -> Iterator[list[CardPiece]]:
    message: list[CardPiece] = []
    room, places = size, MOST_COMPONENTS
    for piece in found:
        needed = weight(piece.component) + 1
        if message and (needed > room or piece.places > places):
            # The last pieces, at most two, that lead to what follows and move to the next message.
            count = 0
            while count < min(2, len(message) - 1) and message[-1 - count].leads:
                count += 1
            leading = message[len(message) - count :]
            yield message[: len(message) - len(leading)]
            message = leading
            room = size - sum(weight(one.component) + 1 for one in leading)
            places = MOST_COMPONENTS - sum(one.places for one in leading)
        message.append(piece)
        room -= needed
        places -= piece.places
    yield message


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
    return Part(text="\n".join(text for text in texts if text), body=compact_json(card))
