"""The start page, the page of a repository, and a digest exactly as it was posted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import chain, islice

from bot.delivery.payload import thaw
from bot.store.browsing import ChangeLine, Extent
from bot.store.digests import DigestHeading, KeptDigest
from bot.util.page_links import digest_path, path_of, within
from bot.web.pages import calendar_page
from bot.web.pages.charts import BarChart
from bot.web.pages.compare_page import Release, releases_of
from bot.web.pages.entries import Told, lead_of, line_of, line_to_json, load_changes, told_of
from bot.web.pages.page_request import Form, PageRequest
from bot.web.pages.page_text import PHRASES, day_words, days_words, period_words, seven_days
from bot.web.pages.rows import Row, WrittenRows, rows_of, weight
from bot.web.pages.site import Json, NotThere, Page, SiteRepository, with_heading
from digest.answer.answers import window_words
from digest.answer.buttons import without_buttons
from digest.core.enums import Frequency
from digest.core.grade import Level
from digest.document import Document, Heading, Item, Link, Listing, Paragraph, Spans, Text
from digest.frozen import frozen
from digest.markdown import markdown
from digest.report.report_json import SCHEMA, window_to_json
from digest.window import day_window, days_window, span_of
from handlers.ports.storage import State


async def digest_page(asked: PageRequest) -> Page:
    """A digest as it was posted. Raises ``NotThere``, also if its repository is not visible."""
    kept = await asked.site.digests.marked(asked.part("digest"))
    if kept is None:
        raise NotThere
    # The parts common to all pages of a repository are built from the name in the path.
    asked.request.path_params["repository"] = kept.heading.repository
    shown = asked.shown()
    frozen = thaw(kept.document)
    posted = without_buttons(frozen.document)
    heading, written = kept.heading, WrittenRows(asked)
    begun = heading.window.since.astimezone(heading.window.zone).date()
    daily = heading.kind is Frequency.DAILY

    async def read() -> None:
        shas = [outcome.sha for outcome in kept.outcomes]
        written.changes = await load_changes(asked.site, shown, shas)
        lines = [line_of(graded) for graded in written.changes]
        moved, written.told = await told_of(asked.site, shown, lines, asked.language)
        rows = await rows_of(asked, moved, written.told, ("digest", heading.mark))
        taken = 3 * len(markdown(_whole(posted, frozen.details)).encode())
        written.show(rows, taken, within(shown.repository.name))

    return Page(
        template="digest.html",
        title=f"{posted.title} · digestbot",
        values={
            "shown": shown,
            "heading": heading,
            "posted": posted,
            "details": frozen.details,
            "window": window_words(heading.window, asked.language),
            "around": path_of(
                heading.repository, day=begun if daily else None, week=None if daily else begun
            ),
            "changes": written,
        },
        document=lambda: _whole(posted, frozen.details),
        json=lambda: _json(kept, posted),
        ready=read,
    )


def _whole(posted: Document, details: Document | None) -> Document:
    blocks = posted.blocks if details is None else (*posted.blocks, *details.blocks)
    return Document(title=posted.title, blocks=blocks, language=posted.language)


def digest_to_json(heading: DigestHeading) -> Json:
    """The digest's subject and the path of its page."""
    return {
        "id": heading.mark,
        "path": digest_path(heading.mark),
        "span": span_of(heading.window),
        "since": heading.window.since.isoformat(),
        "until": heading.window.until.isoformat(),
        "created_at": heading.created_at.isoformat(),
        "kind": str(heading.kind),
        "weekly": heading.kind is Frequency.WEEKLY,
        "counts": dict(heading.counts),
    }


def _json(kept: KeptDigest, posted: Document) -> Json:
    heading = kept.heading
    return {
        "schema": SCHEMA,
        "repository": heading.repository,
        "branch": heading.branch,
        "window": window_to_json(heading.window),
        **digest_to_json(heading),
        "title": posted.title,
        "posted": markdown(posted),
        "changes": [
            {"sha": one.sha, "posted": one.state is State.POSTED, "state": str(one.state)}
            for one in kept.outcomes
        ],
    }


DAYS = 90  # days of a pulse
_NEWEST = 8  # the newest important changes in Markdown and JSON
_DIGESTS = 8
_MONTHS = 2
_RELEASES = 6
_NEWS_DAYS = 7
_NEWS = 12  # rows of each section of the start page


@frozen
class NewsSection:
    """Rows of several repositories with a title; ``days`` is their period in words."""

    title: str
    days: str
    rows: Sequence[tuple[SiteRepository, Row]]
    day: date | None = None
    acts: bool = False


