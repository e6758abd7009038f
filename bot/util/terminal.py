"""Documents as lines of text of a given width, and as text for a terminal with its styles.

Widths are in terminal cells: a Chinese character takes two. Lines break at spaces and beside wide
characters, but not before closing or after opening punctuation (a small part of Unicode UAX #14).
What is wider than a line is folded, never cut.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TextIO

from rich.cells import cell_len, chop_cells

from bot.util.sanitize import address, legible, legible_lines
from digest import document as doc
from digest.core.patterns import lazy
from digest.frozen import frozen


class TextStyle(StrEnum):
    """The role of a run of text, which determines its look."""

    NONE = ""
    TITLE = "title"
    HEADING = "heading"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    LINK = "link"
    FAINT = "faint"


class StyledText(NamedTuple):
    """Words with one role."""

    # A named tuple, since a digest consists of thousands and a frozen dataclass is slow to make.

    text: str
    role: TextStyle = TextStyle.NONE
    url: str = ""  # the target of their link


Line = tuple[StyledText, ...]

_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff"
    "\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
_TOKEN = lazy(rf"\s+|[{_WIDE}]|[^\s{_WIDE}]+")
_IS_WIDE = lazy(rf"[{_WIDE}]")
_NO_START = frozenset(",.;:?!)]}%'\"，。、；：？！）】》〉」』”’…—·％")
_NO_END = frozenset("([{（【《〈「『“‘")


def width_of(runs: Iterable[StyledText]) -> int:
    """The cells that the runs take in one line."""
    return sum(cells(run.text) for run in runs)


def cells(text: str) -> int:
    """The cells of a legible text; ASCII, the usual case, needs no table."""
    return len(text) if text.isascii() else cell_len(text)


def fold(text: str, width: int) -> list[str]:
    """The text in pieces of at most ``width`` cells."""
    return chop_cells(text, width) if cells(text) > width else [text] if text else []


def wrap(runs: Iterable[StyledText], width: int) -> Iterator[Line]:
    """Running text in lines of at most ``width`` cells (at least 2)."""
    line: list[StyledText] = []
    used = 0
    for space, size, chunk in _chunks(runs):
        if line and used + space + size > width:
            yield _merged(line)
            line, used = [], 0
        if line and space:
            line.append(StyledText(" ", *_shared(line[-1], chunk[0])))
            used += 1
        if size <= width:
            line.extend(chunk)
            used += size
            continue
        for piece in _folded(chunk, width):
            if used + cells(piece.text) > width:
                yield _merged(line)
                line, used = [], 0
            line.append(piece)
            used += cells(piece.text)
    if line:
        yield _merged(line)


def _merged(line: Iterable[StyledText]) -> Line:
    """The line with adjacent runs of one style joined."""
    groups = groupby(line, key=itemgetter(1, 2))
    return tuple(StyledText("".join([run.text for run in group]), *look) for look, group in groups)


def _shared(left: StyledText, right: StyledText) -> tuple[TextStyle, str]:
    """The style of a space between two runs: shared if both are one link or one code."""
    same = (left.role, left.url) == (right.role, right.url)
    return (left.role, left.url) if same else (TextStyle.NONE, "")


def _folded(chunk: Iterable[StyledText], width: int) -> Iterator[StyledText]:
    for run in chunk:
        for part in fold(run.text, width):
            yield StyledText(part, run.role, run.url)


def _chunks(runs: Iterable[StyledText]) -> Iterator[tuple[int, int, list[StyledText]]]:
    """Unbreakable groups of runs, each with the space before it (0 or 1) and its width."""
    chunk: list[StyledText] = []
    space = size = 0
    for run in runs:
        for token in _TOKEN.findall(run.text):
            blank = token.isspace()
            if chunk and (blank or _breaks(chunk[-1].text[-1], token[0])):
                yield space, size, chunk
                chunk, space, size = [], 0, 0
            if blank:
                space = 1
            else:
                chunk.append(StyledText(token, run.role, run.url))
                size += cells(token)
    if chunk:
        yield space, size, chunk


def _breaks(left: str, right: str) -> bool:
    if (left.isascii() and right.isascii()) or right in _NO_START or left in _NO_END:
        return False
    return bool(_IS_WIDE.match(left) or _IS_WIDE.match(right))


_LEAST_COLUMN = 4
_GAP = 2


def columns(rows: Sequence[Sequence[int]], width: int) -> list[int]:
    """The widths of a table's columns; empty if the table does not fit."""
    widths = [max(2, *column) for column in zip(*rows, strict=True)]
    room = width - _GAP * (len(widths) - 1)
    if not widths or room < _LEAST_COLUMN * len(widths):
        return []
    while sum(widths) > room:
        # The widest column shrinks down to the next widest.
        widest = max(widths)
        second = max((size for size in widths if size < widest), default=_LEAST_COLUMN)
        over = sum(widths) - room
        for place in [place for place, size in enumerate(widths) if size == widest]:
            taken = min(widest - max(second, _LEAST_COLUMN), over) or min(1, over)
            widths[place] -= taken
            over -= taken
    return widths


