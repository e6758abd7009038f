"""From commits to graded changes in the archive: read what is missing, grade it, keep it.

A commit whose facts cannot be read is never lost: it is kept with what its message says, and
told apart by the cause.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from digest.change import Change
from digest.facts import FACTS_VERSION, extract, wanted
from digest.facts.bare import bare
from digest.graded import Graded
from digest.importance import grade, graded_by
from handlers.context import Context
from handlers.ports import Selection, Tip


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """The changes of a selection, newest first, and why some could only be read in part."""

    changes: tuple[Graded, ...]
    failures: Mapping[str, str] = field(default_factory=dict)


async def ensure(ctx: Context, selection: Selection, tip: Tip) -> tuple[Graded, ...]:
    """The graded changes of a selection, newest first, read where the archive lacks them."""
    return (await ingest(ctx, selection, tip)).changes


async def ingest(ctx: Context, selection: Selection, tip: Tip) -> Ingested:
    """As :func:`ensure`, with the failures by full commit name."""
    names, failures = await fill(ctx, selection, tip)
    kept = await ctx.archive.load(ctx.watched.repository, names)
    return Ingested(changes=tuple(kept[s] for s in names if s in kept), failures=failures)


async def fill(
    ctx: Context, selection: Selection, tip: Tip
) -> tuple[Sequence[str], Mapping[str, str]]:
    """Bring the archive up to date for a selection without reading back what is there.

    Returns the names of its commits, newest first, and the failures by name.
    """
    names = await ctx.watched.source.names(tip, selection)
    by = graded_by(ctx.watched.thresholds)
    current = await ctx.archive.current(ctx.watched.repository, names, by)
    lacking = [sha for sha in names if sha not in current]
    failures: dict[str, str] = {}
    if lacking:
        ctx.progress.start(len(names))
        ctx.progress.advance(len(current))
        regraded = await _regrade(ctx, lacking)
        missing = [sha for sha in lacking if sha not in regraded]
        # The selection itself is cheaper for git than a list of names, where all is missing.
        wide = len(missing) == len(names) and not isinstance(selection, Sequence)
        if missing:
            await _read(ctx, selection if wide else missing, tip, failures)
        ctx.progress.finish()
    return names, failures


async def _read(ctx: Context, selection: Selection, tip: Tip, failures: dict[str, str]) -> None:
    """Read and keep a selection, a batch ahead of the one that is being graded."""
    under_way: asyncio.Task[None] | None = None
    try:
        async with aclosing(_with_texts(ctx, selection, tip)) as batches:
            async for batch, texts in batches:
                if under_way is not None:
                    await under_way
                under_way = asyncio.create_task(_keep(ctx, batch, texts, failures))
        if under_way is not None:
            await under_way
    finally:
        if under_way is not None and not under_way.done():
            under_way.cancel()
            await asyncio.gather(under_way, return_exceptions=True)


async def _with_texts(
    ctx: Context, selection: Selection, tip: Tip
) -> AsyncGenerator[tuple[Sequence[Change], Mapping[str, str]], None]:
    async for batch in ctx.watched.source.changes(tip, selection):
        blobs = list(dict.fromkeys(b for change in batch for b in wanted(change)))
        yield batch, await ctx.watched.source.texts(blobs) if blobs else {}


async def _keep(
    ctx: Context,
    batch: Sequence[Change],
    texts: Mapping[str, str],
    failures: dict[str, str],
) -> None:
    graded = await asyncio.to_thread(_grade_all, ctx, batch, texts, failures)
    await ctx.archive.save(ctx.watched.repository, graded)
    ctx.progress.advance(len(graded))


async def _regrade(ctx: Context, lacking: Sequence[str]) -> frozenset[str]:
    """Grade anew, by today's weights and thresholds, what has today's facts; their names."""
    held = await ctx.archive.load(ctx.watched.repository, lacking)
    fresh = [
        replace(graded, grade=grade(graded.facts, ctx.watched.thresholds))
        for graded in held.values()
        if graded.facts.version == FACTS_VERSION
    ]
    await ctx.archive.save(ctx.watched.repository, fresh)
    ctx.progress.advance(len(fresh))
    return frozenset(graded.sha for graded in fresh)


def _grade_all(
    ctx: Context, batch: Sequence[Change], texts: Mapping[str, str], failures: dict[str, str]
) -> list[Graded]:
    return [_grade_one(ctx, change, texts, failures) for change in batch]


def _grade_one(
    ctx: Context, change: Change, texts: Mapping[str, str], failures: dict[str, str]
) -> Graded:
    try:
        facts = extract(change, texts)
    except Exception as error:  # noqa: BLE001 - one odd commit must not end the day; it is told
        failures[change.sha] = f"{type(error).__name__}: {error}"
        facts = bare(change)
    return Graded(commit=change.commit, facts=facts, grade=grade(facts, ctx.watched.thresholds))
