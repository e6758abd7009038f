"""From commits to graded changes in the archive: read what is missing, grade it, keep it.

A commit whose facts cannot be read is never lost: it is kept with what its message says, and
told apart by the cause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from digest.change import Change
from digest.facts import FACTS_VERSION, extract, wanted
from digest.facts.bare import bare
from digest.graded import Graded
from digest.importance import grade
from handlers.context import Context
from handlers.ports import Range, Selection, Tip


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
    names = await ctx.watched.source.names(tip, selection)
    kept = {
        sha: graded
        for sha, graded in (await ctx.archive.load(ctx.watched.repository, names)).items()
        if graded.facts.version == FACTS_VERSION
    }
    ctx.progress.start(len(names))
    ctx.progress.advance(len(kept))
    missing = [sha for sha in names if sha not in kept]
    stale = [fresh for old in kept.values() if (fresh := _regrade(ctx, old)) != old]
    await ctx.archive.save(ctx.watched.repository, stale)
    kept.update((g.sha, g) for g in stale)
    failures: dict[str, str] = {}
    if missing:
        # The selection itself is cheaper for git than a list of names, where all is missing.
        wide = len(missing) == len(names) and not isinstance(selection, Sequence)
        async for batch in ctx.watched.source.changes(tip, selection if wide else missing):
            graded = await _grade(ctx, batch, failures)
            await ctx.archive.save(ctx.watched.repository, graded)
            kept.update((g.sha, g) for g in graded)
            ctx.progress.advance(len(graded))
    ctx.progress.finish()
    return Ingested(changes=tuple(kept[s] for s in names if s in kept), failures=failures)


async def _grade(
    ctx: Context, batch: Sequence[Change], failures: dict[str, str]
) -> list[Graded]:
    blobs = list(dict.fromkeys(b for change in batch for b in wanted(change)))
    texts = await ctx.watched.source.texts(blobs) if blobs else {}
    return await asyncio.to_thread(_grade_all, ctx, batch, texts, failures)


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
    return Graded(
        commit=change.commit, facts=facts, grade=grade(facts, ctx.watched.thresholds)
    )


def _regrade(ctx: Context, graded: Graded) -> Graded:
    """By today's weights and thresholds, so that an archive never shows yesterday's."""
    return replace(graded, grade=grade(graded.facts, ctx.watched.thresholds))


def ancestry(seen: str | None, tip: Tip) -> Range | None:
    """The range from a seen tip to the branch's own, or ``None`` for an empty branch."""
    return Range(base=seen, tip=tip.sha) if tip.sha else None
