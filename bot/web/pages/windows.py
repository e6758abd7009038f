"""The full report of a day or of a week: counts, the list, contents, and every change told of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

from bot.store.browsing import Line
from bot.web.links import path_of
from bot.web.pages.asked import Asked, day_named, last_of_week, week_named
from bot.web.pages.charts import Pulse, Share, pulse, shares
from bot.web.pages.led import Led, claims, led_of
from bot.web.pages.overview import places_of
from bot.web.pages.page import Json, Page
from bot.web.pages.telling import Article, Told, article_of, entry_of, loaded, told_of, typed_entry
from bot.web.pages.wording import PHRASES
from digest.answer import window_words
from digest.document import Document, Spans
from digest.grade import Level
from digest.graded import Graded
from digest.language import Language
from digest.report import Counts, Entry, Report, report_document, report_to_json
from digest.report.assembly import lead
from digest.report.full import title_of
from digest.window import Window, days_window

_MOST_LED = 200
"""Changes that a lead is made of; of more nothing could be said in a sentence."""

SIZE = 20
"""Changes of a page: it stays below 100 KB where most of them are of high importance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The changes of a window that are asked for, the weightiest first, and a page of them.

    ``levels`` counts all changes of the window, whatever is asked for.
    """

    levels: Mapping[Level, int]
    wanted: Sequence[Line]
    page: int
    pages: int

    @property
    def lines(self) -> Sequence[Line]:
        """Those of the page."""
        return self.wanted[SIZE * (self.page - 1) : SIZE * self.page]

    @property
    def counts(self) -> Counts:
        """The window's counts as reports have them."""
        high, medium, low = (self.levels[level] for level in Level)
        return Counts(total=high + medium + low, high=high, medium=medium, low=low)

    def page_of(self, level: Level) -> int:
        """The page on which a level begins."""
        before = sum(1 for line in self.wanted if line.level.rank < level.rank)
        return before // SIZE + 1


