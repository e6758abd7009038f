"""From what the wording of a period matched to the window that it stands for.

Each reader takes the groups of one form of :mod:`digest.period`; the rules are told there. They
raise ``InvalidDate``, ``InvalidWindow`` and ``FutureWindow``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from digest.days import monday, month_number, month_of, number, read_day
from digest.errors import FutureWindow, InvalidDate, InvalidWindow
from digest.window import Window, day_window, days_window, instant, parse_moment

DEFAULT_DAYS = 7
"""The period of a question that names none: today and the six days before."""

LONGEST_DAYS = 3660
"""About ten years: what "last N days" reaches back at most."""

_FEW = 3
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_ZH_UNITS = {
    "小时": "hour", "钟头": "hour", "天": "day", "日": "day", "周": "week", "星期": "week",
    "礼拜": "week", "季度": "quarter", "月": "month", "年": "year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Now:
    """The asker's moment and zone."""

    at: datetime
    zone: ZoneInfo

    @property
    def today(self) -> date:
        """The asker's day."""
        return self.at.astimezone(self.zone).date()

    def days(self, first: date, last: date) -> Window:
        """Both days included, cut off at now."""
        whole = days_window(first, last, self.zone)
        if whole.since <= self.at < whole.until:
            return Window(since=whole.since, until=self.at, zone=self.zone)
        return whole

    def since(self, first: date) -> Window:
        """From a day's first instant until now."""
        return self.between(day_window(first, self.zone).since, self.at)

    def between(self, since: datetime, until: datetime) -> Window:
        """From a moment to another. Raises ``FutureWindow`` where it has not begun."""
        if since > self.at:
            shown = (since.astimezone(self.zone), self.at.astimezone(self.zone))
            raise FutureWindow(*(m.isoformat(timespec="minutes") for m in shown))
        return Window(since=since, until=until, zone=self.zone)


Reader = Callable[[re.Match[str], Now], Window]
"""Reads what a form matched."""


def one_day(found: re.Match[str], now: Now) -> Window:
    """A calendar day."""
    day = read_day(found[1], now.today)
    return now.days(day, day)


def whole_unit(found: re.Match[str], now: Now) -> Window:
    """*this week*, *last month*."""
    last = found[1].lower() in {"last", "previous"}
    return _unit(found[2].lower(), last, now)


def chinese_unit(found: re.Match[str], now: Now) -> Window:
    """*本周*, *上上个月*."""
    unit = next(u for sign, u in _ZH_UNITS.items() if found[2].endswith(sign))
    return _unit(unit, found[1][0] == "上", now, steps=found[1].count("上"))


def _unit(unit: str, last: bool, now: Now, steps: int = 1) -> Window:
    first = _first_day(unit, now.today)
    if not last:
        return now.days(first, now.today)
    end = first
    for _ in range(steps):
        end, first = first, _first_day(unit, first - timedelta(days=1))
    return now.days(first, end - timedelta(days=1))


def _first_day(unit: str, day: date) -> date:
    if unit == "week":
        return monday(day)
    if unit == "quarter":
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def chinese_year(found: re.Match[str], now: Now) -> Window:
    """*今年*, *去年*."""
    return _unit("year", found[0] == "去年", now)


def rolling(found: re.Match[str], now: Now) -> Window:
    """*last N days*."""
    count = found[1] or "1"
    amount = _FEW if count.lower() in {"few", "couple of"} else number(count.lower())
    return _back(amount, found[2].lower().removesuffix("s"), now, found[0])