class News:
    """The most important changes of the last seven days that have any, in some repositories."""

    def __init__(self, asked: PageRequest, extents: Mapping[str, Extent]) -> None:
        self._asked = asked
        days = [calendar_page.last_day(asked, extent, _NEWS_DAYS) for extent in extents.values()]
        last = max(days, default=calendar_page.last_day(asked, None, _NEWS_DAYS))
        self.first = last - timedelta(days=_NEWS_DAYS - 1)
        self.days = seven_days(self.first, asked.language)
        self.window = days_window(self.first, last, asked.site.zone)
        self.sections: list[NewsSection] = []
        """The changes to act on of the last whole day, of today and of the days before; others."""
        self.told = False
        """Whether the first section tells what a lead would say to act on."""
        self.leads: list[tuple[SiteRepository, date, Spans]] = []
        """What mattered on the last whole day with changes; in the order of repositories."""
        self._counted: list[tuple[SiteRepository, date, Spans]] = []
        """The same without what to act on."""
        self.unread: list[SiteRepository] = []
        """The repositories of which a part of these days was not read."""

    def age(self, day: date) -> int:
        """How many days ago a day was; 0 for yesterday and today."""
        site = self._asked.site
        days = (site.clock.now().astimezone(site.zone).date() - day).days
        return days if days > 1 else 0

    async def read(self, repositories: Sequence[SiteRepository]) -> None:
        """Read the changes of the days."""
        asked, found = self._asked, list[tuple[SiteRepository, Row]]()
        for shown in repositories:
            if await asked.gaps(shown, self.window):
                self.unread.append(shown)
            lines = await asked.site.browsing.lines(shown.repository, self.window)
            lines, told = await told_of(asked.site, shown, lines, asked.language)
            await self._lead(shown, lines, told)
            lines = [line for line in lines if line.level is not Level.LOW]
            rows = await rows_of(asked, lines, told, ("news", self.window), shown=shown)
            found += ((shown, row) for row in rows)
        found.sort(key=lambda one: weight(one[1]))
        act = [one for one in found if one[1].acts]
        top = [one for one in found if one[1].level is Level.HIGH and not one[1].acts]
        self.sections = [*self._by_day(act)]
        others = PHRASES["news_top"].template(asked.language)
        self.sections.append(NewsSection(title=others, days=self.days, rows=top[:_NEWS]))
        days = [
            {(shown.repository.name, self._day(row)) for shown, row in section.rows}
            for section in self.sections[:-1]
        ]
        leads = [(shown.repository.name, day) for shown, day, _ in self.leads]
        self.told = bool(days) and not days[0].isdisjoint(leads)
        # What rows say to act on, the lead of their day does not say again.
        both = zip(leads, self.leads, self._counted, strict=True)
        said = set().union(*days)
        self.leads = [counted if one in said else lead for one, lead, counted in both]

    def _day(self, row: Row) -> date:
        return row.line.at.astimezone(self._asked.site.zone).date()

    def _by_day(self, act: Sequence[tuple[SiteRepository, Row]]) -> Iterator[NewsSection]:
        """What is to be acted on: the last whole day before today and what came earlier."""
        language, zone = self._asked.language, self._asked.site.zone
        today = self._asked.site.clock.now().astimezone(zone).date()
        whole = max((day for _, day, _ in self.leads), default=today - timedelta(days=1))
        days = [self._day(row) for _, row in act]
        act = sorted(act, key=lambda one: self._day(one[1]), reverse=True)
        left = _NEWS
        for day in dict.fromkeys((whole, today, None)):
            own = {day} if day else {*days} - {whole, today}
            rows = [one for one in act if self._day(one[1]) in own][:left]
            left -= len(rows)
            if not rows:
                continue
            named = {today: "news_today", today - timedelta(days=1): "news_yesterday"}
            name = named.get(day) if day else None
            said = PHRASES[name or "news_earlier"].template(language)
            said = day_words(day, language) if day and not name else said
            told = [self._day(row) for _, row in rows]
            yield NewsSection(
                title=PHRASES["news_act"].text(language, day=said),
                days="" if day and not name else days_words(min(told), max(told), language),
                rows=rows,
                day=day,
                acts=True,
            )

    async def _lead(self, shown: SiteRepository, lines: Sequence[ChangeLine], told: Told) -> None:
        """Read what mattered on the last whole day, or today if there is only that.

        A day that was not read in full has no lead: there might be something to act on.
        """
        zone = self._asked.site.zone
        today = self._asked.site.clock.now().astimezone(zone).date()
        day = max({line.at.astimezone(zone).date() for line in lines} - {today}, default=today)
        of_day = [line for line in lines if line.at.astimezone(zone).date() == day]
        window = day_window(day, zone)
        if await self._asked.gaps(shown, window):
            return
        if spans := await lead_of(self._asked, shown, window, of_day, told):
            self.leads.append((shown, day, spans))
            counted = await lead_of(self._asked, shown, window, of_day, told, counted=True)
            self._counted.append((shown, day, counted))


