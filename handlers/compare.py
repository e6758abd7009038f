"""``compare A B``: what lies between two releases, as release notes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from digest.answer import Answer, Row, graded_because
from digest.errors import ForgeFailed
from digest.intent import Compare
from digest.notes import notes_document, notes_of
from digest.request import Release
from digest.span import Refs
from handlers.context import Context
from handlers.conversing import Length
from handlers.forge_port import Publishing
from handlers.ingest import ensure
from handlers.looking import seen, tip_of
from handlers.reaching import range_of

_MOST = {Length.SHORT: 3, Length.NORMAL: 5, Length.LONG: 25}
"""Changes of a group that are listed."""

_SOON = 5.0
"""Seconds that notes wait for what a forge says of releases; they are whole without it."""


async def compare(intent: Compare, ctx: Context) -> Answer:
    """The changes that the second reference has and the first has not, in groups by kind.

    Raises as :func:`handlers.reaching.range_of` does.
    """
    tip = await tip_of(ctx)
    changes = await ensure(ctx, await range_of(intent.refs, ctx, tip), tip)
    notes = await asyncio.to_thread(notes_of, changes)
    document = notes_document(
        notes,
        intent.refs,
        seen(ctx, tip),
        _MOST[ctx.length],
        page=ctx.page,
        releases=await _releases(intent.refs, ctx),
    )
    rows = tuple(Row(graded=g, why=graded_because(g, ctx.language)) for g in changes)
    return Answer(intent="compare", document=document, total=len(rows), rows=rows)


async def _releases(refs: Refs, ctx: Context) -> Sequence[Release]:
    """What the forge says of the two references, where there is one and it answers soon."""
    forge = ctx.watched.forge
    if not isinstance(forge, Publishing):
        return ()
    try:
        async with asyncio.timeout(_SOON):
            found = await forge.releases()
    except (ForgeFailed, TimeoutError):
        return ()
    named = [one for one in found if one.tag in {refs.base, refs.tip}]
    return sorted(named, key=lambda one: one.published_at)
