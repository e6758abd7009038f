"""``compare A B``: what lies between two releases, as release notes."""

from __future__ import annotations

import asyncio

from digest.answer import Answer, Row, graded_because
from digest.intent import Compare
from digest.notes import notes_document, notes_of
from handlers.context import Context
from handlers.conversing import Length
from handlers.ingest import ensure
from handlers.looking import seen, tip_of
from handlers.reaching import range_of

_MOST = {Length.SHORT: 3, Length.NORMAL: 8, Length.LONG: 25}
"""Changes of a group that are listed."""


async def compare(intent: Compare, ctx: Context) -> Answer:
    """The changes that the second reference has and the first has not, in groups by kind.

    Raises as :func:`handlers.reaching.range_of` does.
    """
    tip = await tip_of(ctx)
    changes = await ensure(ctx, await range_of(intent.refs, ctx, tip), tip)
    notes = await asyncio.to_thread(notes_of, changes)
    document = notes_document(notes, intent.refs, seen(ctx, tip), _MOST[ctx.length])
    rows = tuple(Row(graded=g, why=graded_because(g, ctx.language)) for g in changes)
    return Answer(intent="compare", document=document, total=len(rows), rows=rows)
