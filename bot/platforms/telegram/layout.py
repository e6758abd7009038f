"""A document in Telegram's native style: bold headings, bullets, quotes, links, buttons.

Telegram has no headings, lists or tables, so a list is lines with bullets and a table is columns of
fixed width if they fit on a phone, otherwise a line per row. Long secondary content, such as a
quotation or a wide table, is collapsed and expands on a tap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from bot.platforms.telegram.escaping import bold, runs, still
from bot.platforms.telegram.menu import Words, rows
from bot.platforms.telegram.message_parts import Gap, Mark, MessageLine, TextRun, units
from bot.util.sanitize import legible_lines
from bot.util.terminal import columns_of, has_own_sign
from digest import document as doc

_BULLETS = ("• ", "  ◦ ", "    ▪ ")
_RULE = "──────────"

# Collapsed beyond so many units, or lines: more than a phone shows at a glance.
_LONG, _TALL = 700, 8
_PHONE = 34  # monospaced characters that a phone shows in a line

# Characters in a code block's language; clients know names of letters, digits and few signs.
_LANGUAGE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-#_")


def lay_out(document: doc.Document) -> Iterator[MessageLine]:
    """The lines of a document; nothing in them is active."""
    page = _Page()
    before: doc.Block | None = None
    for block in document.blocks:
        lines = page.block(block)
        if (first := next(lines, None)) is None:
            continue
        yield _still(_with_distance(first, before))
        yield from map(_still, lines)
        before = block


def _still(line: MessageLine) -> MessageLine:
    fixed = line.frame and line.frame[0].type == "pre"
    made = line.runs if fixed else still(line.runs)
    # Most lines are unchanged; rebuilding them took a fifth of a digest's time.
    return (
        line
        if made is line.runs
        else MessageLine(made, line.gap, line.above, line.frame, line.keys)
    )


def _with_distance(first: MessageLine, before: doc.Block | None) -> MessageLine:
    """The first line of a block, with its distance from the block before it."""
    if isinstance(before, doc.Heading):
        return first._replace(gap=Gap.KEEP, above=1)
    if isinstance(before, doc.Paragraph) and doc.plain(before.spans).rstrip().endswith((":", "：")):
        return first._replace(gap=Gap.KEEP, above=1)
    return first


class _Page:
    def __init__(self) -> None:
        self._serial = count(1)

    def block(self, block: doc.Block) -> Iterator[MessageLine]:
        match block:
            case doc.Heading(spans=spans):
                yield from _line(bold(spans))
            case doc.Paragraph(spans=spans):
                yield from _line(runs(spans))
            case doc.Listing():
                yield from _listing(block)
            case doc.Table():
                yield from self._table(block)
            case doc.Quote():
                yield from self._quote(block)
            case doc.CodeBlock():
                yield from self._code(block)
            case doc.Chart():
                yield from self._code(doc.CodeBlock(doc.chart_text(block)))
            case doc.Divider():
                yield MessageLine((TextRun(_RULE),))
            case doc.Actions():
                yield from _actions(block.buttons)
            case doc.Image():
                yield from _line(runs((doc.Link(f"🖼 {block.alt}", block.url),)))

    def _quote(self, quote: doc.Quote) -> Iterator[MessageLine]:
        paragraphs = [made for spans in quote.paragraphs if (made := runs(spans))]
        yield from self._frame([MessageLine(made) for made in paragraphs], "blockquote")

    def _code(self, block: doc.CodeBlock) -> Iterator[MessageLine]:
        name = block.language.lower()
        language = name if len(name) <= 20 and _LANGUAGE.issuperset(name) else ""
        lines = legible_lines(block.text.rstrip("\r\n"))
        if any(line.strip() for line in lines):
            made = [MessageLine((TextRun(line),) if line else ()) for line in lines]
            yield from self._frame(made, "pre", language)

    def _table(self, table: doc.Table) -> Iterator[MessageLine]:
        """Header first, so that it is not lost if there are no rows."""
        if columns := columns_of(table, _PHONE):
            yield from self._frame([MessageLine((TextRun(line),)) for line in columns], "pre")
            return
        if head := _cells([bold(cell) for cell in table.header]):
            yield MessageLine(head)
        lines = [MessageLine(row) for cells in table.rows if (row := _cells(map(runs, cells)))]
        if head and lines:
            lines[0] = lines[0]._replace(gap=Gap.KEEP, above=1)
        yield from self._frame(lines, "blockquote", least=_TALL + 1)

    def _frame(
        self, lines: Sequence[MessageLine], kind: str, language: str = "", least: int = 1
    ) -> Iterator[MessageLine]:
        """Lines within one quote or code; fewer than ``least`` get no frame."""
        long = len(lines) > _TALL or sum(units(line.said) for line in lines) > _LONG
        if kind == "blockquote" and long:
            kind = "expandable_blockquote"
        mark = Mark(kind, language=language, serial=next(self._serial))
        frame = (mark,) if len(lines) >= least else ()
        for place, line in enumerate(lines):
            if place:
                line = line._replace(gap=Gap.LINE, above=1)  # noqa: PLW2901  # as it is laid out
            yield line._replace(frame=frame)


def _line(made: tuple[TextRun, ...]) -> Iterator[MessageLine]:
    if made:
        yield MessageLine(made)


def _listing(listing: doc.Listing) -> Iterator[MessageLine]:
    """Items, with blank lines between them if they have more than their own line."""
    # If each has at most one line below it, that line needs no bullet.
    airy = any(item.children for item in listing.items)
    single = all(
        len(item.children) <= 1 and not any(one.children for one in item.children)
        for item in listing.items
    )
    for number, item in enumerate(listing.items, 1):
        first = number == 1
        # An item that begins with its own sign has no bullet.
        bullet = () if has_own_sign(item.spans) else (TextRun(_BULLETS[0]),)
        mark = (TextRun(f"{number}. "),) if listing.ordered else bullet
        gap, above = (Gap.BLOCK, 2) if first else (Gap.ITEM, 2 if airy else 1)
        yield MessageLine((*mark, *runs(item.spans)), gap, above)
        if single:
            for one in item.children:
                if below := runs(one.spans):
                    yield MessageLine(below, Gap.KEEP, 1)
        else:
            yield from _children(item.children, 1)


def _children(items: Iterable[doc.Item], depth: int) -> Iterator[MessageLine]:
    bullet = _BULLETS[min(depth, len(_BULLETS) - 1)]
    for place, item in enumerate(items):
        gap = Gap.LINE if place else Gap.KEEP
        yield MessageLine((TextRun(bullet), *runs(item.spans)), gap, 1)
        yield from _children(item.children, depth + 1)


def _actions(buttons: Sequence[doc.Button]) -> Iterator[MessageLine]:
    """Rows of buttons; one that cannot be pressed here is a line of text."""
    for row in rows(buttons):
        if isinstance(row, Words):
            yield MessageLine(runs(row.spans), Gap.LINE, 1)
        else:
            yield MessageLine((), Gap.KEEP, 1, keys=row)


def _cells(cells_: Iterable[tuple[TextRun, ...]]) -> tuple[TextRun, ...]:
    row: list[TextRun] = []
    for cell in cells_:
        if cell:
            row += [TextRun(" · "), *cell] if row else cell
    return tuple(row)
