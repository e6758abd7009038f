"""The condensed digest as a document. Imports ``blocks``, ``full``, ``words`` and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.analysis import gist
from digest.document import (
    Block,
    Code,
    Document,
    Emphasis,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Span,
    Spans,
    Strong,
    Text,
)
from digest.grade import Level
from digest.graded import Graded
from digest.language import Language
from digest.report.assembly import Entry, Report
from digest.report.blocks import grade_reasons, run, title_link
from digest.report.moments import days_of, edges, whole_day
from digest.report.overview import opening, theme_list
from digest.statement import Analysis, Origin, Statement
from digest.words import pages as words
from digest.words.labels import COLON, LEVEL_MARKS
from digest.words.phrase import Part, between, joined

_NOTABLE = 3
"""So many medium changes stand in where nothing is as high as was asked for."""

_MOST = {Level.HIGH: 12, Level.MEDIUM: 25, Level.LOW: 50}
"""The most changes of a digest by the least level asked for; the full report has the rest."""

_WHY = 220
"""Letters of the line under a change; statements are whole or left out."""

_WIDE = 0x2E80
"""From here on characters are those of East Asia, as wide as two letters."""


def digest_document(
    report: Report, language: Language, where: str = "", *, least: Level = Level.HIGH
) -> Document:
    """The digest for a channel: a lead, what matters with one line of why each, the window.

    ``where`` is the address or path of the full report, or empty where there is none; ``least``
    the level from which changes are shown. A day without commits is one line.
    """
    name = words.DIGEST_TITLE.text(
        language, name=report.repository.name, day=days_of(report.window)
    )
    entries = shown(report, least)
    blocks: list[Block] = [Heading(1, (Text(name),))]
    blocks += [Paragraph(spans) for spans in opening(report)]
    if themes := theme_list(report, linked=False):
        blocks += [Paragraph((Strong(words.THEMES.template(language)),)), themes]
    if entries:
        if entries[0].level.rank > least.rank:
            blocks.append(Paragraph(words.NOTABLE(language)))
        blocks.append(listed(entries, report, language))
    blocks += closing(report, len(entries), language, where)
    return Document(title=name, blocks=tuple(blocks), language=str(language))


def listed(entries: Sequence[Entry], report: Report, language: Language) -> Listing:
    """The entries as a digest lists them, each with its why below."""
    return Listing(tuple(_item(entry, report, language) for entry in entries))


def closing(report: Report, count: int, language: Language, where: str) -> Iterator[Block]:
    """What a digest ends with: how many of the changes it shows, its window, the full report."""
    yield Paragraph(_foot(report, count, language), aside=True)
    if where and report.entries:
        yield Paragraph(_reference(where, language))


def shown(report: Report, least: Level = Level.HIGH) -> tuple[Entry, ...]:
    """The entries that the digest shows: those of ``least`` and above, within a bound.

    Those that matter most stand first, then the newest; muted ones stand nowhere. Where there are
    none, the top medium changes stand in.
    """
    heard = [entry for entry in report.entries if not entry.muted]
    ranked = sorted(heard, key=lambda e: (e.level.rank, -e.graded.grade.score))
    chosen = [e for e in ranked if e.level.rank <= least.rank][: _MOST[least]]
    return tuple(chosen or [e for e in ranked if e.level is Level.MEDIUM][:_NOTABLE])


def _item(entry: Entry, report: Report, language: Language) -> Item:
    """Mark, title and author, with the why below."""
    graded = entry.graded
    head: list[Part] = [f"{LEVEL_MARKS[entry.level]} ", title_link(graded, report.repository)]
    head.append(f" · {' '.join(graded.commit.author.split())}")
    if entry.late:
        head += [" · ", Strong(words.LATE.template(language))]
    if entry.missed:
        head += [" · ", Emphasis(words.MISSED.template(language))]
    told = entry.analysis
    if told.source is Origin.FACTS:
        told = gist(graded, language)
    reason = why(graded, told, language)
    return Item(joined(head), (Item(reason),) if reason else ())


def why(graded: Graded, analysis: Analysis, language: Language) -> Spans:
    """One line on why a change matters, of whole statements.

    The summary, then the risks, then how much changes, as far as they fit; where a risk rests on
    all the places that a statement of the summary does, it stands in its place. Without any of
    these, the reasons of the grade.
    """
    deeds = [s for s in analysis.summary if any(e.line for e in s.evidence)]
    extent = [s for s in analysis.summary if s not in deeds]
    kept: list[Statement] = []
    length = 0
    for statement in (*(_risk_of(s, analysis) for s in deeds), *analysis.risks, *extent):
        width = _width(statement.text)
        if length + width <= _WHY and statement not in kept:
            kept.append(statement)
            length += width
    if kept:
        return run(kept, language)
    reasons = grade_reasons(graded.grade, language)
    return (Text(reasons),) if reasons else ()


def _width(text: str) -> int:
    return len(text) if text.isascii() else sum(2 if ord(c) >= _WIDE else 1 for c in text)


def _risk_of(statement: Statement, analysis: Analysis) -> Statement:
    """The risk that says the same with its consequence, or the statement."""
    places = set(statement.evidence)
    return next((r for r in analysis.risks if places.issubset(r.evidence)), statement)


def _foot(report: Report, shown: int, language: Language) -> Spans:
    """The counts by level with what the reader's filters left out, and the exact window."""
    parts: list[Part] = []
    if report.entries:
        parts.append(" ".join(f"{LEVEL_MARKS[one]} {report.counts.of(one)}" for one in Level))
        parts.append(words.SHOWN(language, shown=shown, total=report.counts.total))
    if muted := sum(entry.muted for entry in report.entries):
        parts.append(words.MUTED(language, n=muted))
    if report.coverage and (left := report.coverage.filtered):
        rules = ", ".join(f"{rule} {count}" for rule, count in left)
        parts.append(words.LEFT_OUT(language, n=sum(n for _, n in left), rules=rules))
    return between([*parts, *_stretch(report, language)], " · ")


def _stretch(report: Report, language: Language) -> tuple[Spans, Spans]:
    """The window with its zone, and the branch."""
    zone = report.window.zone.key
    if day := whole_day(report.window):
        window = words.WHOLE_DAY(language, day=day, zone=zone)
    else:
        since, until = edges(report.window)
        window = words.SPAN(language, since=since, until=until, zone=zone)
    return window, words.BRANCH(language, branch=report.branch)


def _reference(where: str, language: Language) -> Spans:
    """The full report as a link, or as a path."""
    name = words.FULL_REPORT.template(language)
    span: Span = Link(name, where) if where.startswith(("https://", "http://")) else Code(where)
    return (span,) if isinstance(span, Link) else joined([name, *COLON(language), span])
