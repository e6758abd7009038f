"""``digestbot quality``, ``digestbot cost`` and ``digestbot deliveries``.

How past grades compare with what became of the changes; model usage by day, repository and kind;
undelivered or doubtful posts and parked chats.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.app import open_workspace
from bot.cli.commands import AnswerFormat
from bot.cli.output import ProgressBar, emit, finished, print_document, table_of, usage_to_json
from bot.cli.run_digest import between
from bot.delivery.quarantine import parked_chats
from bot.store.analyses import Cost, SqlCalls
from bot.store.deliveries import SqlRefusals, SqlUncertainDeliveries, UncertainDelivery
from bot.store.feedback import ReaderVerdict, SqlFeedback
from bot.workspace.workspace import Workspace
from digest.core.grade import Level, Repository
from digest.document import Block, Code, Document, Heading, Item, Listing, Paragraph, Table, Text
from digest.errors import InvalidWindow, UserError
from digest.grading.outcomes import SOON, LaterFacts, Outcome, Proposal, Quality, named_in
from digest.i18n.phrase import join
from digest.report.blocks import title_link
from digest.window import parse_moment
from handlers.digests.grade_quality import (
    NamedByNotes,
    QualityResult,
    judge_grades,
    names_in_release_notes,
    usual_window,
)
from handlers.ports.model_port import Usage
from handlers.ports.storage import PartState, Watched

_MISSED = 10  # the most low-graded changes that mattered to list
_SHORT = {Outcome.BACKPORTED: "picked"}  # names short enough for a column of a terminal
_NOTES_LIMIT = 4 << 20  # bytes of a file of release notes


@finished
async def quality(
    *,
    place: str | None,
    since: str | None,
    until: str | None,
    notes: Sequence[Path] | None,
    form: AnswerFormat,
    config: Path | None,
) -> None:
    """Compare and print. Raises ``UserError``."""
    async with open_workspace(config) as app:
        watched = await app.watch(place)
        await watched.source.sync()
        zone = app.zone(None)
        ctx = app.context(watched, zone=zone, progress=ProgressBar(watched.repository.name))
        named = between(since, until, zone, ctx.clock.now()) if since or until else None
        window = named or usual_window(ctx)
        forge = await names_in_release_notes(ctx, window.since)
        later = await _later(app, watched, notes or (), forge.named, window.since)
        judged = await judge_grades(ctx, window, later)
        if form is AnswerFormat.JSON:
            emit(json.dumps(_json(judged, watched.repository, forge), indent=1))
        else:
            print_document(_document(judged, watched.repository, forge))


async def _later(
    app: Workspace,
    watched: Watched,
    notes: Sequence[Path],
    released: frozenset[int],
    since: datetime,
) -> LaterFacts:
    opinions = await SqlFeedback(app.database).all(since.astimezone(UTC))
    mine = [opinion for opinion in opinions if opinion.repository == watched.repository.name]
    verdicts = {
        verdict: frozenset(opinion.subject for opinion in mine if opinion.verdict is verdict)
        for verdict in ReaderVerdict
    }
    named = released.union(*(named_in(_read(file)) for file in notes))
    return LaterFacts(
        backported=await watched.source.backported(await watched.source.tip(watched.branch)),
        named=named,
        useful=verdicts[ReaderVerdict.USEFUL],
        useless=verdicts[ReaderVerdict.USELESS],
    )


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(_NOTES_LIMIT).decode("utf-8", "replace")
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror})") from error


def _json(judged: QualityResult, repository: Repository, notes: NamedByNotes) -> dict[str, Any]:
    found = judged.quality
    return {
        "schema": 1,
        "repo": repository.name,
        "since": judged.window.since.isoformat(),
        "until": judged.window.until.isoformat(),
        "releases": notes.releases,
        "releases_unread": notes.unread,
        "auc": found.auc,
        "levels": [
            {
                "level": row.level.value,
                "changes": row.changes,
                "mattered": row.mattered,
                **{fate.value: row.fates.get(fate, 0) for fate in Outcome},
            }
            for row in found.rows
        ],
        "missed": [
            {
                "sha": g.sha,
                "pr": g.number,
                "score": g.grade.score,
                "subject": g.title,
                "fates": sorted(judged.fates[g.sha]),
            }
            for g in found.missed
        ],
        "now": _thresholds_json(found.now),
        "proposal": _thresholds_json(found.proposal) if found.proposal else None,
    }


def _thresholds_json(proposal: Proposal) -> dict[str, Any]:
    return {
        "high": proposal.thresholds.high,
        "medium": proposal.thresholds.medium,
        "high_recall": proposal.high_recall,
        "high_precision": proposal.high_precision,
        "medium_recall": proposal.medium_recall,
        "levels": {level.value: count for level, count in proposal.levels.items()},
    }


def _document(judged: QualityResult, repository: Repository, notes: NamedByNotes) -> Document:
    found, window = judged.quality, judged.window
    title = f"Grades of {repository.name} in hindsight"
    since, until = (at.astimezone(window.zone).date() for at in (window.since, window.until))
    what = (
        f"{len(judged.changes):,} changes of {since} to {until}, "
        f"compared with the next {SOON.days} days, release branches, notes and feedback."
    )
    blocks: list[Block] = [Heading(1, (Text(title),)), Paragraph((Text(what),)), _table(found)]
    if notes.releases:
        many = "release" if notes.releases == 1 else "releases"
        said = f"The notes of {notes.releases:,} {many} of the forge were read."
        blocks.append(Paragraph((Text(said),)))
    if notes.unread:
        blocks.append(Paragraph((Text(f"No notes of releases: {notes.unread}."),)))
    if found.auc is not None:
        said = f"A change that mattered outscored one that did not in {found.auc:.0%} of all pairs."
        blocks.append(Paragraph((Text(said),)))
    blocks.append(Paragraph((Text(_proposal_sentence("Now", found.now)),)))
    blocks.append(Paragraph((Text(_proposals(found)),)))
    if found.missed:
        blocks.append(Heading(2, (Text("Graded low, but mattered"),)))
        blocks.append(Listing(tuple(_missed_changes(judged, repository))))
    return Document(title=title, blocks=tuple(blocks))


def _table(found: Quality) -> Table:
    names = ("level", "changes", "mattered", *(_SHORT.get(fate, fate.value) for fate in Outcome))
    rows = [
        (
            row.level.value,
            f"{row.changes:,}",
            f"{row.mattered:,}",
            *(f"{row.fates.get(fate, 0):,}" for fate in Outcome),
        )
        for row in found.rows
    ]
    return table_of(names, rows)


def _proposal_sentence(name: str, proposal: Proposal) -> str:
    counts = ", ".join(f"{level.value} {proposal.levels[level]:,}" for level in Level)
    least = f"high = {proposal.thresholds.high:.2f}, medium = {proposal.thresholds.medium:.2f}"
    return (
        f"{name}: {least}: {counts}; high has {proposal.high_recall:.0%} of the changes that "
        f"mattered (at least {proposal.high_precision:.0%} of high did), medium and above "
        f"{proposal.medium_recall:.0%}."
    )


def _proposals(found: Quality) -> str:
    if found.proposal is None:
        return "Too few changes are known to have mattered, so no other thresholds are proposed."
    return _proposal_sentence("Proposed for [repositories.thresholds]", found.proposal)


def _missed_changes(judged: QualityResult, repository: Repository) -> list[Item]:
    return [
        Item(
            join(
                [
                    title_link(g, repository),
                    " · ",
                    Code(g.sha[:10]),
                    f" · {g.grade.score:.2f} · {', '.join(sorted(judged.fates[g.sha]))}",
                ]
            )
        )
        for g in judged.quality.missed[:_MISSED]
    ]


_DAYS = 30  # the length of the default window in days, today included
_HEADER = ("calls", "failed", "tokens in", "cached", "tokens out", "cost")


@finished
async def cost(
    *, since: str | None, until: str | None, form: AnswerFormat, config: Path | None
) -> None:
    """Print the usage in a window. Days are in UTC, like the caps. Raises ``UserError``."""
    async with open_workspace(config) as app:
        now = app.clock.now()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        zone = app.zone("UTC")
        start = parse_moment(since, zone) if since else midnight - timedelta(days=_DAYS - 1)
        end = parse_moment(until, zone) if until else now + timedelta(seconds=1)
        if start > end:
            raise InvalidWindow("--since is after --until; swap them")
        costs = await SqlCalls(app.database).costs(start, end)
        if form is AnswerFormat.JSON:
            emit(json.dumps(_cost_json(costs, start, end), indent=1))
        else:
            print_document(_cost_document(costs, start, end))


def _cost_json(costs: Sequence[Cost], since: datetime, until: datetime) -> dict[str, Any]:
    return {
        "schema": 1,
        "since": since.isoformat(),
        "until": until.isoformat(),
        "rows": [
            {
                "day": f"{one.day:%Y-%m-%d}",
                "repo": one.repository,
                "kind": one.kind.value,
                "failed": one.failed,
                **usage_to_json(one.usage, one.currency),
            }
            for one in costs
        ],
    }


def _cost_document(costs: Sequence[Cost], since: datetime, until: datetime) -> Document:
    window = f"{since:%Y-%m-%d} to {until:%Y-%m-%d}, UTC"
    if not costs:
        title = f"No model calls ({window})"
        return Document(title=title, blocks=(Paragraph((Text(title),)),))
    title = f"Model calls ({window})"
    blocks: list[Block] = [Heading(1, (Text(title),))]
    for name, key in _VIEWS:
        blocks += [Heading(2, (Text(f"By {name}"),)), _cost_table(name, costs, key)]
    blocks.append(_cost_table("all", costs, lambda _: ""))
    return Document(title=title, blocks=tuple(blocks))


_VIEWS: tuple[tuple[str, Callable[[Cost], str]], ...] = (
    ("day", lambda one: f"{one.day:%Y-%m-%d}"),
    ("repository", lambda one: one.repository or "-"),
    ("kind", lambda one: one.kind.value),
)


def _cost_table(name: str, costs: Sequence[Cost], key: Callable[[Cost], str]) -> Table:
    """A row for each group and currency, in the order of their names."""
    groups: dict[tuple[str, str], list[Cost]] = {}
    for one in costs:
        groups.setdefault((key(one), one.currency), []).append(one)
    rows = [_row(group, currency, groups[group, currency]) for group, currency in sorted(groups)]
    return table_of((name, *_HEADER), rows)


def _row(name: str, currency: str, group: Sequence[Cost]) -> tuple[str, ...]:
    usage = sum((one.usage for one in group), Usage())
    about = "~" if usage.estimated else ""
    return (
        name,
        f"{usage.calls:,}",
        f"{sum(one.failed for one in group):,}",
        f"{about}{usage.input_tokens:,}",
        f"{usage.cached_tokens:,}",
        f"{about}{usage.output_tokens:,}",
        f"{about}{usage.cost:.4f} {currency}",
    )


_MOST = 50


@finished
async def deliveries(again: int | None, unpark: str | None, config: Path | None) -> None:
    """Doubtful parts, the newest first, then parked chats; or change them. Raises ``UserError``."""
    async with open_workspace(config) as app:
        if again is not None:
            await _again(app, again)
        if unpark is not None:
            await _unpark(app, unpark)
        if again is None and unpark is None:
            await _show(app)


async def _show(app: Workspace) -> None:
    if blocks := [*await _doubts(app), *await _parked_chats(app)]:
        print_document(Document(title="Deliveries", blocks=tuple(blocks)))
    else:
        emit("all posts were delivered, and no chat is parked")


async def _doubts(app: Workspace) -> list[Block]:
    doubtful = await SqlUncertainDeliveries(app.database).newest(_MOST)
    if not doubtful:
        return []
    header = ("number", "channel", "digest", "part", "what happened")
    number = doubtful[0].delivery
    return [
        Heading(2, (Text("Not posted, or possibly missing"),)),
        table_of(header, map(_doubt, doubtful)),
        Paragraph(
            (
                Text("To post one again, give its number: "),
                Code(f"digestbot deliveries --again {number}"),
                Text(". Parts that did arrive will then appear twice."),
            )
        ),
    ]


def _doubt(part: UncertainDelivery) -> tuple[str, ...]:
    channel = f"{part.channel} ({part.platform})"
    return str(part.delivery), channel, part.digest, str(part.part + 1), _part_outcome(part)


def _part_outcome(part: UncertainDelivery) -> str:
    match part.state:
        case PartState.SENT:
            why = part.error.removeprefix("unproven: ").removeprefix("taken as sent")
            because = f" ({why})" if why else ""
            return (
                f"Possibly missing: the platform did not confirm it{because}. "
                "It is not posted again automatically."
            )
        case PartState.FAILED:
            return f"Not posted: {part.error}."
        case PartState.WAITING:
            return f"Not posted yet{f': {part.error}' if part.error else ''}. It will be retried."
        case PartState.SENDING:
            return f"Being posted, or interrupted{f': {part.error}' if part.error else ''}."


async def _parked_chats(app: Workspace) -> list[Block]:
    parked = parked_chats(await SqlRefusals(app.database).all())
    if not parked:
        return []
    zone = app.zone(None)
    rows = []
    for chat, since in parked:
        probe = f"{chat.next_probe.astimezone(zone):%Y-%m-%d %H:%M}" if chat.next_probe else "-"
        why = f"{chat.reason}: {chat.detail}" if chat.detail else chat.reason
        where = f"{chat.account}:{chat.chat}"
        rows.append((where, f"{since.astimezone(zone):%Y-%m-%d %H:%M}", why, probe))
    return [
        Heading(2, (Text("Parked chats"),)),
        table_of(("chat", "parked", "why", "next probe"), rows),
    ]


async def _again(app: Workspace, number: int) -> None:
    """Have a delivery's doubtful parts posted at the next sweep."""
    count = await SqlUncertainDeliveries(app.database).again(number)
    if not count:
        raise UserError(f"no part of delivery {number} is uncertain; see digestbot deliveries")
    emit(f"{count} {'part' if count == 1 else 'parts'} will be posted by digestbot run")


async def _unpark(app: Workspace, where: str) -> None:
    """Let a chat be posted to again."""
    account, colon, chat = where.partition(":")
    if not colon or not await SqlRefusals(app.database).forget(account, chat):
        raise UserError(f"{where!r} is not parked; see digestbot deliveries")
    emit(f"posting to {where} resumes")
