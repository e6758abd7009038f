"""``digestbot digest``, ``digestbot score`` and ``make demo``.

A digest of one window of one repository, as a digest, a report or JSON; the grade of every change
in a window, one JSON object a line; and the digest of the last active day.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.app import open_workspace
from bot.cli import output as out
from bot.cli.commands import DigestFormat
from bot.util.files import check_output
from bot.util.machine import share_freed
from bot.util.page_links import path_of
from bot.workspace.workspace import Workspace
from digest.core.enums import Language
from digest.errors import FutureWindow, InvalidWindow
from digest.frozen import frozen
from digest.markdown import markdown
from digest.report.assembly import Report
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from digest.report.report_json import entry_to_json, graded_to_json, report_to_json
from digest.window import Window, day_window, parse_date, parse_moment, whole_day
from handlers.context import Context
from handlers.digests.daily import Daily, digest_of_window
from handlers.digests.ingest import ensure

if TYPE_CHECKING:
    from handlers.ports.analysis_port import AnalysisRun
    from handlers.ports.storage import Source


async def day_of(ctx: Context, word: str | None) -> Window:
    """The calendar day that a word names. Raises ``InvalidDate``, ``FutureWindow``."""
    now = ctx.clock.now()
    today = now.astimezone(ctx.zone).date()
    match (word or "last").strip().casefold():
        case "last":
            return day_window(await _last_active(ctx) or today, ctx.zone)
        case "today":
            return day_window(today, ctx.zone)
        case "yesterday":
            return day_window(today - timedelta(days=1), ctx.zone)
        case _:
            return _past(day_window(parse_date(word or ""), ctx.zone), now)


async def _last_active(ctx: Context) -> date | None:
    """The day of the branch's newest commit, or ``None`` for an empty branch."""
    source = ctx.watched.source
    tip = await source.tip(ctx.watched.branch)
    if tip.sha is None:
        return None
    async for batch in source.changes(tip, [tip.sha]):
        for change in batch:
            return change.commit.committed_at.astimezone(ctx.zone).date()
    return None


def between(since: str | None, until: str | None, zone: ZoneInfo, now: datetime) -> Window:
    """The window of two options. Raises ``InvalidWindow``, ``InvalidDate``, ``FutureWindow``."""
    if since is None:
        raise InvalidWindow("--until needs --since")
    end = parse_moment(until, zone) if until else now
    start = parse_moment(since, zone)
    return _past(
        Window(since=start, until=max(start, end) if until is None else end, zone=zone), now
    )


def _past(window: Window, now: datetime) -> Window:
    if window.since > now:
        local = window.since.astimezone(window.zone), now.astimezone(window.zone)
        raise FutureWindow(*(f"{t:%Y-%m-%d %H:%M %z}" for t in local))
    return window


CHANNEL = "terminal"  # the channel that coverage of commands is recorded under


@frozen
class DigestOptions:
    """The arguments as typed."""

    place: str
    name: str | None = None
    branch: str | None = None
    date: str | None = None
    since: str | None = None
    until: str | None = None
    zone: str | None = None
    language: Language | None = None
    form: DigestFormat = DigestFormat.CONDENSED
    output: Path | None = None
    config: Path | None = None


def digest(options: DigestOptions) -> None:
    """Make the digest and write it. Raises ``UserError``."""
    check_output(options.output)
    out.finish(_run(options))


async def _run(options: DigestOptions) -> None:
    if options.date and (options.since or options.until):
        raise InvalidWindow("use either --date or --since/--until, not both")
    share_freed()
    async with open_workspace(options.config) as app:
        ctx = await _context(app, options)
        window = await _window(ctx, options)
        daily = await digest_of_window(ctx, window)
        await app.coverage.record(
            ctx.watched.repository, daily.tip.branch, CHANNEL, None, daily.outcomes
        )
        if daily.judgement is not None:
            # Print on standard error which analyses are missing.
            from bot.llm.runtime import shortfall
            from bot.telemetry.logs import LOG

            if lack := shortfall(daily.judgement):
                sys.stderr.write(f"digestbot: {lack}; {app.data / LOG} has details\n")
        await _write(app, daily, options, ctx.watched.source)


