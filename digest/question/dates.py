"""Days and other points in time in English or Chinese words, relative to another day.

Points are days, weeks, months, quarters, years and parts of a month. One without a year is the
latest one that has begun. Each form has one pattern and one reader of its first and last day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta

from digest.chat.schedule_parser import WEEKDAY_NAMES
from digest.core.patterns import lazy
from digest.errors import InvalidDate
from digest.frozen import frozen
from digest.window import YEARS, monday, parse_date

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
_SIGNS = "一二三四五六七八九十"
_SHORT = rf"(?:[0-9]{{1,2}}|[{_SIGNS}]{{1,3}})"
_DAY_ALONE = (
    rf"(?<![\d月#.{_SIGNS}第-])([0-9]{{1,2}}(?= ?[号日])|[{_SIGNS}]{{1,3}}(?=号)) ?[号日]"
    r"(?![A-Za-z0-9_-])"
)
CHINESE_WEEKDAY = r"(?:上上|上个?|本|这个?)?(?:周|星期|礼拜)[一二三四五六日天1-7](?![共直均个些])"

_DAY_ONLY = r"[0-9]{1,2}(?![\d.:/%]| ?[个条项名位次年月周天份小种款家人行版])"
"""The day of a Chinese date without its unit: *7月27*."""

DAY = (
    r"(?:(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])"
    rf"|(?:[0-9]{{4}} ?年 ?)?{_SHORT} ?月 ?(?:{_SHORT} ?[日号]|{_DAY_ONLY})"
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

_ORDINAL = r"the ([0-9]{1,2})(?:st|nd|rd|th)\b"
_ISO = lazy(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_CHINESE_DATE = lazy(rf"(?:(\d{{4}}) ?年 ?)?({_SHORT}) ?月 ?({_SHORT}) ?[日号]?")

_MONTH_FIRST = lazy(rf"({MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?", re.IGNORECASE)

_DAY_FIRST = lazy(rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})(?:,? (\d{{4}}))?", re.IGNORECASE)


def number(written: str) -> int:
    """A number in digits, Chinese below a thousand (一百二十), or words up to twelve."""
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
    if match := _CHINESE_DATE.fullmatch(words):
        return _dated(match[1], number(match[2]), number(match[3]), today, written)
    if match := _MONTH_FIRST.fullmatch(words):
        return _dated(match[3], month_number(match[1]), int(match[2]), today, written)
    if match := _DAY_FIRST.fullmatch(words):
        return _dated(match[3], month_number(match[2]), int(match[1]), today, written)
    if match := re.fullmatch(_ORDINAL, words):
        return _day_of_month(match, today).first
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
    """The latest such weekday, including today unless after ``last``; 上周一 is last week's."""
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


@frozen(kw_only=False)
class Days:
    """The first and the last day of a period."""

    first: date
    last: date


_Reader = Callable[[re.Match[str], date], Days]
_UNIT = r"(week|month|quarter|year)"
_UNITS_ZH = {"周": "week", "星期": "week", "礼拜": "week", "季度": "quarter", "月": "month"}

_PARTS = {
    "first half": (1, 15), "上半月": (1, 15), "second half": (16, 31), "下半月": (16, 31),
    "first week": (1, 7), "second week": (8, 14), "third week": (15, 21), "last week": (25, 31),
    "beginning": (1, 10), "start": (1, 10), "early": (1, 10), "上旬": (1, 10), "初": (1, 10),
    "middle": (11, 20), "mid": (11, 20), "中旬": (11, 20), "中": (11, 20),
    "end": (21, 31), "late": (21, 31), "下旬": (21, 31), "底": (21, 31), "末": (21, 31),
    "第一周": (1, 7), "第二周": (8, 14), "第三周": (15, 21), "第四周": (22, 28),
}  # fmt: skip
"""First and last day of the named parts of a month."""

_MONTH_ZH = lazy(rf"{_SHORT} ?月(?!前)|[本上]个?月")
_SOME_DAYS = lazy(r"(first|last|前|后|最后) ?(\S+?) ?(?:days|天)", re.IGNORECASE)
_PART_EN = "|".join([*filter(str.isascii, _PARTS), rf"(?:first|last) (?:{SPELT}|\d{{1,2}}) days"])


def _day(match: re.Match[str], today: date) -> Days:
    day = read_day(match[0], today)
    return Days(day, day)


