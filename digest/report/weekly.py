"""The weekly digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from digest.analysis.wording import hot_places
from digest.core.enums import Language
from digest.core.grade import Level
from digest.document import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Spans,
    Strong,
    Table,
    Text,
)
from digest.i18n import report_text as words
from digest.i18n.labels import LEVEL_MARKS
from digest.i18n.phrase import Phrase
from digest.report.assembly import Report, ReportEntry
from digest.report.condensed import closing, listed, opening, shown, theme_list
from digest.window import Window

_PLACES = 5
_MOST_DAYS = 40
"""Maximum rows of the table: a week, or longer after a long pause."""


def weekly_document(
    report: Report, language: Language, where: str = "", *, least: Level = Level.HIGH
) -> Document:
    """A week for a channel: its lead, themes, top changes, counts by day, and hot places.

    ``where`` and ``least`` are as for the daily digest. A week without commits is one line.
    """
    name = words.WEEK_TITLE.text(
        language, name=report.repository.name, day=_first_day(report.window).isoformat()
    )
    blocks: list[Block] = [Heading(1, (Text(name),))]
    blocks += [Paragraph(spans) for spans in opening(report)]
    if themes := theme_list(report, linked=False):
        blocks += [_label(words.THEMES, language), themes]
    top = shown(report, least)
    if top:
        blocks += [_label(words.TOP, language), listed(top, report, language)]
    if report.entries:
        blocks += [_label(words.BY_DAY, language), _by_day(report, language)]
        blocks += _hot(report, language)
    blocks += closing(report, len(top), language, where)
    return Document(title=name, blocks=tuple(blocks), language=str(language))


def _first_day(window: Window) -> date:
    return window.since.astimezone(window.zone).date()


def _label(phrase: Phrase, language: Language) -> Paragraph:
    return Paragraph((Strong(phrase.template(language)),))


def _by_day(report: Report, language: Language) -> Table:
    """A row for each day of the window, also quiet ones, with its commits by level.

    Commits from before the window that arrived late are in one row above.
    """
    counted: dict[date | None, Counter[Level]] = {}
    days = _days(report.window)
    for entry in report.entries:
        day = _day(entry, report.window)
        counted.setdefault(day if day in days else None, Counter())[entry.level] += 1
    rows: list[tuple[Spans, ...]] = []
    if None in counted:
        rows.append(_row(words.EARLIER.template(language), counted[None]))
    rows += [_row(f"{day:%m-%d}", counted.get(day, Counter())) for day in days]
    heads = [words.DAY.template(language), words.ALL.template(language), *LEVEL_MARKS.values()]
    return Table(tuple((Text(head),) for head in heads), tuple(rows))


def _days(window: Window) -> tuple[date, ...]:
    last = (window.until - timedelta(microseconds=1)).astimezone(window.zone).date()
    count = min((last - _first_day(window)).days + 1, _MOST_DAYS)
    return tuple(last - timedelta(days=back) for back in reversed(range(count)))


def _day(entry: ReportEntry, window: Window) -> date:
    return entry.graded.commit.committed_at.astimezone(window.zone).date()


def _row(name: str, levels: Counter[Level]) -> tuple[Spans, ...]:
    cells = (name, str(levels.total()), *(str(levels[level]) for level in LEVEL_MARKS))
    return tuple((Text(cell),) for cell in cells)


def _hot(report: Report, language: Language) -> Iterator[Block]:
    """The folders that most changes touch."""
    places = hot_places([entry.graded.facts for entry in report.entries], _PLACES)
    if places:
        yield _label(words.HOT, language)
        yield Listing(
            tuple(
                Item(words.PLACE_COUNT(language, place=Code(path), n=count))
                for path, count in places
            )
        )
