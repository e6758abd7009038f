"""A document as Slack's blocks, packed into messages within Slack's limits.

A document first becomes pieces, each small enough for any message, so that none is cut again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from bot.messaging.sender import Counted, Limit, Part, Unit, compact_json
from bot.platforms.slack.rich_text import (
    CODE,
    LONGEST_LINE,
    MOST_BUTTONS,
    QUOTE,
    SECTION,
    Json,
    RichLine,
    code_lines,
    containers,
    element,
    elements,
    lines_of,
    list_frame,
    plain_text,
    units,
    web_address,
    weight,
    words_of,
)
from bot.util.sanitize import legible
from digest import document as doc
from digest.frozen import frozen

# https://docs.slack.dev/reference/block-kit/blocks/header-block, .../table-block and
# .../context-block.
LONGEST_HEADER = 150
LONGEST_ASIDE = 1000
MOST_ROWS = 100
MOST_COLUMNS = 20
LONGEST_LEADING = 1000
"""Bytes of a heading that can move to the next message beside the largest piece."""

_FRAME = weight(containers([RichLine(QUOTE, ())])) + 2
_LIST_FRAME = weight(containers([RichLine(list_frame(ordered=True, depth=8), (), 0, 10**6)])) + 2
"""Bytes that a line takes beside its elements."""

_BREAK: Json = {"type": "text", "text": "\n"}


@frozen
class BlockPiece:
    """Lines of rich text, or a ready block."""

    group: int  # of lines that share a block if in one message
    size: int  # in bytes, never too small
    lines: tuple[RichLine, ...] = ()
    block: Json | None = None
    leads: bool = False  # belongs to what follows

    @property
    def table(self) -> bool:
        """Whether it is a table, of which a message takes one."""
        return self.block is not None and self.block["type"] == "table"


def pieces(document: doc.Document, *, tables: bool = True) -> Iterator[BlockPiece]:
    """The pieces of a document in order, at least one; without ``tables``, rows become lines."""
    empty = True
    for group, block in enumerate(document.blocks):
        for piece in _of(block, group, tables=tables):
            empty = False
            yield piece
    if empty:
        title = legible(document.title).strip() or "—"
        yield from _rich(0, lines_of(SECTION, elements((doc.Text(title),))))


def _of(block: doc.Block, group: int, *, tables: bool) -> Iterator[BlockPiece]:
    match block:
        case doc.Heading():
            yield from _heading(block, group)
        case doc.Paragraph():
            yield from _paragraph(block, group)
        case doc.Listing():
            yield from _listing(block, group)
        case doc.Table():
            yield from _table(block, group, tables=tables)
        case doc.Quote(paragraphs=paragraphs):
            for paragraph in paragraphs:
                yield from _rich(group, lines_of(QUOTE, elements(paragraph)))
        case doc.CodeBlock(text=text):
            yield from _rich(group, lines_of(CODE, code_lines(text)))
        case doc.Chart():
            yield from _rich(group, lines_of(CODE, code_lines(doc.chart_text(block))))
        case doc.Divider():
            yield _ready(group, {"type": "divider"})
        case doc.Actions(buttons=buttons):
            yield from _actions(buttons, group)
        case doc.Image(url=url, alt=alt):
            # An image block would make Slack fetch the picture, and refuse the whole message if
            # that fails.
            yield from _rich(group, lines_of(SECTION, elements((doc.Link(alt, url),))))


def _ready(group: int, block: Json, *, leads: bool = False) -> BlockPiece:
    return BlockPiece(group=group, size=weight(block) + 1, block=block, leads=leads)


def _rich(group: int, lines: Iterator[RichLine], *, leads: bool = False) -> Iterator[BlockPiece]:
    for line in lines:
        size = _size(line)
        yield BlockPiece(
            group=group, size=size, lines=(line,), leads=leads and size <= LONGEST_LEADING
        )


def _size(line: RichLine) -> int:
    frame = _LIST_FRAME if line.frame.kind == "rich_text_list" else _FRAME
    return frame + line.size


def _heading(heading: doc.Heading, group: int) -> Iterator[BlockPiece]:
    """The document's title as a header; other headings, and what a header cannot take, in bold."""
    text = legible(doc.plain(heading.spans)).strip()
    links = any(isinstance(span, doc.Link) and web_address(span.url) for span in heading.spans)
    if heading.level == 1 and text and units(text) <= LONGEST_HEADER and not links:
        yield _ready(group, {"type": "header", "text": plain_text(text)}, leads=True)
    else:
        yield from _rich(group, lines_of(SECTION, elements(heading.spans, strong=True)), leads=True)


def _paragraph(paragraph: doc.Paragraph, group: int) -> Iterator[BlockPiece]:
    """A paragraph; an aside in small grey type if it is short and has no links."""
    text = legible(doc.plain(paragraph.spans)).strip()
    leads = any(isinstance(span, doc.Link) and web_address(span.url) for span in paragraph.spans)
    if paragraph.aside and 0 < units(text) <= LONGEST_ASIDE and not leads:
        yield _ready(group, {"type": "context", "elements": [plain_text(text)]})
    else:
        yield from _rich(group, lines_of(SECTION, elements(paragraph.spans)))


def _listing(listing: doc.Listing, group: int) -> Iterator[BlockPiece]:
    """One piece per item with its children, so that a change stays with its reason."""
    for number, item in enumerate(listing.items):
        lines = tuple(_entry(item, number, 0, ordered=listing.ordered))
        size = sum(map(_size, lines))
        if size <= LONGEST_LINE:
            if lines:
                yield BlockPiece(group=group, size=size, lines=lines)
        else:
            yield from _rich(group, iter(lines))


