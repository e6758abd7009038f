"""From the words of the command line to a window."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from digest.errors import FutureWindow, InvalidWindow
from digest.window import Window, day_window, parse_date, parse_moment
from handlers.context import Context


async def day_of(ctx: Context, word: str | None) -> Window:
    """The calendar day that a word names; ``last`` or nothing is the newest with changes.

    Raises ``InvalidDate``, ``FutureWindow``.
    """
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
    """The window of ``--since`` and ``--until``; the end is now where it is not given.

    Raises ``InvalidWindow``, ``InvalidDate``, ``FutureWindow``.
    """
    if since is None:
        raise InvalidWindow("--until alone makes no window; name --since as well")
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
