"""What is said of a period that begins after everything that a clone holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from digest.days import monday
from digest.document import Code, Spans
from digest.intent import Changed, DigestOf, Search, format_intent
from digest.period import written
from digest.phrases import NEWEST
from digest.window import Window, days_window
from handlers.context import Context
from handlers.ingest import ensure
from handlers.ports import Tip


async def newest(intent: Changed | DigestOf | Search, ctx: Context, tip: Tip) -> tuple[Spans, ...]:
    """When the branch last changed, with the same question of that week; nothing where it is newer.

    A clone that nobody fetches into is old, and a quiet project has quiet weeks.
    """
    if not isinstance(intent.window, Window) or tip.sha is None:
        return ()
    last = await ensure(ctx, [tip.sha], tip)
    if not last or last[0].commit.committed_at >= intent.window.since:
        return ()
    day = last[0].commit.committed_at.astimezone(ctx.zone).date()
    first = monday(day)
    week = days_window(first, first + timedelta(days=6), ctx.zone)
    asked = format_intent(replace(intent, window=week))
    dates = f"{first}..{first + timedelta(days=6)}"
    question = Code(asked.replace(written(week), dates))
    return (NEWEST(ctx.language, sha=Code(tip.sha[:10]), day=str(day), question=question),)
