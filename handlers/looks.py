"""What an asker has seen of a repository, so that catching up can begin there."""

from __future__ import annotations

from datetime import timedelta

from digest.window import Window
from handlers.context import Context
from handlers.conversing import Look

_NOW = timedelta(minutes=1)
"""A window that ends so long ago reaches until now."""


async def last_look(ctx: Context) -> Look | None:
    """When the asker last looked, or the chat where nobody is named."""
    if ctx.conversations is None or ctx.conversation is None:
        return None
    return await ctx.conversations.last_look(ctx.conversation, ctx.watched.repository)


async def looked(ctx: Context, tip: str | None) -> None:
    """Remember that the asker has now seen what there is up to a tip."""
    if ctx.conversations is not None and ctx.conversation is not None and tip is not None:
        here = Look(at=ctx.clock.now(), tip=tip)
        await ctx.conversations.looked(ctx.conversation, ctx.watched.repository, here)


async def looked_over(ctx: Context, window: Window, tip: str | None) -> None:
    """A digest was shown: a look, where it reaches until now and leaves no gap to the last one."""
    if window.until < ctx.clock.now() - _NOW:
        return
    last = await last_look(ctx)
    if last is None or window.since <= last.at:
        await looked(ctx, tip)
