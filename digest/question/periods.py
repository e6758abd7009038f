"""Periods in words, English and Chinese, and the windows they stand for.

The rules, all in the asker's zone, with weeks from Monday (ISO 8601) and days from midnight:

- *today*, *yesterday*, a date, a weekday (its latest): that calendar day.
- *this week / month / year*: from its first midnight until now; *last ...*: the whole one before.
- *last N days* (*past*, *recent*): today and the N-1 days before it; *past week* is 7 days,
  *past month* 30, weeks and months count 7 and 30 days each, *a few* is 3, *half a month* 15.
- *last N hours*: exactly that many hours until now.
- *the weekend*: the latest Saturday and Sunday that have begun; *last weekend*: already over.
- *in January*: the latest January that has begun; *2026-01*: that month.
- *since X*: from the start of X until now.
- *until X*: the 7 days that end with X, X included; *before X*: the 7 days before it.
- *A..B*, *from A to B*, *between A and B*: both days included; with times, half open.
- No period: the last 7 days.

A period that has not ended is cut off at now. Readers raise ``InvalidDate``, ``InvalidWindow`` and
``FutureWindow``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from digest.errors import FutureWindow, InvalidDate, InvalidWindow
from digest.question.dates import (
    DAY,
    MONTH,
    NUMERAL,
    SPELT,
    monday,
    month_number,
    month_of,
    number,
    read_day,
)
from digest.window import Window, day_window, days_window, instant, parse_moment

DEFAULT_DAYS = 7
"""The period of a question without one: today and the six days before."""

LONGEST_DAYS = 3660
"""Maximum reach of "last N days": about ten years."""

_FEW = 3
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_ZH_UNITS = {
    "小时": "hour", "钟头": "hour", "天": "day", "日": "day", "周": "week", "星期": "week",
    "礼拜": "week", "季度": "quarter", "月": "month", "年": "year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Now:
    """The asker's time and zone."""

    at: datetime
    zone: ZoneInfo

    @property
    def today(self) -> date:
        """The asker's day."""
        return self.at.astimezone(self.zone).date()

    def days(self, first: date, last: date) -> Window:
        """From one day to another, both included, cut off at now."""
        whole = days_window(first, last, self.zone)
        if whole.since <= self.at < whole.until:
            return Window(since=whole.since, until=self.at, zone=self.zone)
        return whole

    def since(self, first: date) -> Window:
        """From the first instant of a day until now."""
        return self.between(day_window(first, self.zone).since, self.at)

    def between(self, since: datetime, until: datetime) -> Window:
        """From one moment to another. Raises ``FutureWindow`` if it has not begun."""
        if since > self.at:
            shown = (since.astimezone(self.zone), self.at.astimezone(self.zone))
            raise FutureWindow(*(m.isoformat(timespec="minutes") for m in shown))
        return Window(since=since, until=until, zone=self.zone)


Reader = Callable[[re.Match[str], Now], Window]
"""Reads the match of one form of period."""


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
    count = (found[1] or "1").lower().removeprefix("a ").removesuffix(" of")
    amount = {"few": _FEW, "couple": 2, "a": 1, "an": 1}.get(count) or number(count)
    unit = found[2].lower().removesuffix("s")
    return _back(amount, _SPELT_OUT.get(unit, unit), now, found[0])


_SPELT_OUT = {"h": "hour", "hr": "hour", "d": "day", "w": "week", "wk": "week"}


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


def bare_chinese_rolling(found: re.Match[str], now: Now) -> Window:
    """*一周* beside an absence: the last week."""
    return chinese_rolling(found, now)


_PARTS = {
    "first half": (1, 15), "上半月": (1, 15), "second half": (16, 31), "下半月": (16, 31),
    "first week": (1, 7), "second week": (8, 14), "third week": (15, 21), "last week": (25, 31),
    "beginning": (1, 10), "start": (1, 10), "early": (1, 10), "上旬": (1, 10), "初": (1, 10),
    "middle": (11, 20), "mid": (11, 20), "中旬": (11, 20), "中": (11, 20),
    "end": (21, 31), "late": (21, 31), "下旬": (21, 31), "底": (21, 31), "末": (21, 31),
}  # fmt: skip
"""First and last day of the named parts of a month."""


