"""Labels, issues and the like of merged requests, read from the forge and kept beside the changes.

It runs beside everything else and holds nothing up: a digest is told with what is known, and what
comes later is in the next answer. Grades do not rest on it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from handlers.context import Context

_OVERLAP = timedelta(minutes=5)
"""Read again each time: a list is in the order of a forge's own clocks."""


async def enrich(ctx: Context) -> int:
    """Read what changed in the list of merged requests since the last time; how many those are.

    Only where the forge may be asked unasked. At most a bounded number of pages is read: after a
    long gap the oldest of what changed stays unread until somebody asks about it. Raises what a
    forge raises; what was read until then is kept.
    """
    forge, requests, repository = ctx.watched.forge, ctx.requests, ctx.watched.repository
    if forge is None or requests is None or not forge.eager:
        return 0
    since = await requests.read_until(repository)
    newest: datetime | None = None
    count = 0
    async for page in forge.recent(since - _OVERLAP if since else None):
        await requests.keep(repository, page, ctx.clock.now())
        count += len(page)
        newest = max([one.updated_at for one in page] + ([newest] if newest else []), default=None)
    if newest is not None and (since is None or newest > since):
        await requests.mark(repository, newest)
    return count
