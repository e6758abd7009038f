"""Periods in words, English and Chinese, and the windows they stand for.

A period is one or two points (a day, a week, a month, a part of one) in a frame (*since*, *until*,
*from A to B*), or a length until now. The rules, all in the asker's zone, with weeks from Monday
(ISO 8601) and days from midnight:

- *today*, *yesterday*, a date, a weekday (its latest): that calendar day.
- *this week / month / year*: from its first midnight until now; *last ...*: the whole one before.
- *last N days* (*past*, *recent*): today and the N-1 days before it; a week counts 7 days, *a few*
  is 3, *half a month* 15. *Past month* begins a calendar month ago: on 22 August, with 23 July;
  *last month* is July.
- *N days ago*: that day; *since N days ago* and *N weeks ago* are until now.
- *last N hours*: exactly that many hours until now.
- *the weekend*: the latest Saturday and Sunday that have begun; *last weekend*: already over.
- *in January*: the latest January that has begun; *2026-01*: that month.
- *since X*: from the start of X until now; *after X*: from its end.
- *until X*: the 7 days that end with X, X included; *before X*: the 7 days before it.
- *A..B*, *from A to B*, *between A and B*: both included; with times, half open.
- No period: the last 7 days.

A period that has not ended is cut off at now. Reading one raises ``InvalidDate``, ``InvalidWindow``
and ``FutureWindow``.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from digest.core.patterns import lazy
from digest.errors import FutureWindow, InvalidWindow
from digest.frozen import frozen
from digest.question.dates import (
    FRAMED,
    NUMERAL,
    POINT,
    SPELT,
    WORD_START,
    day_within,
    days_at,
    number,
    within_month,
)
from digest.question.lexicon import says
from digest.window import Window, day_window, days_window, instant, parse_moment

DEFAULT_DAYS = 7  # the period of a question without one: today and the six days before
LONGEST_DAYS = 3660  # maximum reach of "last N days": about ten years
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}

_UNITS = {
    "h": "hour", "hr": "hour", "d": "day", "w": "week", "wk": "week", "小时": "hour",
    "钟头": "hour", "天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week",
    "月": "month", "年": "year",
}  # fmt: skip

_VAGUE = {"few": 3, "several": 3, "couple": 2, "a": 1, "an": 1, "": 1, "几": 3}


@frozen(kw_only=False)
class Now:
    """The asker's time and zone."""

    at: datetime
    zone: ZoneInfo

    @property
    def today(self) -> date:
        """The asker's day."""
        return self.at.astimezone(self.zone).date()

    @property
    def usual(self) -> Window:
        """The period of a question that names none."""
        return self.since(self.today - timedelta(days=DEFAULT_DAYS - 1))

    def hours(self, count: int) -> Window:
        """The given number of hours until now."""
        return self.between(self.at - timedelta(hours=count), self.at)

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


@frozen
class FoundPeriod:
    """The window of a period that was read, and the position of its words."""

    window: Window
    at: tuple[int, int]


_Form = tuple[int, int, Callable[[], Window]]
"""A form of words for a period: where they begin and end, and their reader."""

# --- Frames around points -------------------------------------------------------------------------

_SINCE = r"(?:\b(?:(?:ever )?since|as of|starting(?: from| on| in)?) |(?:自从?|从) ?)(?:\bthe )?"

_FRAME_BEFORE = lazy(
    rf"{WORD_START}(?:(?P<since>{_SINCE})|(?P<after>\bafter (?:the )?)"
    r"|(?P<until>\b(?:until|till|up to|through) |(?:截至|截止到?|直到) ?)"
    r"|(?P<before>\b(?:before|prior to) )"
    r"|(?P<range>\b(?:from|between) (?:the )?|在)"
    r"|(?P<on>\b(?:on|in|for|of|at|during|over|within|dated) (?:the )?|\bthe ))",
    re.IGNORECASE,
)

_OVER_LAST = lazy(
    r"(?:(?:in|over|within|during) the (?:last|previous)|for the last) ", re.IGNORECASE
)
"""*In the last month* counts back from now; *last month* is the whole month before."""

_UNITS_OF_TIME = frozenset({"unit", "unit_zh", "weekend", "weekend_zh"})
_LONGEST_FRAME = 20
_OF = r"(?: ?的| ?[内里中](?!核|存)|'s\b|(?<=s)'(?= ))?"

_FRAME_AFTER = lazy(
    r"(?P<now> ?(?:-|to|and|until|till|through|到|至) ?(?:now|today|the present|现在|今天)\b)"
    r"|(?P<since> ?(?:以来|起|开始|之后|以后|至今|到现在|到今天|拉取?的)| onwards?\b)"
    r"|(?P<onward> on(?![ \w]))"
    r"|(?P<until> ?为止)|(?P<before> ?(?:之前|以前|前(?!\w)))",
    re.IGNORECASE,
)