async def _context(app: Workspace, options: DigestOptions) -> Context:
    zone = app.zone(options.zone)
    watched = await app.watch(options.place, name=options.name, branch=options.branch)
    ctx = app.context(
        watched,
        zone=zone,
        language=app.language(options.language),
        progress=out.ProgressBar(watched.repository.name),
        judging=app.judging(CHANNEL),
    )
    await watched.source.sync()
    return ctx


async def _window(ctx: Context, options: DigestOptions) -> Window:
    if options.since or options.until:
        return between(options.since, options.until, ctx.zone, ctx.clock.now())
    return await day_of(ctx, options.date)


def _as_json(report: Report, judgement: AnalysisRun | None, currency: str) -> Iterator[str]:
    """One commit at a time: all of a month's at once take more memory than reading them did."""
    zone, language = report.window.zone, report.language
    head = out.with_usage(report_to_json(replace(report, entries=())), judgement, currency)
    rows = (entry_to_json(entry, zone, language) for entry in report.entries)
    told = (out.commit_with_usage(row, judgement, currency) for row in rows)
    return out.json_lines(head, "commits", told)


async def _write(app: Workspace, daily: Daily, options: DigestOptions, source: Source) -> None:
    report = daily.report
    match options.form:
        case DigestFormat.JSON:
            currency = app.runtime.config.price.currency if app.runtime else ""
            out.emit_pieces(_as_json(report, daily.judgement, currency), options.output)
        case DigestFormat.MARKDOWN:
            out.emit(markdown(report_document(report, report.language)), options.output)
        case DigestFormat.CONDENSED:
            from bot.publishing.digest_builder import aside, keep_report, usual_branch

            variant = aside(
                report.branch, report.window, await usual_branch(source), app.zone(None)
            )
            where = keep_report(app.data / "reports", daily, variant) if report.entries else None
            out.print_document(
                digest_document(report, report.language, str(where or "")), options.output
            )
            if sys.stderr.isatty() and options.output is None:
                sys.stderr.write(page_hint(report, options, app.clock.now()))


def page_hint(report: Report, options: DigestOptions, now: datetime) -> str:
    """Where the same changes are as a page, and whether the latest ones are days old."""
    day = whole_day(report.window)
    path = path_of(report.repository.name, day=date.fromisoformat(day) if day else None)
    page = f"As a page: digestbot serve {shlex.quote(options.place)}, then {path}\n"
    age = (now - report.window.until).days + 1
    latest = (options.date or "last") == "last" and not (options.since or options.until)
    if not latest or age <= 1:
        return page
    return f"The latest changes here are {age} days old; run git fetch to get newer ones.\n{page}"


@out.finished
async def score(
    *,
    place: str,
    since: str | None,
    until: str | None,
    branch: str | None,
    zone: str | None,
    output: Path | None,
    config: Path | None,
) -> None:
    """Grade and write, newest first. Raises ``UserError``."""
    if since is None:
        raise InvalidWindow("score needs --since and --until")
    check_output(output)
    async with open_workspace(config) as app:
        where = app.zone(zone)
        watched = await app.watch(place, branch=branch)
        ctx = app.context(watched, zone=where, progress=out.ProgressBar(watched.repository.name))
        window = between(since, until, where, ctx.clock.now())
        await watched.source.sync()
        tip = await watched.source.tip(branch or watched.branch)
        rows = [
            {**graded_to_json(graded, where, Language.EN), "title": graded.title}
            for graded in await ensure(ctx, window, tip)
        ]
        out.emit("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), output)


_NEXT = """
That was the latest day of {place} with changes. What is kept is in {data}:
  archive.sqlite3   every change of that day with its facts and grade
  reports/          the full report as Markdown

Try next
  {run} digest {place} --format markdown | less
  {run} digest ~/src/vllm --date 2026-01-23 --tz Asia/Shanghai --lang zh
  {run} explain {sha} --repo {place}
  {run} ask "what changed this week" --repo {place}
  {run} chat --repo {place}
"""


def demo(place: str) -> None:
    """Digest the last active day. Raises ``UserError``."""
    digest(DigestOptions(place=place, form=DigestFormat.CONDENSED))
    out.finish(_demo_tell(place))


async def _demo_tell(place: str) -> None:
    async with open_workspace() as app:
        tip = await (await app.watch(place)).source.tip()
        sys.stdout.write(
            _NEXT.format(
                place=shlex.quote(place),
                data=app.data,
                run=shlex.quote(sys.argv[0]),
                sha=(tip.sha or "#1")[:10],
            )
        )
