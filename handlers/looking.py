"""What every answer begins with: where the branch stands, and what is told of that."""

from __future__ import annotations

from digest.answer import Seen
from handlers.context import Context
from handlers.ports import Tip


async def tip_of(ctx: Context) -> Tip:
    """Where the watched branch stands now."""
    return await ctx.watched.source.tip(ctx.watched.branch)


def seen(ctx: Context, tip: Tip) -> Seen:
    """The place and time of an answer, told in the asker's language and zone."""
    return Seen(
        repository=ctx.watched.repository,
        tip=tip.sha,
        at=ctx.clock.now(),
        zone=ctx.zone,
        language=ctx.language,
    )
