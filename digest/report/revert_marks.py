"""Updates of a posted digest: marks on its changes that were reverted since.

The rest of the document stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from digest.core.enums import Language
from digest.core.grade import Graded, Repository
from digest.document import Block, Document, Item, Link, Listing, Paragraph, plain
from digest.i18n import report_text as words
from digest.i18n.labels import LEVEL_MARKS
from digest.i18n.phrase import Part, join
from digest.report.blocks import name_link, title_link

_MARK = "↩️ "
_MARKS = tuple(LEVEL_MARKS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertedChange:
    """A change and the one that reverts it."""

    change: Graded
    by: Graded


def mark_reverted(
    document: Document, reverts: Sequence[RevertedChange], repository: Repository
) -> Document | None:
    """The document with reverted changes marked; ``None`` if it lists none of them."""
    language = Language(document.language)
    blocks: list[Block] = []
    found = False
    for block in document.blocks:
        if isinstance(block, Listing):
            items = tuple(_marked(item, reverts, repository, language) for item in block.items)
            found = found or items != block.items
            blocks.append(replace(block, items=items))
        else:
            blocks.append(block)
    return replace(document, blocks=tuple(blocks)) if found else None


def revert_note(one: RevertedChange, repository: Repository, language: Language) -> Document:
    """The message for the thread of the digest that listed the change."""
    title = title_link(one.change, repository)
    spans = words.REVERT_NOTE(language, title=title, by=name_link(one.by, repository))
    return Document(
        title=plain(spans), blocks=(Paragraph(join([_MARK, spans])),), language=str(language)
    )


def _marked(
    item: Item, reverts: Sequence[RevertedChange], repository: Repository, language: Language
) -> Item:
    by = next((r.by for r in reverts if _lists(item, r.change, repository)), None)
    if by is None:
        return item
    told = words.REVERTED(language, by=name_link(by, repository))
    parts: list[Part] = [item.spans, f" · {_MARK}", told]
    return replace(item, spans=join(parts))


def _lists(item: Item, change: Graded, repository: Repository) -> bool:
    """Whether an item is about the change: it links to it first, or gives its number or name."""
    name = name_link(change, repository)
    if isinstance(name, Link):
        # Behind the first link are those of follow-ups.
        return name.url == next((span.url for span in item.spans if isinstance(span, Link)), "")
    text = plain(item.spans)
    return text.startswith(_MARKS) and f"({name.text}) · " in text.replace("（", "(").replace(
        "）", ")"
    )
