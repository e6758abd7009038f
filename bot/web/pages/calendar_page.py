"""What each day held: counts of days and folders, and the calendar of a repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from urllib.parse import quote

from bot.store.browsing import Extent
from bot.util.page_links import path_of, week_name
from bot.web.pages.charts import Bar, BarChart, Share, pulse, shares
from bot.web.pages.page_request import PageRequest
from bot.web.pages.page_text import PHRASES, month_words
from bot.web.pages.site import Json, NotThere, Page, SiteRepository, with_heading
from digest.core.grade import Level
from digest.document import Link, Table, Text
from digest.i18n.labels import LEVELS
from digest.question.dates import monday
from digest.report.report_json import SCHEMA
from digest.window import Window, day_window

_PLACES = 10
_MONTHS = 6  # months of a page
Step = tuple[str, str]  # the path of a neighbouring page, and its title


async def extent_of(asked: PageRequest, shown: SiteRepository) -> Extent | None:
    """The archived extent of a repository, counted once per version of it."""
    key = ("extent", shown.repository.name, await asked.version(shown.repository))
    return await asked.shelf.memo.of(key, lambda: asked.shelf.browsing.extent(shown.repository))


async def places_of(asked: PageRequest, window: Window) -> list[tuple[str, str, Share]]:
    """The folders with the most changes in a window, most first, each with its page."""
    repository = asked.shown().repository
    key = ("places", repository.name, await asked.version(repository), window)
    find = asked.shelf.browsing.places
    found = await asked.shelf.memo.of(key, lambda: find(repository, window, _PLACES))
    search = path_of(repository.name, rest="search")
    return [(one.name, f"{search}?path={quote(one.name)}", one) for one in shares(found)]


async def days_of(asked: PageRequest, shown: SiteRepository, first: date, last: date) -> BarChart:
    """The changes of each day, both ends included, and which days were not read."""
    zone, browsing = asked.shelf.zone, asked.shelf.browsing
    days = [first + timedelta(days=n) for n in range((last - first).days + 2)]

    async def draw() -> BarChart:
        edges = [day_window(day, zone).since for day in days]
        unread = [day for day in days if await asked.gaps(shown, day_window(day, zone))]
        return pulse(await browsing.pulse(shown.repository, edges), first, unread)

    version = await asked.version(shown.repository)
    return await asked.shelf.memo.of(("pulse", shown.repository.name, version, first, last), draw)


def last_day(asked: PageRequest, extent: Extent | None, idle: int) -> date:
    """Today, or the day of the last change if nobody fetched the clone for ``idle`` days."""
    zone = asked.shelf.zone
    today = asked.shelf.clock.now().astimezone(zone).date()
    newest = extent.last.astimezone(zone).date() if extent else today
    return today if newest <= today < newest + timedelta(days=idle) else newest


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """What each day held, some months a page, the newest first. Raises ``NotThere``."""
    shown, language = asked.shown(), asked.language
    extent = await extent_of(asked, shown)
    if extent is None:
        raise NotThere
    last = last_day(asked, extent, 30)
    begun = extent.first.astimezone(asked.shelf.zone).date()
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