def chinese_rolling(found: re.Match[str], now: Now) -> Window:
    """*最近 N 天*, *半年*."""
    unit = next(u for sign, u in _ZH_UNITS.items() if found[2].endswith(sign))
    if found[1] == "半":
        return _back(_UNIT_DAYS[unit] // 2, "day", now, found[0])
    return _back(_FEW if found[1] == "几" else number(found[1]), unit, now, found[0])


def _back(amount: int, unit: str, now: Now, written: str) -> Window:
    hours = unit == "hour"
    days = amount / 24 if hours else amount * _UNIT_DAYS[unit]
    if not 0 < days <= LONGEST_DAYS:
        raise InvalidWindow(
            f"{written.strip()!r} is no period that can be searched; "
            f"choose one of at most {LONGEST_DAYS} days, or dates such as 2026-01-20..2026-01-23"
        )
    if hours:
        return now.between(now.at - timedelta(hours=amount), now.at)
    return now.since(now.today - timedelta(days=int(days) - 1))


def since_day(found: re.Match[str], now: Now) -> Window:
    """*since* a day."""
    return now.since(read_day(found[1], now.today))


def until_day(found: re.Match[str], now: Now) -> Window:
    """*until* a day, which is the last of so many as a question without a period has."""
    last = read_day(found[1], now.today)
    return now.days(last - timedelta(days=DEFAULT_DAYS - 1), last)


def before_day(found: re.Match[str], now: Now) -> Window:
    """*before* a day: so many days, of which it is none."""
    last = read_day(found[1], now.today) - timedelta(days=1)
    return now.days(last - timedelta(days=DEFAULT_DAYS - 1), last)


def since_moment(found: re.Match[str], now: Now) -> Window:
    """*since* a moment."""
    return now.between(parse_moment(found[1], now.zone), now.at)


def since_unit(found: re.Match[str], now: Now) -> Window:
    """*since last week*."""
    return Window(since=whole_unit(found, now).since, until=now.at, zone=now.zone)


def since_chinese_unit(found: re.Match[str], now: Now) -> Window:
    """*上周以来*."""
    return Window(since=chinese_unit(found, now).since, until=now.at, zone=now.zone)


def month(found: re.Match[str], now: Now) -> Window:
    """*in January*, *in January 2026*."""
    year = int(found[2]) if found[2] else None
    return now.days(*month_of(year, month_number(found[1]), now.today, found[0]))


def since_month(found: re.Match[str], now: Now) -> Window:
    """*since January*."""
    return Window(since=month(found, now).since, until=now.at, zone=now.zone)


def chinese_month(found: re.Match[str], now: Now) -> Window:
    """*1 月*, *2026 年 1 月*."""
    year = int(found[1]) if found[1] else None
    return now.days(*month_of(year, number(found[2]), now.today, found[0]))


def since_chinese_month(found: re.Match[str], now: Now) -> Window:
    """*1 月以来*."""
    return Window(since=chinese_month(found, now).since, until=now.at, zone=now.zone)


def iso_month(found: re.Match[str], now: Now) -> Window:
    """*2026-01*."""
    return now.days(*month_of(int(found[1]), int(found[2]), now.today, found[0]))


def since_iso_month(found: re.Match[str], now: Now) -> Window:
    """*since 2026-01*."""
    return Window(since=iso_month(found, now).since, until=now.at, zone=now.zone)


def quarter(found: re.Match[str], now: Now) -> Window:
    """*in Q1*, *2026 年第一季度*."""
    named = number(found[1] or found[4])
    year = found[2] or found[3]
    first, _ = month_of(int(year) if year else None, 3 * named - 2, now.today, found[0])
    _, last = month_of(first.year, 3 * named, now.today, found[0])
    return now.days(first, last)


def weekend(found: re.Match[str], now: Now) -> Window:
    """Saturday and Sunday: the latest that have begun, or with "last" the latest that are over."""
    saturday = now.today - timedelta(days=(now.today.weekday() - 5) % 7)
    last = (found[1] or "").lower() in {"last", "previous", "past", "上", "上个"}
    if last and now.today.weekday() >= 5:
        saturday -= timedelta(days=7)
    return now.days(saturday, saturday + timedelta(days=1))


def year(found: re.Match[str], now: Now) -> Window:
    """*in 2026*."""
    try:
        return now.days(date(int(found[1]), 1, 1), date(int(found[1]), 12, 31))
    except ValueError:
        raise InvalidDate(found[0]) from None


def range_(found: re.Match[str], now: Now) -> Window:
    """*from A to B*, both days included."""
    today = now.today
    first, last = read_day(found[1], today), read_day(found[2], today)
    if first > last and not any(c.isdecimal() for c in found[1]):
        first -= timedelta(days=7)  # "Friday to Monday": the Friday before that Monday
    return now.days(first, last)


def range_in_month(found: re.Match[str], now: Now) -> Window:
    """*1 月 3 日到 5 日*."""
    first, last = (read_day(f"{found[1]}{day}日", now.today) for day in (found[2], found[3]))
    return now.days(first, last)


def moments(found: re.Match[str], now: Now) -> Window:
    """From a moment to another."""
    return now.between(parse_moment(found[1], now.zone), parse_moment(found[2], now.zone))


def coming(_found: re.Match[str], now: Now) -> Window:
    """What has not begun, which raises ``FutureWindow``."""
    tomorrow = instant(now.today + timedelta(days=1), time(0, 0), now.zone)
    return now.between(tomorrow, tomorrow)


def recent(_found: re.Match[str], now: Now) -> Window:
    """*recently*: the default."""
    return default(now)


def default(now: Now) -> Window:
    """The days of a question that names none."""
    return now.since(now.today - timedelta(days=DEFAULT_DAYS - 1))
