"""``releases``: the tagged releases of a period, or the latest ones, with their dates."""

from __future__ import annotations

import asyncio

from digest.answer.answers import Answer, lines_document, window_words
from digest.core.release import TaggedRelease
from digest.document import Block, Code, Document, Heading, Item, Listing, Paragraph, Text
from digest.errors import NoRelease
from digest.i18n import answer_text as words
from digest.question.intent import Releases
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.questions.scope import seen

_MOST = 100
"""The newest tags that are looked at."""

_PAGE = 15
"""Releases that are listed."""


async def releases(intent: Releases, ctx: Context) -> Answer:
    """The final releases, newest first. Raises ``NoRelease`` where there is none at all."""
    source = ctx.watched.source
    tags = (await source.releases())[:_MOST]
    if not tags:
        raise NoRelease(ctx.watched.repository.name)
    within = intent.window if isinstance(intent.window, Window) else None
    wanted = tags if within else tags[:_PAGE]
    found = [one for one in await asyncio.gather(*map(source.release, wanted)) if one]
    if within is not None:
        found = [one for one in found if one.at is not None and one.at in within]
    language, at = ctx.language, seen(ctx, await tip_of(ctx))
    when = window_words(intent.window, language) if within else ()
    if not found:
        line = words.NO_RELEASE_THEN(language, latest=Code(tags[0]))
        return Answer(intent="releases", document=lines_document("", [line, when], at))
    title = words.RELEASES.text(language, n=len(found))
    items = tuple(_item(one, ctx) for one in found[:_PAGE])
    blocks: list[Block] = [Heading(1, (Text(title),)), Listing(items)]
    blocks += [Paragraph(when, aside=True)] if when else []
    document = Document(title=title, blocks=tuple(blocks), language=str(language))
    return Answer(intent="releases", document=document, window=within)


def _item(one: TaggedRelease, ctx: Context) -> Item:
    day = one.at.astimezone(ctx.zone).date().isoformat() if one.at else ""
    if not day:
        return Item((Code(one.tag),))
    return Item(words.RELEASED_ON(ctx.language, tag=Code(one.tag), day=day))
