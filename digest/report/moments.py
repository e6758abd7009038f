"""Times as they are printed. Imports ``window`` only."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from digest.window import Window, day_window


def moment(at: datetime, zone: ZoneInfo) -> str:
    """``2026-01-23 08:30:00`` in the zone, to the second."""
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def edge(at: datetime, zone: ZoneInfo) -> str:
    """A window's edge with its offset, without seconds where they are 0: two edges never tie."""
    local = at.astimezone(zone)
    text = local.strftime("%Y-%m-%d %H:%M" if local.second == 0 else "%Y-%m-%d %H:%M:%S")
    offset = local.strftime("%z")
    return f"{text} {offset[:3]}:{offset[3:5]}"


def whole_day(window: Window) -> str:
    """The date that the window is the whole of, or empty."""
    day = window.since.astimezone(window.zone).date()
    same = day_window(day, window.zone)
    return day.isoformat() if (same.since, same.until) == (window.since, window.until) else ""


def span_of(window: Window) -> str:
    """The window in short: its day, its first and last days, or its edges."""
    if day := whole_day(window):
        return day
    first = window.since.astimezone(window.zone)
    last = (window.until - timedelta(microseconds=1)).astimezone(window.zone)
    whole = (
        day_window(first.date(), window.zone).since == window.since
        and day_window(last.date(), window.zone).until == window.until
    )
    if whole and first.date() <= last.date():
        return f"{first.date().isoformat()} – {last.date().isoformat()}"
    since, until = edge(window.since, window.zone), edge(window.until, window.zone)
    return f"{since} – {until}"


def days_of(window: Window) -> str:
    """The window by its dates alone, for a heading: its day, or the days of its two edges."""
    if day := whole_day(window):
        return day
    first = window.since.astimezone(window.zone).date()
    last = (window.until - timedelta(microseconds=1)).astimezone(window.zone).date()
    return f"{first} – {last}" if first < last else str(first)


def edges(window: Window) -> tuple[str, str]:
    """The window's edges by the clock of its zone, to the minute where that tells them apart.

    Their offsets are told only where these differ.
    """
    since, until = window.since.astimezone(window.zone), window.until.astimezone(window.zone)
    if since.utcoffset() != until.utcoffset():
        return edge(window.since, window.zone), edge(window.until, window.zone)
    form = "%Y-%m-%d %H:%M"
    if since.strftime(form) == until.strftime(form):
        form += ":%S"
    return since.strftime(form), until.strftime(form)
