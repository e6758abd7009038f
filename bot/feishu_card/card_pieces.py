"""A document's blocks as card components, each far smaller than a message.

A piece never spans two messages. Long paragraphs, lists and code make several pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from bot.feishu_card.card_text import cut, lines_of, markdown, web
from bot.util.sanitize import legible, legible_lines
from bot.util.terminal_layout import columns_of, signed
from digest.document import (
    Actions,
    Block,
    Button,
    CodeBlock,
    Divider,
    Heading,
    Item,
    Listing,
    Paragraph,
    Quote,
    Spans,
    Strong,
    Table,
    Text,
    plain,
    rows_as_lines,
    strong,
    undrawn,
)

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
    """One component of a card's body. ``places`` is Feishu's component count, nested ones included.

    ``leads`` says that it belongs to what follows, as a heading does.
    """

    component: Json
    text: str
    places: int = 1
    leads: bool = False


class CardLine(NamedTuple):
    """A line of Markdown, its depth, and its words as displayed."""

    marked: str
    text: str
    depth: int = 0


def pieces(blocks: Iterable[Block], *, interactive: bool) -> Iterator[CardPiece]:
    """The pieces of the blocks in order. Without ``interactive`` only link buttons are made."""
    for block in blocks:
        yield from _pieces(block, interactive=interactive)


def _pieces(block: Block, *, interactive: bool) -> Iterator[CardPiece]:
    match undrawn(block):
        case Heading() as heading:
            yield from _heading(heading)
        case Paragraph(spans=spans, aside=aside):
            yield from (_markdown(line, small=aside) for line in _lines(spans))
        case Listing(items=items, ordered=ordered):
            for lines in _items(items, ordered=ordered):
                yield from _grouped(lines)
        case Table() as table if columns := columns_of(table, _PHONE):
            yield from _code(CodeBlock("\n".join(columns)))
        case Table() as table:
            yield from _grouped(_table(table))
        case Quote(paragraphs=paragraphs):
            for spans in paragraphs:
                yield from (
                    _markdown(CardLine(f"> {line.marked}", line.text)) for line in _lines(spans)
                )
        case CodeBlock() as code:
            yield from _code(code)
        case Divider():
            yield CardPiece({"tag": "hr"}, "")
        case Actions(buttons=buttons):
            yield from _actions(buttons, interactive=interactive)


def _lines(spans: Spans) -> Iterator[CardLine]:
    """The spans as lines short enough for a component; none if there are no words."""
    for line in lines_of(spans, _LONGEST_LINE):
        if marked := markdown(line):
            yield CardLine(marked, plain(line))


def _markdown(line: CardLine, *, small: bool = False) -> CardPiece:
    component: Json = {"tag": "markdown", "content": line.marked}
    if small:
        component["text_size"] = "notation"
    return CardPiece(component, line.text)


def _heading(heading: Heading) -> Iterator[CardPiece]:
    for line in _lines(strong(heading.spans)):
        component: Json = {"tag": "markdown", "content": line.marked}
        if heading.level <= 2:
            component["text_size"] = "heading"
        yield CardPiece(component, line.text, leads=True)


def _listing(
    items: Sequence[Item], depth: int, first: int = 1, *, ordered: bool
) -> Iterator[CardLine]:
    for number, item in enumerate(items, first):
        if not ordered and signed(item.spans):
            yield from _signed(item, depth)
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


def _signed(item: Item, depth: int) -> Iterator[CardLine]:
    """An item that begins with its own sign and so gets no mark; neither does a single item in it.

    A card breaks lines where its Markdown does.
    """
    yield from (line._replace(depth=depth) for line in _lines(item.spans))
    if len(item.children) == 1 and not item.children[0].children:
        yield from (line._replace(depth=depth) for line in _lines(item.children[0].spans))
    else:
        yield from _listing(item.children, depth, ordered=False)


def _table(table: Table) -> Iterator[CardLine]:
    """One line per row, because a phone has no room for columns."""
    for spans in rows_as_lines(table):
        for part, line in enumerate(_lines(spans)):
            yield line._replace(depth=4) if part else CardLine(f"- {line.marked}", line.text)


def _items(items: Sequence[Item], *, ordered: bool) -> Iterator[Iterator[CardLine]]:
    """Lines that belong together: an item with its children, and runs of items without any."""
    begin = 0
    for place, item in enumerate(items):
        if item.children:
            yield _listing(items[begin:place], 0, begin + 1, ordered=ordered)
            yield _listing((item,), 0, place + 1, ordered=ordered)
            begin = place + 1
    yield _listing(items[begin:], 0, begin + 1, ordered=ordered)


def _grouped(lines: Iterable[CardLine]) -> Iterator[CardPiece]:
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


def _code(block: CodeBlock) -> Iterator[CardPiece]:
    """Lines as written. Text that could be a tag is shown as plain text instead of in a fence."""
    found = _LANGUAGE.fullmatch(block.language)
    for text in _sheets(legible_lines(block.text.rstrip("\r\n"))):
        if "<" in text or "```" in text:
            shown = {"tag": "plain_text", "content": text}
            yield CardPiece({"tag": "div", "text": shown}, text, 2)
        elif text.strip():
            fence = f"```{found[0] if found else ''}\n{text}\n```"
            yield CardPiece({"tag": "markdown", "content": fence}, text)


def _sheets(lines: Iterable[str]) -> Iterator[str]:
    sheet: list[str] = []
    length = 0
    for line in chain.from_iterable(cut(line, _LONGEST_LINE) for line in lines):
        if sheet and length + len(line) > _ENOUGH:
            yield "\n".join(sheet)
            sheet, length = [], 0
        sheet.append(line)
        length += len(line) + 1
    yield "\n".join(sheet)


def _actions(buttons: Sequence[Button], *, interactive: bool) -> Iterator[CardPiece]:
    """The buttons side by side; a button that cannot be pressed becomes text in its place."""
    row: list[tuple[str, Json]] = []
    for button in buttons:
        label = legible(button.label).strip()
        behaviour = _behaviour(button, interactive=interactive)
        if behaviour is None or len(label) > _LONGEST_LABEL:
            yield from _row(row)
            row = []
            yield from map(_markdown, _lines(_told(button)))
        if behaviour is not None:
            row.append((label, behaviour))
    yield from _row(row)


def _row(buttons: Sequence[tuple[str, Json]]) -> Iterator[CardPiece]:
    for at in range(0, len(buttons), _MOST_IN_A_ROW):
        found = buttons[at : at + _MOST_IN_A_ROW]
        columns = [_column(label or "…", behaviour) for label, behaviour in found]
        component = {"tag": "column_set", "flex_mode": "flow", "columns": columns}
        text = " ".join(f"[{label}]" for label, _ in found)
        yield CardPiece(component, text, 1 + 2 * len(columns))


def _behaviour(button: Button, *, interactive: bool) -> Json | None:
    if url := web(button.url):
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


def _told(button: Button) -> Spans:
    typed = f"{button.action} {button.value}".strip()
    return (Strong(button.label), Text(f" {typed}")) if typed else (Strong(button.label),)
