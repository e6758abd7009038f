"""The page of a day or week: what a model wrote of it, then every change as a row that opens.

Models' summaries are stored by the model's input, not by window. The digest posted with a summary
tells its window; without one, it is the window that holds all changes the summary names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from bot.delivery.payload import thaw
from bot.store.browsing import ChangeLine, KeptPost
from bot.util.page_links import path_of
from bot.web.pages.calendar_page import Step, Unread, days_of, places_of
from bot.web.pages.charts import Share
from bot.web.pages.entries import Told, counts_of, entry_of, lead_of, load_changes, told_of
from bot.web.pages.page_request import Form, PageRequest, day_named, week_named
from bot.web.pages.page_text import PHRASES, day_words, week_words
from bot.web.pages.rows import WrittenRows, rows_of
from bot.web.pages.site import Json, Page
from bot.workspace.workspace import day_of
from digest.answer.answers import window_words
from digest.core.enums import Frequency, Language
from digest.core.grade import Level, Repository
from digest.core.statement import Origin
from digest.document import Document, Listing, Paragraph, Spans, plain
from digest.frozen import frozen
from digest.report.assembly import Counts, Report
from digest.report.full_report import report_document
from digest.report.report_json import report_to_json, window_to_json
from digest.report.themes import DaySummary
from digest.window import Window, days_window, monday, span_of

_WRITTEN = 120
"""Changes of a day considered for being written out, as far as the page has room; none of a week,
which has several times as many rows."""

SIZE = 20  # changes of a page of Markdown or JSON; the web page lists all of them


@frozen
class Selected:
    """One page of the requested changes, the most important first; ``counts`` are of all."""

    counts: Counts
    wanted: Sequence[ChangeLine]
    page: int
    pages: int

    @property
    def lines(self) -> Sequence[ChangeLine]:
        """The lines of the page."""
        return self.wanted[SIZE * (self.page - 1) : SIZE * self.page]


def select_lines(lines: Sequence[ChangeLine], level: Level | None, page: int) -> Selected:
    """A page of the lines, which are ordered newest first; from ``level`` up, if one is given."""
    wanted = sorted(
        (line for line in lines if level is None or line.level.rank <= level.rank),
        key=lambda line: line.level.rank,
    )
    pages = max(-(-len(wanted) // SIZE), 1)
    return Selected(counts=counts_of(lines), wanted=wanted, page=min(page, pages), pages=pages)


class PeriodEntries:
    """The changes of a page, read while its head is being sent; entries are made only once."""

    def __init__(
        self,
        asked: PageRequest,
        window: Window,
        chosen: Selected,
        lines: Sequence[ChangeLine],
        told: Told,
        *,
        weekly: bool,
    ) -> None:
        """``lines`` and ``told`` cover the whole window."""
        self._asked, self._shown, self._window = asked, asked.shown(), window
        self._chosen, self._lines, self._weekly = chosen, lines, weekly
        self.written = WrittenRows(asked, daily=not weekly)
        self.written.told = told
        self.lead: Spans = ()
        self.led: StoredSummary | None = None
        self.places: Sequence[tuple[str, str, Share]] = ()

    async def read(self) -> None:
        """Read the contents of the page and the summary of the whole window."""
        asked, acts = self._asked, False
        if asked.form is Form.HTML:
            every = await rows_of(asked, self._lines, self.written.told, (self._window,))
            acts = any(row.acts for row in every)
            wanted = {line.sha for line in self._chosen.wanted}
            self.written.show([row for row in every if row.line.sha in wanted])
            written = () if self._weekly else self.written.rows[:_WRITTEN]
            shas = [row.line.sha for row in written]
        else:
            shas = [line.sha for line in self._chosen.lines]
        self.written.changes = await load_changes(asked.site, self._shown, shas)
        if asked.level is not None or (self._chosen.page > 1 and asked.form is not Form.HTML):
            return
        told = self.written.told
        # The first rows of the page tell what else the lead would tell to act on.
        about = (asked, self._shown, self._window, self._lines, told)
        self.lead = await lead_of(*about, counted=acts)
        version = await asked.version(self._shown.repository)
        key = (self._shown.repository.name, version, self._window, asked.language, self._weekly)
        self.led = await asked.site.memo.of(
            ("led", *key), lambda: led_of(asked, self._window, self._lines, weekly=self._weekly)
        )
        if self._weekly:
            self.places = await places_of(asked, self._window)

    def report(self) -> Report:
        """The page as a report; its counts are those of the whole window."""
        told, language = self.written.told, self._asked.language
        return Report(
            repository=self._shown.repository,
            branch=self._shown.branch,
            window=self._window,
            language=language,
            entries=tuple(
                entry_of(one, told, self._shown, language) for one in self.written.changes
            ),
            counts=self._chosen.counts,
            lead=self.lead,
            day=self.led.day if self.led else None,
        )


async def day_page(asked: PageRequest) -> Page:
    """The page of a calendar day. Raises ``NotThere``."""
    day = day_named(asked.part("day"))
    return await _page(asked, first=day, last=day, weekly=False)


async def week_page(asked: PageRequest) -> Page:
    """The page of an ISO week. Raises ``NotThere``."""
    first = week_named(asked.part("week"))
    return await _page(asked, first=first, last=first + timedelta(days=6), weekly=True)


async def _page(asked: PageRequest, *, first: date, last: date, weekly: bool) -> Page:
    site, shown, language = asked.site, asked.shown(), asked.language
    window = days_window(first, last, site.zone)
    lines = await site.browsing.lines(shown.repository, window)
    lines, told = await told_of(site, shown, lines, language)
    chosen = select_lines(lines, asked.level, asked.page)
    telling = PeriodEntries(asked, window, chosen, lines, told, weekly=weekly)
    unread = await asked.gaps(shown, window)
    calendar = (
        path_of(shown.repository.name, rest="calendar"),
        PHRASES["calendar"].template(language),
    )
    heading = week_words(first, language) if weekly else day_words(first, language)
    if window.since <= site.clock.now() < window.until:
        heading = PHRASES["so_far"].text(language, heading=heading)
    return Page(
        template="window.html",
        title=f"{heading} · {shown.repository.name}",
        values={
            "shown": shown,
            "heading": heading,
            "about": _about(chosen.counts, language),
            "window": window_words(window, language),
            "chosen": chosen,
            "telling": telling,
            "claims": lambda led: claims(led, lines, shown.repository),
            "week_drawn": await days_of(asked, shown, first, last) if weekly else None,
            "unread": Unread(asked, window, unread),
            "around": await _around(asked, window, weekly=weekly),
            "above": calendar if weekly else _step(asked, first, weekly=True),
            "weekly": weekly,
        },
        document=lambda: report_document(telling.report(), language),
        json=lambda: _json(telling, chosen, unread),
        ready=telling.read,
    )


async def _around(asked: PageRequest, window: Window, *, weekly: bool) -> list[Step | None]:
    """The pages of the nearest days or weeks before and after with changes."""
    least = asked.level or Level.LOW
    near = await asked.site.browsing.neighbours(asked.shown().repository, window, least)
    zone = asked.site.zone
    year = window.since.astimezone(zone).year
    days = [at.astimezone(zone).date() if at else None for at in near]
    return [_step(asked, day, weekly=weekly, year=year) if day else None for day in days]


def _step(asked: PageRequest, day: date, *, weekly: bool, year: int = 0) -> Step:
    """The page of a day or of its week, with the level that the reader requested.

    If it is in another ``year``, it is named with its own.
    """
    name, language = asked.shown().repository.name, asked.language
    path = path_of(name, week=day) if weekly else path_of(name, day=day)
    title = week_words(monday(day), language, short=True) if weekly else ""
    title = title or day_words(day, language, short=True)
    if year and year != day.year:
        title = f"{day.year}年{title}" if language is Language.ZH else f"{title} {day.year}"
    return (
        f"{path}?level={asked.level}" if asked.level else path,
        title,
    )


def _about(counts: Counts, language: Language) -> str:
    """A one-line summary of the page, for link previews."""
    levels = {str(level): counts.of(level) for level in Level}
    return PHRASES["counted"].text(language, n=counts.total, **levels)


def _json(telling: PeriodEntries, chosen: Selected, unread: Sequence[Window]) -> Json:
    return {
        **report_to_json(telling.report()),
        "unread": [window_to_json(one) for one in unread],
        "page": chosen.page,
        "pages": chosen.pages,
    }


_LATEST = timedelta(days=31)
"""A digest is made soon after its window; later summaries are not searched."""

_CITED = 6  # the most changes that are linked behind a sentence or a theme


@frozen
class StoredSummary:
    """A lead and themes. ``span`` is their period, empty if it is the page's."""

    day: DaySummary
    span: str = ""


