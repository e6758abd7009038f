"""``digestbot digest``: one window of one repository, as a digest, a report or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import App, opened
from bot.commands import emit, emit_pieces, finish, json_lines, print_document
from bot.commands.windows import between, day_of
from bot.files import check_output
from bot.posting.reports import aside, keep_report, usual_branch
from bot.showing.forms import DigestFormat
from bot.showing.progress import Bar
from bot.showing.usage_form import commit_with_usage, with_usage
from digest.errors import InvalidWindow
from digest.language import Language
from digest.markdown import markdown
from digest.report import Report, digest_document, report_document
from digest.report.form import entry_to_json, report_to_json
from digest.window import Window
from handlers.context import Context
from handlers.daily import Daily, look

if TYPE_CHECKING:
    from handlers.judgement import Judgement

CHANNEL = "terminal"
"""The channel under which the coverage of what is asked for here is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The arguments, as they were typed."""

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


def run(options: Options) -> None:
    """Make the digest and write it. Raises ``UserError``."""
    check_output(options.output)
    finish(_run(options))


async def _run(options: Options) -> None:
    if options.date and (options.since or options.until):
        raise InvalidWindow("--date and --since/--until both name a window; keep one")
    async with opened(options.config) as app:
        ctx = await _context(app, options)
        window = await _window(ctx, options)
        daily = await look(ctx, window)
        await app.coverage.record(
            ctx.watched.repository, daily.tip.branch, CHANNEL, None, daily.outcomes
        )
        if daily.judgement is not None:
            _tell(daily.judgement, app)
        branch = await usual_branch(ctx.watched.source)
        _write(app, daily, options, branch)


def _tell(judgement: Judgement, app: App) -> None:
    """Say on the error stream what the model did not tell of."""
    from bot.judged import shortfall
    from bot.watching.crash import LOG

    if lack := shortfall(judgement):
        sys.stderr.write(f"digestbot: {lack}; {app.data / LOG} tells more\n")


async def _context(app: App, options: Options) -> Context:
    zone = app.zone(options.zone)
    watched = await app.watch(options.place, name=options.name, branch=options.branch)
    ctx = app.context(
        watched,
        zone=zone,
        language=app.language(options.language),
        progress=Bar(watched.repository.name),
        judging=app.judging(CHANNEL),
    )
    await watched.source.sync()
    return ctx


async def _window(ctx: Context, options: Options) -> Window:
    if options.since or options.until:
        return between(options.since, options.until, ctx.zone, ctx.clock.now())
    return await day_of(ctx, options.date)


def _as_json(report: Report, judgement: Judgement | None, currency: str) -> Iterator[str]:
    """Commit by commit: all of a month's at once take more memory than reading them did."""
    zone, language = report.window.zone, report.language
    head = with_usage(report_to_json(replace(report, entries=())), judgement, currency)
    rows = (entry_to_json(entry, zone, language) for entry in report.entries)
    told = (commit_with_usage(row, judgement, currency) for row in rows)
    return json_lines(head, "commits", told)


def _write(app: App, daily: Daily, options: Options, branch: str) -> None:
    """Write it as it was asked for; ``branch`` is the usual one of its repository."""
    report = daily.report
    match options.form:
        case DigestFormat.JSON:
            currency = app.mind.config.price.currency if app.mind else ""
            emit_pieces(_as_json(report, daily.judgement, currency), options.output)
        case DigestFormat.MARKDOWN:
            emit(markdown(report_document(report, report.language)), options.output)
        case DigestFormat.CONDENSED:
            variant = aside(report, branch, app.zone(None))
            where = keep_report(app.data / "reports", daily, variant) if report.entries else None
            print_document(
                digest_document(report, report.language, str(where or "")), options.output
            )
