"""A document for platforms that draw fewer kinds of blocks: the others, told by those there are."""

from __future__ import annotations

from collections.abc import Iterator

from digest.chart import chart_text
from digest.document import (
    Block,
    Chart,
    CodeBlock,
    Image,
    Link,
    Paragraph,
    Spans,
    Strong,
    Table,
    Text,
)


def undrawn(block: Block) -> Block:
    """A chart as lines of text, a picture as a link to it; every other block is as it was."""
    match block:
        case Chart():
            return CodeBlock(chart_text(block))
        case Image(url=url, alt=alt):
            return Paragraph((Link(f"[{alt}]", url),))
        case _:
            return block


def strong(spans: Spans) -> Spans:
    """The spans with their plain words standing out; what has another role keeps it."""
    return tuple(Strong(span.text) if isinstance(span, Text) else span for span in spans)


def rows_as_lines(table: Table) -> Iterator[Spans]:
    """A line for each row, cells one after the other; the header comes first and is strong."""
    for place, row in enumerate((table.header, *table.rows)):
        line: Spans = tuple(part for cell in row for part in (Text(" · "), *cell))[1:]
        yield line if place else strong(line)
