"""Periods in words, English and Chinese, and the windows they stand for.

The rules, all in the asker's zone, with weeks from Monday (ISO 8601) and days from midnight:

- *today*, *yesterday*, a date, a weekday (its latest): that calendar day.
- *this week / month / year*: from its first midnight until now; *last ...*: the whole one before.
- *last N days* (*past*, *recent*): today and the N-1 days before it; *past week* is 7 days,
  *past month* 30, weeks and months count 7 and 30 days each, *a few* is 3, *half a month* 15.
- *last N hours*: exactly so many hours until now.
- *the weekend*: the latest Saturday and Sunday that have begun; *last weekend*: over already.
- *in January*: the latest January that has begun; *2026-01*: that month.
- *since X*: from the begin of X until now.
- *until X*: the 7 days that end with X, which is part of it; *before X*: the 7 days before it.
- *A..B*, *from A to B*, *between A and B*: both days included; with times, half open.
- Nothing named: the last 7 days.

A period that has not ended is cut off at now. Imports ``stretches``, ``days`` and ``window``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from digest import stretches as read
from digest.days import DAY, MONTH, NUMERAL, SPELT
from digest.stretches import Now, Reader
from digest.window import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A period that was read: its window, and the text without the words that named it."""

    window: Window
    rest: str


_TO = r"(?: ?(?:\.\.\.?|~|～|—|–|到|至) ?| (?:to|until|till|through|thru|and|-) )"
_TIME = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_TIMED = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_TIME}"
_ON = r"(?:\b(?:on|in|for|of|from|at|during|over|within|dated) )?(?:\bthe )?"
_SINCE = r"(?:\b(?:ever )?since |\bstarting |\bsince the |\bafter |(?:自从?|从) ?)"
_SO_FAR = r" ?(?:以来|起|开始|之后|以后|至今|到现在|到今天)"
_ZH_UNIT = r"(?:个?(?:周(?!末)|星期|礼拜|月|季度))"
_ZH_LONG = r"(?:个?(?:小时|钟头|星期|礼拜|周|月)|天|日|年)"
_RECENT = r"(?:在)?(?:最近|过去|近|前|这)的? ?"
_UNITS = r"hours?|days?|weeks?|months?|years?|fortnight"
_MONTH_ALONE = rf"(?<![0-9一二两三四五六七八九十个])({NUMERAL}) ?月(?![0-9一二三四五六七八九十])"
_SHORT_DAY = rf"({NUMERAL}) ?[日号]"
_OF = r"(?: ?的| ?[内里中](?!核|存))?"

_FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), reader)
    for pattern, reader in (
        (rf"(?:\b(?:from|between) )?(?<![0-9-])({_TIMED})\.\.({_TIMED})(?![0-9:-])", read.moments),
        (
            rf"(?:\b(?:from|between|since) |从 ?)?({DAY}){_TO}({DAY}){_OF}(?:之间|期间)?",
            read.range_,
        ),
        (
            rf"(?:从 ?)?((?:[0-9]{{4}} ?年 ?)?{NUMERAL} ?月 ?){_SHORT_DAY}{_TO}{_SHORT_DAY}{_OF}",
            read.range_in_month,
        ),
        (rf"{_SINCE}({_TIMED})(?![0-9:-])", read.since_moment),
        (rf"{_SINCE}({DAY})(?:{_SO_FAR})?", read.since_day),
        (rf"({DAY}){_SO_FAR}", read.since_day),
        (rf"{_SINCE}(this|last|previous) (week|month|quarter|year)\b", read.since_unit),
        (rf"(?:自从?|从)?(上上?|本|这)({_ZH_UNIT}){_SO_FAR}", read.since_chinese_unit),
        (rf"{_SINCE}({MONTH})(?: ([0-9]{{4}})\b)?", read.since_month),
        (
            rf"(?:自从?|从)?(?:([0-9]{{4}}) ?年 ?)?({NUMERAL}) ?月份?{_SO_FAR}",
            read.since_chinese_month,
        ),
        (rf"\b(?:until|till|up to|through) ({DAY})", read.until_day),
        (rf"(?:截至|截止到?|直到) ?({DAY})(?: ?为止)?{_OF}", read.until_day),
        (rf"({DAY}) ?为止{_OF}", read.until_day),
        (rf"\b(?:before|prior to) ({DAY})", read.before_day),
        (rf"(?:在)?({DAY}) ?(?:之前|以前|前){_OF}", read.before_day),
        (rf"{_ON}({DAY})(?:'s\b)?{_OF}", read.one_day),
        (rf"{_ON}(this|current|last|previous) (week|month|quarter|year)(?:'s)?\b", read.whole_unit),
        (rf"{_ON}(?:(last|previous|past|this|the) )?weekend(?:'s)?\b", read.weekend),
        (rf"(?:在)?(上个?|这个?|本)?周末{_OF}", read.weekend),
        (rf"(?:在)?(上上?|本|这|这一)({_ZH_UNIT}){_OF}", read.chinese_unit),
        (rf"(?:今年|去年){_OF}", read.chinese_year),
        (
            (
                rf"{_ON}(?:last|past|previous|recent) (?:({NUMERAL}|{SPELT}|few|couple of) )?"
                rf"({_UNITS})\b"
            ),
            read.rolling,
        ),
        (
            rf"{_RECENT}({NUMERAL}|几|半) ?({_ZH_LONG})(?:以?[来内里]|之内)?{_OF}",
            read.chinese_rolling,
        ),
        (rf"\b(?:in|during|for|of|over|from) ({MONTH})(?:,? ([0-9]{{4}})\b)?", read.month),
        (rf"\b({MONTH}),? ([0-9]{{4}})\b", read.month),
        (rf"(?:在)?(?:([0-9]{{4}}) ?年 ?)?{_MONTH_ALONE}份?{_OF}", read.chinese_month),
        (rf"{_SINCE}(20[0-9]{{2}})-([0-9]{{2}})(?![0-9-])(?:{_SO_FAR})?", read.since_iso_month),
        (rf"(?<![0-9-])(20[0-9]{{2}})-([0-9]{{2}}){_SO_FAR}", read.since_iso_month),
        (rf"{_ON}(?<![0-9-])(20[0-9]{{2}})-([0-9]{{2}})(?![0-9.-]){_OF}", read.iso_month),
        (r"\b(?:in|during|for|of) q([1-4])(?:,? (20[0-9]{2})\b)?()()(?!\w)", read.quarter),
        (r"()()(?:(20[0-9]{2}) ?年 ?)?第?([一二三四1-4]) ?季度(?: ?的)?", read.quarter),
        (r"\b(?:in|during|for|of) (20[0-9]{2})\b(?!-)", read.year),
        (r"(20[0-9]{2}) ?年(?! ?[0-9一二三四五六七八九十])", read.year),
        (r"\btomorrow\b|\b(?:next|coming) (?:day|week|month|year)\b", read.coming),
        (r"明天|明日|后天|下个?(?:周|星期|礼拜|月)|明年", read.coming),
        (rf"\b(?:recently|lately|these days)\b|(?:最近|近期|近来){_OF}", read.recent),
    )
)


def default_period(now: datetime, zone: ZoneInfo) -> Window:
    """The window of a question that names no period: ``DEFAULT_DAYS`` calendar days until now."""
    return read.default(Now(now.replace(microsecond=0), zone))


def find_period(text: str, now: datetime, zone: ZoneInfo) -> Found | None:
    """The period that a text names, the longest wording first; ``None`` where it names none.

    ``text`` has single spaces. Raises ``InvalidDate``, ``InvalidWindow`` (its end before its
    begin, or too long) and ``FutureWindow``.
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
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    return Found(window=window, rest=" ".join(rest.split()))


def written(window: Window) -> str:
    """A window as :func:`find_period` reads it back, whatever zone that is given."""
    since, until = (m.astimezone(UTC) for m in (window.since, window.until))
    return f"{since:%Y-%m-%dT%H:%M:%SZ}..{until:%Y-%m-%dT%H:%M:%SZ}"
