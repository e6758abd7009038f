"""A document as pieces: each fits into a message, and no piece needs to be cut again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.platforms.slack.buttons import MOST_BUTTONS, element, plain_text, units
from bot.platforms.slack.rich import (
    CODE,
    LONGEST_LINE,
    QUOTE,
    SECTION,
    Json,
    Line,
    code_lines,
    containers,
    elements,
    lines_of,
    listed,
    web_address,
    weight,
)
from bot.showing.legible import legible
from digest.chart import chart_text
from digest.document import (
    Actions,
    Block,
    Button,
    Chart,
    CodeBlock,
    Divider,
    Document,
    Heading,
    Image,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Spans,
    Table,
    Text,
    plain,
)

# https://docs.slack.dev/reference/block-kit/blocks/header-block, .../table-block and
# .../context-block.
LONGEST_HEADER = 150
LONGEST_ASIDE = 1000
MOST_ROWS = 100
MOST_COLUMNS = 20

LONGEST_LEADING = 1000
"""Bytes of a heading that can go on to the next message beside the largest piece."""

_FRAME = weight(containers([Line(QUOTE, ())])) + 2
_LIST_FRAME = weight(containers([Line(listed(ordered=True, depth=8), (), 0, 10**6)])) + 2
"""Bytes that a line takes beside its elements."""

_BREAK: Json = {"type": "text", "text": "\n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Lines of rich text, or a ready block.

    Lines of one ``group`` stand in one block where they come into one message. ``size`` is in
    bytes and never too small. ``leads`` says that what follows belongs to it.
    """

    group: int
    size: int
    lines: tuple[Line, ...] = ()
    block: Json | None = None
    leads: bool = False

    @property
    def table(self) -> bool:
        """Whether it is a table, of which a message takes one."""
        return self.block is not None and self.block["type"] == "table"


def pieces(document: Document, *, tables: bool = True) -> Iterator[Piece]:
    """The pieces of a document in order, at least one; without ``tables`` their rows are lines."""
    empty = True
    for group, block in enumerate(document.blocks):
        for piece in _of(block, group, tables=tables):
            empty = False
            yield piece
    if empty:
        title = legible(document.title).strip() or "—"
        yield from _rich(0, lines_of(SECTION, elements((Text(title),))))


def _of(block: Block, group: int, *, tables: bool) -> Iterator[Piece]:
    match block:
        case Heading():
            yield from _heading(block, group)
        case Paragraph():
            yield from _paragraph(block, group)
        case Listing():
            yield from _listing(block, group)
        case Table():
            yield from _table(block, group, tables=tables)
        case Quote(paragraphs=paragraphs):
            for paragraph in paragraphs:
                yield from _rich(group, lines_of(QUOTE, elements(paragraph)))
        case CodeBlock(text=text):
            yield from _rich(group, lines_of(CODE, code_lines(text)))
        case Chart():
            yield from _rich(group, lines_of(CODE, code_lines(chart_text(block))))
        case Divider():
            yield _ready(group, {"type": "divider"})
        case Actions(buttons=buttons):
            yield from _actions(buttons, group)
        case Image(url=url, alt=alt):
            # A block of its own would make Slack fetch the picture, and refuse the whole message
            # where that fails.
            yield from _rich(group, lines_of(SECTION, elements((Link(alt, url),))))


def _ready(group: int, block: Json, *, leads: bool = False) -> Piece:
    return Piece(group=group, size=weight(block) + 1, block=block, leads=leads)


def _rich(group: int, lines: Iterator[Line], *, leads: bool = False) -> Iterator[Piece]:
    """A piece for each line with something to see."""
    for line in lines:
        size = _size(line)
        yield Piece(group=group, size=size, lines=(line,), leads=leads and size <= LONGEST_LEADING)


def _size(line: Line) -> int:
    frame = _LIST_FRAME if line.frame.kind == "rich_text_list" else _FRAME
    return frame + line.size


