"""Applies a chat's filters to a digest: filtered changes are removed, muted ones only counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from digest.chat.chat_settings import Filters
from digest.core.grade import Level
from digest.report.assembly import Report, ReportEntry, keep_entries, tally
from digest.topics.matching import Resolved, bears, candidates, resolve
from handlers.digests.daily import Daily
from handlers.digests.ingest import Labels
from handlers.ports.storage import Archive, Outcome, State, Watched

NO_LABELS: Labels = {}
MUTED = "muted"  # why a change that can be asked about was not in a digest


async def topics_of(
    archive: Archive, watched: Watched, topics: Sequence[str]
) -> tuple[tuple[str, Resolved], ...]:
    """Muted topics as index terms; a topic that the repository has no term for mutes nothing."""
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
    outcomes = tuple(_outcome(one, rules, topics) for one in daily.outcomes)
    report = _reduced_to(daily.report, entries, {*rules, *topics})
    before = daily.report.coverage
    if before is not None:
        states = ((one.state, one.why) for one in outcomes)
        report = replace(report, coverage=tally(states, before.total))
    return replace(daily, report=report, outcomes=outcomes)


def _muting(entry: ReportEntry, muted: Sequence[tuple[str, Resolved]], labels: Labels) -> str:
    """The first topic that mutes a change, or empty."""
    given = labels.get(entry.graded.sha, ())
    return next((topic for topic, terms in muted if bears(entry.graded, terms, given)), "")


def _outcome(one: Outcome, rules: dict[str, str], topics: dict[str, str]) -> Outcome:
    if one.state is State.FAILED:
        return one
    if rule := rules.get(one.sha):
        return Outcome(sha=one.sha, state=State.FILTERED, why=rule)
    if topic := topics.get(one.sha):
        return Outcome(sha=one.sha, state=State.ARCHIVED, why=f"{MUTED}: {topic}")
    return one


def _reduced_to(report: Report, entries: Sequence[ReportEntry], gone: Collection[str]) -> Report:
    """The report reduced to the given entries.

    Its lead by a model is kept only if it cannot mention a removed change.
    """
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