def part_of_month(found: re.Match[str], now: Now) -> Window:
    """*the first half of August*, *early July*, *8月上旬*."""
    named, part = (found[2], found[1]) if found[2][0].isascii() else (found[1], found[2])
    if named and named.lower() not in {"month", "this month", "last month"}:
        month_ = month_number(named) if named[0].isalpha() and named.isascii() else number(named)
        first, last = month_of(None, month_, now.today, found[0])
    else:
        back = "last" in (named or "").lower() or ("上" in found[0][:2] and not named)
        first = now.today.replace(day=1)
        first = (first - timedelta(days=1)).replace(day=1) if back else first
        first, last = month_of(first.year, first.month, now.today, found[0])
    begin, end = _PARTS[part.lower()] if part.lower() in _PARTS else _PARTS[part[-1]]
    return now.days(first.replace(day=begin), first.replace(day=min(end, last.day)))


def lately_today(found: re.Match[str], now: Now) -> Window:
    """*overnight*: since yesterday evening; *this morning*: today."""
    today = instant(now.today, time(0, 0), now.zone)
    night = found[0].lower() in {"overnight", "last night"}
    return now.between(today - timedelta(hours=6) if night else today, now.at)


def days_of_month(found: re.Match[str], now: Now) -> Window:
    """*Aug 10-12*."""
    first = read_day(f"{found[1]} {found[2]}", now.today)
    return now.days(first, first.replace(day=max(int(found[3]), first.day)))


def day_alone(found: re.Match[str], now: Now) -> Window:
    """*the 14th*: the latest one that has begun."""
    day, first = int(found[1]), now.today.replace(day=1)
    if day > now.today.day:
        first = (first - timedelta(days=1)).replace(day=1)
    try:
        return now.days(first.replace(day=day), first.replace(day=day))
    except ValueError:
        raise InvalidDate(found[0]) from None


def this_unit(found: re.Match[str], now: Now) -> Window:
    """*of the month*: the current one."""
    return _unit(found[1].lower(), last=False, now=now)


def since_day(found: re.Match[str], now: Now) -> Window:
    """*since* a day."""
    return now.since(read_day(found[1], now.today))


def until_day(found: re.Match[str], now: Now) -> Window:
    """*until* a day: the default number of days, ending with it."""
    last = read_day(found[1], now.today)
    return now.days(last - timedelta(days=DEFAULT_DAYS - 1), last)


def before_day(found: re.Match[str], now: Now) -> Window:
    """*before* a day: the default number of days, ending the day before."""
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
    """From one moment to another."""
    return now.between(parse_moment(found[1], now.zone), parse_moment(found[2], now.zone))


def coming(_found: re.Match[str], now: Now) -> Window:
    """A future period, which raises ``FutureWindow``."""
    tomorrow = instant(now.today + timedelta(days=1), time(0, 0), now.zone)
    return now.between(tomorrow, tomorrow)


def recent(_found: re.Match[str], now: Now) -> Window:
    """*recently*: the default."""
    return default(now)