def _heading(heading: Heading, group: int) -> Iterator[Piece]:
    """The document's own heading as a header; the others, and what a header cannot take, bold."""
    text = legible(plain(heading.spans)).strip()
    links = any(isinstance(span, Link) and web_address(span.url) for span in heading.spans)
    if heading.level == 1 and text and units(text) <= LONGEST_HEADER and not links:
        yield _ready(group, {"type": "header", "text": plain_text(text)}, leads=True)
    else:
        yield from _rich(group, lines_of(SECTION, elements(heading.spans, strong=True)), leads=True)


def _paragraph(paragraph: Paragraph, group: int) -> Iterator[Piece]:
    """An aside in small grey type, where it is short and leads nowhere."""
    text = legible(plain(paragraph.spans)).strip()
    leads = any(isinstance(span, Link) and web_address(span.url) for span in paragraph.spans)
    if paragraph.aside and 0 < units(text) <= LONGEST_ASIDE and not leads:
        yield _ready(group, {"type": "context", "elements": [plain_text(text)]})
    else:
        yield from _rich(group, lines_of(SECTION, elements(paragraph.spans)))


def _listing(listing: Listing, group: int) -> Iterator[Piece]:
    """An entry with all below it is one piece, so that a change keeps its reason."""
    for number, item in enumerate(listing.items):
        lines = tuple(_entry(item, number, 0, ordered=listing.ordered))
        size = sum(map(_size, lines))
        if size <= LONGEST_LINE:
            if lines:
                yield Piece(group=group, size=size, lines=lines)
        else:
            yield from _rich(group, iter(lines))


def _entry(item: Item, number: int, depth: int, *, ordered: bool) -> Iterator[Line]:
    """The lines of an entry; a single word on it stands below it, without a mark of its own."""
    found = elements(item.spans)
    children = item.children
    if len(children) == 1 and not children[0].children:
        found += [_BREAK, *elements(children[0].spans)]
        children = ()
    yield from lines_of(listed(ordered=ordered, depth=depth), found, number)
    for place, child in enumerate(children):
        yield from _entry(child, place, depth + 1, ordered=False)


def _table(table: Table, group: int, *, tables: bool) -> Iterator[Piece]:
    """As few tables as the rows need, each with the header; none where there is no word in it."""
    if not any(plain(cell).strip() for row in (table.header, *table.rows) for cell in row):
        return
    head = [_cell(cell) for cell in table.header]
    held, used = [head], weight(head)
    rows = [(row, [_cell(cell) for cell in row]) for row in table.rows]
    widest = max((weight(cells) for _, cells in rows), default=0)
    if not tables or not 0 < len(head) <= MOST_COLUMNS or used + widest > LONGEST_LINE:
        for row in (table.header, *table.rows):
            for number, cell in enumerate(row):
                first = listed(ordered=False, depth=int(number > 0))
                yield from _rich(group, lines_of(first, elements(cell)))
        return
    for _, cells in rows:
        size = weight(cells) + 1
        if used + size > LONGEST_LINE or len(held) == MOST_ROWS:
            yield _ready(group, {"type": "table", "rows": held})
            held, used = [head], weight(head)
        held.append(cells)
        used += size
    yield _ready(group, {"type": "table", "rows": held})


def _cell(spans: Spans) -> Json:
    found = elements(spans)
    if not found:
        return {"type": "raw_text", "text": " "}
    lines = [Line(SECTION, tuple(found))]
    return {"type": "rich_text", "elements": containers(lines)}


def _actions(buttons: Sequence[Button], group: int) -> Iterator[Piece]:
    """Rows of buttons; what cannot be a button is a line, with its address where it has one."""
    row: list[Json] = []
    for number, button in enumerate(buttons):
        made = element(button, number)
        full = len(row) == MOST_BUTTONS or weight([*row, made]) > LONGEST_LINE
        if row and (made is None or full):
            yield _ready(group, {"type": "actions", "elements": row})
            row = []
        if made is None:
            line = elements((Link(button.label, button.url),))
            yield from _rich(group, lines_of(SECTION, line))
        else:
            row.append(made)
    if row:
        yield _ready(group, {"type": "actions", "elements": row})