@frozen
class Claim:
    """A sentence with supporting changes as names with paths; ``more`` counts the others."""

    title: Spans
    spans: Spans
    behind: tuple[tuple[str, str], ...]
    more: int


async def led_of(
    asked: PageRequest, window: Window, lines: Sequence[ChangeLine], *, weekly: bool
) -> StoredSummary | None:
    """A model's summary of a window in the reader's language; ``None`` if there is none."""
    repository, site = asked.shown().repository, asked.site
    until = window.until + _LATEST
    days = await site.browsing.days(repository, asked.language, window.since, until)
    days = [day for day in days if day.source is Origin.MODEL]
    if not days:
        return None
    first = window.since.astimezone(window.zone).date()
    near = await site.browsing.posted(repository, window.since - timedelta(days=1), window.until)
    posted = [told for told in near if _leads_to(told, first, weekly=weekly)]
    for told in posted:
        words = "\n".join(_texts(thaw(told.document).document))
        for day in days:
            if plain(day.lead[0].spans if day.lead else day.themes[0].title) in words:
                own = told.heading.window == window
                return StoredSummary(day=day, span="" if own else span_of(told.heading.window))
    return next((StoredSummary(day=day) for day in days if _is_of(day, lines, weekly=weekly)), None)


def claims(
    led: StoredSummary, lines: Sequence[ChangeLine], repository: Repository
) -> tuple[list[Claim], ...]:
    """The sentences of the lead, then the themes."""
    numbers = {line.sha: line.request for line in lines if line.request}
    lead = [_claim((), one.spans, one.shas, numbers, repository) for one in led.day.lead]
    themes = [
        _claim(one.title, one.sentence.spans if one.sentence else (), one.shas, numbers, repository)
        for one in led.day.themes
    ]
    return lead, themes


