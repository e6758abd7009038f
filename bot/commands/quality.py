"""``digestbot quality``: how past grades did against what became of the changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.app import App, opened
from bot.commands import emit, finish, print_document
from bot.commands.windows import between
from bot.showing.forms import AnswerFormat
from bot.showing.progress import Bar
from bot.store.feedback import SqlFeedback, Verdict
from digest.document import Block, Code, Document, Heading, Item, Listing, Paragraph, Table, Text
from digest.errors import UserError
from digest.grade import Level
from digest.graded import Repository
from digest.hindsight import SOON, Fate, Later, named_in
from digest.quality import Proposal, Quality
from digest.report import title_link
from digest.words.phrase import joined
from handlers.quality import Judged, Notes, judge_grades, released, usual_window
from handlers.watched import Watched

_MISSED = 10
"""Low changes that mattered are listed up to so many."""

_SHORT = {Fate.BACKPORTED: "picked"}
"""Names that a column of a terminal has room for."""

_NOTES_LIMIT = 4 << 20
"""Bytes of a file of release notes."""


def run(
    *,
    place: str | None,
    since: str | None,
    until: str | None,
    notes: Sequence[Path],
    form: AnswerFormat,
    config: Path | None,
) -> None:
    """Judge and print. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app:
            watched = await app.watch(place)
            await watched.source.sync()
            zone = app.zone(None)
            ctx = app.context(watched, zone=zone, progress=Bar(watched.repository.name))
            named = between(since, until, zone, ctx.clock.now()) if since or until else None
            window = named or usual_window(ctx)
            forge = await released(ctx, window.since)
            later = await _later(app, watched, notes, forge.named, window.since)
            judged = await judge_grades(ctx, window, later)
            if form is AnswerFormat.JSON:
                emit(json.dumps(_json(judged, watched.repository, forge), indent=1))
            else:
                print_document(_document(judged, watched.repository, forge))

    finish(work())


async def _later(
    app: App, watched: Watched, notes: Sequence[Path], released: frozenset[int], since: datetime
) -> Later:
    opinions = await SqlFeedback(app.database).all(since.astimezone(UTC))
    mine = [one for one in opinions if one.repository == watched.repository.name]
    verdicts = {
        verdict: frozenset(one.subject for one in mine if one.verdict is verdict)
        for verdict in Verdict
    }
    named = released.union(*(named_in(_read(file)) for file in notes))
    return Later(
        backported=await watched.source.backported(await watched.source.tip(watched.branch)),
        named=named,
        useful=verdicts[Verdict.USEFUL],
        useless=verdicts[Verdict.USELESS],
    )


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(_NOTES_LIMIT).decode("utf-8", "replace")
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror})") from error


def _json(judged: Judged, repository: Repository, notes: Notes) -> dict[str, Any]:
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
                **{fate.value: row.fates.get(fate, 0) for fate in Fate},
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


def _thresholds_json(one: Proposal) -> dict[str, Any]:
    return {
        "high": one.thresholds.high,
        "medium": one.thresholds.medium,
        "high_recall": one.high_recall,
        "high_precision": one.high_precision,
        "medium_recall": one.medium_recall,
        "levels": {level.value: count for level, count in one.levels.items()},
    }


def _document(judged: Judged, repository: Repository, notes: Notes) -> Document:
    found, window = judged.quality, judged.window
    title = f"Grades of {repository.name} in hindsight"
    what = (
        f"{len(judged.changes):,} changes of {window.since:%Y-%m-%d} to {window.until:%Y-%m-%d}, "
        f"held against what came within {SOON.days} days, release branches, notes and feedback."
    )
    blocks: list[Block] = [Heading(1, (Text(title),)), Paragraph((Text(what),)), _table(found)]
    if notes.releases:
        many = "release" if notes.releases == 1 else "releases"
        said = f"The notes of {notes.releases:,} {many} of the forge were read."
        blocks.append(Paragraph((Text(said),)))
    if notes.unread:
        blocks.append(Paragraph((Text(f"No notes of releases: {notes.unread}."),)))
    if found.auc is not None:
        said = (
            f"A change that mattered scored above one that did not in {found.auc:.0%} of all pairs."
        )
        blocks.append(Paragraph((Text(said),)))
    blocks.append(Paragraph((Text(_told("Now", found.now)),)))
    blocks.append(Paragraph((Text(_proposed(found)),)))
    if found.missed:
        blocks.append(Heading(2, (Text("Graded low, and mattered"),)))
        blocks.append(Listing(tuple(_missed(judged, repository))))
    return Document(title=title, blocks=tuple(blocks))


def _table(found: Quality) -> Table:
    names = ("level", "changes", "mattered", *(_SHORT.get(fate, fate.value) for fate in Fate))
    rows = [
        (
            row.level.value,
            f"{row.changes:,}",
            f"{row.mattered:,}",
            *(f"{row.fates.get(fate, 0):,}" for fate in Fate),
        )
        for row in found.rows
    ]
    return Table(
        tuple((Text(name),) for name in names),
        tuple(tuple((Text(cell),) for cell in row) for row in rows),
    )


def _told(name: str, one: Proposal) -> str:
    counts = ", ".join(f"{level.value} {one.levels[level]:,}" for level in Level)
    least = f"high = {one.thresholds.high:.2f}, medium = {one.thresholds.medium:.2f}"
    return (
        f"{name}: {least}: {counts}; high holds {one.high_recall:.0%} of those that mattered "
        f"(at least {one.high_precision:.0%} of it did), medium and above {one.medium_recall:.0%}."
    )


def _proposed(found: Quality) -> str:
    if found.proposal is None:
        return "Too few changes are known to have mattered to propose other thresholds."
    return _told("Proposed for [repositories.thresholds]", found.proposal)


def _missed(judged: Judged, repository: Repository) -> list[Item]:
    return [
        Item(
            joined(
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
