"""A document as lines of text of a given width. All text passes through ``legible``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.showing.legible import address, legible, legible_lines
from bot.terminal.columns import columns, joined, row_lines
from bot.terminal.wrapping import Line, Role, Run, cells, fold, width_of, wrap
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
from digest.plainer import undrawn

_ROLES: dict[type[Span], Role] = {
    Text: Role.NONE,
    Strong: Role.STRONG,
    Emphasis: Role.EMPHASIS,
    Code: Role.CODE,
    Link: Role.LINK,
}


def lay_out(document: Document, width: int, *, urls: bool) -> list[Line]:
    """The lines of a document, none wider than ``width`` cells (at least 20).

    ``urls`` writes a link's address behind its words, for where words cannot be links.
    """
    page = _Page(width=max(width, 20), urls=urls)
    lines: list[Line] = []
    before: Block | None = None
    for block in document.blocks:
        if before is not None and not isinstance(before, Heading):
            lines.append(())
        lines.extend(page.block(block))
        before = block
    return lines


def plain_text(lines: Iterable[Line]) -> str:
    """The lines without roles, each ended by a line feed."""
    return "".join("".join(run.text for run in line).rstrip() + "\n" for line in lines)


@dataclass(frozen=True, slots=True)
class _Page:
    width: int
    urls: bool

    def block(self, block: Block) -> Iterator[Line]:
        match undrawn(block):
            case Heading() as heading:
                yield from self._heading(heading)
            case Paragraph(spans=spans):
                yield from wrap(self._runs(spans), self.width)
            case Listing(items=items, ordered=ordered):
                yield from self._listing(items, ordered=ordered)
            case Table() as table:
                yield from self._table(table)
            case Quote(paragraphs=paragraphs):
                for spans in paragraphs:
                    yield from self._prefixed(Run("│ ", Role.FAINT), self._runs(spans))
            case CodeBlock(text=text):
                yield from self._code(text)
            case Divider():
                yield (Run("─" * self.width, Role.FAINT),)
            case Actions(buttons=buttons):
                yield from wrap(self._buttons(buttons), self.width)

    def _heading(self, heading: Heading) -> Iterator[Line]:
        role = Role.TITLE if heading.level == 1 else Role.HEADING
        runs = [
            run if run.role is Role.LINK else run._replace(role=role)
            for run in self._runs(heading.spans)
        ]
        lines = list(wrap(runs, self.width))
        yield from lines
        if heading.level <= 2:
            longest = max((width_of(line) for line in lines), default=0)
            yield (Run(("═" if heading.level == 1 else "─") * longest, Role.FAINT),)

    def _listing(self, items: Sequence[Item], *, ordered: bool) -> Iterator[Line]:
        for number, item in enumerate(items, 1):
            mark = f"{number}. " if ordered else "• "
            hang = " " * len(mark)
            yield from self._prefixed(Run(mark), self._runs(item.spans), hang)
            # Deep nesting must not leave a column too narrow to read.
            inner = replace(self, width=max(self.width - len(mark), 8))
            for line in inner._listing(item.children, ordered=False):  # noqa: SLF001  # itself
                fits = width_of(line) + len(mark) <= self.width
                yield (Run(hang), *line) if fits else line

    def _prefixed(self, mark: Run, runs: Iterable[Run], hang: str | None = None) -> Iterator[Line]:
        following = mark if hang is None else Run(hang)
        lines = list(wrap(runs, self.width - cells(mark.text))) or [()]
        yield (mark, *lines[0])
        for line in lines[1:]:
            yield (following, *line)

    def _code(self, text: str) -> Iterator[Line]:
        for line in legible_lines(text.rstrip("\r\n")):
            for piece in fold(line, self.width - 4) or [""]:
                yield (Run("    "), Run(piece, Role.CODE))

    def _table(self, table: Table) -> Iterator[Line]:
        rows = [[self._runs(cell) for cell in row] for row in (table.header, *table.rows)]
        widths = columns([[width_of(cell) for cell in row] for row in rows], self.width)
        if not widths:
            yield from self._stacked(table)
            return
        head = [
            [run if run.url else run._replace(role=Role.STRONG) for run in cell] for cell in rows[0]
        ]
        yield from row_lines(head, widths)
        yield joined([(Run("─" * width, Role.FAINT),) for width in widths], widths)
        for row in rows[1:]:
            yield from row_lines(row, widths)

    def _stacked(self, table: Table) -> Iterator[Line]:
        """A table with more columns than the line has room for: a line for each cell."""
        for row in table.rows or (((),) * len(table.header),):
            for name, cell in zip(table.header, row, strict=True):
                runs = [*self._runs(name), Run(": "), *self._runs(cell)]
                yield from self._prefixed(Run("  "), runs)
            yield ()

    def _buttons(self, buttons: Sequence[Button]) -> Iterator[Run]:
        for place, button in enumerate(buttons):
            label = Link(button.label, button.url) if button.url else Text(button.label)
            typed = f": {button.action} {button.value}".rstrip(": ") if button.action else ""
            yield Run("   [" if place else "[", Role.FAINT)
            yield from self._runs((label, Text(typed)))
            yield Run("]", Role.FAINT)

    def _runs(self, spans: Spans) -> list[Run]:
        runs: list[Run] = []
        for span in spans:
            url = address(span.url) if isinstance(span, Link) else ""
            text = legible(span.text)
            # A terminal opens full addresses only; a path is of use where it can be read.
            linked = "" if self.urls or "://" not in url else url
            shown = url and not linked and not url.startswith("#") and url != text
            runs.append(Run(text, _ROLES[type(span)], linked))
            if shown:
                runs.append(Run(f" ({url})", Role.FAINT))
        return [run for run in runs if run.text]
