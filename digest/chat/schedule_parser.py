"""Parses schedules in words: ``daily 09:00 Europe/Berlin level medium``, ``每天9点``."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from digest.chat.chat_settings import DigestTiming
from digest.core.enums import Frequency
from digest.core.grade import Level
from digest.core.patterns import lazy
from digest.errors import UnknownZone
from digest.frozen import frozen
from digest.window import instant, parse_date, zone_of

WEEKDAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

LEVELS = {
    "high": Level.HIGH, "medium": Level.MEDIUM, "low": Level.LOW,
    "高": Level.HIGH, "中": Level.MEDIUM, "低": Level.LOW,
}  # fmt: skip
"""The names of levels in both languages."""

_DAY = (
    "(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?"
    "|sat(?:urday)?|sun(?:day)?)s?"
)
_HAN_DAYS = {sign: day for day, sign in enumerate("一二三四五六日")} | {"天": 6}
_TIME = lazy(
    r"(?:\bat |在)?(?:(?:(?P<part>上午|早上|中午|下午|晚上) ?)?"
    r"(?P<hour>[01]?\d|2[0-3])(?:[:：](?P<minute>[0-5]\d)(?: ?(?P<half>[ap]m)\b)?"
    r"|点(?P<point>半|[0-5]?\d分?)?| ?(?P<only>[ap]m)\b))(?![\w:])"
)
_DAYS = lazy(
    rf"(?:\b(?:on )?(?P<week>weekdays|workdays)\b|(?P<work>(?:每个?)?工作日)"
    rf"|\b(?:on )?(?P<days>{_DAY}(?:(?: ?- ?|, ?|,? and ){_DAY})*)\b"
    r"|每?(?:周|星期)(?P<han>[一二三四五六日天](?:(?:到|至|-|、)(?:周|星期)?[一二三四五六日天])*))"
)
_KINDS = {
    Frequency.MONTH_END: lazy(
        r"\b(?:month-end|(?:on )?the (?:last day|end) of (?:the|each|every) month)\b"
        r"|每个?月最后一天|每?月[末底]"
    ),
    Frequency.FORTNIGHTLY: lazy(
        r"\b(?:fortnightly|every (?:second|other|two|2) weeks?)\b"
        r"|(?:每[两二2]|隔)(?:(?=周[一二三四五六日天](?!次))|周(?:一次)?)"
    ),
    Frequency.MONTHLY: lazy(
        r"\b(?:monthly|(?:every|each|once a) month"
        r"|(?:on )?the (?:first day|first|1st) of (?:the|each|every) month)\b"
        r"|每个?月(?:第一天|1[日号]|初)?"
    ),
    Frequency.WEEKLY: lazy(
        r"\b(?:weekly|every week|once a week)\b|每(?:周|星期)(?![一二三四五六日天])"
    ),
    Frequency.DAILY: lazy(r"\b(?:daily|every ?day|each day)\b|每天|每日"),
}
"""The words of each kind; those that contain words of another come first."""

_LEVEL = lazy(
    r"\b(?:level|least|importance)[ :=]?(?P<en>high|medium|low)\b"
    r"|(?:级别|重要度)[ :：]?(?P<zh>[高中低])(?:级)?|(?P<short>[高中低])(?:级别|重要度)"
)
_BRANCH = lazy(r"(?:\bbranch|分支)[ :：]?(?P<name>[A-Za-z0-9][\w./+-]{0,200})", re.ASCII)
_ZONE = lazy(r"\b(?:UTC|GMT|[A-Za-z]+(?:/[A-Za-z_+\-0-9]+)+)(?![\w/])")
_NAME = lazy(r"[\w.~+-]+(?:/[\w.~+-]+)*")
_FILLER = lazy(r"\b(?:to|in|at|from|the|repository|repo|digests?|of)\b|仓库|的|推送|摘要")


@frozen
class Read:
    """The parsed schedule; ``rest`` is the one remaining name, or empty."""

    timing: DigestTiming
    kind: Frequency | None
    rest: str


def read_timing(text: str) -> Read | None:
    """A schedule and a name in any order; ``None`` if other words are left."""
    # Raises ``UnknownZone`` for a second name, which can only be meant as a zone.
    text, branch = _take_first(_BRANCH, text)
    text, level = _take_first(_LEVEL, text.lower() if not branch and text.isupper() else text)
    text, kinds = _cut_kinds(text)
    text, days = _take_first(_DAYS, text)
    text, clock = _take_first(_TIME, text)
    text, zone = _cut_zone(text)
    names = _FILLER.sub(" ", text).replace(",", " ").split()
    if len(names) == 2 and zone is None and "/" in names[1]:
        raise UnknownZone(names[1])
    if len(names) > 1 or (names and not _NAME.fullmatch(names[0])) or len(kinds) > 1:
        return None
    groups = (g for g in level.groups() if g) if level else iter(())
    timing = DigestTiming(
        at=_clock(clock) if clock else None,
        weekdays=_weekdays(days) if days else None,
        zone=zone,
        least=LEVELS.get(next(groups, "")),
        branch=branch["name"] if branch else "",
    )
    kind = kinds[0] if kinds else None
    return Read(timing=timing, kind=kind, rest=names[0] if names else "")


def read_time(text: str) -> time | None:
    """A time of day alone."""
    match = _TIME.fullmatch(text.strip())
    return _clock(match) if match else None


def read_days(text: str) -> frozenset[int] | None:
    """Weekdays alone; 0 is Monday."""
    if text.strip() in {"all", "daily", "every day", "每天", "全部"}:
        return frozenset(range(7))
    match = _DAYS.fullmatch(text.strip())
    return _weekdays(match) if match else None


PauseEnd = timedelta | date | str
"""A length, a date, or the name of the next such day: ``fri``, ``tomorrow``."""

_LENGTH = lazy(
    r"(?P<count>\d{1,4}|an?|one|two|three|[一二两三四五六七八九十]) ?个?"
    r"(?:(?P<hours>hours?|小时)|(?P<days>days?|[天日])|(?:weeks?|周|星期))"
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "两": 2}
_COUNTS |= {sign: n for n, sign in enumerate("一二三四五六七八九十", 1)}
_DATE = lazy(r"\d{4}-\d\d-\d\d", re.ASCII)
_TOMORROW = "tomorrow"


def read_length(text: str) -> timedelta | None:
    """Hours, days or weeks: ``3 days``, ``a week``, ``两周``."""
    match = _LENGTH.fullmatch(text.strip().lower())
    if not match:
        return None
    count = _COUNTS.get(match["count"]) or int(match["count"])
    if match["hours"]:
        return timedelta(hours=count)
    return timedelta(days=count if match["days"] else 7 * count)


def read_pause_end(text: str) -> PauseEnd | None:
    """A day on which a pause ends: a weekday, a date or tomorrow. Raises ``InvalidDate``."""
    text = text.strip().lower()
    if text in {_TOMORROW, "明天"}:
        return _TOMORROW
    if _DATE.fullmatch(text):
        return parse_date(text)
    days = read_days(text) or frozenset()
    return WEEKDAY_NAMES[min(days)] if len(days) == 1 else None


def pause_end(until: PauseEnd, now: datetime, zone: ZoneInfo) -> datetime:
    """When a pause that begins now ends: after a length, or with a day's first instant."""
    # A weekday is the next one. Raises ``OverflowError`` beyond the calendar.
    today = now.astimezone(zone).date()
    match until:
        case timedelta():
            return now + until
        case date():
            return instant(until, time(0), zone)
        case _:
            ahead = 0 if until == _TOMORROW else WEEKDAY_NAMES.index(until) - today.weekday() - 1
            return instant(today + timedelta(days=ahead % 7 + 1), time(0), zone)