def _claim(
    title: Spans,
    spans: Spans,
    shas: Sequence[str],
    numbers: Mapping[str, str],
    repository: Repository,
) -> Claim:
    behind = tuple(
        (numbers.get(sha, sha[:10]), path_of(repository.name, change=sha[:12]))
        for sha in shas[:_CITED]
    )
    return Claim(title=title, spans=spans, behind=behind, more=max(len(shas) - _CITED, 0))


def _leads_to(told: KeptPost, first: date, *, weekly: bool) -> bool:
    """Whether a digest's link to its full report leads to the page of the window."""
    day = day_of(told.heading)
    kind = Frequency.WEEKLY if weekly else Frequency.DAILY
    return told.heading.kind is kind and first == (monday(day) if weekly else day)


def _is_of(day: DaySummary, lines: Sequence[ChangeLine], *, weekly: bool) -> bool:
    """Whether all named changes lie in the window; for a week, on more than one day of it."""
    at = {line.sha: line.at.date() for line in lines}
    named = {sha for one in day.lead for sha in one.shas}
    named |= {sha for one in day.themes for sha in one.shas}
    if not named or not named <= at.keys():
        return False
    return not weekly or len({at[sha] for sha in named}) > 1


def _texts(document: Document) -> Iterator[str]:
    for block in document.blocks:
        if isinstance(block, Paragraph):
            yield plain(block.spans)
        elif isinstance(block, Listing):
            yield from (plain(item.spans) for item in block.items)