def default(now: Now) -> Window:
    """The window of a question without a period."""
    return now.since(now.today - timedelta(days=DEFAULT_DAYS - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPeriod:
    """The window of a period that was read, and the position of its words."""

    window: Window
    at: tuple[int, int]


_TO = r"(?: ?(?:\.\.\.?|~|～|—|–|到|至) ?| (?:to|until|till|through|thru|and|-) )"
_TIME = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_TIMED = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_TIME}"
_ON = r"(?:\b(?:on|in|for|of|from|at|during|over|within|dated) )?(?:\bthe )?"
_SINCE = r"(?:\b(?:ever )?since |\bstarting |\bsince the |\bafter |(?:自从?|从) ?)"
_SO_FAR = r" ?(?:以来|起|开始|之后|以后|至今|到现在|到今天)"
_ZH_UNIT = r"(?:个?(?:周(?!末)|星期|礼拜|月|季度))"
_ZH_LONG = r"(?:个?(?:小时|钟头|星期|礼拜|周|月)|天|日|年)"
_RECENT = r"(?:在)?(?:最近|过去|近|前|这)的? ?"
_UNITS = r"hours?|hrs?|days?|weeks?|wks?|months?|years?|fortnights?"
_SHORT_UNITS = rf"{_UNITS}|h|d|w"

_MONTH_ALONE = (
    rf"(?<![0-9一二两三四五六七八九十个])({NUMERAL}) ?月"
    r"(?! ?(?:[0-9]|[一二三四五六七八九十]{1,3} ?[日号]))"
)
_SHORT_DAY = rf"({NUMERAL}) ?[日号]"
_OF = r"(?: ?的| ?[内里中](?!核|存))?"

_FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), reader)
    for pattern, reader in (
        (rf"(?:\b(?:from|between) )?(?<![0-9-])({_TIMED})\.\.({_TIMED})(?![0-9:-])", moments),
        (
            rf"(?:\b(?:from|between|since) |从 ?)?({DAY}){_TO}({DAY}){_OF}(?:之间|期间)?",
            range_,
        ),
        (
            rf"(?:从 ?)?((?:[0-9]{{4}} ?年 ?)?{NUMERAL} ?月 ?){_SHORT_DAY}{_TO}{_SHORT_DAY}{_OF}",
            range_in_month,
        ),
        (rf"{_SINCE}({_TIMED})(?![0-9:-])", since_moment),
        (rf"{_SINCE}({DAY})(?:{_SO_FAR})?", since_day),
        (rf"({DAY}){_SO_FAR}", since_day),
        (
            (
                rf"(?:\b(?:from|between|since) |从 ?)?({DAY})"
                r"(?: ?(?:-|to|and|until|till|through|到) ?)"
                r"(?:now|today|the present|现在|今天)\b"
            ),
            since_day,
        ),
        (
            r"\b(?:on |of |from )?the ([0-9]{1,2})(?:st|nd|rd|th)\b(?! (?:of|item|one|change|pr))",
            day_alone,
        ),
        (r"\b(?:of|in|for) the (week|month|quarter|year)\b", this_unit),
        (rf"{_SINCE}(this|last|previous) (week|month|quarter|year)\b", since_unit),
        (rf"(?:自从?|从)?(上上?|本|这)({_ZH_UNIT}){_SO_FAR}", since_chinese_unit),
        (rf"{_SINCE}({MONTH})(?: ([0-9]{{4}})\b)?", since_month),
        (
            rf"(?:自从?|从)?(?:([0-9]{{4}}) ?年 ?)?({NUMERAL}) ?月份?{_SO_FAR}",
            since_chinese_month,
        ),
        (rf"\b(?:until|till|up to|through) ({DAY})", until_day),
        (rf"(?:截至|截止到?|直到) ?({DAY})(?: ?为止)?{_OF}", until_day),
        (rf"({DAY}) ?为止{_OF}", until_day),
        (rf"\b(?:before|prior to) ({DAY})", before_day),
        (rf"(?:在)?({DAY}) ?(?:之前|以前|前){_OF}", before_day),
        (rf"{_ON}({DAY})(?:'s\b)?{_OF}", one_day),
        (rf"{_ON}(this|current|last|previous) (week|month|quarter|year)(?:'s)?\b", whole_unit),
        (rf"{_ON}(?:(last|previous|past|this|the) )?weekend(?:'s)?\b", weekend),
        (rf"(?:在)?(上个?|这个?|本)?周末{_OF}", weekend),
        (rf"(?:在)?(上上?|本|这|这一)({_ZH_UNIT}){_OF}", chinese_unit),
        (rf"(?:今年|去年){_OF}", chinese_year),
        (
            (
                rf"\b(?:for|in|over|within|since)(?: about)?(?: the)?(?: last| past)? "
                rf"({NUMERAL}|{SPELT}|an?|few|a few|couple of|a couple of) ({_UNITS})\b(?: ago)?"
            ),
            rolling,
        ),
        (
            (
                rf"\b(?:(?:last|past) )?({NUMERAL}|{SPELT}|a few|a couple of|couple|few) ({_UNITS})"
                r"(?: ago| back)?(?= |$)"
            ),
            rolling,
        ),
        (
            (
                rf"{_ON}(?:last|past|previous|recent) (?:({NUMERAL}|{SPELT}|few|couple of) ?)?"
                rf"({_SHORT_UNITS})\b"
            ),
            rolling,
        ),
        (
            (
                r"\b(?:in |for |during |at |over )?(?:the )?"
                r"(first half|second half|first week|second week|third week|last week|beginning"
                r"|start|middle|end|early|mid|late)(?: of|-)? ?(?:the )?"
                rf"({MONTH}|month|this month|last month)"
            ),
            part_of_month,
        ),
        (
            (
                rf"(?:({NUMERAL}) ?月份?|本月|这个?月|上个?月)的?"
                r"(上半月|下半月|上旬|中旬|下旬|月?初|月?中|月?底|月?末)"
            ),
            part_of_month,
        ),
        (
            r"\b(?:overnight|tonight|last night|this (?:morning|afternoon|evening))\b",
            lately_today,
        ),
        (
            (
                rf"\b(?:on |of |from |between )?({MONTH})\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?"
                r"(?: ?[-–—~] ?| to | and | through | until )([0-9]{1,2})(?:st|nd|rd|th)?"
                r"\b(?![.:/-])"
            ),
            days_of_month,
        ),
        (rf"(?:({NUMERAL}) ?(天|周|个月|个星期|个小时))(?!前)", bare_chinese_rolling),
        (
            rf"({NUMERAL}|几) ?({_ZH_LONG})(?:以[来内前]|之[内前]|前(?![\u4e00-\u9fff]))",
            chinese_rolling,
        ),
        (
            rf"{_RECENT}({NUMERAL}|几|半) ?({_ZH_LONG})(?:以?[来内里]|之内)?{_OF}",
            chinese_rolling,
        ),
        (rf"\b(?:in|during|for|of|over|from) ({MONTH})(?:,? ([0-9]{{4}})\b)?", month),
        (rf"\b({MONTH}),? ([0-9]{{4}})\b", month),
        (rf"(?:在)?(?:([0-9]{{4}}) ?年 ?)?{_MONTH_ALONE}份?{_OF}", chinese_month),
        (rf"{_SINCE}(20[0-9]{{2}})-([0-9]{{2}})(?![0-9-])(?:{_SO_FAR})?", since_iso_month),
        (rf"(?<![0-9-])(20[0-9]{{2}})-([0-9]{{2}}){_SO_FAR}", since_iso_month),
        (rf"{_ON}(?<![0-9-])(20[0-9]{{2}})-([0-9]{{2}})(?![0-9.-]){_OF}", iso_month),
        (r"\b(?:in|during|for|of) q([1-4])(?:,? (20[0-9]{2})\b)?()()(?!\w)", quarter),
        (r"()()(?:(20[0-9]{2}) ?年 ?)?第?([一二三四1-4]) ?季度(?: ?的)?", quarter),
        (r"\b(?:in|during|for|of) (20[0-9]{2})\b(?!-)", year),
        (r"(20[0-9]{2}) ?年(?! ?[0-9一二三四五六七八九十])", year),
        (r"\btomorrow\b|\b(?:next|coming) (?:day|week|month|year)\b", coming),
        (r"明天|明日|后天|下个?(?:周|星期|礼拜|月)|明年", coming),
        (rf"\b(?:recently|lately|these days)\b|(?:最近|近期|近来){_OF}", recent),
    )
)