def _take_first(pattern: re.Pattern[str], text: str) -> tuple[str, re.Match[str] | None]:
    """The text without the first match, and the match."""
    match = re.compile(pattern.pattern, pattern.flags | re.IGNORECASE).search(text)
    if not match:
        return text, None
    return f"{text[: match.start()]} {text[match.end() :]}", match


def _cut_kinds(text: str) -> tuple[str, list[Frequency]]:
    """The text without the words for kinds, and the kinds."""
    kinds: list[Frequency] = []
    for kind, pattern in _KINDS.items():
        text, found = _take_first(pattern, text)
        kinds += [kind] if found else []
    return text, kinds


def _cut_zone(text: str) -> tuple[str, ZoneInfo | None]:
    """Remove the first name that is a zone: ``owner/name`` looks like one but is none."""
    for match in _ZONE.finditer(text):
        try:
            zone = zone_of(match[0])
        except UnknownZone:
            continue
        return f"{text[: match.start()]} {text[match.end() :]}", zone
    return text, None


def _clock(match: re.Match[str]) -> time | None:
    hour, point = int(match["hour"]), match["point"] or ""
    minute = 30 if point == "半" else int(match["minute"] or point.removesuffix("分") or 0)
    half = (match["half"] or match["only"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif match["part"] in {"下午", "晚上"} and hour < 12:
        hour += 12
    return time(hour, minute)


def _weekdays(match: re.Match[str]) -> frozenset[int]:
    if match["week"] or match["work"]:
        return frozenset(range(5))
    if han := match["han"]:
        signs = re.split(r"(到|至|-|、)", re.sub("周|星期", "", han))
        return _spans([_HAN_DAYS[one] for one in signs[::2]], [one != "、" for one in signs[1::2]])
    words = re.split(r"( ?- ?|, ?|,? and )", match["days"].lower())
    days = [WEEKDAY_NAMES.index(word[:3]) for word in words[::2]]
    return _spans(days, ["-" in word for word in words[1::2]])


def _spans(days: list[int], to: list[bool]) -> frozenset[int]:
    """The days, and those between days that a dash joins; a range may wrap around the week."""
    weekdays = {days[0]}
    for place, ranged in enumerate(to):
        first, last = days[place], days[place + 1]
        steps = (last - first) % 7 if ranged else 0
        weekdays.update((last - step) % 7 for step in range(steps + 1))
    return frozenset(weekdays)
