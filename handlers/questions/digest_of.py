"""``digest`` and ``catch up``: the condensed digest of a window, a range, or since the last look.

Remembers what an asker has seen of a repository, so that catching up can start there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from digest.answer.answers import Answer, AnswerRow, graded_because, lines_document, refs_words
from digest.core.grade import Graded, Level
from digest.document import Code, Document, Paragraph, Spans
from digest.i18n import answer_text as words
from digest.question.intent import CatchUp, DigestOf
from digest.question.periods import DEFAULT_DAYS
from digest.report.assembly import Report
from digest.report.condensed import digest_document
from digest.window import Window, edge
from handlers.context import Context
from handlers.digests.daily import between, digest_of_window, digest_since
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.chat_port import Length, Look
from handlers.ports.storage import Range, Tip
from handlers.questions.scope import newest, range_of, viewpoint

LEAST = {Length.SHORT: Level.HIGH, Length.NORMAL: Level.HIGH, Length.LONG: Level.LOW}
"""The lowest level of changes that a digest of a length shows."""


async def digest_of(intent: DigestOf, ctx: Context) -> Answer:
    """The digest of the window or range; its rows are all of its changes.

    Raises as :func:`handlers.questions.scope.range_of` does.
    """
    least = LEAST[ctx.length]
    if isinstance(intent.window, Window):
        daily = await digest_of_window(ctx, intent.window, least)
        report = daily.report
        await looked_over(ctx, intent.window, daily.tip.sha)
        found = digest_answer(report, ctx, intent.window)
        lines = () if report.entries else await newest(intent, ctx, daily.tip)
        blocks = (*found.document.blocks, *map(Paragraph, lines))
        return replace(found, document=replace(found.document, blocks=blocks))
    selection = await range_of(intent.window, ctx, await tip_of(ctx))
    report = await report_between(ctx, selection, least)
    told = digest_answer(report, ctx, None)
    named = Paragraph(refs_words(intent.window, ctx.language))
    head, rest = told.document.blocks[:1], told.document.blocks[1:]
    return replace(told, document=replace(told.document, blocks=(*head, named, *rest)))


async def report_between(ctx: Context, selection: Range, least: Level) -> Report:
    """The report of a range, with the time from its first change to its last as its window."""
    changes = await ensure(ctx, selection, await tip_of(ctx))
    return (await between(ctx, selection, _window(changes, ctx), least)).report


def digest_answer(report: Report, ctx: Context, window: Window | None) -> Answer:
    """The digest of a report as an answer."""
    rows = tuple(
        AnswerRow(graded=entry.graded, why=graded_because(entry.graded, ctx.language))
        for entry in report.entries
    )
    document = digest_document(report, ctx.language, least=LEAST[ctx.length])
    return Answer(intent="digest", document=document, window=window, total=len(rows), rows=rows)


def _window(changes: Sequence[Graded], ctx: Context) -> Window:
    moments = [g.commit.committed_at for g in changes] or [ctx.clock.now()]
    return Window(since=min(moments), until=max(moments) + timedelta(seconds=1), zone=ctx.zone)


_NOW = timedelta(minutes=1)
"""A window that ended at most this long ago counts as reaching until now."""


async def last_look(ctx: Context) -> Look | None:
    """When the asker last looked, or the chat if nobody is named."""
    if ctx.conversations is None or ctx.conversation is None:
        return None
    return await ctx.conversations.last_look(ctx.conversation, ctx.watched.repository)


async def remember_look(ctx: Context, tip: str | None) -> None:
    """Remember that the asker has seen everything up to a tip."""
    if ctx.conversations is not None and ctx.conversation is not None and tip is not None:
        here = Look(at=ctx.clock.now(), tip=tip)
        await ctx.conversations.looked(ctx.conversation, ctx.watched.repository, here)


async def looked_over(ctx: Context, window: Window, tip: str | None) -> None:
    """Record a shown digest as a look if it reaches until now and leaves no gap to the last one."""
    if window.until < ctx.clock.now() - _NOW:
        return
    last = await last_look(ctx)
    if last is None or window.since <= last.at:
        await remember_look(ctx, tip)


LONGEST_DAYS = 31  # after a longer absence, catching up starts this many days ago


async def catch_up(_intent: CatchUp, ctx: Context) -> Answer:
    """The digest of what arrived since the last look, by ancestry; the look is then now.

    A new asker gets the last days; after a long absence it is the last month.
    """
    tip, now = await tip_of(ctx), ctx.clock.now()
    last = await last_look(ctx)
    least = LEAST[ctx.length]
    if last is None:
        window = _back(DEFAULT_DAYS, now, ctx)
        report = (await digest_of_window(ctx, window, least)).report
        told = words.FIRST_LOOK(ctx.language, days=DEFAULT_DAYS)
    elif now - last.at > timedelta(days=LONGEST_DAYS):
        window = _back(LONGEST_DAYS, now, ctx)
        report = (await digest_of_window(ctx, window, least)).report
        told = words.TOO_LONG_AGO(ctx.language, at=edge(last.at, ctx.zone), days=LONGEST_DAYS)
    elif last.tip == tip.sha:
        line = words.UP_TO_DATE(ctx.language, sha=Code(last.tip[:10]))
        return Answer(intent="catch up", document=_line(line, ctx, tip.sha))
    else:
        window = Window(since=min(last.at, now), until=now, zone=ctx.zone)
        report = (await digest_since(ctx, tip, last.tip, window, least)).report
        told = words.CAUGHT_UP(ctx.language, at=edge(last.at, ctx.zone))
    await remember_look(ctx, tip.sha)
    answer = digest_answer(report, ctx, window)
    head, rest = answer.document.blocks[:1], answer.document.blocks[1:]
    document = replace(answer.document, blocks=(*head, Paragraph(told), *rest))
    return replace(answer, intent="catch up", document=document)


def _back(days: int, now: datetime, ctx: Context) -> Window:
    return Window(since=now - timedelta(days=days), until=now, zone=ctx.zone)


def _line(line: Spans, ctx: Context, tip: str | None) -> Document:
    at = viewpoint(ctx, Tip(branch="", sha=tip))
    return lines_document(ctx.watched.repository.name, [line], at)
