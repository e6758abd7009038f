"""Which changes a document lists, in the order in which a reader sees them.

Imports ``document``, ``graded`` and ``report``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.document import Block, Document, Heading, Item, Link, Listing, Paragraph, Spans, plain
from digest.graded import Graded, Repository
from digest.report import title_link

MOST = 50
"""Changes of a list that can be named by their place."""

_ROWS = 2000
"""Changes that are looked for, where a title alone tells them."""


def listed_in(
    document: Document, changes: Sequence[Graded], repository: Repository
) -> tuple[str, ...]:
    """The full names of those changes that a document shows by their titles, the first of them.

    A change is known by its link; where the repository has no pages, by its title.
    """
    links: dict[tuple[str, str], str] = {}
    titles: dict[str, str] = {}
    for graded in changes:
        title = title_link(graded, repository)
        if isinstance(title, Link):
            links.setdefault((title.text, title.url), graded.sha)
        elif len(titles) < _ROWS:
            titles.setdefault(plain((title,)), graded.sha)
    found: dict[str, None] = {}
    for spans in _lines(document.blocks):
        named = (links.get((s.text, s.url)) for s in spans if isinstance(s, Link))
        for sha in filter(None, (next(named, None), _titled(spans, titles))):
            found.setdefault(sha)
        if len(found) >= MOST:
            break
    return tuple(found)


def _titled(spans: Spans, titles: dict[str, str]) -> str | None:
    """The change whose title a line holds, the longest of several."""
    if not titles:
        return None
    line = plain(spans)
    held = [title for title in titles if title in line]
    return titles[max(held, key=len)] if held else None


def _lines(blocks: Sequence[Block]) -> Iterator[Spans]:
    for block in blocks:
        if isinstance(block, Heading | Paragraph):
            yield block.spans
        elif isinstance(block, Listing):
            yield from _items(block.items)


def _items(items: Sequence[Item]) -> Iterator[Spans]:
    for item in items:
        yield item.spans
        yield from _items(item.children)
