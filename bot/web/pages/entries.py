"""Changes as pages show them: entries with the analyses of models, and articles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from bot.store.browsing import ChangeLine
from bot.util.page_links import path_of
from bot.web.pages.dates import minute
from bot.web.pages.site import Site, SiteRepository
from digest.analysis.analyse import analyse, typed
from digest.core.author_text import authored
from digest.core.enums import Language
from digest.core.grade import Graded, Level, Repository
from digest.core.statement import Analysis, Aspect, Origin, Statement
from digest.document import Code, Spans
from digest.grading.level_override import PREFIX, laid_over
from digest.i18n import report_text as words
from digest.i18n.labels import ASPECTS, CHANGE_TYPES, IMPACT, INSIGHTS, RISKS, SUGGESTIONS
from digest.i18n.report_text import reason_words
from digest.report.assembly import ReportEntry
from digest.report.blocks import Citations, anchor_of, run
from handlers.ports.analysis_port import StoredAnalysis

Told = Mapping[str, StoredAnalysis]
"""Stored model analyses by full commit hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A group of statements, under an aspect if it has one."""

    key: str
    title: str
    groups: tuple[tuple[str, tuple[Spans, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A change with all its statements, in the reader's language and zone."""

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
    shelf: Site, shown: SiteRepository, lines: Sequence[ChangeLine], language: Language
) -> tuple[Sequence[ChangeLine], Told]:
    """The lines with levels as adjusted by models, and the models' analyses."""
    told = await shelf.browsing.told(shown.repository, [line.sha for line in lines], language)
    moved = []
    for line in lines:
        kept = told.get(line.sha)
        move = kept.move if kept else None
        stands = move is not None and move.of is line.level
        moved.append(replace(line, level=move.to) if move and stands else line)
    return moved, told


async def loaded(shelf: Site, shown: SiteRepository, shas: Sequence[str]) -> list[Graded]:
    """The archived changes in the order of ``shas``."""
    found = await shelf.archive.load(shown.repository, shas)
    return [found[sha] for sha in shas if sha in found]


def line_of(graded: Graded) -> ChangeLine:
    """A change as lists show it."""
    return ChangeLine(
        sha=graded.sha,
        at=graded.commit.committed_at,
        level=graded.grade.level,
        score=graded.grade.score,
        title=graded.title,
        author=graded.commit.author,
        number=graded.number,
    )


def entry_of(graded: Graded, told: Told, shown: SiteRepository, language: Language) -> ReportEntry:
    """A change with its analysis: a stored one of a model, else the one from facts."""
    return _entry_of(graded, told, shown, partial(analyse, language=language))


def typed_entry(
    graded: Graded, told: Told, shown: SiteRepository, language: Language
) -> ReportEntry:
    """An entry whose types matter; without a model's analysis it holds nothing else."""
    return _entry_of(graded, told, shown, partial(typed, language=language))


def _entry_of(
    graded: Graded, told: Told, shown: SiteRepository, tell: Callable[[Graded], Analysis]
) -> ReportEntry:
    kept = told.get(graded.sha)
    if kept is None or kept.analysis is None:
        return ReportEntry(graded=graded, analysis=tell(graded))
    grade = laid_over(graded.grade, kept.move, shown.thresholds)
    return ReportEntry(graded=replace(graded, grade=grade), analysis=kept.analysis)


def article_of(
    entry: ReportEntry, repository: Repository, zone: ZoneInfo, language: Language
) -> Article:
    """An entry as a page shows it."""
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
        at=minute(graded.commit.committed_at, zone),
        instant=graded.commit.committed_at,
        types=tuple(CHANGE_TYPES[kind].template(language) for kind in analysis.change_types),
        reasons=tuple(reason_words(reason, language) for reason in raised),
        remarks=tuple(_remarks(entry, zone, language)),
        by_model=analysis.source is Origin.MODEL,
        summary=run(analysis.summary, language),
        sections=() if entry.level is Level.LOW else tuple(_sections(entry, repository, language)),
    )


def _remarks(entry: ReportEntry, zone: ZoneInfo, language: Language) -> Iterator[str]:
    if entry.late:
        at = minute(entry.graded.commit.committed_at, zone)
        yield words.LATE_NOTE.text(language, moment=at)
    if entry.missed:
        yield words.MISSED_NOTE.template(language)
    if entry.analysis.partial:
        yield entry.analysis.partial


def _sections(entry: ReportEntry, repository: Repository, language: Language) -> Iterator[Section]:
    analysis = entry.analysis
    places = Citations(entry.graded, repository, language)
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
    statements: Sequence[Statement], places: Citations | None, language: Language
) -> Iterator[tuple[str, tuple[Spans, ...]]]:
    """The statements by aspect, in their order, with the places that support them."""
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
