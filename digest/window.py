"""Half-open windows of time, and how a day is made in a zone. Imports ``errors`` only.

A local time inside a gap (clocks go forward) stands for the first instant after the gap; inside
an overlap (clocks go back) for its first occurrence. Source of the fold rules: PEP 495.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from digest.errors import InvalidWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """``since <= t < until``, both aware and in UTC; ``zone`` is the one it is told in."""

    since: datetime
    until: datetime
    zone: ZoneInfo

    def __post_init__(self) -> None:
        if self.since.tzinfo is None or self.until.tzinfo is None:
            raise ValueError("a window needs aware times")
        if self.until < self.since:
            raise InvalidWindow(
                f"the window ends ({self.until.isoformat()}) before it begins "
                f"({self.since.isoformat()}); exchange --since and --until"
            )

    def __contains__(self, moment: datetime) -> bool:
        return self.since <= moment < self.until


def instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """The UTC instant of a local wall-clock time, by the rules on top of this module."""
    local = datetime.combine(day, at.replace(fold=0), tzinfo=zone)
    back = local.astimezone(UTC).astimezone(zone)
    if back.replace(tzinfo=None) == local.replace(tzinfo=None):
        return local.astimezone(UTC)
    # In a gap. PEP 495: fold=0 reads the time with the offset before the gap, so the result lies
    # past the gap by as much as the time lay inside it; the gap's end is where the offset changes.
    before, after = local.utcoffset(), local.replace(fold=1).utcoffset()
    assert before is not None and after is not None
    low, high = sorted((local.astimezone(UTC), local.replace(fold=1).astimezone(UTC)))
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if middle.astimezone(zone).utcoffset() == min(before, after):
            low = middle
        else:
            high = middle
    return (
        high.replace(microsecond=0)
        if high.microsecond == 0
        else (
            high.replace(microsecond=0) + timedelta(seconds=1 if high.microsecond > 500_000 else 0)
        )
    )


def day_window(day: date, zone: ZoneInfo) -> Window:
    """The calendar day in the zone: 23, 24 or 25 hours, or less where a zone skipped a day."""
    midnight = time(0, 0)
    return Window(
        since=instant(day, midnight, zone),
        until=instant(day + timedelta(days=1), midnight, zone),
        zone=zone,
    )
