"""Half-open windows of time, zones, and parsing and formatting of dates and times.

A local time inside a gap (clocks go forward) means the first instant after the gap; inside an
overlap (clocks go back) its first occurrence. Source of the fold rules: PEP 495.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from digest.errors import InvalidDate, InvalidWindow, UnknownZone
from digest.frozen import frozen

YEARS = range(1970, 9999)
"""Years that are accepted: git's time begins in 1970, and a day needs a day after it."""

_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})"
    r"(?:[T ](\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII | re.IGNORECASE,
)


@frozen
class Window:
    """``since <= t < until``, aware, in UTC, shown in ``zone``. Raises ``InvalidWindow``."""

    since: datetime
    until: datetime
    zone: ZoneInfo

    def __post_init__(self) -> None:
        if self.since.tzinfo is None or self.until.tzinfo is None:
            raise ValueError("a window needs aware times")
        if self.until < self.since:
            raise InvalidWindow(
                f"the window ends ({self.until.isoformat()}) before it begins "
                f"({self.since.isoformat()}); swap the two"
            )

    def __contains__(self, moment: datetime) -> bool:
        return self.since <= moment < self.until


def instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """The UTC instant of a local wall-clock time, by the rules at the top of this module."""
    local = datetime.combine(day, at.replace(fold=0), tzinfo=zone)
    moment = local.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None):
        return moment
    # In a gap, fold=0 uses the offset from before it, so it is past the change of offset, and
    # fold=1 the one from after it, so it is before the change.
    return _offset_change(local.replace(fold=1).astimezone(UTC), moment, zone)


def _offset_change(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The first whole second in ``(low, high]`` that has the offset of ``high``."""
    low, high = low.replace(microsecond=0), high.replace(microsecond=0)
    offset = high.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        if middle.astimezone(zone).utcoffset() == offset:
            high = middle
        else:
            low = middle
    return high


def day_window(day: date, zone: ZoneInfo) -> Window:
    """The calendar day in the zone: 23, 24 or 25 hours, or empty if the zone skipped the day."""
    return days_window(day, day, zone)


def days_window(first: date, last: date, zone: ZoneInfo) -> Window:
    """From the start of the first to the end of the last day. Raises ``InvalidWindow``."""
    midnight = time(0, 0)
    return Window(
        since=instant(first, midnight, zone),
        until=instant(last + timedelta(days=1), midnight, zone),
        zone=zone,
    )


def zone_of(name: str) -> ZoneInfo:
    """The IANA zone of that name. Raises ``UnknownZone`` with the most similar names."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UnknownZone(name, _near_zones(name)) from None


def _near_zones(name: str) -> tuple[str, ...]:
    wanted = name[:64].lower().replace(" ", "_")
    spellings: dict[str, str] = {}
    for known in sorted(available_timezones(), key=lambda z: (z.count("/") != 1, z)):
        spellings.setdefault(known.lower(), known)
        spellings.setdefault(known.lower().rpartition("/")[2], known)
    near = get_close_matches(wanted, spellings, n=5, cutoff=0.75)
    return tuple(dict.fromkeys(spellings[n] for n in near))[:3]


def parse_date(text: str) -> date:
    """A calendar day such as ``2026-01-23``. Raises ``InvalidDate``."""
    match = _MOMENT.fullmatch(text.strip())
    if not match or match[2]:
        raise InvalidDate(text)
    return _date(match[1], text)


def parse_moment(text: str, zone: ZoneInfo) -> datetime:
    """The UTC instant of a date or time, with or without an offset. Raises ``InvalidDate``."""
    # A date alone is its first instant; a time without ``Z`` or an offset is local to the zone.
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        raise InvalidDate(text)
    day = _date(match[1], text)
    if not match[3]:
        return instant(day, _time(match[2] or "00:00", text), zone)
    try:
        written = f"{match[1]}T{match[2]}{match[3].upper()}"
        return datetime.fromisoformat(written).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidDate(text) from None


def _date(written: str, text: str) -> date:
    try:
        day = date.fromisoformat(written)
    except ValueError:
        raise InvalidDate(text) from None
    if day.year not in YEARS:
        raise InvalidDate(text)
    return day


def _time(written: str, text: str) -> time:
    try:
        return time.fromisoformat(written)
    except ValueError:
        raise InvalidDate(text) from None


def minute(at: datetime, zone: ZoneInfo) -> str:
    """A time to the minute with its zone, such as ``2026-08-13 23:22 UTC``."""
    local = at.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M} {zone_words(local)}"


def zone_words(local: datetime) -> str:
    """The short name of a local time's zone, or its offset where the zone has no name."""
    name = local.strftime("%Z")
    return name if name.isalpha() else f"UTC{name}"


def edge(at: datetime, zone: ZoneInfo) -> str:
    """A window's edge with its offset, unambiguous, without seconds if they are 0."""
    local = at.astimezone(zone)
    text = local.strftime("%Y-%m-%d %H:%M" if local.second == 0 else "%Y-%m-%d %H:%M:%S")
    offset = local.strftime("%z")
    return f"{text} {offset[:3]}:{offset[3:5]}"


def whole_day(window: Window) -> str:
    """The date of a window that is one whole day, or empty."""
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
    """The window by its dates only, for a heading: its day, or the days of its two edges."""
    if day := whole_day(window):
        return day
    first = window.since.astimezone(window.zone).date()
    last = (window.until - timedelta(microseconds=1)).astimezone(window.zone).date()
    return f"{first} – {last}" if first < last else str(first)


def edges(window: Window) -> tuple[str, str]:
    """The window's edges in its zone, with seconds and offsets only where they differ."""
    since, until = window.since.astimezone(window.zone), window.until.astimezone(window.zone)
    if since.utcoffset() != until.utcoffset():
        return edge(window.since, window.zone), edge(window.until, window.zone)
    form = "%Y-%m-%d %H:%M"
    if since.strftime(form) == until.strftime(form):
        form += ":%S"
    return since.strftime(form), until.strftime(form)


def merge_windows(stretches: Iterable[Window]) -> tuple[Window, ...]:
    """The same time as disjoint periods, the earliest first, without empty ones."""
    out: list[Window] = []
    for one in sorted(stretches, key=lambda w: w.since):
        if one.since == one.until:
            continue
        if out and one.since <= out[-1].until:
            out[-1] = replace(out[-1], until=max(out[-1].until, one.until))
        else:
            out.append(one)
    return tuple(out)


def gaps(window: Window, read: Sequence[Window]) -> tuple[Window, ...]:
    """The parts of a window outside the ``read`` periods (merged), the earliest first."""
    out: list[Window] = []
    begin = window.since
    for one in read:
        if one.until <= begin:
            continue
        if one.since >= window.until:
            break
        if one.since > begin:
            out.append(replace(window, since=begin, until=one.since))
        begin = one.until
    if begin < window.until:
        out.append(replace(window, since=begin))
    return tuple(out)


def monday(day: date) -> date:
    """The Monday of the day's week; weeks begin on Mondays (ISO 8601)."""
    return day - timedelta(days=day.weekday())