_TAIL = lazy(_OF)

_TO = lazy(
    r" ?(?:\.\.\.?|~|～|—|–|到|至|-) ?| (?:to|until|till|through|thru|and|or) (?:the (?!\d))?"
    r"| ?[和与] ?(?=.{1,12}(?:之间|期间))|(?<=[天周月]) ?(?:[和与跟]|或者?) ?"
    r"(?=[昨今]天|[这本](?:周|星期|个?月))",
    re.IGNORECASE,
)

_BETWEEN = lazy(r" ?的?(?:之间|期间)")


def _framed(text: str, now: Now) -> Iterator[_Form]:
    """The periods built from points."""
    points = list(POINT.finditer(text))
    for place, point in enumerate(points):
        before = _before(text, point.start())
        frame = (before.lastgroup if before else "") or ""
        if frame == "until" and point.lastgroup in _UNITS_OF_TIME:
            before, frame = None, ""  # "been up to this week"
        begin = before.start() if before else point.start()
        after = points[place + 1] if place + 1 < len(points) else None
        if (end := _range_end(text, point, after)) is not None:
            begin = point.start() if frame in {"until", "before"} else begin
            yield begin, end, partial(_range, text, point, after, now)
            continue
        if point.lastgroup == "unit" and _OVER_LAST.match(text, begin):
            continue
        tail = _FRAME_AFTER.match(text, point.end())
        if tail and tail.lastgroup == "onward" and frame != "range":
            tail = None
        frame = (tail.lastgroup if tail else "") or frame
        if not frame and point.lastgroup in FRAMED:
            continue
        end = tail.end() if tail else point.end()
        not_yet = frame == "before" and _NOT_YET.search(text, 0, begin)
        if not_yet or (frame in {"range", "on", ""} and _HELD.search(text, 0, point.start())):
            frame = "since"
        yield begin, _tail(text, end), partial(_window, frame, point, now)


# What someone has had since a day: "we pulled main on 1 August", "that we couldn't before May".
_HELD = lazy(
    r"\b(?:(?:(?:we|our|i|my)\b[^.?!]{0,40}|last )\b(?:pulled|synced|rebased|forked|built)"
    r"|(?:build|image|checkout|fork|snapshot|copy)\b[^.?!]{0,20}\b(?:is|was|are|dates?))"
    r"(?: \w+){0,4} ?$|\b(?:upgrad|updat)\w+(?: \w+){0,2} from $",
    re.IGNORECASE,
)
_NOT_YET = lazy(r"(?:n't|\bnot)(?: \w+){0,2} ?$", re.IGNORECASE)


def _before(text: str, end: int) -> re.Match[str] | None:
    """The words of a frame that end where a point begins."""
    for match in _FRAME_BEFORE.finditer(text, max(0, end - _LONGEST_FRAME), end):
        if match.end() == end:
            return match
    return None


def _tail(text: str, end: int) -> int:
    """The end of a period, including a possessive or *的*."""
    match = _TAIL.match(text, end)
    return match.end() if match else end


def _range_end(text: str, first: re.Match[str], after: re.Match[str] | None) -> int | None:
    """Where a range that begins with a point ends; ``None`` if none does."""
    if (short := within_month(text, first)) is not None:
        return short.end()
    joint = _TO.match(text, first.end()) if after else None
    if after is None or joint is None or joint.end() != after.start():
        return None
    if joint[0].strip().lower() in {"and", "和", "与"} and says(text, "compares"):
        return None
    closing = _BETWEEN.match(text, after.end())
    return _tail(text, closing.end() if closing else after.end())


def _range(text: str, first: re.Match[str], after: re.Match[str] | None, now: Now) -> Window:
    """From a point to the next one, or to another day of its month."""
    one = days_at(first, now.today)
    if (short := within_month(text, first)) is not None:
        return now.days(one.first, day_within(one.first, short))
    assert after is not None
    last = days_at(after, now.today).last
    begin = one.first
    if begin > last and not any(sign.isdecimal() for sign in first[0]):
        begin -= timedelta(days=7)  # "Friday to Monday": the Friday before that Monday
    return now.days(begin, last)


def _window(frame: str, point: re.Match[str], now: Now) -> Window:
    days, usual = days_at(point, now.today), timedelta(days=DEFAULT_DAYS - 1)
    if frame == "after" and days.last < now.today:
        return now.since(days.last + timedelta(days=1))
    if frame in {"since", "after", "now", "onward"}:
        return now.since(days.first)
    if frame == "until":
        return now.days(days.last - usual, days.last)
    if frame == "before":
        last = days.first - timedelta(days=1)
        return now.days(last - usual, last)
    return now.days(days.first, days.last)


