"""The digest: a window's changes graded and analysed, with every commit accounted for.

``digest_of_window`` selects by calendar, for somebody who asks. ``digest_since`` selects by
ancestry what arrived since the channel's last digest, so that a commit with an old date is late but
never lost. Descriptions of merged requests are read from the forge, without an account if
necessary: a page of its list holds a hundred, so a day costs one or two calls.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

from digest.core.grade import Graded, Level
from digest.core.request import RequestState
from digest.errors import ForgeFailed, NotOnForge
from digest.grading.outcomes import of_window
from digest.report.assembly import Report, assemble, tally
from digest.report.condensed import posted_commits
from digest.window import Window
from handlers.context import Context
from handlers.digests.grade_quality import taught
from handlers.digests.ingest import Ingested, ingest
from handlers.ports.forge_port import Forge, KeptRequest
from handlers.ports.storage import Outcome, Range, Selection, State, Tip

if TYPE_CHECKING:
    from handlers.ports.analysis_port import AnalysisRun, Missed


@dataclass(frozen=True, slots=True, kw_only=True)
class Daily:
    """A report with the state that each commit ends in once the digest is posted.

    ``outcomes`` hold each commit of the selection once, in the report's order; a commit whose
    analysis by a model is missing says why. ``rewritten`` says that the branch no longer descends
    from its last seen tip. ``judgement`` is ``None`` without a model.
    """

    report: Report
    outcomes: tuple[Outcome, ...]
    tip: Tip
    rewritten: bool = False
    judgement: AnalysisRun | None = None


async def digest_of_window(ctx: Context, window: Window, least: Level = Level.HIGH) -> Daily:
    """The report of a calendar window."""
    tip = await ctx.watched.source.tip(ctx.watched.branch)
    return await _report(ctx, tip, window, window, least, late=())


async def between(
    ctx: Context, selection: Range, window: Window, least: Level = Level.HIGH
) -> Daily:
    """The report of a range of commits, presented as one of ``window`` whatever their dates."""
    tip = await ctx.watched.source.tip(ctx.watched.branch)
    return await _report(ctx, tip, selection, window, least, late=())


async def digest_since(
    ctx: Context, tip: Tip, seen: str | None, window: Window, least: Level = Level.HIGH
) -> Daily:
    """The report of the commits that arrived on the branch between two tips.

    Without ``seen`` it begins with the window. It is the same for everybody who asks for it in one
    language, apart from :func:`shown_from`.
    """
    source = ctx.watched.source
    # The next digest begins at this tip: what came after the window is in this one, too.
    dated = replace(window, until=datetime.max.replace(tzinfo=UTC))
    if seen is None or tip.sha is None:
        return await _report(ctx, tip, dated, window, least, late=())
    rewritten = not await source.is_ancestor(seen, tip.sha)
    if rewritten and not await source.find(tip, sha=seen):
        # The branch was rewritten and the old commits are gone: only dates tell what is new.
        return await _report(ctx, tip, dated, window, least, late=(), rewritten=True)
    selection = Range(base=seen, tip=tip.sha)
    return await _report(ctx, tip, selection, window, least, late=None, rewritten=rewritten)


def shown_from(daily: Daily, least: Level) -> Daily:
    """The same report for a digest that shows changes from another level up."""
    names = posted_commits(daily.report, least)
    outcomes = tuple(
        one
        if one.state in {State.FAILED, State.FILTERED}
        else replace(one, state=State.POSTED if one.sha in names else State.ARCHIVED)
        for one in daily.outcomes
    )
    before = daily.report.coverage
    coverage = tally(((o.state, o.why) for o in outcomes), before.total) if before else None
    return replace(daily, report=replace(daily.report, coverage=coverage), outcomes=outcomes)


async def _report(
    ctx: Context,
    tip: Tip,
    selection: Selection,
    window: Window,
    least: Level,
    *,
    late: Collection[str] | None,
    rewritten: bool = False,
) -> Daily:
    ctx = await taught(ctx)
    read = await ingest(ctx, selection, tip)
    if late is None:
        late = [g.sha for g in read.changes if g.commit.committed_at < window.since]
    total = await ctx.watched.source.count(tip, selection) if tip.sha else 0
    read = replace(read, changes=tuple(await with_descriptions(read.changes, ctx)))
    judgement = await _judge(ctx, read, tip)
    report = await asyncio.to_thread(
        _assemble, ctx, tip, window, read, late=frozenset(late), judgement=judgement
    )
    outcomes = _outcomes(report, read, least, judgement.missed if judgement else {})
    coverage = tally(((o.state, o.why) for o in outcomes), total)
    return Daily(
        report=replace(report, coverage=coverage),
        outcomes=outcomes,
        tip=tip,
        rewritten=rewritten,
        judgement=judgement,
    )


async def _judge(ctx: Context, read: Ingested, tip: Tip) -> AnalysisRun | None:
    """The analyses by the context's model of the changes that could be read."""
    if ctx.judging is None:
        return None
    from handlers.llm.analyse import judge

    return await judge(ctx, [g for g in read.changes if g.sha not in read.failures], tip)


def _assemble(
    ctx: Context,
    tip: Tip,
    window: Window,
    read: Ingested,
    *,
    late: Collection[str],
    judgement: AnalysisRun | None,
) -> Report:
    moved = judgement.graded if judgement else {}
    report = assemble(
        ctx.watched.repository,
        tip.branch,
        window,
        of_window(
            [moved.get(graded.sha, graded) for graded in read.changes], ctx.watched.thresholds
        ),
        ctx.language,
        late=late,
        analyses=judgement.analyses if judgement else None,
        missed=judgement.missed if judgement else (),
    )
    if judgement is None:
        return report
    from handlers.llm.summarise import complete_summary

    return replace(report, day=complete_summary(judgement.day, report.entries, ctx.language))


def _outcomes(
    report: Report, read: Ingested, least: Level, missed: Mapping[str, Missed]
) -> tuple[Outcome, ...]:
    """One state for each commit: failed to be read, shown in the digest, or only archived."""
    names = posted_commits(report, least)
    return tuple(
        Outcome(sha=g.sha, state=State.FAILED, why=read.failures[g.sha])
        if g.sha in read.failures
        else Outcome(
            sha=g.sha,
            state=State.POSTED if g.sha in names else State.ARCHIVED,
            why=f"no model: {missed[g.sha].reason}" if g.sha in missed else "",
        )
        for g in read.changes
    )


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