async def index_page(asked: PageRequest) -> Page:
    """The most important recent changes, and every repository that the reader may see."""
    rows, items = [], list[Item]()
    for shown in asked.site.visible(signed_in=asked.signed_in):
        extent, name = await calendar_page.extent_of(asked, shown), shown.repository.name
        items.append(Item((Link(name, path_of(name)),)))
        rows.append((shown, extent, await _pulse(asked, shown, extent) if extent else None))
    title = PHRASES["repositories"].template(asked.language)
    news = News(asked, {shown.repository.name: extent for shown, extent, _ in rows if extent})
    return Page(
        template="index.html",
        title=title,
        values={
            "rows": rows,
            "hidden": len(rows) < len(asked.site.repositories),
            "news": news,
            "several": len(rows) > 1,
            "sole": rows[0][0] if len(rows) == 1 else None,
        },
        ready=lambda: news.read([shown for shown, _, _ in rows]),
        document=lambda: with_heading(title, asked.language, Listing(tuple(items))),
        json=lambda: {
            "schema": SCHEMA,
            "repositories": [_about(shown, extent) for shown, extent, _ in rows],
        },
    )


async def repository_page(asked: PageRequest) -> Page:
    """The overview of a repository. Raises ``NotThere``."""
    shown, browsing = asked.shown(), asked.site.browsing
    repository, name = shown.repository, shown.repository.name
    extent = await calendar_page.extent_of(asked, shown)
    drawn = await _pulse(asked, shown, extent)
    news = News(asked, {name: extent} if extent else {})
    last = drawn.bars[-1].day
    first = last - timedelta(days=_NEWS_DAYS - 1)
    places = await calendar_page.places_of(asked, days_window(first, last, asked.site.zone))
    digests = await browsing.digests(repository, _DIGESTS)
    newest: list[ChangeLine] = []
    releases: list[Release] = []

    async def read() -> None:
        if asked.form is not Form.HTML:
            newest.extend(await browsing.newest(repository, _NEWEST, Level.HIGH))
            return
        # Git reads the tags, which takes time: the reader has the head by then.
        await news.read([shown])
        releases.extend([*chain(*(await releases_of(asked, shown))[:1])][:_RELEASES])

    return Page(
        template="repository.html",
        title=name,
        values={
            "shown": shown,
            "extent": extent,
            "pulse": drawn,
            "places": places,
            "week": seven_days(first, asked.language),
            "news": news,
            "digests": [
                (period_words(one.window, asked.site.zone), one, digest_path(one.mark))
                for one in digests
            ],
            "releases": releases,
            "months": list(islice(calendar_page.months_of(drawn, asked), _MONTHS)),
        },
        document=lambda: _document(asked, drawn, newest),
        json=lambda: {
            "schema": SCHEMA,
            **_about(shown, extent),
            "days": [calendar_page.day_to_json(bar) for bar in drawn.bars],
            "places": [{"path": path, "changes": bar.number} for path, _, bar in places],
            "newest": [line_to_json(line) for line in newest],
            "digests": [digest_to_json(one) for one in digests],
        },
        ready=read,
    )


def _document(asked: PageRequest, drawn: BarChart, newest: Sequence[ChangeLine]) -> Document:
    language, name = asked.language, asked.shown().repository.name
    items = tuple(Item((Link(one.title, path_of(name, change=one.sha[:12])),)) for one in newest)
    none = Paragraph((Text(PHRASES["nothing_found"].template(language)),))
    return with_heading(
        name,
        language,
        Heading(2, (Text(PHRASES["pulse"].template(language)),)),
        calendar_page.day_table(drawn, asked),
        Heading(2, (Text(PHRASES["newest"].template(language)),)),
        Listing(items) if items else none,
    )


async def _pulse(asked: PageRequest, shown: SiteRepository, extent: Extent | None) -> BarChart:
    """The last days up to today, or up to the last change if that is long ago."""
    last = calendar_page.last_day(asked, extent, DAYS // 3)
    return await calendar_page.days_of(asked, shown, last - timedelta(days=DAYS - 1), last)


def _about(shown: SiteRepository, extent: Extent | None) -> Json:
    repository = shown.repository
    return {
        "repository": repository.name,
        "web": repository.web,
        "path": path_of(repository.name),
        "changes": extent.total if extent else 0,
        "first": extent.first.isoformat() if extent else None,
        "last": extent.last.isoformat() if extent else None,
    }
