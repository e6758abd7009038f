"""``catch up``: everything since the asker last looked, as one digest."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from digest.answer import Answer, lines_document
from digest.document import Code, Document, Paragraph, Spans
from digest.intent import CatchUp
from digest.report.moments import edge
from digest.stretches import DEFAULT_DAYS
from digest.window import Window
from digest.words import replies as words
from handlers.context import Context
from handlers.daily import come, look
from handlers.digest_of import LEAST, digest_answer
from handlers.looking import seen, tip_of
from handlers.looks import last_look, looked
from handlers.ports import Tip

LONGEST_DAYS = 31
"""A longer absence is caught up with from so many days ago on."""


async def catch_up(_intent: CatchUp, ctx: Context) -> Answer:
    """The digest of what came since the last look, by ancestry; the look is then now.

    Who was never here gets the last days, and who was away for too long the last month.
    """
    tip, now = await tip_of(ctx), ctx.clock.now()
    last = await last_look(ctx)
    least = LEAST[ctx.length]
    if last is None:
        window = _back(DEFAULT_DAYS, now, ctx)
        report = (await look(ctx, window, least)).report
        told = words.FIRST_LOOK(ctx.language, days=DEFAULT_DAYS)
    elif now - last.at > timedelta(days=LONGEST_DAYS):
        window = _back(LONGEST_DAYS, now, ctx)
        report = (await look(ctx, window, least)).report
        told = words.TOO_LONG_AGO(ctx.language, at=edge(last.at, ctx.zone), days=LONGEST_DAYS)
    elif last.tip == tip.sha:
        line = words.UP_TO_DATE(ctx.language, sha=Code(last.tip[:10]))
        return Answer(intent="catch up", document=_line(line, ctx, tip.sha))
    else:
        window = Window(since=min(last.at, now), until=now, zone=ctx.zone)
        report = (await come(ctx, tip, last.tip, window, least)).report
        told = words.CAUGHT_UP(ctx.language, at=edge(last.at, ctx.zone))
    await looked(ctx, tip.sha)
    answer = digest_answer(report, ctx, window)
    head, rest = answer.document.blocks[:1], answer.document.blocks[1:]
    document = replace(answer.document, blocks=(*head, Paragraph(told), *rest))
    return replace(answer, intent="catch up", document=document)


def _back(days: int, now: datetime, ctx: Context) -> Window:
    return Window(since=now - timedelta(days=days), until=now, zone=ctx.zone)


def _line(line: Spans, ctx: Context, tip: str | None) -> Document:
    at = seen(ctx, Tip(branch="", sha=tip))
    return lines_document(ctx.watched.repository.name, [line], at)
