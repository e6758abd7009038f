"""``digest``: the condensed digest of any window or range, for somebody who asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from digest.answer import Answer, Row, graded_because, refs_words
from digest.document import Paragraph
from digest.grade import Level
from digest.graded import Graded
from digest.intent import DigestOf
from digest.report import Report, digest_document
from digest.window import Window
from handlers.context import Context
from handlers.conversing import Length
from handlers.daily import between, look
from handlers.ingest import ensure
from handlers.lately import newest
from handlers.looking import tip_of
from handlers.looks import looked_over
from handlers.ports import Range
from handlers.reaching import range_of

LEAST = {Length.SHORT: Level.HIGH, Length.NORMAL: Level.HIGH, Length.LONG: Level.LOW}
"""From which level on a digest of a length shows changes."""


async def digest_of(intent: DigestOf, ctx: Context) -> Answer:
    """The digest of the window or range; its rows are all of its changes.

    Raises as :func:`handlers.reaching.range_of` does.
    """
    least = LEAST[ctx.length]
    if isinstance(intent.window, Window):
        daily = await look(ctx, intent.window, least)
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
    """The report of a range, told as one of the time from its first change to its last."""
    changes = await ensure(ctx, selection, await tip_of(ctx))
    return (await between(ctx, selection, _window(changes, ctx), least)).report


def digest_answer(report: Report, ctx: Context, window: Window | None) -> Answer:
    """The digest of a report as an answer."""
    rows = tuple(
        Row(graded=entry.graded, why=graded_because(entry.graded, ctx.language))
        for entry in report.entries
    )
    document = digest_document(report, ctx.language, least=LEAST[ctx.length])
    return Answer(intent="digest", document=document, window=window, total=len(rows), rows=rows)


def _window(changes: Sequence[Graded], ctx: Context) -> Window:
    moments = [g.commit.committed_at for g in changes] or [ctx.clock.now()]
    return Window(since=min(moments), until=max(moments) + timedelta(seconds=1), zone=ctx.zone)
