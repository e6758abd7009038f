"""Days and months in English or Chinese words, relative to another day.

A day without a year is the latest one that has begun.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from digest.chat.schedule_parser import WEEKDAY_NAMES
from digest.errors import InvalidDate
from digest.window import YEARS, parse_date

MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)\b"
)
NUMERAL = r"(?:[0-9]{1,6}|[〇零一二两三四五六七八九十百]{1,5})"
SPELT = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_SHORT = r"(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})"
CHINESE_WEEKDAY = r"(?:上上|上个?|本|这个?)?(?:周|星期|礼拜)[一二三四五六日天1-7]"

DAY = (
    r"(?:(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])"
    rf"|(?:[0-9]{{4}} ?年 ?)?{_SHORT} ?月 ?{_SHORT} ?[日号]"
    rf"|\b{MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?\b(?:,? [0-9]{{4}}\b)?"
    rf"|\b[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? [0-9]{{4}}\b)?"
    rf"|\b(?:last )?{WEEKDAY}|{CHINESE_WEEKDAY}"
    r"|\bthe day before yesterday\b|\byesterday\b|\btoday\b"
    r"|大前天|前[天日]|昨[天日晚]|今[天日早晚])"
)
"""A pattern of one day without groups, for use inside other patterns; ignore case."""

_ZH_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SPELT = {word: n for n, word in enumerate(SPELT[3:-1].split("|"), 1)}
_NAMED_DAYS = {
    "today": 0, "yesterday": 1, "the day before yesterday": 2,
    "今天": 0, "今日": 0, "今早": 0, "今晚": 0, "昨天": 1, "昨日": 1, "昨晚": 1,
    "前天": 2, "前日": 2, "大前天": 3,
}  # fmt: skip
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_CHINESE_DATE = re.compile(rf"(?:(\d{{4}}) ?年 ?)?({_SHORT}) ?月 ?({_SHORT}) ?[日号]")
_MONTH_FIRST = re.compile(
    rf"({MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})(?:,? (\d{{4}}))?", re.IGNORECASE
)


def number(written: str) -> int:
    """A number in digits, in Chinese numerals below a thousand, or spelt up to twelve.

    Examples: 12, 十二, 两, 一百二十, three.
    """
    if written.isdecimal():
        return int(written)
    if written in _SPELT:
        return _SPELT[written]
    total, held = 0, 0
    for sign in written:
        if sign in "十百":
            total += (held or 1) * (10 if sign == "十" else 100)
            held = 0
        else:
            held = _ZH_DIGITS[sign]
    return total + held


def month_number(name: str) -> int:
    """The number, from 1, of an English month's name or abbreviation."""
    return next(n for n, m in enumerate(MONTH_NAMES, 1) if m == name.lower()[:3])


def monday(day: date) -> date:
    """The Monday of the day's week; weeks begin on Mondays (ISO 8601)."""
    return day - timedelta(days=day.weekday())


def month_of(year: int | None, month: int, today: date, written: str) -> tuple[date, date]:
    """First and last day of a month; without a year, of the latest one that has begun."""
    if year is None:
        year = today.year if month <= today.month else today.year - 1
    if year not in YEARS or not 1 <= month <= 12:
        raise InvalidDate(written)
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def read_day(written: str, today: date) -> date:
    """The day of a text that matches ``DAY``. Raises ``InvalidDate``: 30 February."""
    words = written.lower().strip()
    if words in _NAMED_DAYS:
        return today - timedelta(days=_NAMED_DAYS[words])
    if _ISO.fullmatch(words):
        return parse_date(words)
    if found := _CHINESE_DATE.fullmatch(words):
        return _dated(found[1], number(found[2]), number(found[3]), today, written)
    if found := _MONTH_FIRST.fullmatch(words):
        return _dated(found[3], month_number(found[1]), int(found[2]), today, written)
    if found := _DAY_FIRST.fullmatch(words):
        return _dated(found[3], month_number(found[2]), int(found[1]), today, written)
    return _weekday(words, today)


def _dated(year: str | None, month: int, day: int, today: date, written: str) -> date:
    try:
        if year:
            return date(int(year), month, day)
        this = date(today.year, month, day)
        return this if this <= today else date(today.year - 1, month, day)
    except ValueError:
        raise InvalidDate(written) from None


def _weekday(words: str, today: date) -> date:
    """The latest such weekday, including today unless it says ``last``; 上周一 is of last week."""
    if words.isascii():
        place = next(n for n, w in enumerate(WEEKDAY_NAMES) if w == words.removeprefix("last ")[:3])
        back = (today.weekday() - place) % 7
        return today - timedelta(days=back or (7 if words.startswith("last ") else 0))
    place = (
        "一二三四五六日".find(words[-1]) if not words[-1].isdecimal() else int(words[-1]) - 1
    ) % 7
    weeks = words.count("上")
    if weeks or words[0] in "本这":
        return monday(today) + timedelta(days=place - 7 * weeks)
    return today - timedelta(days=(today.weekday() - place) % 7)
