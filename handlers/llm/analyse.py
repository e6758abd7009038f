"""Analyses the changes of a digest with a model, the most important first, in parallel.

Stored analyses are reused, and changes that facts settle are not sent. If a call fails, the change
is described by its facts. Everything ends within the patience of the digest: a model makes a digest
richer, never late or incomplete.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from digest.core.enums import Privacy
from digest.core.grade import Graded, Level, is_settled
from digest.grading.importance import by_model, laid_over
from digest.llm.day_summary import SummarisedChange
from digest.llm.prompt import PromptKind as Asked
from digest.llm.prompt import kind_of
from handlers.context import Context
from handlers.llm.batch import ODD, AnalysisCache, Round
from handlers.llm.summarise import DayResult, lead, summary_input
from handlers.ports.analysis_port import AnalysisRun, Missed, StoredAnalysis
from handlers.ports.model_port import CallKind, ModelReason
from handlers.ports.storage import Tip

_GRACE = 2.0  # seconds that open calls have left to end after the deadline
_READER = 120.0  # the most seconds that somebody waits for the analysis of one change
_LATE = Missed(sha="", reason=ModelReason.TIMEOUT.value, detail="the digest waits no longer")
Plan: TypeAlias = Sequence[tuple[Asked, Mapping[str, Graded]]]


async def judge_one(ctx: Context, graded: Graded, tip: Tip) -> AnalysisRun:
    """Like :func:`judge`, with a retry, for one change that somebody is waiting for."""
    return await judge(ctx, [graded], tip, CallKind.EXPLAIN)


async def judge(
    ctx: Context, changes: Sequence[Graded], tip: Tip, spends: CallKind | None = None
) -> AnalysisRun:
    """The analyses of the changes by the context's model, new or stored; empty without a model."""
    # Raises no errors of the model; what is missing is in ``AnalysisRun.missed``.
    if ctx.judging is None or ctx.watched.privacy is Privacy.NONE:
        return AnalysisRun()
    cache = AnalysisCache(ctx=ctx, judging=ctx.judging, anew=spends is CallKind.EXPLAIN)
    bases = [by_facts(ctx, graded) for graded in changes]
    plan = _plan(bases)
    patience = cache.judging.patience
    if spends is CallKind.EXPLAIN:
        patience = min(patience, _READER)
    deadline = asyncio.get_running_loop().time() + patience
    done = Round(cache=cache, tip=tip, deadline=deadline, spends=spends)
    asked = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        leading = None if spends else tasks.create_task(_lead(done, plan, bases, asked))
        try:
            async with asyncio.timeout_at(deadline + _GRACE):
                for kind, planned in plan:
                    done.kept.update(await cache.find(kind, list(planned)))
                await _ask(done, plan)
        except TimeoutError:
            done.over = done.over or _LATE
        finally:
            done.end()
            asked.set()
    moved = await _save_moved_grades(ctx, changes, bases, done.kept)
    judgement = _judgement(plan, done, moved)
    if leading is not None:
        judgement = _with_lead(judgement, leading.result())
    if cache.judging.report is not None:
        cache.judging.report(judgement, ctx.watched.repository.name)
    return judgement


async def _lead(
    done: Round, plan: Plan, bases: Sequence[Graded], asked: asyncio.Event
) -> DayResult:
    """The lead, requested as soon as the most important changes are analysed."""
    ctx = done.cache.ctx
    kind, first = next(((kind, some) for kind, some in plan if some), (Asked.HIGH, {}))
    await done.ended(kind)
    if any(sha not in done.kept and sha not in done.missed for sha in first):
        await asked.wait()  # another task is asking about one of them
    judged = {
        sha: SummarisedChange(graded=_with_stored_grade(graded, kept, ctx), analysis=kept.analysis)
        for sha, graded in first.items()
        if (kept := done.kept.get(sha)) is not None and kept.analysis is not None
    }
    changes = await asyncio.to_thread(summary_input, bases, judged, ctx.language)
    return await lead(ctx, done.cache.judging, changes)


def _with_lead(judgement: AnalysisRun, led: DayResult) -> AnalysisRun:
    spent = judgement.spent + led.spent
    return replace(judgement, day=led.day, unled=led.error, spent=spent)


def by_facts(ctx: Context, graded: Graded) -> Graded:
    """The change with the grade from its facts, without any level moved by a model."""
    if not by_model(graded.grade.reasons):
        return graded
    return ctx.watched.grading.regrade(graded)


def _plan(changes: Sequence[Graded]) -> Plan:
    """Which changes to ask about and how deeply. The first ones are served first under a cap."""
    wanted = [graded for graded in changes if not is_settled(graded)]
    return [
        (kind_of(level), {g.sha: g for g in wanted if g.grade.level is level}) for level in Level
    ]


async def _ask(done: Round, plan: Plan) -> None:
    """Ask about changes without a stored analysis, and wait for those others are asking about."""
    cache = done.cache
    left = [(kind, {s: g for s, g in some.items() if s not in done.kept}) for kind, some in plan]
    name = cache.ctx.watched.repository.name
    keys = {(name, sha, cache.basis(kind)): sha for kind, some in left for sha in some}
    flights = cache.judging.flights
    mine, others = flights.take(keys)
    ours = {sha for key, sha in keys.items() if key in mine}
    try:
        await done.ask(
            [(kind, {s: g for s, g in some.items() if s in ours}) for kind, some in left]
        )
    finally:
        flights.land(mine)
    for other in others:
        await other.wait()
    if others:
        for kind, some in left:
            done.kept.update(await cache.find(kind, [s for s in some if s not in ours]))


async def _save_moved_grades(
    ctx: Context,
    changes: Sequence[Graded],
    bases: Sequence[Graded],
    kept: Mapping[str, StoredAnalysis],
) -> Mapping[str, Graded]:
    """The changes whose grade differs now, saved to the archive, which holds one grade each."""
    moved: dict[str, Graded] = {}
    for graded, base in zip(changes, bases, strict=True):
        fresh = _with_stored_grade(base, kept.get(base.sha), ctx)
        if fresh.grade != graded.grade:
            moved[graded.sha] = fresh
    if moved:
        await ctx.archive.save(ctx.watched.repository, list(moved.values()))
    return moved


def _with_stored_grade(base: Graded, stored: StoredAnalysis | None, ctx: Context) -> Graded:
    """The change with the level that a model moved it to, if it did."""
    move = stored.move if stored else None
    return replace(base, grade=laid_over(base.grade, move, ctx.watched.thresholds))


def _judgement(plan: Plan, done: Round, moved: Mapping[str, Graded]) -> AnalysisRun:
    wanted = [sha for _, planned in plan for sha in planned]
    stored = {sha: done.kept[sha] for sha in wanted if sha in done.kept}
    analyses = {sha: k.analysis for sha, k in stored.items() if k.analysis is not None}
    return AnalysisRun(
        analyses=analyses,
        graded=moved,
        made={sha: stored[sha].usage for sha in analyses},
        missed={sha: _why(sha, done) for sha in wanted if sha not in analyses},
        spent=done.spent,
        secrets=sum(analysis.secrets for analysis in stored.values()),
    )


def _why(sha: str, done: Round) -> Missed:
    """Why a change was not analysed: its own failure, or the error that ended the round."""
    if sha in done.missed:
        return done.missed[sha]
    stored = done.kept.get(sha)
    if stored is not None and stored.failure is not None:
        return Missed(sha=sha, reason=stored.failure.value, detail="failed before, not asked again")
    return replace(done.over or Missed(sha=sha, reason=ODD, detail="it was not read"), sha=sha)
