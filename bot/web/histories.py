"""What pages ask of git: what lies between two points of a repository's history, and its releases.

Pages are read by strangers. So nothing is cloned or fetched for them, and no more commits are
listed than can be told of; only who sits at the machine has lacking changes read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from bot.web.pages.shelf import Shown, Stretch
from digest.errors import EmptyRange, RangeTooLarge
from digest.span import Refs, Span
from handlers.context import Context
from handlers.ingest import fill
from handlers.looking import tip_of
from handlers.ports import Selection
from handlers.reaching import range_of

MOST = 5000
"""Commits of a comparison: a second of processor time, and a busy quarter of a project."""

Opened = Callable[[Shown], Awaitable[Context | None]]
"""The context of a repository, ``None`` where it cannot be opened without another machine."""


class GitHistories:
    """Histories of the repositories on this machine. Implements ``bot.web.pages.shelf.Histories``.

    ``reads`` says that what the archive lacks is read for whoever asks.
    """

    def __init__(self, opened: Opened, *, reads: bool) -> None:
        self._opened = opened
        self._reads = reads
        self._turn = asyncio.Lock()

    async def stretch(self, shown: Shown, span: Span) -> Stretch | None:
        """As ``Histories.stretch``."""
        if (ctx := await self._opened(shown)) is None:
            return None
        tip = await tip_of(ctx)
        selection: Selection = await range_of(span, ctx, tip) if isinstance(span, Refs) else span
        names = await ctx.watched.source.names(tip, selection)
        if not names:
            raise EmptyRange(*_ends(span), reversed_=False)
        if len(names) > MOST:
            raise RangeTooLarge(len(names), MOST)
        if self._reads:
            async with self._turn:
                # Somebody waits: what an older version of the program read is good enough.
                await fill(replace(ctx, coarse=True), selection, tip)
        return Stretch(span=span, names=tuple(names), head=tip.sha or "")

    async def releases(self, shown: Shown) -> Sequence[str]:
        """As ``Histories.releases``."""
        ctx = await self._opened(shown)
        return await ctx.watched.source.releases() if ctx else ()


def _ends(span: Span) -> tuple[str, str]:
    if isinstance(span, Refs):
        return span.base, span.tip
    since, until = (moment.astimezone(span.zone).date() for moment in (span.since, span.until))
    return since.isoformat(), until.isoformat()
