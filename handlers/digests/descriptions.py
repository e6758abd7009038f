"""Descriptions of merged pull requests, read from the forge, without an account if necessary.

One page of a forge's list holds a hundred requests with their descriptions, so that a day costs one
or two calls. If the forge does not answer, the digest rests on diffs and messages alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

from digest.core.grade import Graded
from digest.core.request import RequestState
from digest.errors import ForgeFailed, NotOnForge
from handlers.context import Context
from handlers.ports.forge_port import Forge, KeptRequest

log = logging.getLogger(__name__)

_PAGES = 2
"""The most pages to request: without an account a client has only 60 calls an hour."""

_RECENT = timedelta(days=14)
"""The list is sorted by update time: older requests are too far down to look for."""

_PATIENCE = 6.0
"""Seconds that a digest waits for the forge."""


async def with_descriptions(changes: Sequence[Graded], ctx: Context) -> list[Graded]:
    """The changes with the descriptions of their requests, where known or readable."""
    numbers = {g.number for g in changes if g.number is not None}
    kept = await _stored_requests(numbers, ctx)
    if await _ask([g for g in changes if g.number not in kept], ctx):
        kept = await _stored_requests(numbers, ctx)
    return [with_description(g, kept.get(g.number or 0)) for g in changes]


async def _stored_requests(numbers: Collection[int], ctx: Context) -> Mapping[int, KeptRequest]:
    if ctx.requests is None or not numbers:
        return {}
    return await ctx.requests.load(ctx.watched.repository, numbers)


def with_description(graded: Graded, known: KeptRequest | None) -> Graded:
    """The change with the description of its request, if that is known."""
    if known is None or known.request.state is not RequestState.MERGED:
        return graded
    from digest.facts.message import read_description

    request = known.request
    described = read_description(request.title, request.body, request.labels)
    return replace(graded, description=described)


async def _ask(lacking: Sequence[Graded], ctx: Context) -> bool:
    """Read the newest pages of merged requests if recent changes lack their descriptions."""
    now = ctx.clock.now()
    recent = [g for g in lacking if g.number and now - g.commit.committed_at < _RECENT]
    forge = ctx.watched.forge
    if not recent or forge is None or ctx.requests is None or not ctx.watched.descriptions:
        return False
    oldest = min(g.commit.committed_at for g in recent)
    try:
        async with asyncio.timeout(_PATIENCE):
            return await _read(forge, {g.number for g in recent}, oldest, ctx)
    except NotOnForge:
        log.info("descriptions.absent: %s", ctx.watched.repository.name)
    except (ForgeFailed, TimeoutError) as error:
        log.info("descriptions.unread: %s: %s", type(error).__name__, error)
    return False


async def _read(
    forge: Forge, wanted: Collection[int | None], since: datetime, ctx: Context
) -> bool:
    """Save page after page until all wanted requests were seen or the page limit is reached."""
    assert ctx.requests is not None
    missing = set(wanted)
    pages = count(1)
    async for page in forge.recent(since):
        await ctx.requests.keep(ctx.watched.repository, page, ctx.clock.now())
        missing -= {one.number for one in page}
        if not missing or next(pages) == _PAGES:
            break
    return missing != set(wanted)
