"""The platform-neutral document: the only thing that a platform ever sees.

Text in it is plain text. No span holds markup of any platform; renderers escape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Plain words."""

    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Words spoken with weight."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """An identifier, path or value, as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to ``url``: an ``https`` address, a relative path or ``#anchor``."""

    text: str
    url: str


Span = Text | Strong | Emphasis | Code | Link
Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` counts from 1. ``anchor`` names it for links within the document."""

    level: int
    spans: Spans
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; ``aside`` is what a reader may pass over, such as how something was counted."""

    spans: Spans
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list, with entries below it."""

    spans: Spans
    children: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of items."""

    items: tuple[Item, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: every row has as many cells as the header."""

    header: tuple[Spans, ...]
    rows: tuple[tuple[Spans, ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody's own words, a paragraph each."""

    paragraphs: tuple[Spans, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines shown as written."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Divider:
    """A line between parts."""


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press: an action's name with its argument, or an address."""

    label: str
    action: str = ""
    value: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Actions:
    """A row of buttons; a platform without buttons shows the addresses as links."""

    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture by address, with words for those who cannot see it."""

    url: str
    alt: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers, one a label and in their order, such as those of days: drawn as bars.

    There are as many labels as values, and no value is negative. A platform that shows no pictures
    shows ``digest.chart.chart_text``.
    """

    title: str
    labels: tuple[str, ...]
    values: tuple[int, ...]


Block = (
    Heading | Paragraph | Listing | Table | Quote | CodeBlock | Divider | Actions | Image | Chart
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Blocks in reading order. ``title`` is for notifications and file names, plain text."""

    title: str
    blocks: tuple[Block, ...]
    language: str = "en"


def plain(spans: Iterable[Span]) -> str:
    """The words of the spans without their roles."""
    return "".join(span.text for span in spans)
