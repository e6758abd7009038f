"""The full report of a day or of a week: counts, the list, contents, and every change told of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

from bot.store.browsing import Line
from bot.web.links import path_of, week_name
from bot.web.pages.asked import Asked, day_named, last_of_week, week_named
from bot.web.pages.page import Json, Page
from bot.web.pages.telling import Article, Told, article_of, entry_of, loaded, told_of
from digest.answer import window_words
from digest.document import Document, Spans
from digest.grade import Level
from digest.graded import Graded
from digest.report import Counts, Entry, Report, report_document, report_to_json
from digest.report.assembly import lead
from digest.report.full import title_of
from digest.window import Window, days_window

SIZE = 25
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
    """The entries of a page, made when they are first asked for and only once."""

    def __init__(
        self,
        asked: Asked,
        window: Window,
        chosen: Selected,
        changes: Sequence[Graded],
        told: Told,
    ) -> None:
        """``changes`` are those of the chosen page, in its order."""
        self._asked, self._shown, self._window = asked, asked.shown(), window
        self._chosen, self._changes, self._told = chosen, changes, told

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every change of the page with its analysis."""
        return tuple(self._entry(graded) for graded in self._changes)

    def articles(self) -> Iterator[Article]:
        """The changes as the page shows them, one by one, so that sending can begin."""
        repository, language = self._shown.repository, self._asked.language
        made = (self._entry(graded) for graded in self._changes)
        for entry in self.__dict__.get("entries", made):
            yield article_of(entry, repository, self._window.zone, language)

    def around(self) -> Report:
        """The report without its changes, for what is said around them."""
        return Report(
            repository=self._shown.repository,
            branch=self._shown.branch,
            window=self._window,
            language=self._asked.language,
            entries=(),
            counts=self._chosen.counts,
            lead=(),
        )

    def report(self) -> Report:
        """The page as a report; its counts are those of the whole window."""
        said = lead(self.entries, self._chosen.counts, self._asked.language)
        return replace(self.around(), entries=self.entries, lead=said)

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
    changes = await loaded(shelf, shown, [line.sha for line in chosen.lines])
    telling = Telling(asked, window, chosen, changes, told)
    report = telling.around()
    return Page(
        template="window.html",
        title=f"{shown.repository.name} · {title_of(report, language)}",
        values={
            "shown": shown,
            "heading": title_of(report, language),
            "window": window_words(window, language),
            "chosen": chosen,
            "lead": lambda: _lead(telling, chosen, asked),
            "articles": telling.articles(),
            "around": around,
            "above": above,
            "week": week_name(first),
        },
        document=lambda: _document(telling, asked),
        json=lambda: _json(telling, chosen),
    )


def _lead(telling: Telling, chosen: Selected, asked: Asked) -> Spans:
    """What matters in a sentence, where the page holds all that the sentence is about."""
    high = chosen.counts.high
    complete = 0 < high <= SIZE or chosen.counts.total <= SIZE
    if chosen.page > 1 or asked.level is not None or not complete:
        return ()
    return telling.report().lead


def _document(telling: Telling, asked: Asked) -> Document:
    return report_document(telling.report(), asked.language)


def _json(telling: Telling, chosen: Selected) -> Json:
    return {
        **report_to_json(telling.report()),
        "page": chosen.page,
        "pages": chosen.pages,
    }