def _day_of_month(match: re.Match[str], today: date) -> Days:
    """*the 14th*: the latest one that has begun."""
    day, first = number(match[1]), today.replace(day=1)
    first = _before(first) if day > today.day else first
    try:
        return Days(first.replace(day=day), first.replace(day=day))
    except ValueError:
        raise InvalidDate(match[0]) from None


def _days_of_month(match: re.Match[str], today: date) -> Days:
    """*10-12 August*."""
    last = read_day(" ".join(filter(None, match.groups()[1:])), today)
    return Days(last.replace(day=min(int(match[1]) or 1, last.day)), last)


def _week_of(match: re.Match[str], today: date) -> Days:
    first = monday(read_day(match[1], today))
    return Days(first, min(first + timedelta(days=6), max(today, first)))


def _part(match: re.Match[str], today: date) -> Days:
    """*the first half of August*, *early July*, *8月上旬*, *月底*."""
    parts = (match[1], match[2])
    some = _SOME_DAYS.fullmatch(match[1]) or _SOME_DAYS.fullmatch(match[2] or "")
    said_first = match[1].lower() in _PARTS or (some and some[0] == match[1])
    part, named = parts if said_first else parts[::-1]
    first = today.replace(day=1)
    if not named and (months := _MONTH_ZH.findall(match.string, 0, match.start())):
        named = months[-1]  # "8月第二周和第一周"
    if named.lower() in {"last month", "上月", "上个月"}:
        first = _before(first)
    elif named and not named.lower().endswith("month") and named[0] not in "本这":
        month = month_number(named) if named.isascii() else number(named.rstrip(" 月份"))
        first = month_of(None, month, today, match[0])[0]
    last = month_of(first.year, first.month, today, match[0])[1]
    if some:
        days = min(number(some[2].lower()), last.day)
        begin, end = (1, days) if some[1] in "first前" else (last.day - days + 1, last.day)
    else:
        begin, end = _PARTS[part.lower()] if part.lower() in _PARTS else _PARTS[part[-1]]
    return Days(first.replace(day=begin), first.replace(day=min(end, last.day)))


def _unit(match: re.Match[str], today: date) -> Days:
    """*this week*, *last month*, *the week before last*."""
    back = {"last": 1, "previous": 1, "before last": 2}
    return _steps_back(match[2].lower(), back.get((match[1] or match[3] or "").lower(), 0), today)


def _unit_zh(match: re.Match[str], today: date) -> Days:
    """*本周*, *上上个月*, *今年*."""
    if match[0] in {"今年", "去年"}:
        return _steps_back("year", int(match[0] == "去年"), today)
    unit = next(unit for sign, unit in _UNITS_ZH.items() if match[2].endswith(sign))
    return _steps_back(unit, match[1].count("上"), today)


def _steps_back(unit: str, steps: int, today: date) -> Days:
    """The unit that today is in, up to today, or a whole one before."""
    first, last = _first_day(unit, today), today
    for _ in range(steps):
        first, last = _first_day(unit, first - timedelta(days=1)), first - timedelta(days=1)
    return Days(first, last)


def _first_day(unit: str, day: date) -> date:
    if unit == "week":
        return monday(day)
    if unit == "quarter":
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def _before(first: date) -> date:
    """The first day of the month before."""
    return (first - timedelta(days=1)).replace(day=1)


def _weekend(match: re.Match[str], today: date) -> Days:
    """Saturday and Sunday: the latest that have begun, or with "last" the latest that are over."""
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    last = (match[1] or "").lower() in {"last", "previous", "past", "上", "上个"}
    if last and today.weekday() >= 5:
        saturday -= timedelta(days=7)
    return Days(saturday, saturday + timedelta(days=1))


def _month(match: re.Match[str], today: date) -> Days:
    year = int(match[2]) if match[2] else None
    return Days(*month_of(year, month_number(match[1]), today, match[0]))


def _month_zh(match: re.Match[str], today: date) -> Days:
    year = int(match[1]) if match[1] else None
    return Days(*month_of(year, number(match[2]), today, match[0]))


def _quarter(match: re.Match[str], today: date) -> Days:
    year, named = (match[2], match[1]) if match[0][0] in "qQ" else (match[1], match[2])
    first, _ = month_of(int(year) if year else None, 3 * number(named) - 2, today, match[0])
    return Days(first, month_of(first.year, first.month + 2, today, match[0])[1])