def default_period(now: datetime, zone: ZoneInfo) -> Window:
    """The window of a question without a period: ``DEFAULT_DAYS`` calendar days until now."""
    return default(Now(now.replace(microsecond=0), zone))


def find_period(text: str, now: datetime, zone: ZoneInfo) -> FoundPeriod | None:
    """The period that a text names, longest wording first; ``None`` if there is none.

    ``text`` has single spaces. Raises ``InvalidDate``, ``InvalidWindow`` (its end before its start,
    or too long) and ``FutureWindow``.
    """
    best: tuple[re.Match[str], Reader] | None = None
    for pattern, reader in _FORMS:
        found = pattern.search(text)
        if found and (best is None or len(found[0]) > len(best[0][0])):
            best = (found, reader)
    if best is None:
        return None
    found, reader = best
    current = Now(now.replace(microsecond=0), zone)
    window = reader(found, current)
    if window.since > current.at:
        current.between(window.since, window.until)
    return FoundPeriod(window=window, at=found.span())


def written(window: Window) -> str:
    """A window in a form that :func:`find_period` reads back in any zone."""
    since, until = (m.astimezone(UTC) for m in (window.since, window.until))
    return f"{since:%Y-%m-%dT%H:%M:%SZ}..{until:%Y-%m-%dT%H:%M:%SZ}"
