"""The digest of a week, two weeks or a month."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from digest import document
from digest.analysis.wording import hot_places
from digest.core.enums import Language
from digest.core.grade import Level
from digest.i18n import answer_text as words
from digest.i18n.phrase import Phrase
from digest.i18n.statement_text import LEVEL_MARKS
from digest.report import condensed
from digest.report.assembly import Report, ReportEntry
from digest.window import Window, days_of, monday

_PLACES = 5
_MOST_DAYS = 16  # rows of days in the table; more are counted by week
_TWO_WEEKS = timedelta(days=13)  # the least length of a time that is named by its two edges


def roll_up_document(
    report: Report, language: Language, where: str = "", *, least: Level = Level.HIGH
) -> document.Document:
    """Days for a channel: their lead, themes, top changes, counts by day, and hot places.

    ``where`` and ``least`` are as for the daily digest. A time without commits is one line. Longer
    times than a fortnight are counted by week.
    """
    week = report.window.until - report.window.since < _TWO_WEEKS
    name = (words.WEEK_TITLE if week else words.DIGEST_TITLE).text(
        language,
        name=report.name,
        day=_first_day(report.window).isoformat() if week else days_of(report.window),
    )
    blocks: list[document.Block] = [document.Heading(1, (document.Text(name),))]
    blocks += [document.Paragraph(spans) for spans in condensed.opening(report)]
    if themes := condensed.theme_list(report, linked=False):
        blocks += [_label(words.THEMES, language), themes]
    top = condensed.shown_entries(report, least)
    if top:
        blocks += [
            _label(words.MATTERED_MOST, language),
            condensed.entry_listing(top, report, language),
        ]
    if report.entries:
        long = len(_days(report.window)) > _MOST_DAYS
        blocks += [_label(words.BY_WEEK if long else words.BY_DAY, language)]
        blocks += [_by_day(report, language)]
        blocks += _hot(report, language)
    blocks += condensed.closing(
        report, len(condensed.posted_commits(report, least)), language, where
    )
    return document.Document(title=name, blocks=tuple(blocks), language=str(language))


def _first_day(window: Window) -> date:
    return window.since.astimezone(window.zone).date()


def _label(phrase: Phrase, language: Language) -> document.Paragraph:
    return document.Paragraph((document.Strong(phrase.template(language)),))


def _by_day(report: Report, language: Language) -> document.Table:
    """A row for each day or week with its commits by level; commits that came late are on top."""
    days = _days(report.window)
    by_week = len(days) > _MOST_DAYS
    counted: dict[date | None, Counter[Level]] = {}
    for entry in report.entries:
        day = _day(entry, report.window)
        row = (monday(day) if by_week else day) if days[0] <= day <= days[-1] else None
        counted.setdefault(row, Counter())[entry.level] += 1
    rows: list[tuple[document.Spans, ...]] = []
    if None in counted:
        rows.append(_row(words.EARLIER.template(language), counted[None]))
    starts = dict.fromkeys(monday(day) if by_week else day for day in days)
    rows += [_row(f"{day:%m-%d}", counted.get(day, Counter())) for day in starts]
    first = (words.WEEK_FROM if by_week else words.DAY).template(language)
    heads = [first, words.ALL.template(language), *LEVEL_MARKS.values()]
    return document.Table(tuple((document.Text(head),) for head in heads), tuple(rows))


def _days(window: Window) -> tuple[date, ...]:
    first, last = _first_day(window), _last_day(window)
    return tuple(first + timedelta(days=n) for n in range((last - first).days + 1))


def _last_day(window: Window) -> date:
    return (window.until - timedelta(microseconds=1)).astimezone(window.zone).date()


def _day(entry: ReportEntry, window: Window) -> date:
    return entry.graded.commit.committed_at.astimezone(window.zone).date()


def _row(name: str, levels: Counter[Level]) -> tuple[document.Spans, ...]:
    cells = (name, str(levels.total()), *(str(levels[level]) for level in LEVEL_MARKS))
    return tuple((document.Text(cell),) for cell in cells)


def _hot(report: Report, language: Language) -> Iterator[document.Block]:
    """The folders that most changes touch."""
    places = hot_places([entry.graded.facts for entry in report.entries], _PLACES)
    if places:
        yield _label(words.HOT, language)
        yield document.Listing(
            tuple(
                document.Item(words.PLACE_COUNT(language, place=document.Code(path), n=count))
                for path, count in places
            )
        )
