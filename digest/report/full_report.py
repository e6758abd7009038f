"""The full report as a document."""

from __future__ import annotations

from collections.abc import Iterator

from digest.core.authors import clip_title, code_as_spans, without_backticks
from digest.core.enums import Language
from digest.core.grade import Level
from digest.document import (
    Block,
    Divider,
    Document,
    Heading,
    Item,
    Link,
    Listing,
    Quote,
    Spans,
    Table,
    Text,
)
from digest.i18n import answer_text as words
from digest.i18n.phrase import Part, between
from digest.i18n.statement_text import LEVEL_MARKS, LEVEL_TITLES, LEVELS
from digest.report.assembly import Coverage, Report, ReportEntry
from digest.report.blocks import anchor_of, change_blocks, name_link
from digest.report.condensed import opening, theme_list
from digest.report.themes import follow_ups
from digest.window import edge, minute, span_of, whole_day

_STATISTICS = "statistics"
_CONTENTS = "contents"
_THEMES = "themes"
_LABEL = 80
"""Maximum characters of a title in the contents; longer ones are cut at a word with an ellipsis."""


def report_document(report: Report, language: Language) -> Document:
    """The whole report: table, statistics, contents, then the changes by level."""
    blocks: list[Block] = [
        Heading(1, (Text(title_of(report, language)),)),
        Heading(2, (Text(report.repository.name),), anchor="repository"),
    ]
    if report.entries:
        blocks.append(_table(report, language))
    blocks += _statistics(report, language)
    if report.entries:
        blocks.append(Heading(3, (Text(f"📋 {words.CONTENTS.template(language)}"),), _CONTENTS))
        blocks.append(_contents(report, language))
    for level in Level:
        blocks += _level(report, level, language)
    return Document(title=_name(report, language), blocks=tuple(blocks), language=str(language))


def title_of(report: Report, language: Language) -> str:
    """The heading of a report: its day or its window."""
    if day := whole_day(report.window):
        return words.DAILY_TITLE.text(language, day=day)
    return words.WINDOW_TITLE.text(language, window=span_of(report.window))


def _name(report: Report, language: Language) -> str:
    return words.DIGEST_TITLE.text(
        language, name=report.repository.name, day=span_of(report.window)
    )


def _table(report: Report, language: Language) -> Table:
    header = (words.COMMITTED, words.AUTHOR, words.MESSAGE)
    return Table(
        header=tuple((Text(h.template(language)),) for h in header),
        rows=tuple(_row(entry, report) for entry in report.entries),
    )


def _row(entry: ReportEntry, report: Report) -> tuple[Spans, Spans, Spans]:
    commit = entry.graded.commit
    return (
        (Text(minute(commit.committed_at, report.window.zone)),),
        (Text(" ".join(commit.author.split())),),
        code_as_spans(clip_title(commit.subject)),
    )


def _statistics(report: Report, language: Language) -> Iterator[Block]:
    """Counts, the lead, the exact window, and how the commits are accounted for."""
    yield Heading(3, (Text(f"📊 {words.STATISTICS.template(language)}"),), _STATISTICS)
    paragraphs: list[Spans] = [_counts(report, language)]
    if report.entries:
        paragraphs += opening(report)
    paragraphs.append(window_line(report, language))
    if report.coverage is not None:
        paragraphs.append(coverage_line(report.coverage, language))
    yield Quote(tuple(paragraphs))
    if themes := theme_list(report):
        yield Heading(3, (Text(f"🧭 {words.THEMES.template(language)}"),), _THEMES)
        yield themes


def _counts(report: Report, language: Language) -> Spans:
    """``33 commits in this window | 🔴 High 4 | 🟡 Medium 16 | 🟢 Low 13``."""
    if not report.entries:
        return words.QUIET(language)
    parts: list[Part] = [words.COUNTS(language, n=report.counts.total)]
    parts += [
        f"{LEVEL_MARKS[level]} {LEVELS[level].template(language)} {report.counts.of(level)}"
        for level in Level
    ]
    return between(parts, " | ")


def window_line(report: Report, language: Language) -> Spans:
    """The exact window with its zone, and the branch if its name is known."""
    zone = report.window.zone
    spans = words.WHOLE_WINDOW(
        language,
        since=edge(report.window.since, zone),
        until=edge(report.window.until, zone),
        zone=zone.key,
    )
    if not report.branch:
        return spans
    return between([spans, words.BRANCH(language, branch=report.branch)], " | ")


def coverage_line(coverage: Coverage, language: Language) -> Spans:
    """Every commit in exactly one state; the counts add up to git's."""
    states = [words.COUNT_POSTED.text(language, count=coverage.posted)] if coverage.posted else []
    if coverage.archived:
        states.append(words.COUNT_ARCHIVED.text(language, count=coverage.archived))
    states += [
        words.COUNT_FILTERED.text(language, count=n, why=why) for why, n in coverage.filtered
    ]
    states += [words.COUNT_FAILED.text(language, count=n, why=why) for why, n in coverage.failed]
    joint = words.STATES.template(language).join(states)
    if not states:
        return words.COUNTS(language, n=coverage.total)
    return words.COVERED(language, n=coverage.total, states=joint)


def _contents(report: Report, language: Language) -> Listing:
    """Links to every section and change; each leads to the anchor of a heading below."""
    items = [Item((Link(words.STATISTICS.template(language), f"#{_STATISTICS}"),))]
    if theme_list(report):
        items.append(Item((Link(words.THEMES.template(language), f"#{_THEMES}"),)))
    for level in Level:
        entries = report.of(level)
        if entries:
            link = Link(_level_title(level, len(entries), language), f"#{level}")
            children = tuple(
                Item(
                    (
                        Link(
                            clip_title(
                                without_backticks(e.graded.title) or e.graded.sha[:10], _LABEL
                            ),
                            f"#{a}",
                        ),
                    )
                )
                for e in entries
                if (a := anchor_of(e.graded))
            )
            items.append(Item((link,), children))
    return Listing((Item((Link(report.repository.name, "#repository"),), tuple(items)),))


def _level_title(level: Level, count: int, language: Language) -> str:
    title = f"{LEVEL_MARKS[level]} {LEVEL_TITLES[level].template(language)}"
    return words.LEVEL_COUNT.text(language, title=title, count=count)


def _level(report: Report, level: Level, language: Language) -> Iterator[Block]:
    """The changes of a level, newest first, separated by rules."""
    entries = report.of(level)
    if not entries:
        return
    yield Heading(3, (Text(_level_title(level, len(entries), language)),), str(level))
    related = _related(report, language)
    for at, entry in enumerate(entries):
        if at:
            yield Divider()
        yield from change_blocks(
            entry.graded,
            entry.analysis,
            report.repository,
            report.window.zone,
            language,
            late=entry.late,
            missed=entry.missed,
            related=related.get(entry.graded.sha, ()),
        )


def _related(report: Report, language: Language) -> dict[str, Spans]:
    """The follow-ups of each change, and of each follow-up the first change."""
    told: dict[str, Spans] = {}
    first = {entry.graded.sha: entry.graded for entry in report.entries}
    for sha, later in follow_ups(report.entries).items():
        links: list[Part] = [name_link(one.graded, report.repository) for one in later]
        told[sha] = words.FOLLOWED(language, n=len(later), places=between(links, ", "))
        follows = words.FOLLOWS(language, place=name_link(first[sha], report.repository))
        told |= dict.fromkeys((one.graded.sha for one in later), follows)
    return told
