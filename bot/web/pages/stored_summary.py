"""A model's stored summary of a day or week: its lead and its themes.

Summaries are stored by the model's input, not by window. The digest posted with a summary tells its
window; without one, it is the window that holds all changes the summary names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from bot.delivery.payload import thaw
from bot.store.browsing import ChangeLine, KeptPost
from bot.util.page_links import path_of
from bot.web.pages.page_request import PageRequest
from bot.workspace.workspace import day_of
from digest.core.grade import Repository
from digest.core.statement import Origin
from digest.document import Document, Listing, Paragraph, Spans, plain
from digest.question.dates import monday
from digest.report.themes import DaySummary
from digest.window import Window, span_of

_LATEST = timedelta(days=31)
"""A digest is made soon after its window; later summaries are not searched."""

_CITED = 6
"""The most changes that are linked behind a sentence or a theme."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSummary:
    """A lead and themes. ``span`` is their period, empty if it is the page's."""

    day: DaySummary
    span: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    repository, shelf = asked.shown().repository, asked.shelf
    until = window.until + _LATEST
    days = await shelf.browsing.days(repository, asked.language, window.since, until)
    days = [day for day in days if day.source is Origin.MODEL]
    if not days:
        return None
    first = window.since.astimezone(window.zone).date()
    near = await shelf.browsing.posted(repository, window.since - timedelta(days=1), window.until)
    posted = [told for told in near if _leads_to(told, first, weekly=weekly)]
    for told in posted:
        words = _words(thaw(told.document).document)
        for day in days:
            if _opening(day) in words:
                own = told.heading.window == window
                return StoredSummary(day=day, span="" if own else span_of(told.heading.window))
    return next((StoredSummary(day=day) for day in days if _is_of(day, lines, weekly=weekly)), None)


def claims(
    led: StoredSummary, lines: Sequence[ChangeLine], repository: Repository
) -> tuple[list[Claim], ...]:
    """The sentences of the lead, then the themes."""
    known = {line.sha: line for line in lines}
    lead = [_claim((), one.spans, one.shas, known, repository) for one in led.day.lead]
    themes = [
        _claim(one.title, one.sentence.spans if one.sentence else (), one.shas, known, repository)
        for one in led.day.themes
    ]
    return lead, themes


def _claim(
    title: Spans,
    spans: Spans,
    shas: Sequence[str],
    known: Mapping[str, ChangeLine],
    repository: Repository,
) -> Claim:
    behind = tuple(
        (_name(sha, known.get(sha)), path_of(repository.name, change=sha[:12]))
        for sha in shas[:_CITED]
    )
    return Claim(title=title, spans=spans, behind=behind, more=max(len(shas) - _CITED, 0))


def _name(sha: str, line: ChangeLine | None) -> str:
    return f"#{line.number}" if line is not None and line.number is not None else sha[:10]


def _leads_to(told: KeptPost, first: date, *, weekly: bool) -> bool:
    """Whether a digest's link to its full report leads to the page of the window."""
    day = day_of(told.heading)
    return told.heading.weekly is weekly and first == (monday(day) if weekly else day)


def _is_of(day: DaySummary, lines: Sequence[ChangeLine], *, weekly: bool) -> bool:
    """Whether all named changes lie in the window; for a week, on more than one day of it."""
    at = {line.sha: line.at.date() for line in lines}
    named = set(_named(day))
    if not named or not named <= at.keys():
        return False
    return not weekly or len({at[sha] for sha in named}) > 1


def _named(day: DaySummary) -> Iterator[str]:
    for sentence in day.lead:
        yield from sentence.shas
    for theme in day.themes:
        yield from theme.shas


def _opening(day: DaySummary) -> str:
    first = day.lead[0].spans if day.lead else day.themes[0].title
    return plain(first)


def _words(document: Document) -> str:
    """The paragraphs and lists of a digest as one text."""
    return "\n".join(plain(spans) for spans in _spans(document))


def _spans(document: Document) -> Iterable[Spans]:
    for block in document.blocks:
        if isinstance(block, Paragraph):
            yield block.spans
        elif isinstance(block, Listing):
            yield from (item.spans for item in block.items)