def _year(match: re.Match[str], today: date) -> Days:
    first, _ = month_of(int(match[1]), 1, today, match[0])
    return Days(first, first.replace(month=12, day=31))


def _slash(match: re.Match[str], today: date) -> Days:
    """*8/10*: the tenth of August."""
    day = _dated(None, int(match[1]), int(match[2]), today, match[0])
    return Days(day, day)


_SEASONS = {
    "summer": (6, 8), "spring": (3, 5), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 14),
    "first half of the year": (1, 6), "second half of the year": (7, 12),
}  # fmt: skip
_SEASONS_ZH = {
    "夏天": (6, 8), "夏季": (6, 8), "春天": (3, 5), "春季": (3, 5), "秋天": (9, 11),
    "秋季": (9, 11), "冬天": (12, 14), "冬季": (12, 14), "上半年": (1, 6), "下半年": (7, 12),
}  # fmt: skip
"""First and last month of the named parts of a year; winter ends in the next one."""


def _season(match: re.Match[str], today: date) -> Days:
    """*this summer*, *去年下半年*; *last* is the latest that is over."""
    first, last = (_SEASONS | _SEASONS_ZH)[(match[2] or match[4]).lower()]
    year = today.year - (match[3] == "去年" if match[3] else first > today.month)
    if (
        match[1]
        and match[1].lower() != "this"
        and 12 * year + last >= 12 * today.year + today.month
    ):
        year -= 1
    end = month_of(year + last // 13, (last - 1) % 12 + 1, today, match[0])[1]
    return Days(month_of(year, first, today, match[0])[0], end)


_WHOLE_MONTHS = "january|february|april|june|july|august|september|october|november|december"
"""Names of months that have no other meaning, unlike *may* and *march*."""

_NOT_ZH = r"(?<![0-9一二两三四五六七八九十个])"

_FORMS: dict[str, tuple[str, _Reader]] = {
    "part": (
        rf"(?:\bthe )?\b({_PART_EN})(?: of|-)? ?(?:the )?({MONTH}|(?:this |last )?month\b)",
        _part,
    ),
    "part_zh": (
        (
            rf"({NUMERAL} ?月份?|本月|这个?月|上个?月|(?=第))的?"
            rf"(上半月|下半月|上旬|中旬|下旬|月?初|月?中|月?底|月?末|第[一二三四]周"
            rf"|(?:前|后|最后) ?{NUMERAL} ?天)"
        ),
        _part,
    ),
    "week_of": (
        rf"\b(?:the )?week (?:of|starting|beginning) ({DAY}|{_ORDINAL})",
        _week_of,
    ),
    "days": (
        (
            rf"\b([0-9]{{1,2}})(?:st|nd|rd|th)?(?: ?[-–—] ?| to | and )([0-9]{{1,2}})"
            rf"(?:st|nd|rd|th)?(?: of)? ({MONTH})(?:,? ([0-9]{{4}})\b)?"
        ),
        _days_of_month,
    ),
    "day": (DAY, _day),
    "day_alone": (
        rf"\b{_ORDINAL}(?! (?:of|item|one|change|pr))",
        _day_of_month,
    ),
    "day_alone_zh": (_DAY_ALONE, _day_of_month),
    "weekend": (r"\b(?:(last|previous|past|this|the) )?weekend\b", _weekend),
    "weekend_zh": (r"(上个?|这个?|本)?周末", _weekend),
    "season": (
        (
            r"\b(?:(last|this|previous) |(?:in |over |during |(?<=since )|(?<=until )|(?<=before ))"
            rf"(?:the )?)({'|'.join(_SEASONS)})\b|([今去]年)({'|'.join(_SEASONS_ZH)})"
        ),
        _season,
    ),
    "unit": (
        rf"\b(?:(this|current|last|previous|quiet|calm) {_UNIT}\b|the {_UNIT} (before last)\b)",
        lambda found, today: _unit(found, today) if found[1] else _steps_back(found[3], 2, today),
    ),
    "unit_zh": (r"(上上|上一?|本|这一?)(个?(?:周(?!末)|星期|礼拜|月|季度))|今年|去年", _unit_zh),
    "month_year": (rf"\b({MONTH}),? ([0-9]{{4}})\b", _month),
    "month_name": (rf"\b({_WHOLE_MONTHS})\b()", _month),
    "month": (rf"\b({MONTH})()", _month),
    "month_zh": (
        (
            rf"(?:([0-9]{{4}}) ?年 ?)?{_NOT_ZH}({NUMERAL}) ?月份?"
            r"(?! ?(?:[0-9]|[一二三四五六七八九十]{1,3} ?[日号]))"
        ),
        _month_zh,
    ),
    "iso_month": (
        r"(?<![0-9-])(20[0-9]{2})-([0-9]{2})(?![0-9.-])",
        lambda found, today: Days(*month_of(int(found[1]), int(found[2]), today, found[0])),
    ),
    "quarter": (r"\bq([1-4])\b(?:,? (20[0-9]{2})\b)?", _quarter),
    "quarter_zh": (r"(?:(20[0-9]{2}) ?年 ?)?第?([一二三四1-4]) ?季度", _quarter),
    "slash": (r"(?<![\w./-])(1[0-2]|[1-9])/(3[01]|[12][0-9]|[1-9])(?![\w/-]|\.\d)", _slash),
    "year": (r"\b(20[0-9]{2})\b(?!-)", _year),
    "year_zh": (r"(20[0-9]{2}) ?年(?! ?[0-9一二三四五六七八九十])", _year),
    "the_unit": (rf"\b(?:the ){_UNIT}\b", lambda found, today: _steps_back(found[1], 0, today)),
}

FRAMED = frozenset({"month", "slash", "year", "the_unit"})
"""Points that count only within a frame: *may*, *2026*."""


def _ungrouped(pattern: str) -> str:
    """The pattern with non-capturing groups."""
    return re.sub(r"(?<!\\)\((?!\?)", "(?:", pattern)


WORD_START = r"(?:(?<![A-Za-z])|(?![A-Za-z]))"
"""A word boundary: points cannot begin within a word, so those positions need not be tried."""

_NAMED = (f"(?P<{name}>{_ungrouped(pattern)})" for name, (pattern, _) in _FORMS.items())

_BEGINS = (
    r"(?=[0-9〇零一二两三四五六七八九十百上下本这今昨前大周星礼第去]|q[1-4]|(?:jan|feb|mar|apr|may|jun|jul|aug|"
    r"sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|tod|yes|wee|las|thi|the |pre|pas|cur|qui|cal|fir|"
    r"sec|beg|sta|ear|mid|end|lat|in |ove|dur|spr|sum|aut|fal|win))"
)
"""Beginnings of points; elsewhere no form needs to be tried."""

POINT = lazy(f"{WORD_START}{_BEGINS}(?:{'|'.join(_NAMED)})", re.IGNORECASE)
"""Any point; the name of the group says which."""

_PATTERNS = {name: lazy(pattern, re.IGNORECASE) for name, (pattern, _) in _FORMS.items()}


def days_at(point: re.Match[str], today: date) -> Days:
    """The days of a match of ``POINT``. Raises ``InvalidDate``."""
    name = point.lastgroup or ""
    match = _PATTERNS[name].match(point.string, point.start())
    assert match is not None
    return _FORMS[name][1](match, today)


_MONTH_DAY = lazy(rf"{MONTH}\.? [0-9]{{1,2}}", re.IGNORECASE)

_TO_DAY = lazy(
    r"(?: ?[-–—~] ?| to | and | through | until )(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?\b(?![.:/-])"
    rf"| ?(?:到|至|-|~) ?(?:(?P<zh>{NUMERAL}) ?[日号]|(?P<last>月[底末]))(?: ?的)?",
    re.IGNORECASE,
)


def within_month(text: str, point: re.Match[str]) -> re.Match[str] | None:
    """Text after a day that names another day of its month: *Aug 10-12*, *1月3日到5日*."""
    chinese = point[0].endswith(("日", "号"))
    if point.lastgroup != "day" or not (chinese or _MONTH_DAY.match(point[0])):
        return None
    after = _TO_DAY.match(text, point.end())
    return after if after and bool(after["zh"] or after["last"]) == chinese else None


def day_within(first: date, match: re.Match[str]) -> date:
    """The other day of a month that ``within_month`` found. Raises ``InvalidDate``."""
    if match["last"]:
        return first.replace(day=monthrange(first.year, first.month)[1])
    try:
        return max(first, first.replace(day=number(match["zh"] or match["day"])))
    except ValueError:
        raise InvalidDate(match[0].strip()) from None
