"""The platform-neutral document: the only thing that a platform ever sees.

Text in it is plain text. No span holds markup of any platform; renderers escape. Platforms that
support fewer kinds of blocks get the others expressed by simpler ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from digest.frozen import frozen

_WIDTH = 24
_PARTS = " ▏▎▍▌▋▊▉"


def chart_text(chart: Chart) -> str:
    """A chart as lines of text: a label, a bar and the number of each point."""
    top = max(chart.values, default=0)
    labels = [" ".join(label.split()) for label in chart.labels]
    wide = max(map(len, labels), default=0)
    return "\n".join(
        f"{label:<{wide}} {_bar(value, top)} {value}"
        for label, value in zip(labels, chart.values, strict=True)
    )


def _bar(value: int, top: int) -> str:
    eighths = round(8 * _WIDTH * value / top) if top else 0
    whole, part = divmod(eighths, 8)
    return ("█" * whole + _PARTS[part].strip()).ljust(_WIDTH)


@frozen(kw_only=False)
class Text:
    """Plain words."""

    text: str


@frozen(kw_only=False)
class Strong:
    """Words in bold."""

    text: str


@frozen(kw_only=False)
class Emphasis:
    """Emphasised words."""

    text: str


@frozen(kw_only=False)
class Code:
    """An identifier, path or value, as written."""

    text: str


@frozen(kw_only=False)
class Link:
    """Words linked to ``url``: an ``https`` address, a relative path or ``#anchor``."""

    text: str
    url: str


Span = Text | Strong | Emphasis | Code | Link
Spans = tuple[Span, ...]


@frozen(kw_only=False)
class Heading:
    """A heading; ``level`` counts from 1. ``anchor`` names it for links within the document."""

    level: int
    spans: Spans
    anchor: str = ""


@frozen(kw_only=False)
class Paragraph:
    """Running text; ``aside`` marks a secondary remark, such as how something was counted."""

    spans: Spans
    aside: bool = False


@frozen(kw_only=False)
class Item:
    """One entry of a list, with entries below it."""

    spans: Spans
    children: tuple[Item, ...] = ()


@frozen(kw_only=False)
class Listing:
    """A list of items."""

    items: tuple[Item, ...]
    ordered: bool = False


@frozen(kw_only=False)
class Table:
    """A table: every row has as many cells as the header."""

    header: tuple[Spans, ...]
    rows: tuple[tuple[Spans, ...], ...]


@frozen(kw_only=False)
class Quote:
    """Somebody's own words, one text per paragraph."""

    paragraphs: tuple[Spans, ...]


@frozen(kw_only=False)
class CodeBlock:
    """Lines shown as written."""

    text: str
    language: str = ""


@frozen(kw_only=False)
class Divider:
    """A line between parts."""


@frozen(kw_only=False)
class Button:
    """A button: an action's name with its argument, or an address."""

    label: str
    action: str = ""
    value: str = ""
    url: str = ""


@frozen(kw_only=False)
class Actions:
    """A row of buttons; a platform without buttons shows the addresses as links."""

    buttons: tuple[Button, ...]


@frozen(kw_only=False)
class Image:
    """A picture by its address, with an alternative text."""

    url: str
    alt: str


@frozen(kw_only=False)
class Chart:
    """Labelled numbers in order, such as one per day, drawn as bars."""

    # As many labels as values, none negative. A platform without pictures shows :func:`chart_text`.

    title: str
    labels: tuple[str, ...]
    values: tuple[int, ...]


Block = (
    Heading | Paragraph | Listing | Table | Quote | CodeBlock | Divider | Actions | Image | Chart
)


@frozen
class Document:
    """Blocks in reading order. ``title`` is for notifications and file names, plain text."""

    title: str
    blocks: tuple[Block, ...]
    language: str = "en"


def without_full_stop(spans: Spans) -> Spans:
    """A sentence without the full stop at its end."""
    last = spans[-1] if spans else None
    if not isinstance(last, Text) or not last.text.endswith((".", "。")):
        return spans
    rest = last.text[:-1]
    return (*spans[:-1], Text(rest)) if rest else spans[:-1]


def plain(spans: Iterable[Span]) -> str:
    """The words of the spans without their roles."""
    return "".join(span.text for span in spans)


def charts_as_text(block: Block) -> Block:
    """A chart as lines of text, a picture as a link to it; other blocks are unchanged."""
    match block:
        case Chart():
            return CodeBlock(chart_text(block))
        case Image(url=url, alt=alt):
            return Paragraph((Link(f"[{alt}]", url),))
        case _:
            return block


def strong(spans: Spans) -> Spans:
    """The spans with their plain words in bold; other roles stay."""
    return tuple(Strong(span.text) if isinstance(span, Text) else span for span in spans)


def rows_as_lines(table: Table) -> Iterator[Spans]:
    """A line for each row, cells one after the other; the header comes first, in bold."""
    for place, row in enumerate((table.header, *table.rows)):
        line: Spans = tuple(part for cell in row for part in (Text(" · "), *cell))[1:]
        yield line if place else strong(line)


def button_as_text(button: Button) -> Spans:
    """A button as a link to its address, or as its label and what to type in its place."""
    if button.url:
        return (Link(button.label, button.url),)
    typed = f"{button.action} {button.value}".strip()
    return (Strong(button.label), Text(f" {typed}")) if typed else (Strong(button.label),)