def row_lines(cells: Sequence[Sequence[StyledText]], widths: Sequence[int]) -> Iterator[Line]:
    """A row in as many lines as its tallest cell."""
    wrapped = [list(wrap(cell, size)) for cell, size in zip(cells, widths, strict=True)]
    for level in range(max((len(lines) for lines in wrapped), default=0) or 1):
        yield join_cells([lines[level] if level < len(lines) else () for lines in wrapped], widths)


def join_cells(cells: Sequence[Line], widths: Sequence[int]) -> Line:
    """Lines side by side, each in its column."""
    runs: list[StyledText] = []
    for cell, size in zip(cells, widths, strict=True):
        runs.extend(cell)
        runs.append(StyledText(" " * (size - width_of(cell) + _GAP)))
    return tuple(runs[:-1])


_ROLES: dict[type[doc.Span], TextStyle] = {
    doc.Text: TextStyle.NONE,
    doc.Strong: TextStyle.STRONG,
    doc.Emphasis: TextStyle.EMPHASIS,
    doc.Code: TextStyle.CODE,
    doc.Link: TextStyle.LINK,
}

_NUMBER = lazy(r"(?:^|\()([#!]\d+)\)?$")
"""The number of a request or an issue, alone or at the end of a title."""


def lay_out(document: doc.Document, width: int, *, urls: bool) -> list[Line]:
    """The lines of a document, none wider than ``width`` cells (at least 20).

    ``urls`` writes a link's address after its words, for output without clickable links. The
    addresses of numbers such as ``#12``, which are in most lines, are listed at the end.
    """
    page = _Page(width=max(width, 20), urls=urls, numbers={})
    lines: list[Line] = []
    before: doc.Block | None = None
    for block in document.blocks:
        if before is not None and not isinstance(before, doc.Heading):
            lines.append(())
        lines.extend(page.block(block))
        before = block
    if page.numbers:
        lines.append(())
    for number, url in page.numbers.items():
        lines.extend(wrap([StyledText(f"{number}: {url}", TextStyle.FAINT)], page.width))
    return lines


def plain_text(lines: Iterable[Line]) -> str:
    """The lines without roles, each ended by a line feed."""
    return "".join("".join(run.text for run in line).rstrip() + "\n" for line in lines)