def _entry(item: doc.Item, number: int, depth: int, *, ordered: bool) -> Iterator[RichLine]:
    """The lines of an item; a single child follows it without a mark of its own."""
    found = elements(item.spans)
    children = item.children
    if len(children) == 1 and not children[0].children:
        found += [_BREAK, *elements(children[0].spans)]
        children = ()
    yield from lines_of(list_frame(ordered=ordered, depth=depth), found, number)
    for place, child in enumerate(children):
        yield from _entry(child, place, depth + 1, ordered=False)


def _table(table: doc.Table, group: int, *, tables: bool) -> Iterator[BlockPiece]:
    """As few tables as the rows need, each with the header; none if they hold no words."""
    if not any(doc.plain(cell).strip() for row in (table.header, *table.rows) for cell in row):
        return
    head = [_cell(cell) for cell in table.header]
    held, used = [head], weight(head)
    rows = [(row, [_cell(cell) for cell in row]) for row in table.rows]
    widest = max((weight(cells) for _, cells in rows), default=0)
    if not tables or not 0 < len(head) <= MOST_COLUMNS or used + widest > LONGEST_LINE:
        for row in (table.header, *table.rows):
            for number, cell in enumerate(row):
                first = list_frame(ordered=False, depth=int(number > 0))
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


def _cell(spans: doc.Spans) -> Json:
    spans_of_cell = elements(spans)
    if not spans_of_cell:
        return {"type": "raw_text", "text": " "}
    lines = [RichLine(SECTION, tuple(spans_of_cell))]
    return {"type": "rich_text", "elements": containers(lines)}


def _actions(buttons: Sequence[doc.Button], group: int) -> Iterator[BlockPiece]:
    """Rows of buttons; what cannot be a button is a line, with its address if it has one."""
    row: list[Json] = []
    for number, button in enumerate(buttons):
        made = element(button, number)
        full = len(row) == MOST_BUTTONS or weight([*row, made]) > LONGEST_LINE
        if row and (made is None or full):
            yield _ready(group, {"type": "actions", "elements": row})
            row = []
        if made is None:
            line = elements((doc.Link(button.label, button.url),))
            yield from _rich(group, lines_of(SECTION, line))
        else:
            row.append(made)
    if row:
        yield _ready(group, {"type": "actions", "elements": row})


MOST_BLOCKS = 50  # https://docs.slack.dev/reference/block-kit/blocks
MOST_HOME_BLOCKS = 100  # https://docs.slack.dev/reference/block-kit/blocks

LIMIT = Limit(
    size=12_000,
    unit=Unit.BYTES,
    source="https://github.com/slackapi/bolt-js/issues/2509",
    counts=Counted.BODY,
)
"""Slack refuses blocks of about 13,200 characters; no page documents the exact count. Blocks weigh
more than their words there (a divider took 125), rich text most, so everything that is sent is
counted, in the larger unit."""

_BLOCK = 125  # the weight of a block beside its JSON, by the same measurement
_RICH = 40  # bytes of an empty rich_text block
_MOST_LEADING = 2  # headings that may move to the next message to stay with what they introduce


def render(document: doc.Document) -> tuple[Part, ...]:
    """The messages of a document."""
    messages = pack(pieces(document), MOST_BLOCKS)
    return tuple(Part(text=words_of(blocks), body=compact_json(blocks)) for blocks in messages)


def home_blocks(document: doc.Document) -> list[Json]:
    """The blocks of a home page that shows the document; overflow is replaced by a mark."""
    first, *rest = pack(pieces(document, tables=False), MOST_HOME_BLOCKS - 1)
    more = {"type": "context", "elements": [{"type": "plain_text", "text": "…"}]}
    return [*first, more] if rest else first


def pack(found: Iterable[BlockPiece], most: int) -> Iterator[list[Json]]:
    """The blocks of each message, at most ``most``."""
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
    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[BlockPiece] = []
        self._weight = 2
        self._blocks = 0

    def takes(self, piece: BlockPiece) -> bool:
        weight = self._weight + piece.size + (_BLOCK + _RICH) * self._opens(piece)
        fits = weight <= (LIMIT.size or weight) and self._blocks + self._opens(piece) <= self._most
        return fits and not (piece.table and any(one.table for one in self._pieces))

    def add(self, piece: BlockPiece) -> None:
        self._weight += piece.size + (_BLOCK + _RICH) * self._opens(piece)
        self._blocks += self._opens(piece)
        self._pieces.append(piece)

    def leading(self) -> list[BlockPiece]:
        """Remove and return the last, leading pieces, unless none would remain."""
        count = 0
        while count < min(_MOST_LEADING, len(self._pieces)) and self._pieces[-count - 1].leads:
            count += 1
        if not count or count == len(self._pieces):
            return []
        taken = self._pieces[-count:]
        del self._pieces[-count:]
        return taken

    def _opens(self, piece: BlockPiece) -> bool:
        last = self._pieces[-1] if self._pieces else None
        return not (last and last.lines and piece.lines and last.group == piece.group)

    def blocks(self) -> list[Json]:
        made: list[Json] = []
        for (_, rich), run in groupby(self._pieces, key=lambda one: (one.group, bool(one.lines))):
            if rich:
                joined = containers(line for one in run for line in one.lines)
                made.append({"type": "rich_text", "elements": joined})
            else:
                made.extend(one.block for one in run if one.block is not None)
        return made
