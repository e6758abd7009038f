"""Changes as pages tell of them: entries with what a model said of them, and articles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from bot.store.browsing import Line
from bot.web.links import path_of
from bot.web.pages.shelf import Shelf, Shown
from digest.analysis import analyse, typed
from digest.authored import authored
from digest.document import Code, Spans
from digest.grade import Level
from digest.graded import Graded, Repository
from digest.language import Language
from digest.move import PREFIX, laid_over
from digest.report import Entry
from digest.report.blocks import anchor_of, run
from digest.report.moments import moment
from digest.report.places import Places
from digest.statement import Analysis, Aspect, Origin, Statement
from digest.words import pages as words
from digest.words.labels import (
    ASPECTS,
    CHANGE_TYPES,
    IMPACT,
    INSIGHTS,
    RISKS,
    SUGGESTIONS,
)
from digest.words.reasons import reason_words
from handlers.judgement import Kept

Told = Mapping[str, Kept]
"""What a model said of changes, by their full names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of what is said; under an aspect where it has one."""

    key: str
    title: str
    groups: tuple[tuple[str, tuple[Spans, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A change with all that is said of it, in the reader's language and zone."""

    anchor: str
    url: str
    title: Spans
    level: Level
    score: float
    sha: str
    commit_url: str
    number: int | None
    request_url: str
    author: str
    at: str
    instant: datetime
    types: tuple[str, ...]
    reasons: tuple[str, ...]
    remarks: tuple[str, ...]
    by_model: bool
    summary: Spans
    sections: tuple[Section, ...]


async def told_of(
    shelf: Shelf, shown: Shown, lines: Sequence[Line], language: Language
) -> tuple[Sequence[Line], Told]:
    """The lines with levels as models moved them, and what models said of them."""
    told = await shelf.browsing.told(shown.repository, [line.sha for line in lines], language)
    moved = []
    for line in lines:
        kept = told.get(line.sha)
        move = kept.move if kept else None
        stands = move is not None and move.of is line.level
        moved.append(replace(line, level=move.to) if move and stands else line)
    return moved, told


async def loaded(shelf: Shelf, shown: Shown, shas: Sequence[str]) -> list[Graded]:
    """The archived changes in the order of their names."""
    found = await shelf.archive.load(shown.repository, shas)
    return [found[sha] for sha in shas if sha in found]


def line_of(graded: Graded) -> Line:
    """A change as lists have it."""
    return Line(
        sha=graded.sha,
        at=graded.commit.committed_at,
        level=graded.grade.level,
        score=graded.grade.score,
        title=graded.title,
        author=graded.commit.author,
        number=graded.number,
    )


def entry_of(graded: Graded, told: Told, shown: Shown, language: Language) -> Entry:
    """A change with its analysis: a model's where one is kept, else that of the facts."""
    return _entry_of(graded, told, shown, partial(analyse, language=language))


def typed_entry(graded: Graded, told: Told, shown: Shown, language: Language) -> Entry:
    """The same for whoever asks of what types it is: where no model told of it, nothing else."""
    return _entry_of(graded, told, shown, partial(typed, language=language))


def _entry_of(
    graded: Graded, told: Told, shown: Shown, tell: Callable[[Graded], Analysis]
) -> Entry:
    kept = told.get(graded.sha)
    if kept is None or kept.analysis is None:
        return Entry(graded=graded, analysis=tell(graded))
    grade = laid_over(graded.grade, kept.move, shown.thresholds)
    return Entry(graded=replace(graded, grade=grade), analysis=kept.analysis)


def article_of(entry: Entry, repository: Repository, zone: ZoneInfo, language: Language) -> Article:
    """What a page shows of an entry."""
    graded, analysis = entry.graded, entry.analysis
    number = graded.number
    raised = [r for r in graded.grade.reasons if r.weight > 0 or r.rule.startswith(PREFIX)]
    return Article(
        anchor=anchor_of(graded),
        url=path_of(repository.name, change=graded.sha[:12]),
        title=authored(graded.title) or (Code(graded.sha[:10]),),
        level=entry.level,
        score=graded.grade.score,
        sha=graded.sha,
        commit_url=repository.commit_url(graded.sha),
        number=number,
        request_url=repository.request_url(number) if number is not None else "",
        author=" ".join(graded.commit.author.split()),
        at=moment(graded.commit.committed_at, zone),
        instant=graded.commit.committed_at,
        types=tuple(CHANGE_TYPES[kind].template(language) for kind in analysis.change_types),
        reasons=tuple(reason_words(reason, language) for reason in raised),
        remarks=tuple(_remarks(entry, zone, language)),
        by_model=analysis.source is Origin.MODEL,
        summary=run(analysis.summary, language),
        sections=() if entry.level is Level.LOW else tuple(_sections(entry, repository, language)),
    )


def _remarks(entry: Entry, zone: ZoneInfo, language: Language) -> Iterator[str]:
    if entry.late:
        at = moment(entry.graded.commit.committed_at, zone)
        yield words.LATE_NOTE.text(language, moment=at)
    if entry.missed:
        yield words.MISSED_NOTE.template(language)
    if entry.analysis.partial:
        yield entry.analysis.partial


def _sections(entry: Entry, repository: Repository, language: Language) -> Iterator[Section]:
    analysis = entry.analysis
    places = Places(entry.graded, repository, language)
    for key, title, statements in (
        ("impact", IMPACT, analysis.impact),
        ("insights", INSIGHTS, analysis.insights),
        ("risks", RISKS, analysis.risks),
        ("suggestions", SUGGESTIONS, analysis.suggestions),
    ):
        if statements:
            cites = key in {"insights", "risks"}
            yield Section(
                key=key,
                title=title.template(language),
                groups=tuple(_groups(statements, places if cites else None, language)),
            )


def _groups(
    statements: Sequence[Statement], places: Places | None, language: Language
) -> Iterator[tuple[str, tuple[Spans, ...]]]:
    """The statements by aspect, in their order, with the places that bear them out."""
    for aspect in dict.fromkeys(one.aspect for one in statements):
        name = "" if aspect is Aspect.NONE else ASPECTS[aspect].template(language)
        yield (
            name,
            tuple(
                places.cited(one) if places else one.spans
                for one in statements
                if one.aspect is aspect
            ),
        )
