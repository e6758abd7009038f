"""An answer made shorter or longer than usual. Imports ``answer``, ``authored`` and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from digest.answer import Row
from digest.authored import authored, unticked
from digest.document import Block, CodeBlock, Document, Listing, Paragraph, Quote, Strong

_BLOCKS = 5
_ITEMS = 5
_LINES = 12

_QUOTED = 10
_PARAGRAPHS = 4
_CHARACTERS = 600


def shortened(document: Document) -> Document:
    """The first blocks and the last, lists and code cut off, nothing below an item."""
    blocks = document.blocks
    if len(blocks) > _BLOCKS:
        blocks = (*blocks[: _BLOCKS - 1], blocks[-1])
    return replace(document, blocks=tuple(map(_cut, blocks)))


def _cut(block: Block) -> Block:
    match block:
        case Listing(items=items):
            return replace(block, items=tuple(replace(i, children=()) for i in items[:_ITEMS]))
        case CodeBlock(text=text):
            return replace(block, text="\n".join(text.split("\n")[:_LINES]))
        case _:
            return block


def lengthened(document: Document, rows: Sequence[Row]) -> Document:
    """The document with the authors' own words on the changes that it rests on, the first few."""
    return replace(document, blocks=(*document.blocks, *_words(rows[:_QUOTED])))


def _words(rows: Sequence[Row]) -> Iterator[Block]:
    for row in rows:
        said = [p[:_CHARACTERS] for p in row.graded.facts.paragraphs[:_PARAGRAPHS]]
        if said:
            yield Paragraph((Strong(unticked(row.graded.title) or row.graded.sha[:10]),))
            yield Quote(tuple(authored(paragraph) for paragraph in said))