@frozen(kw_only=False)
class _Page:
    width: int
    urls: bool
    numbers: dict[str, str]
    """The addresses that are listed at the end, by the number that leads there."""

    def block(self, block: doc.Block) -> Iterator[Line]:
        match doc.charts_as_text(block):
            case doc.Heading() as heading:
                yield from self._heading(heading)
            case doc.Paragraph(spans=spans):
                yield from wrap(self._runs(spans), self.width)
            case doc.Listing(items=items, ordered=ordered):
                yield from self._listing(items, ordered=ordered)
            case doc.Table() as table:
                yield from self._table(table)
            case doc.Quote(paragraphs=paragraphs):
                for spans in paragraphs:
                    yield from self._prefixed(StyledText("│ ", TextStyle.FAINT), self._runs(spans))
            case doc.CodeBlock(text=text):
                for line in legible_lines(text.rstrip("\r\n")):
                    for piece in fold(line, self.width - 4) or [""]:
                        yield (StyledText("    "), StyledText(piece, TextStyle.CODE))
            case doc.Divider():
                yield (StyledText("─" * self.width, TextStyle.FAINT),)
            case doc.Actions(buttons=buttons):
                yield from wrap(self._buttons(buttons), self.width)

    def _heading(self, heading: doc.Heading) -> Iterator[Line]:
        role = TextStyle.TITLE if heading.level == 1 else TextStyle.HEADING
        runs = [
            run if run.role is TextStyle.LINK else run._replace(role=role)
            for run in self._runs(heading.spans)
        ]
        lines = list(wrap(runs, self.width))
        yield from lines
        if heading.level <= 2:
            longest = max((width_of(line) for line in lines), default=0)
            yield (StyledText(("═" if heading.level == 1 else "─") * longest, TextStyle.FAINT),)

    def _listing(self, items: Sequence[doc.Item], *, ordered: bool) -> Iterator[Line]:
        for number, item in enumerate(items, 1):
            mark = f"{number}. " if ordered else "• "
            hang = " " * len(mark)
            yield from self._prefixed(StyledText(mark), self._runs(item.spans), hang)
            # Deep nesting must not make a column too narrow to read.
            inner = replace(self, width=max(self.width - len(mark), 8))
            for line in inner._listing(item.children, ordered=False):  # noqa: SLF001  # itself
                fits = width_of(line) + len(mark) <= self.width
                yield (StyledText(hang), *line) if fits else line

    def _prefixed(
        self, mark: StyledText, runs: Iterable[StyledText], hang: str | None = None
    ) -> Iterator[Line]:
        following = mark if hang is None else StyledText(hang)
        lines = list(wrap(runs, self.width - cells(mark.text))) or [()]
        yield (mark, *lines[0])
        for line in lines[1:]:
            yield (following, *line)

    def _table(self, table: doc.Table) -> Iterator[Line]:
        rows = [[self._runs(cell) for cell in row] for row in (table.header, *table.rows)]
        widths = columns([[width_of(cell) for cell in row] for row in rows], self.width)
        if not widths:
            yield from self._stacked(table)
            return
        head = [
            [run if run.url else run._replace(role=TextStyle.STRONG) for run in cell]
            for cell in rows[0]
        ]
        yield from row_lines(head, widths)
        yield join_cells([(StyledText("─" * width, TextStyle.FAINT),) for width in widths], widths)
        for row in rows[1:]:
            yield from row_lines(row, widths)

    def _stacked(self, table: doc.Table) -> Iterator[Line]:
        """A table with too many columns for the line: one line per cell."""
        for row in table.rows or (((),) * len(table.header),):
            for name, cell in zip(table.header, row, strict=True):
                runs = [*self._runs(name), StyledText(": "), *self._runs(cell)]
                yield from self._prefixed(StyledText("  "), runs)
            yield ()

    def _buttons(self, buttons: Sequence[doc.Button]) -> Iterator[StyledText]:
        for place, button in enumerate(buttons):
            label = doc.Link(button.label, button.url) if button.url else doc.Text(button.label)
            typed = f": {button.action} {button.value}".rstrip(": ") if button.action else ""
            yield StyledText("   [" if place else "[", TextStyle.FAINT)
            yield from self._runs((label, doc.Text(typed)))
            yield StyledText("]", TextStyle.FAINT)

    def _runs(self, spans: doc.Spans) -> list[StyledText]:
        runs: list[StyledText] = []
        for span in spans:
            url = address(span.url) if isinstance(span, doc.Link) else ""
            text = legible(span.text)
            # A terminal opens full addresses only; a path is useful only if it is readable.
            linked = "" if self.urls or "://" not in url else url
            shown = url and not linked and not url.startswith("#") and url != text
            if shown and (number := _NUMBER.search(text)) and number[1][1:] in url:
                shown = self.numbers.setdefault(number[1], url) != url
            runs.append(StyledText(text, _ROLES[type(span)], linked))
            if shown:
                runs.append(StyledText(f" ({url})", TextStyle.FAINT))
        return [run for run in runs if run.text]


