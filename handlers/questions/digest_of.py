"""``digest`` and ``catch up``: the condensed digest of a window, a range, or since the last look.

Remembers what an asker has seen of a repository, so that catching up can start there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from digest.answer.answers import Answer, AnswerRow, graded_because, lines_document, refs_words
from digest.chat.chat_settings import Filters, RuleField, still_muted
from digest.core.enums import Frequency
from digest.core.grade import Graded, Level
from digest.document import Code, Document, Paragraph, Spans
from digest.frozen import frozen
from digest.i18n import answer_text as words
from digest.question.intent import CatchUp, DigestOf
from digest.question.periods import DEFAULT_DAYS
from digest.report.assembly import Report
from digest.report.condensed import digest_document
from digest.window import Window, edge
from handlers.context import Context
from handlers.digests.daily import (
    Daily,
    between,
    digest_of_window,
    digest_since,
    filter_daily,
    shown_from,
    topics_of,
)
from handlers.digests.ingest import Labels, ensure, labels_of, owners_of, tip_of
from handlers.ports.chat_port import Length, Look
from handlers.ports.storage import Tip
from handlers.questions.scope import newest, range_of, viewpoint


@frozen
class _Shown:
    """What of a digest an asker gets: changes from a level up, after the filters of their chat."""

    least: Level
    filters: Filters | None = None
    muted: tuple[str, ...] = ()

    async def of(self, daily: Daily, ctx: Context) -> Report:
        """The report, as a digest that is posted in the chat would have it."""
        if self.filters is None:
            return daily.report
        changes, filters = [entry.graded for entry in daily.report.entries], self.filters
        if filters.by(RuleField.OWNER):
            filters = replace(filters, owners=await owners_of(ctx.watched, daily.tip))
        labels: Labels = {}
        if self.muted or filters.by(RuleField.LABEL):
            labels = await labels_of(ctx.requests, ctx.watched.repository, changes)
        muted = await topics_of(ctx.archive, ctx.watched, self.muted)
        return shown_from(filter_daily(daily, filters, muted, labels), self.least).report


async def _shown_here(ctx: Context) -> _Shown:
    """What the chat's digests of the repository show; a daily one counts most.

    A shorter digest has only the most important changes, a longer one all.
    """
    lengths = {Length.SHORT: Level.HIGH, Length.LONG: Level.LOW}
    if (room := ctx.room) is None:
        return _Shown(least=lengths.get(ctx.length, Level.HIGH))
    name = ctx.watched.repository.name
    runs = [run for run in await room.runs() if name in run.repositories]
    if runs:
        run = min(runs, key=lambda run: run.kind is not Frequency.DAILY)
        least, filters, muted = run.timing.least, run.filters, run.muted
    else:
        kept = await room.chats.settings(room.chat)
        least, filters = kept.timing.least or room.defaults.least, kept.filters
        muted = still_muted(kept.muted, kept.muted_until, ctx.clock.now())
    least = lengths.get(ctx.length, least or Level.HIGH)
    return _Shown(least=least, filters=filters, muted=muted)


async def digest_of(intent: DigestOf, ctx: Context) -> Answer:
    """The digest of the window or range; its rows are all of its changes.

    Raises as :func:`handlers.questions.scope.range_of` does.
    """
    shown = await _shown_here(ctx)
    if isinstance(intent.window, Window):
        daily = await digest_of_window(ctx, intent.window, shown.least)
        report = await shown.of(daily, ctx)
        await looked_over(ctx, intent.window, daily.tip.sha)
        found = _answer(report, ctx, intent.window, shown.least)
        lines = () if report.entries else await newest(intent, ctx, daily.tip)
        blocks = (*found.document.blocks, *map(Paragraph, lines))
        return replace(found, document=replace(found.document, blocks=blocks))
    selection = await range_of(intent.window, ctx, await tip_of(ctx))
    changes = await ensure(ctx, selection, await tip_of(ctx))
    daily = await between(ctx, selection, _window(changes, ctx), shown.least)
    told = _answer(await shown.of(daily, ctx), ctx, None, shown.least)
    named = Paragraph(refs_words(intent.window, ctx.language))
    head, rest = told.document.blocks[:1], told.document.blocks[1:]
    return replace(told, document=replace(told.document, blocks=(*head, named, *rest)))


def _answer(report: Report, ctx: Context, window: Window | None, least: Level) -> Answer:
    """The digest of a report as an answer."""
    rows = tuple(
        AnswerRow(graded=entry.graded, why=graded_because(entry.graded, ctx.language))
        for entry in report.entries
    )
    document = digest_document(report, ctx.language, least=least)
    return Answer(intent="digest", document=document, window=window, total=len(rows), rows=rows)


def _window(changes: Sequence[Graded], ctx: Context) -> Window:
    """The time from the first change to the last."""
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
    shown = await _shown_here(ctx)
    if last is None:
        window = _back(DEFAULT_DAYS, now, ctx)
        daily = await digest_of_window(ctx, window, shown.least)
        told = words.FIRST_LOOK(ctx.language, days=DEFAULT_DAYS)
    elif now - last.at > timedelta(days=LONGEST_DAYS):
        window = _back(LONGEST_DAYS, now, ctx)
        daily = await digest_of_window(ctx, window, shown.least)
        told = words.TOO_LONG_AGO(ctx.language, at=edge(last.at, ctx.zone), days=LONGEST_DAYS)
    elif last.tip == tip.sha:
        line = words.UP_TO_DATE(ctx.language, sha=Code(last.tip[:10]))
        return Answer(intent="catch up", document=_line(line, ctx, tip.sha))
    else:
        window = Window(since=min(last.at, now), until=now, zone=ctx.zone)
        daily = await digest_since(ctx, tip, last.tip, window, shown.least)
        told = words.CAUGHT_UP(ctx.language, at=edge(last.at, ctx.zone))
    await remember_look(ctx, tip.sha)
    answer = _answer(await shown.of(daily, ctx), ctx, window, shown.least)
    head, rest = answer.document.blocks[:1], answer.document.blocks[1:]
    document = replace(answer.document, blocks=(*head, Paragraph(told), *rest))
    return replace(answer, intent="catch up", document=document)


def _back(days: int, now: datetime, ctx: Context) -> Window:
    return Window(since=now - timedelta(days=days), until=now, zone=ctx.zone)


def _line(line: Spans, ctx: Context, tip: str | None) -> Document:
    at = viewpoint(ctx, Tip(branch="", sha=tip))
    return lines_document(ctx.watched.repository.name, [line], at)
