"""The wording of the pages around the changes, and of days, weeks and times."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from digest.answer.buttons import Mark
from digest.core.enums import Frequency, Language
from digest.i18n.phrase import phrases_of, table_of
from digest.window import Window, minute, span_of

MARKS = table_of(Mark, "answer_text", "marks")
"""The wording of the marks of rows."""

FREQUENCIES = table_of(Frequency, "answer_text", "frequencies")
"""The kinds of digests that are not daily."""

STATES = table_of(str, "answer_text", "fates")
"""The later fates of a change, in the order of display."""

PHRASES = phrases_of("bot.web.pages", "phrases.json")
"""Phrases by the names that templates use."""

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
        return f"第 {week} 周" if short else f"{year}年第 {week} 周：{seven_days(monday, language)}"
    return f"Week {week}" if short else f"Week {week}: {seven_days(monday, language)}"


def seven_days(first: date, language: Language) -> str:
    """A day and the six days after it, such as ``10 – 16 August 2026``."""
    return days_words(first, first + timedelta(days=6), language)


def days_words(first: date, last: date, language: Language) -> str:
    """The days from one to another, such as ``10 – 16 August 2026``."""
    if first == last:
        return day_words(first, language)
    if language is Language.ZH:
        return f"{first.month}月{first.day}日 – {last.month}月{last.day}日"
    words = str(first.day)
    if first.month != last.month:
        words += f" {_MONTHS[first.month - 1]}"
    if first.year != last.year:
        words += f" {first.year}"
    return f"{words} – {last.day} {_MONTHS[last.month - 1]} {last.year}"


def period_words(window: Window, zone: ZoneInfo) -> str:
    """A period by its days if these are whole, else by its edges to the minute with their zone."""
    words = span_of(window)
    if ":" not in words:
        return words
    return f"{minute(window.since, zone)} – {minute(window.until, zone)}"
