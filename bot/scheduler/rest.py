"""Rest times of a channel: hours on weekdays, dates, public holidays, and a chat's own pause.

A slot in a rest is held: it produces no digest, and the digest of the next free slot covers it as
well. Missed or leftover posts wait for the end of the rest too. Parsers take values from TOML and
raise ``ValueError`` with a line that says what to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any

from digest.frozen import frozen

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")


def local_time(value: Any) -> time:
    """``09:00``, or TOML's own local time."""
    if isinstance(value, time):
        return value
    match = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise ValueError("write hours and minutes from 00:00 to 23:59, such as '09:00'")
    hour, minute, second = (int(part or 0) for part in match.groups())
    return time(hour, minute, second)


def weekdays(value: Any) -> frozenset[int]:
    """A list of weekdays and ranges of them; 0 is Monday."""
    named = [value] if isinstance(value, str) else value
    if not isinstance(named, list) or not named:
        raise ValueError("write a list of weekdays, such as ['mon', 'wed'] or ['mon-fri']")
    return frozenset(day for entry in named for day in days(entry))


def days(entry: Any) -> Sequence[int]:
    """A weekday, or a range such as ``fri-mon``, in order."""
    first, dash, last = str(entry).casefold().partition("-")
    start, end = _day(first), _day(last if dash else first)
    return [(start + step) % 7 for step in range((end - start) % 7 + 1)]


def _day(word: str) -> int:
    word = word.strip()
    days_named = [
        day for day, name in enumerate(_WEEKDAYS) if len(word) >= 3 and name.startswith(word)
    ]
    if not days_named:
        short = [name[:3] for name in _WEEKDAYS]
        raise ValueError(
            f"{word!r} is not a weekday; write {', '.join(short)} or a range like mon-fri"
        )
    return days_named[0]


_HOURS = re.compile(
    r"(?P<days>[a-z]+(?:\s*-\s*[a-z]+)?)?\s*"
    r"(?:(?P<since>\d{1,2}:\d{2})\s*-\s*(?P<until>\d{1,2}:\d{2}))?",
    re.IGNORECASE,
)
_COUNTRY = re.compile(r"[A-Z]{2}(-[A-Za-z0-9]{1,6})?")
_MIDNIGHT = time(0)
_LONGEST = 366
"""Days of one range: anything longer should be a paused channel, or is a mistyped year."""


@frozen
class Hours:
    """From ``since`` up to ``until`` on each of the weekdays (0 is Monday), in local time."""

    # Hours that end at or before their start continue into the next day; from midnight to midnight
    # is the whole day.

    since: time = _MIDNIGHT
    until: time = _MIDNIGHT
    weekdays: frozenset[int] = frozenset(range(7))

    def hold(self, local: datetime) -> bool:
        """Whether a local time is within the hours."""
        now, today = local.time(), local.weekday()
        if self.since < self.until:
            return today in self.weekdays and self.since <= now < self.until
        evening = today in self.weekdays and now >= self.since
        return evening or ((today - 1) % 7 in self.weekdays and now < self.until)


@frozen
class Dates:
    """A range of dates, both ends included."""

    first: date
    last: date


@frozen
class Rest:
    """All rest times of a channel; by default none."""

    hours: tuple[Hours, ...] = ()
    dates: tuple[Dates, ...] = ()
    countries: tuple[str, ...] = ()  # ISO 3166 codes, with a region if holidays differ: DE-BY
    pause: tuple[datetime, datetime] | None = None  # between two moments, aware

    def holds(self, local: datetime) -> bool:
        """Whether a moment, given in the channel's zone, is in a rest."""
        day = local.date()
        return (
            (self.pause is not None and self.pause[0] <= local < self.pause[1])
            or any(hours.hold(local) for hours in self.hours)
            or any(dates.first <= day <= dates.last for dates in self.dates)
            or any(day in holidays_of(country, day.year) for country in self.countries)
        )

    def always(self, at: time, weekdays: Iterable[int]) -> bool:
        """Whether the hours alone hold a time of day on every one of the weekdays."""
        # 2024 began with a Monday, so that the day of the month gives the weekday.
        moments = (datetime.combine(date(2024, 1, 1 + day), at) for day in weekdays)
        return all(any(hours.hold(local) for hours in self.hours) for local in moments)


NEVER = Rest()  # no rest at all


@lru_cache(maxsize=256)
def holidays_of(country: str, year: int) -> frozenset[date]:
    """The public holidays of a country or region in a year. Raises ``ValueError``."""
    from holidays import country_holidays

    code, _, region = country.partition("-")
    try:
        return frozenset(country_holidays(code, subdiv=region or None, years=[year]))
    except NotImplementedError as error:
        raise ValueError(f"{country!r} has no known holidays ({error})") from error


def parse_hours(value: Any) -> tuple[Hours, ...]:
    """Hours such as ``22:00-08:00``, ``sat-sun``, ``fri 18:00-24:00``. Raises ``ValueError``."""
    return tuple(_one_of_hours(entry) for entry in _check_list(value, "['22:00-08:00', 'sat-sun']"))


def _one_of_hours(entry: Any) -> Hours:
    match = _HOURS.fullmatch(str(entry).strip())
    if not match or not any(match.groups()):
        raise ValueError(
            f"{str(entry)!r} is not a range of hours; write, for example, '22:00-08:00', "
            "'sat-sun' or "
            "'fri 18:00-24:00'"
        )
    week = frozenset(days(match["days"].replace(" ", ""))) if match["days"] else None
    return Hours(
        since=local_time(match["since"] or "00:00"),
        until=_MIDNIGHT if match["until"] in {None, "24:00"} else local_time(match["until"]),
        weekdays=frozenset(range(7)) if week is None else week,
    )


def parse_holidays(value: Any) -> tuple[Dates | str, ...]:
    """Dates, ranges (``2026-12-24..2027-01-01``), countries (``DE-BY``); or ``ValueError``."""
    return tuple(_holiday(entry) for entry in _check_list(value, "['2026-12-24', 'DE']"))


def _holiday(entry: Any) -> Dates | str:
    text = entry.isoformat() if isinstance(entry, date) else str(entry).strip()
    if _COUNTRY.fullmatch(text):
        holidays_of(text, 2026)  # any year tells whether the country is known
        return text
    first, dots, last = text.partition("..")
    try:
        dates = Dates(
            first=date.fromisoformat(first.strip()),
            last=date.fromisoformat((last if dots else first).strip()),
        )
    except ValueError:
        raise ValueError(
            f"{text!r} is not a holiday; write a date such as '2026-12-24', a range such as "
            "'2026-12-24..2027-01-01', or a country such as 'DE' or 'DE-BY'"
        ) from None
    if not 0 <= (dates.last - dates.first).days < _LONGEST:
        raise ValueError(f"{text!r} ends before it begins, or is longer than a year")
    return dates


def _check_list(value: Any, example: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"write a list, such as {example}")  # noqa: TRY004  # pydantic's way
    return value