def has_own_sign(spans: doc.Spans) -> bool:
    """Whether the words begin with their own sign, such as a level's: no bullet is needed."""
    words = doc.plain(spans).lstrip()
    return bool(words) and unicodedata.category(words[0]) == "So"


def columns_of(table: doc.Table, most: int) -> list[str]:
    """The table as monospaced lines, with a rule below its header."""
    # Empty if it is wider than ``most`` cells, contains links, or has no words.
    rows = (table.header, *table.rows)
    if any(isinstance(span, doc.Link) for row in rows for cell in row for span in cell):
        return []
    texts = [[legible(doc.plain(cell)).strip() for cell in row] for row in rows]
    widths = [max(map(cells, column)) for column in zip(*texts, strict=True)]
    if not sum(widths) or sum(widths) + 2 * (len(widths) - 1) > most:
        return []
    lines = [
        "  ".join(
            text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in texts
    ]
    return [lines[0], "─" * max(map(cells, lines)), *lines[1:]]


_USUAL_WIDTH = 80
_UNSTYLED = frozenset({"dumb", "unknown"})  # values of TERM

# Parameters of SGR, ECMA-48, section 8.3.117
_STYLES = {
    TextStyle.TITLE: "1;96",
    TextStyle.HEADING: "1",
    TextStyle.STRONG: "1",
    TextStyle.EMPHASIS: "3",
    TextStyle.CODE: "36",
    TextStyle.LINK: "4",
    TextStyle.FAINT: "2",
}


@frozen(kw_only=False)
class Terminal:
    """How wide the lines are, and whether they have colours and clickable links."""

    width: int = _USUAL_WIDTH
    styled: bool = False

    @classmethod
    def of(cls, stream: TextIO, width: int | None = None) -> Terminal:
        """The terminal of a stream, by NO_COLOR, FORCE_COLOR, ``TERM`` and ``COLUMNS``."""
        told = os.environ.get
        forced = told("FORCE_COLOR")
        terminal = stream.isatty() if forced is None else bool(forced)
        refused = told("NO_COLOR") or told("TERM", "").casefold() in _UNSTYLED
        return cls(width=width or _columns(), styled=terminal and not refused)

    def texts(self, document: doc.Document) -> tuple[str, str]:
        """A document without and with the styles of this terminal."""
        lines = lay_out(document, self.width, urls=not self.styled)
        plain = plain_text(lines)
        return plain, "".join(map(_styled_line, lines)) if self.styled else plain


def _columns() -> int:
    """The width of the terminal, which is also used by output that goes to a pager."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    for descriptor in range(3):
        try:
            return os.get_terminal_size(descriptor).columns or _USUAL_WIDTH
        except OSError:
            continue
    return _USUAL_WIDTH


def _styled_line(line: Line) -> str:
    return "".join(map(_styled_run, line)).rstrip(" ") + "\n"


def _styled_run(run: StyledText) -> str:
    style = _STYLES.get(run.role)
    text = f"\x1b[{style}m{run.text}\x1b[0m" if style else run.text
    return f"\x1b]8;;{run.url}\x1b\\{text}\x1b]8;;\x1b\\" if run.url else text
