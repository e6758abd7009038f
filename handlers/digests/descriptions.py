"""The descriptions of merged requests, read from the forge without an account where need be.

One page of a forge's list holds a hundred requests with what their authors say of them, so that a
day costs a call or two. Without an answer the digest is told from the diff and the message alone.
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
from digest.facts.message import read_description
from handlers.context import Context
from handlers.ports.forge_port import Forge, KeptRequest

log = logging.getLogger(__name__)

_PAGES = 2
"""Pages that are asked for at most: nobody without an account has more than 60 calls an hour."""

_RECENT = timedelta(days=14)
"""The list is in the order of updates: what is older than this stands too far back in it."""

_PATIENCE = 6.0
"""Seconds that a digest waits for the forge."""


async def with_descriptions(changes: Sequence[Graded], ctx: Context) -> list[Graded]:
    """The changes, each with the description of its request where one is known or can be read."""
    numbers = {g.number for g in changes if g.number is not None}
    kept = await _kept(numbers, ctx)
    if await _ask([g for g in changes if g.number not in kept], ctx):
        kept = await _kept(numbers, ctx)
    return [_described(graded, kept) for graded in changes]


async def with_description(graded: Graded, ctx: Context) -> Graded:
    """The change with the description of its request as far as it is known."""
    numbers = {graded.number} if graded.number is not None else set()
    return _described(graded, await _kept(numbers, ctx))


async def _kept(numbers: Collection[int], ctx: Context) -> Mapping[int, KeptRequest]:
    if ctx.requests is None or not numbers:
        return {}
    return await ctx.requests.load(ctx.watched.repository, numbers)


def _described(graded: Graded, kept: Mapping[int, KeptRequest]) -> Graded:
    known = kept.get(graded.number) if graded.number is not None else None
    if known is None or known.request.state is not RequestState.MERGED:
        return graded
    return replace(graded, description=read_description(known.request.title, known.request.body))


async def _ask(lacking: Sequence[Graded], ctx: Context) -> bool:
    """Read the newest pages of merged requests where recent changes lack theirs."""
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
    """Keep page after page until all that is wanted was seen, or enough pages were."""
    assert ctx.requests is not None
    missing = set(wanted)
    pages = count(1)
    async for page in forge.recent(since):
        await ctx.requests.keep(ctx.watched.repository, page, ctx.clock.now())
        missing -= {one.number for one in page}
        if not missing or next(pages) == _PAGES:
            break
    return missing != set(wanted)
