"""The digest: a window's changes graded and analysed, with every commit accounted for.

``digest_of_window`` selects by calendar, for somebody who asks. ``digest_since`` selects by
ancestry what arrived since the channel's last digest, so that a commit with an old date is late but
never lost. ``filter_daily`` removes what a chat filters, and counts what it has muted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from digest.chat.chat_settings import Filters
from digest.core.grade import Level
from digest.frozen import frozen
from digest.grading.outcomes import of_window
from digest.report.assembly import Report, ReportEntry, assemble, keep_entries, tally
from digest.report.condensed import posted_commits
from digest.window import Window
from handlers.context import Context
from handlers.digests.grade_quality import taught
from handlers.digests.ingest import Ingested, Labels, ingest, with_descriptions
from handlers.ports.storage import Archive, Outcome, Range, Selection, State, Tip, Watched

if TYPE_CHECKING:
    from digest.topics.matching import Resolved
    from handlers.ports.analysis_port import AnalysisRun, Missed


@frozen
class Daily:
    """A report with the state that each commit ends in once the digest is posted."""

    report: Report
    outcomes: tuple[Outcome, ...]  # of each commit once, in the report's order
    tip: Tip
    judgement: AnalysisRun | None = None  # ``None`` without a model


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
    # The next digest begins at this tip: what came after the window is in this one, too, and the
    # report says so.
    dated = replace(window, until=datetime.max.replace(tzinfo=UTC))
    if seen is None or tip.sha is None:
        return await _report(ctx, tip, dated, window, least, late=())
    if not await source.is_ancestor(seen, tip.sha) and not await source.find(tip, sha=seen):
        # The branch was rewritten and the old commits are gone: only dates tell what is new.
        return await _report(ctx, tip, dated, window, least, late=())
    selection = Range(base=seen, tip=tip.sha)
    return await _report(ctx, tip, selection, window, least, late=None)


def shown_from(daily: Daily, least: Level) -> Daily:
    """The same report for a digest that shows changes from another level up."""
    names = posted_commits(daily.report, least)
    outcomes = tuple(
        outcome
        if outcome.state in {State.FAILED, State.FILTERED}
        else replace(outcome, state=State.POSTED if outcome.sha in names else State.ARCHIVED)
        for outcome in daily.outcomes
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
) -> Daily:
    ctx = await taught(ctx)
    read = await ingest(ctx, selection, tip)
    if late is None:
        late = [g.sha for g in read.changes if g.commit.committed_at < window.since]
    newest = max((g.commit.committed_at for g in read.changes), default=window.since)
    if selection != window and newest >= window.until:
        until = min(newest + timedelta(seconds=1), ctx.clock.now())  # dates may be wrong
        window = replace(window, until=max(until, window.until))
    total = await ctx.watched.source.count(tip, selection) if tip.sha else 0
    read = replace(read, changes=tuple(await with_descriptions(read.changes, ctx)))
    judgement = await _judge(ctx, read, tip)
    report = await asyncio.to_thread(
        _assemble, ctx, tip, window, read, late=frozenset(late), judgement=judgement
    )
    outcomes = _outcomes(report, read, least, judgement.missed if judgement else {})
    coverage = tally(((o.state, o.why) for o in outcomes), total)
    report = replace(report, coverage=coverage)
    return Daily(report=report, outcomes=outcomes, tip=tip, judgement=judgement)


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


NO_LABELS: Labels = {}
MUTED = "muted"  # why a change that can be asked about was not in a digest


async def topics_of(
    archive: Archive, watched: Watched, topics: Sequence[str]
) -> tuple[tuple[str, Resolved], ...]:
    """Muted topics as index terms; a topic that the repository has no term for mutes nothing."""
    from digest.topics.matching import candidates, resolve  # few digests have muted topics

    found: list[tuple[str, Resolved]] = []
    for topic in topics:
        wanted = candidates(topic, watched.aliases)
        known = await archive.vocabulary(watched.repository, wanted)
        resolved = resolve(topic, known, watched.aliases)
        if resolved.alternatives:
            found.append((topic, resolved))
    return tuple(found)


def filter_daily(
    daily: Daily,
    filters: Filters,
    muted: Sequence[tuple[str, Resolved]] = (),
    labels: Labels = NO_LABELS,
) -> Daily:
    """The digest after a chat's filters, with every commit still accounted for.

    Changes that a filter rejects are in no count of the report and end as filtered, with the rule;
    commits that could not be read stay failed. Muted changes stay in the counts and in the full
    report. ``labels`` come from a forge.
    """
    rules = {
        entry.graded.sha: rule
        for entry in daily.report.entries
        if (rule := filters.rejection(entry.graded, labels.get(entry.graded.sha, ())))
    }
    topics = {
        entry.graded.sha: topic
        for entry in daily.report.entries
        if entry.graded.sha not in rules and (topic := _muting(entry, muted, labels))
    }
    if not rules and not topics:
        return daily
    entries = tuple(
        replace(entry, muted=True) if entry.graded.sha in topics else entry
        for entry in daily.report.entries
        if entry.graded.sha not in rules
    )
    outcomes = tuple(_outcome(outcome, rules, topics) for outcome in daily.outcomes)
    report = _reduced_to(daily.report, entries, {*rules, *topics})
    before = daily.report.coverage
    if before is not None:
        states = ((one.state, one.why) for one in outcomes)
        report = replace(report, coverage=tally(states, before.total))
    return replace(daily, report=report, outcomes=outcomes)


def _muting(entry: ReportEntry, muted: Sequence[tuple[str, Resolved]], labels: Labels) -> str:
    """The first topic that mutes a change, or empty."""
    if not muted:
        return ""
    from digest.topics.matching import bears

    given = labels.get(entry.graded.sha, ())
    return next((topic for topic, terms in muted if bears(entry.graded, terms, given)), "")


def _outcome(outcome: Outcome, rules: dict[str, str], topics: dict[str, str]) -> Outcome:
    if outcome.state is State.FAILED:
        return outcome
    if rule := rules.get(outcome.sha):
        return Outcome(sha=outcome.sha, state=State.FILTERED, why=rule)
    if topic := topics.get(outcome.sha):
        return Outcome(sha=outcome.sha, state=State.ARCHIVED, why=f"{MUTED}: {topic}")
    return outcome


def _reduced_to(report: Report, entries: Sequence[ReportEntry], gone: Collection[str]) -> Report:
    """The report reduced to the given entries."""
    # Its lead by a model is kept only if it cannot mention a removed change.
    day = report.day
    told = day is not None and all(
        entry.level is Level.LOW for entry in report.entries if entry.graded.sha in gone
    )
    named = {sha for theme in (day.themes if day else ()) for sha in theme.shas}
    fresh = keep_entries(report, entries)
    if day is None:
        return fresh
    if told and not named.intersection(gone):
        return replace(fresh, day=day)
    from handlers.llm.summarise import complete_summary

    heard = [entry for entry in entries if not entry.muted]
    return replace(fresh, day=complete_summary(None, heard, report.language))