# --- Lengths until now ----------------------------------------------------------------------------

_ROLLING = lazy(
    WORD_START
    + r"(?P<in>\b(?:in|for|of|over|within|since|during|from|at|on)(?: about)? )?(?:\bthe )?"
    r"(?:\b(?P<last>last|past|previous|recent|these) )?"
    rf"(?:\b(?P<n>{NUMERAL}|{SPELT}|(?:a )?few|several|(?:a )?couple(?: of)?|an?|half an?) ?)?"
    r"(?<![a-z])(?P<unit>hours?|hrs?|days?|weeks?|wks?|months?|years?|fortnights?|[hdw](?=\b))\b"
    r"(?P<ago> ago| back)?(?:'s?(?= |$))?",
    re.IGNORECASE,
)

_ROLLING_ZH = lazy(
    rf"(?P<last>在?(?:最近|过去|近|前|这)的? ?)?(?P<n>{NUMERAL}|几|半) ?"
    r"(?P<unit>个?(?:小时|钟头|星期|礼拜|周(?!末)|月(?!\w*[日号份]))|天|日|年)"
    r"(?P<ago>以[来内前]|之[内前]|[来内里](?!核|存)|前(?![端缀置向]))?"
    r"(?:到现在|到今天|至今)?(?: ?的)?"
)

_ABSENT = ("gone", "away", "off", "out", "holiday", "vacation", "leave", "pto", "sick")
_BARE_ZH = ("天", "周", "个月", "个星期", "个小时")


def _rolling(text: str, now: Now) -> Iterator[_Form]:
    """The periods given as a length until now."""
    for match in _ROLLING.finditer(text):
        count = (match["n"] or "").lower()
        vague = count in {"", "a", "an"}
        if not count and (match["last"] or "").lower() == "these":
            continue  # "these days" are the last few
        gone = text[: match.start()].rstrip().lower().endswith(_ABSENT)
        if vague and not match["last"] and not (count and (match["in"] or match["ago"] or gone)):
            continue
        if count and count[0].isdecimal() and text[: match.start("n")].endswith(("-", ".", "/")):
            continue
        yield *match.span(), partial(_back, count, match["unit"], now, match[0])
    for match in _ROLLING_ZH.finditer(text):
        if not (match["last"] or match["ago"]) and (
            match["unit"] not in _BARE_ZH or match["n"] in "几半"
        ):
            continue
        yield *match.span(), partial(_back, match["n"], match["unit"], now, match[0])


_THAT_DAY = lazy(r"(?!since|from|over).* ago|.*天(?:之|以)?前", re.IGNORECASE)
"""*Three days ago* is one day, *since three days ago* is all of them."""


def _back(count: str, unit: str, now: Now, written: str) -> Window:
    """A number of units until now."""
    count = count.removeprefix("a ").removesuffix(" of")
    half = count.startswith(("half", "半"))
    unit = unit.lower().removeprefix("个")
    unit = unit.removesuffix("s") if len(unit) > 1 else unit
    unit = _UNITS.get(unit, unit)
    amount = 1 if half else _VAGUE.get(count) or number(count)
    days = amount / 24 if unit == "hour" else amount * _UNIT_DAYS[unit] // (2 if half else 1)
    if not 0 < days <= LONGEST_DAYS:
        raise InvalidWindow(
            f"{written.strip()!r} is not a period that can be searched; choose one of at most "
            f"{LONGEST_DAYS} days, or dates such as 2026-01-20..2026-01-23"
        )
    if unit == "hour":
        return now.hours(amount)
    if unit == "day" and _THAT_DAY.fullmatch(written):
        day = now.today - timedelta(days=int(days))
        return now.days(day, day)
    if unit in _MONTHS and not half:
        begin = _months_on(now.today, -amount * _MONTHS[unit])
        last = monthrange(begin.year, begin.month)[1]
        return now.since(begin.replace(day=min(now.today.day, last)) + timedelta(days=1))
    return now.since(now.today - timedelta(days=int(days) - 1))


_MONTHS = {"month": 1, "year": 12}

# --- Other forms ----------------------------------------------------------------------------------

_TIMED = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
)