def selected(lines: Sequence[Line], level: Level | None, page: int) -> Selected:
    """The page of the lines, which stand newest first; of a level and above, where one is given."""
    wanted = sorted(
        (line for line in lines if level is None or line.level.rank <= level.rank),
        key=lambda line: line.level.rank,
    )
    pages = max(-(-len(wanted) // SIZE), 1)
    return Selected(
        levels=Counter(line.level for line in lines),
        wanted=wanted,
        page=min(page, pages),
        pages=pages,
    )


class Telling:
    """The changes of a page, read when its head is under way; entries are made only once."""

    def __init__(
        self,
        asked: Asked,
        window: Window,
        chosen: Selected,
        lines: Sequence[Line],
        told: Told,
        *,
        weekly: bool,
    ) -> None:
        """``lines`` and ``told`` are those of the whole window."""
        self._asked, self._shown, self._window = asked, asked.shown(), window
        self._chosen, self._lines, self._told, self._weekly = chosen, lines, told, weekly
        self._changes: Sequence[Graded] = ()
        self.lead: Spans = ()
        self.led: Led | None = None
        self.places: Sequence[Share] = ()

    async def read(self) -> None:
        """Read what the page tells of, and what is said of the whole window on its first page."""
        asked = self._asked
        shas = [line.sha for line in self._chosen.lines]
        self._changes = await loaded(asked.shelf, self._shown, shas)
        if self._chosen.page > 1 or asked.level is not None:
            return
        version = await asked.version(self._shown.repository)
        about = (self._shown.repository.name, version, self._window, asked.language, self._weekly)
        memo = asked.shelf.memo
        self.lead = await memo.of(("lead", *about), self._made_lead)
        self.led = await memo.of(
            ("led", *about),
            lambda: led_of(asked, self._window, self._lines, weekly=self._weekly),
        )
        if self._weekly:
            self.places = shares(await places_of(asked, self._shown, self._window))

    async def _made_lead(self) -> Spans:
        """What matters in a sentence, made of all that it is about; nothing where that is a lot."""
        counts = self._chosen.counts
        about = [one for one in self._lines if one.level is Level.HIGH or not counts.high]
        if not about or len(about) > _MOST_LED:
            return ()
        found = {one.sha: one for one in self._changes}
        others = [one.sha for one in about if one.sha not in found]
        found |= {one.sha: one for one in await loaded(self._asked.shelf, self._shown, others)}
        language = self._asked.language
        typed = [
            typed_entry(found[one.sha], self._told, self._shown, language)
            for one in about
            if one.sha in found
        ]
        return lead(typed, counts, language)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every change of the page with its analysis."""
        return tuple(self._entry(graded) for graded in self._changes)

    def articles(self) -> Iterator[Article]:
        """The changes as the page shows them, one by one, so that sending can go on."""
        repository, language = self._shown.repository, self._asked.language
        for graded in self._changes:
            yield article_of(self._entry(graded), repository, self._window.zone, language)

    def around(self) -> Report:
        """The report without its changes, for what is said around them."""
        return Report(
            repository=self._shown.repository,
            branch=self._shown.branch,
            window=self._window,
            language=self._asked.language,
            entries=(),
            counts=self._chosen.counts,
            lead=self.lead,
            day=self.led.day if self.led else None,
        )

    def report(self) -> Report:
        """The page as a report; its counts are those of the whole window."""
        return replace(self.around(), entries=self.entries)

    def _entry(self, graded: Graded) -> Entry:
        return entry_of(graded, self._told, self._shown, self._asked.language)


async def day_page(asked: Asked) -> Page:
    """The report of a calendar day. Raises ``NotThere``."""
    day = day_named(asked.part("day"))
    step = timedelta(days=1)
    name = asked.shown().repository.name
    return await _page(
        asked,
        first=day,
        last=day,
        around=(path_of(name, day=day - step), path_of(name, day=day + step)),
        above=path_of(name, week=day),
    )


async def week_page(asked: Asked) -> Page:
    """The report of an ISO week. Raises ``NotThere``."""
    monday = week_named(asked.part("week"))
    step = timedelta(days=7)
    name = asked.shown().repository.name
    return await _page(
        asked,
        first=monday,
        last=last_of_week(monday),
        around=(path_of(name, week=monday - step), path_of(name, week=monday + step)),
        above="",
    )


async def _page(
    asked: Asked, *, first: date, last: date, around: tuple[str, str], above: str
) -> Page:
    shelf, shown, language = asked.shelf, asked.shown(), asked.language
    window = days_window(first, last, shelf.zone)
    lines = await shelf.browsing.lines(shown.repository, window)
    lines, told = await told_of(shelf, shown, lines, language)
    chosen = selected(lines, asked.level, asked.page)
    telling = Telling(asked, window, chosen, lines, told, weekly=not above)
    heading = title_of(telling.around(), language)
    return Page(
        template="window.html",
        title=f"{shown.repository.name} · {heading}",
        values={
            "shown": shown,
            "heading": heading,
            "about": _about(chosen.counts, language),
            "window": window_words(window, language),
            "chosen": chosen,
            "telling": telling,
            "claims": lambda led: claims(led, lines, shown.repository),
            "week_drawn": None if above else _drawn(lines, first, shelf.zone),
            "around": around,
            "above": above,
        },
        document=lambda: _document(telling, asked),
        json=lambda: _json(telling, chosen),
        ready=telling.read,
    )


def _about(counts: Counts, language: Language) -> str:
    """The page in a line, for who only sees a card of it."""
    levels = {str(level): counts.of(level) for level in Level}
    return PHRASES["counted"].text(language, n=counts.total, **levels)


def _drawn(lines: Sequence[Line], first: date, zone: ZoneInfo) -> Pulse:
    """The days of a week as a chart."""
    counted = Counter((line.at.astimezone(zone).date(), line.level) for line in lines)
    days = [first + timedelta(days=n) for n in range(7)]
    high, medium, low = Level
    return pulse([(counted[d, high], counted[d, medium], counted[d, low]) for d in days], first)


def _document(telling: Telling, asked: Asked) -> Document:
    return report_document(telling.report(), asked.language)


def _json(telling: Telling, chosen: Selected) -> Json:
    return {
        **report_to_json(telling.report()),
        "page": chosen.page,
        "pages": chosen.pages,
    }
