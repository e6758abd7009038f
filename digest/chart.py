"""Numbers over days as a chart: counted here, drawn in text for whoever shows no pictures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from digest.document import Chart
from digest.graded import Graded

MOST_BARS = 62
"""Days of a chart with a bar each, two months; of a longer time the bars are weeks."""

_WIDTH = 24
_PARTS = " ▏▎▍▌▋▊▉"


def by_day(
    changes: Iterable[Graded], title: str, zone: ZoneInfo, first: datetime, last: datetime
) -> Chart:
    """How many changes were committed on each day of a zone, days without any included.

    ``first`` and ``last`` are moments within the first and the last day. Where there are more than
    ``MOST_BARS`` days, each bar is a week and named by its Monday.
    """
    begin, end = first.astimezone(zone).date(), last.astimezone(zone).date()
    step = timedelta(days=1)
    if (end - begin).days >= MOST_BARS:
        begin, step = begin - timedelta(days=begin.weekday()), timedelta(days=7)
    counts: dict[date, int] = {}
    while begin <= end:
        counts[begin] = 0
        begin += step
    for change in changes:
        day = change.commit.committed_at.astimezone(zone).date()
        bar = day if step.days == 1 else day - timedelta(days=day.weekday())
        counts[bar] = counts.get(bar, 0) + 1
    days = sorted(counts)
    return Chart(
        title=title,
        labels=tuple(day.isoformat() for day in days),
        values=tuple(counts[day] for day in days),
    )


def chart_text(chart: Chart) -> str:
    """A chart as lines of text: a label, a bar and the number of each point."""
    top = max(chart.values, default=0)
    labels = [" ".join(label.split()) for label in chart.labels]
    wide = max(map(len, labels), default=0)
    return "\n".join(
        f"{label:<{wide}} {_bar(value, top)} {value}"
        for label, value in zip(labels, chart.values, strict=True)
    )


def _bar(value: int, top: int) -> str:
    eighths = round(8 * _WIDTH * value / top) if top else 0
    whole, part = divmod(eighths, 8)
    return ("█" * whole + _PARTS[part].strip()).ljust(_WIDTH)