_OTHER = lazy(
    WORD_START + r"(?:(?P<moments>(?:\b(?:from|between) )?(?<![0-9-])"
    rf"(?P<a>{_TIMED})\.\.(?P<b>{_TIMED})(?![0-9:-]))"
    rf"|(?P<moment>{_SINCE}(?P<c>{_TIMED})(?![0-9:-]))"
    r"|(?P<night>\bovernight\b|\blast night\b)"
    r"|(?P<today>\b(?:tonight|this (?:morning|afternoon|evening))\b)"
    r"|(?P<coming>\btomorrow\b|\b(?:next|coming) (?:day|week|month|year)\b"
    r"|明天|明日|后天|下个?(?:周|星期|礼拜|月)|明年)"
    r"|(?P<recent>\b(?:recently|lately|these days|of late)\b|(?:最近|近期|近来|近日)(?: ?的)?))",
    re.IGNORECASE,
)


def _others(text: str, now: Now) -> Iterator[_Form]:
    """The other periods: moments, vague words, and future ones."""
    recent = False
    for match in _OTHER.finditer(text):
        if match.lastgroup == "recent" and recent:
            continue  # said twice, it is one period
        recent = recent or match.lastgroup == "recent"
        yield *match.span(), partial(_other, match, now)


def _other(match: re.Match[str], now: Now) -> Window:
    midnight = instant(now.today, time(0, 0), now.zone)
    match match.lastgroup:
        case "moments":
            since, until = (parse_moment(match[end], now.zone) for end in ("a", "b"))
            return now.between(since, until)
        case "moment":
            return now.between(parse_moment(match["c"], now.zone), now.at)
        case "night":
            return now.between(midnight - timedelta(hours=6), now.at)
        case "today":
            return now.between(midnight, now.at)
        case "coming":
            tomorrow = instant(now.today + timedelta(days=1), time(0, 0), now.zone)
            return now.between(tomorrow, tomorrow)
        case _:
            return now.usual


def beside(window: Window, unit: str, now: Now, *, later: bool) -> Window:
    """The adjacent ``day``, ``week``, ``month``, ``year``, or ``period`` of the same length.

    If a window is or begins a calendar week or month, the adjacent one is a calendar week or month
    too. Raises
    ``FutureWindow`` if it has not begun.
    """
    first = window.since.astimezone(window.zone).date()
    last = (window.until - timedelta(microseconds=1)).astimezone(window.zone).date()
    days = (last - first).days + 1
    if unit == "period" and first.day == 1 and 7 < days <= 31:
        unit = "month"
    elif unit == "period" and first.weekday() == 0 and 1 < days <= 7:
        unit = "week"
    if unit in {"month", "year"}:
        months = _MONTHS[unit]
        begin = _months_on(first, months if later else -months)
        end = _months_on(begin, months) - timedelta(days=1)
    else:
        length = timedelta(days={"day": 1, "week": 7}.get(unit, days))
        begin = max(first + length, last + timedelta(days=1)) if later else first - length
        end = begin + length - timedelta(days=1)
    now.between(day_window(begin, now.zone).since, now.at)
    return now.days(begin, end)


def _months_on(day: date, months: int) -> date:
    """The first day of the month that is the given number of months from a day's month."""
    years, month = divmod(day.month - 1 + months, 12)
    return date(day.year + years, month + 1, 1)


def default_period(now: datetime, zone: ZoneInfo) -> Window:
    """The window of a question without a period: ``DEFAULT_DAYS`` calendar days until now."""
    return Now(now.replace(microsecond=0), zone).usual


def began_today(text: str, span: object, now: Now) -> bool:
    """Whether a text names a period, such as this week, of which only today is over."""
    if not isinstance(span, Window) or not says(text, "this_period"):
        return False
    return span.until == now.at and span.since >= now.at - timedelta(days=1)


def find_periods(text: str, now: Now) -> Iterator[FoundPeriod]:
    """The periods that a text names side by side, the longest wording first.

    ``text`` has single spaces. Raises ``InvalidDate``, ``InvalidWindow`` (its end before its start,
    or too long) and ``FutureWindow``.
    """
    found = [one for rule in (_framed, _rolling, _others) for one in rule(text, now)]
    taken: list[tuple[int, int]] = []
    for begin, end, reader in sorted(found, key=lambda one: one[0] - one[1]):
        if any(begin < other_end and other < end for other, other_end in taken):
            continue
        taken.append((begin, end))
        window = reader()
        if window.since > now.at:
            now.between(window.since, window.until)
        yield FoundPeriod(window=window, at=(begin, end))


def format_window(window: Window) -> str:
    """A window in a form that :func:`find_periods` reads back in any zone."""
    since, until = (m.astimezone(UTC) for m in (window.since, window.until))
    return f"{since:%Y-%m-%dT%H:%M:%SZ}..{until:%Y-%m-%dT%H:%M:%SZ}"
