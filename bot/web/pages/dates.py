"""Days, weeks and times in the words of a reader's language."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from digest.core.enums import Language

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ZH_WEEKDAYS = "一二三四五六日"


def day_words(day: date, language: Language, *, short: bool = False) -> str:
    """A day in full, such as ``Thursday 13 August 2026``, or short, such as ``Thu 13 Aug``."""
    weekday, month = _WEEKDAYS[day.weekday()], _MONTHS[day.month - 1]
    if language is Language.ZH:
        zh = f"{day.month}月{day.day}日 周{_ZH_WEEKDAYS[day.weekday()]}"
        return zh if short else f"{day.year}年{zh}"
    if short:
        return f"{weekday[:3]} {day.day} {month[:3]}"
    return f"{weekday} {day.day} {month} {day.year}"


def month_words(day: date, language: Language) -> str:
    """The month of a day, such as ``August 2026``."""
    if language is Language.ZH:
        return f"{day.year}年{day.month}月"
    return f"{_MONTHS[day.month - 1]} {day.year}"


def week_words(monday: date, language: Language, *, short: bool = False) -> str:
    """An ISO week by its number and its days, such as ``Week 33: 10 – 16 August 2026``."""
    year, week, _ = monday.isocalendar()
    if language is Language.ZH:
        return f"第 {week} 周" if short else f"{year}年第 {week} 周：{_days_zh(monday)}"
    return f"Week {week}" if short else f"Week {week}: {_days(monday)}"


def _days(monday: date) -> str:
    last = monday + timedelta(days=6)
    first = str(monday.day)
    if monday.month != last.month:
        first += f" {_MONTHS[monday.month - 1]}"
    if monday.year != last.year:
        first += f" {monday.year}"
    return f"{first} – {last.day} {_MONTHS[last.month - 1]} {last.year}"


def _days_zh(monday: date) -> str:
    last = monday + timedelta(days=6)
    return f"{monday.month}月{monday.day}日 – {last.month}月{last.day}日"


def minute(at: datetime, zone: ZoneInfo) -> str:
    """A time to the minute with its zone, such as ``2026-08-13 23:22 UTC``."""
    local = at.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M} {zone_words(local)}"


def zone_words(local: datetime) -> str:
    """The short name of a local time's zone, or its offset where the zone has no name."""
    name = local.strftime("%Z")
    return name if name.isalpha() else f"UTC{name}"
