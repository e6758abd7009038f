"""The calendar of changes, and the form that starts the reading of what was not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from http import HTTPStatus
from itertools import groupby
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.store.browsing import Extent
from bot.util.page_links import path_of, week_name
from bot.web.pages.charts import Bar, BarChart, Share, pulse, shares
from bot.web.pages.page_request import PageRequest
from bot.web.pages.page_text import PHRASES, month_words, period_words
from bot.web.pages.response import headers_of
from bot.web.pages.session import Sessions, form_of
from bot.web.pages.site import Json, NotThere, Page, SiteRepository, with_heading
from digest.core.grade import Level
from digest.document import Link, Table, Text
from digest.errors import UserError
from digest.frozen import frozen
from digest.i18n.statement_text import LEVELS, SEPARATOR
from digest.question.commit_range import Span, refs_named
from digest.report.report_json import SCHEMA
from digest.window import Window, day_window, days_window, monday, parse_date

_PLACES = 10
_MONTHS = 6  # months of a page
Step = tuple[str, str]  # the path of a neighbouring page, and its title


async def extent_of(asked: PageRequest, shown: SiteRepository) -> Extent | None:
    """The archived extent of a repository, counted once per version of it."""
    key = ("extent", shown.repository.name, await asked.version(shown.repository))
    return await asked.site.memo.of(key, lambda: asked.site.browsing.extent(shown.repository))


async def places_of(asked: PageRequest, window: Window) -> list[tuple[str, str, Share]]:
    """The folders with the most changes in a window, most first, each with its page."""
    repository = asked.shown().repository
    key = ("places", repository.name, await asked.version(repository), window)
    find = asked.site.browsing.places
    found = await asked.site.memo.of(key, lambda: find(repository, window, _PLACES))
    search = path_of(repository.name, rest="search")
    return [(one.name, f"{search}?path={quote(one.name)}", one) for one in shares(found)]


async def days_of(asked: PageRequest, shown: SiteRepository, first: date, last: date) -> BarChart:
    """The changes of each day, both ends included, and which days were not read."""
    zone, browsing = asked.site.zone, asked.site.browsing
    days = [first + timedelta(days=n) for n in range((last - first).days + 2)]

    async def draw() -> BarChart:
        edges = [day_window(day, zone).since for day in days]
        unread = [day for day in days if await asked.gaps(shown, day_window(day, zone))]
        return pulse(await browsing.pulse(shown.repository, edges), first, unread)

    version = await asked.version(shown.repository)
    return await asked.site.memo.of(("pulse", shown.repository.name, version, first, last), draw)


def last_day(asked: PageRequest, extent: Extent | None, idle: int) -> date:
    """Today, or the day of the last change if nobody fetched the clone for ``idle`` days."""
    zone = asked.site.zone
    today = asked.site.clock.now().astimezone(zone).date()
    newest = extent.last.astimezone(zone).date() if extent else today
    return today if newest <= today < newest + timedelta(days=idle) else newest


@frozen
class Month:
    """The weeks of a month, each with its page and a bar for each day from Monday on."""

    title: str
    weeks: tuple[tuple[Step, tuple[Bar | None, ...]], ...]


def months_of(drawn: BarChart, asked: PageRequest) -> Iterator[Month]:
    """The months of the days, newest first."""
    name = asked.shown().repository.name
    bars = reversed(drawn.bars)
    for (year, month), days in groupby(bars, key=lambda bar: (bar.day.year, bar.day.month)):
        of = {bar.day: bar for bar in days}
        mondays = sorted({monday(day) for day in of})
        weeks = tuple(
            (
                (path_of(name, week=first), week_name(first)[5:]),
                tuple(of.get(first + timedelta(days=n)) for n in range(7)),
            )
            for first in mondays
        )
        yield Month(title=month_words(date(year, month, 1), asked.language), weeks=weeks)


async def calendar_page(asked: PageRequest) -> Page:
    """The calendar, some months to a page, newest first. Raises ``NotThere``."""
    shown, language = asked.shown(), asked.language
    extent = await extent_of(asked, shown)
    if extent is None:
        raise NotThere
    last = last_day(asked, extent, 30)
    begun = extent.first.astimezone(asked.site.zone).date()
    count = (last.year - begun.year) * 12 + last.month - begun.month + 1
    pages = -(-count // _MONTHS)
    page = min(asked.page, pages)
    end = _months_before(last, _MONTHS * (page - 1) - 1) - timedelta(days=1)
    first = _months_before(last, _MONTHS * page - 1)
    drawn = await days_of(asked, shown, max(first, begun.replace(day=1)), min(end, last))
    title = PHRASES["calendar"].template(language)
    return Page(
        template="calendar.html",
        title=f"{title} · {shown.repository.name}",
        values={
            "shown": shown,
            "heading": title,
            "months": list(months_of(drawn, asked)),
            "page": page,
            "pages": pages,
        },
        document=lambda: with_heading(title, language, day_table(drawn, asked)),
        json=lambda: {
            "schema": SCHEMA,
            "repository": shown.repository.name,
            "days": [day_to_json(bar) for bar in drawn.bars],
            "page": page,
            "pages": pages,
        },
    )


def _months_before(day: date, months: int) -> date:
    at = day.year * 12 + day.month - 1 - months
    return date(at // 12, at % 12 + 1, 1)


def day_table(drawn: BarChart, asked: PageRequest) -> Table:
    """The days with changes, newest first, as a table of a document."""
    name, head = asked.shown().repository.name, (PHRASES["day"], *LEVELS.values())
    return Table(
        header=tuple((Text(phrase.template(asked.language)),) for phrase in head),
        rows=tuple(
            (
                (Link(bar.day.isoformat(), path_of(name, day=bar.day)),),
                *((Text(str(count)),) for count in bar.counts),
            )
            for bar in reversed(drawn.bars)
            if bar.total
        ),
    )


def day_to_json(bar: Bar) -> Json:
    """The counts of a day, and whether it was read."""
    counts = {str(level): n for level, n in zip(Level, bar.counts, strict=True)}
    return {"day": bar.day.isoformat(), **counts, "read": bar.read}


_NAMED = 3  # gaps that are listed; a page with more only says that there are some


class Unread:
    """The gaps of a window as its page shows them."""

    def __init__(self, asked: PageRequest, window: Window, gaps: Sequence[Window]) -> None:
        self._asked, self._window, self._gaps = asked, window, gaps
        last = (window.until - timedelta(microseconds=1)).astimezone(window.zone).date()
        self.span = f"{window.since.astimezone(window.zone).date()}...{last}"

    @property
    def words(self) -> str:
        """The unread parts; empty if everything that has passed was read."""
        site, language = self._asked.site, self._asked.language
        if not self._gaps:
            return ""
        past = min(self._window.until, site.clock.now())
        if (self._gaps[0].since, self._gaps[0].until) == (self._window.since, past):
            return PHRASES["unread_all"].template(language)
        named = SEPARATOR.template(language).join(
            period_words(one, site.zone) for one in self._gaps[:_NAMED]
        )
        more = "" if len(self._gaps) <= _NAMED else " …"
        return PHRASES["unread_parts"].text(language, spans=named + more)

    @property
    def quiet(self) -> str:
        """The text shown in place of changes; empty if nothing can be said."""
        now, language = self._asked.site.clock.now(), self._asked.language
        if self._gaps:
            return ""
        if self._window.since >= now:
            return PHRASES["not_begun"].template(language)
        name = "quiet" if self._window.until <= now else "quiet_so_far"
        return PHRASES[name].template(language)


async def searched_periods(asked: PageRequest) -> str:
    """The periods that a search looks through, in words; empty if nothing was read."""
    zone, language = asked.site.zone, asked.language
    periods = await asked.covered(asked.shown())
    named = [period_words(replace(one, zone=zone), zone) for one in periods[-_NAMED:]]
    more = "… " if len(periods) > _NAMED else ""
    return more + SEPARATOR.template(language).join(named)


async def begin(asked: PageRequest, request: Request, sessions: Sessions) -> Response:
    """Start reading the span that a form names, and redirect to its page. Raises ``NotThere``."""
    shown, histories = asked.shown(), asked.site.histories
    form = await form_of(request)
    if not (asked.may_read and sessions.from_here(request)):
        raise NotThere
    span, path = _span(form.get("span", ""), asked)
    histories.read(shown, span)
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, headers_of(kept=False))


def _span(text: str, asked: PageRequest) -> tuple[Span, str]:
    """The span of a form, and the page that shows it. Raises ``NotThere``."""
    refs = refs_named(text)
    if refs is None:
        raise NotThere
    name = asked.shown().repository.name
    try:
        first, last = parse_date(refs.base), parse_date(refs.tip)
        window = days_window(first, last, asked.site.zone)
    except UserError:
        return refs, path_of(name, compare=(refs.base, refs.tip))
    path = path_of(name, day=first) if first == last else path_of(name, week=first)
    return window, path
