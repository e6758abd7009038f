"""The condensed digest for a channel, its thread, and its marks on changes reverted since.

The digest has a lead, themes and the changes that matter. The thread explains each of them: why it
matters and what to do. Links and numbers are always made by code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from digest.analysis.headline import BEGINS, bare_title
from digest.analysis.quotes import restates
from digest.core.authors import code_as_spans, without_backticks
from digest.core.enums import Language
from digest.core.grade import Graded, Level, Repository
from digest.core.statement import Analysis, Aspect, Origin, Statement
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
    plain,
    without_full_stop,
)
from digest.frozen import frozen
from digest.grading.outcomes import UNDONE
from digest.i18n import answer_text as words
from digest.i18n import statement_text as fact_words
from digest.i18n.answer_text import DETAILS
from digest.i18n.phrase import Part, Phrase, between, join, list_in_words
from digest.i18n.statement_text import COLON, INSIGHTS, LEVEL_MARKS
from digest.report.assembly import Report, ReportEntry, foremost
from digest.report.blocks import (
    Citations,
    advice,
    grade_reasons,
    label,
    name_link,
    run,
    title_link,
)
from digest.report.themes import follow_ups
from digest.window import days_of, edges, whole_day

_CITED = 3  # maximum number of changes linked after a sentence of the lead
_JOINED = 6  # maximum number of changes linked after a theme; the others are counted


def opening(report: Report) -> tuple[Spans, ...]:
    """The first paragraphs of a report: two sentences by a model, then the counts by code."""
    day = report.day
    if day is None or not day.lead:
        return (report.lead,)
    known = _known(report)
    gap = "" if report.language is Language.ZH else " "
    sentences = [join([*one.spans, *_behind(one.shas, known, report, _CITED)]) for one in day.lead]
    return (between(sentences, gap), report.lead)


def theme_list(report: Report, *, linked: bool = True) -> Listing | None:
    """The themes, each followed by its changes; ``None`` if there are none.

    A digest for a channel links the changes in its list, so its themes only name them.
    """
    if report.day is None or not report.day.themes:
        return None
    known = _known(report)
    items = []
    for theme in report.day.themes:
        parts: list[Part] = [Strong(span.text) for span in theme.title]
        if theme.sentence:
            parts += [*COLON(report.language), *theme.sentence.spans]
        behind = _behind(theme.shas, known, report, _JOINED, linked=linked)
        items.append(Item(join([*parts, *behind])))
    return Listing(tuple(items))


def _known(report: Report) -> dict[str, Graded]:
    return {entry.graded.sha: entry.graded for entry in report.entries}


def _behind(
    shas: Sequence[str], known: dict[str, Graded], report: Report, most: int, *, linked: bool = True
) -> Iterator[Span]:
    """The changes that a sentence is based on, in brackets; unknown ones are left out."""
    listed = [known[sha] for sha in shas if sha in known]
    if not listed:
        return
    repository = report.repository if linked else replace(report.repository, web="")
    named: list[Part] = [name_link(graded, repository) for graded in listed[:most]]
    if len(listed) > most:
        named.append(words.MORE.text(report.language, n=len(listed) - most))
    yield from words.CITED(report.language, places=between(named, ", "))


_NOTABLE = 3  # number of changes shown, if need be medium ones below the requested level
_MOST = {Level.HIGH: 12, Level.MEDIUM: 25, Level.LOW: 50}
"""Maximum changes of a digest by its minimum level; the full report has the rest."""

_WHY = 220  # letters of the line below a change; statements are whole or left out
_WIDE = 0x2E80  # first code point of East Asian characters, which are as wide as two letters


def digest_document(
    report: Report, language: Language, where: str = "", *, least: Level = Level.HIGH
) -> Document:
    """The digest for a channel: a lead, what matters with one line of why each, the window.

    ``where`` is the URL or path of the full report, or empty if there is none; ``least`` is the
    minimum level of the changes shown. A day without commits is one line.
    """
    name = words.DIGEST_TITLE.text(language, name=report.name, day=days_of(report.window))
    entries = shown_entries(report, least)
    blocks: list[Block] = [Heading(1, (Text(name),))]
    blocks += [Paragraph(spans) for spans in opening(report)]
    if themes := theme_list(report, linked=False):
        blocks += [Paragraph((Strong(words.THEMES.template(language)),)), themes]
    if entries:
        if entries[0].level.rank > least.rank:
            blocks.append(Paragraph(words.NOTABLE(language)))
        blocks.append(entry_listing(entries, report, language))
    blocks += closing(report, len(posted_commits(report, least)), language, where)
    return Document(title=name, blocks=tuple(blocks), language=str(language))


def entry_listing(entries: Sequence[ReportEntry], report: Report, language: Language) -> Listing:
    """The entries as a digest lists them, each with its explanation below."""
    later = _follow_ups(report)
    return Listing(
        tuple(_item(entry, later.get(entry.graded.sha, ()), report, language) for entry in entries)
    )


def _follow_ups(report: Report) -> Mapping[str, tuple[ReportEntry, ...]]:
    return follow_ups([entry for entry in report.entries if not entry.muted])


def closing(report: Report, count: int, language: Language, where: str) -> Iterator[Block]:
    """The end of a digest: how many of the changes it shows, its window, the full report."""
    yield Paragraph(_foot(report, count, language), aside=True)
    if where and report.entries:
        yield Paragraph(_reference(where, language))


def shown_entries(report: Report, least: Level = Level.HIGH) -> tuple[ReportEntry, ...]:
    """The entries that the digest shows: those of ``least`` and above, within a bound.

    Those to act on come first, then those that matter most; muted ones are never shown, and
    follow-ups are named with their first change. If there are few, the top medium changes follow.
    """
    told = {one.graded.sha for rest in _follow_ups(report).values() for one in rest}
    ranked = foremost([e for e in report.entries if not e.muted and e.graded.sha not in told])
    chosen = [e for e in ranked if e.level.rank <= least.rank]
    medium = [e for e in ranked if e.level is Level.MEDIUM and e.level.rank > least.rank]
    if chosen:  # the lead counts changes to act on, so they are shown at any level
        chosen += [e for e in medium if e.acts]
        medium = [e for e in medium if not e.acts]
    return (*chosen[: _MOST[least]], *medium[: max(0, _NOTABLE - len(chosen))])


def posted_commits(report: Report, least: Level = Level.HIGH) -> frozenset[str]:
    """The full names of the changes that the digest shows, follow-ups included."""
    later = _follow_ups(report)
    entries = [
        one for e in shown_entries(report, least) for one in (e, *later.get(e.graded.sha, ()))
    ]
    return frozenset(entry.graded.sha for entry in entries)


def _item(
    entry: ReportEntry, later: Sequence[ReportEntry], report: Report, language: Language
) -> Item:
    """Mark, consequence, number, author and follow-ups, with the explanation below."""
    graded, told = entry.graded, entry.analysis
    head: list[Part] = [f"{LEVEL_MARKS[entry.level]} ", *consequence(graded, told)]
    head += words.CITED(language, places=name_link(graded, report.repository))
    head.append(f" · {' '.join(graded.commit.author.split())}")
    if later:
        places = between([name_link(one.graded, report.repository) for one in later], ", ")
        head += [" · ", *words.FOLLOWED(language, n=len(later), places=places)]
    if entry.late:
        head += [" · ", Strong(words.LATE.template(language))]
    if entry.missed:
        head += [" · ", Emphasis(words.MISSED.template(language))]
    if by := _undone_by(graded, report):
        head += _reverted(by, report.repository, language)
    todo = entry.todo if entry.level is not Level.LOW else ()
    below = _below(graded, told, language, acts=bool(todo))
    if todo:
        gap = " " if below and language is Language.EN else ""
        below = join([_TO_DO, *todo, gap, *below])
    return Item(join(head), (Item(below),) if below else ())


def _undone_by(graded: Graded, report: Report) -> Graded | None:
    """The change of the same digest that reverts this one."""
    names = {reason.subject for reason in graded.grade.reasons if reason.rule == UNDONE}
    changes = (entry.graded for entry in report.entries)
    return next((change for change in changes if change.name in names), None)


def consequence(graded: Graded, analysis: Analysis) -> Spans:
    """What a change means, as one sentence without its full stop; the title if nothing is said."""
    if not analysis.summary:
        return code_as_spans(graded.title) or (Code(graded.sha[:10]),)
    return without_full_stop(analysis.summary[0].spans)


def _below(graded: Graded, analysis: Analysis, language: Language, *, acts: bool) -> Spans:
    """The explanation of the line above; also the title, unless a statement restates it."""
    # "Remove the flag" behind what to do would read as one more thing to do.
    asks = acts and BEGINS.match(bare_title(graded.facts.subject).lower())
    rest = [s for s in analysis.summary[1:] if not (asks and restates(s, graded))]
    if any(restates(s, graded) for s in analysis.summary):
        return run(_fitting(rest, analysis, _WHY), language)
    title = without_backticks(bare_title(graded.facts.subject))
    more = _fitting(rest, analysis, _WHY - _width(title))
    parts: list[Part] = [Emphasis(title)] if analysis.summary and title else []
    return between([*parts, run(more, language)] if more else parts, " · ")


def why(
    graded: Graded, analysis: Analysis, language: Language, room: int = _WHY, todo: Spans = ()
) -> Spans:
    """What a change means, in whole statements that do not restate its title; may be empty.

    What ``todo`` says, which stands before it, is left out.
    """
    new = (_beside(s, todo, language) for s in analysis.summary if not restates(s, graded))
    fresh = [statement for statement in new if statement is not None]
    first = next((s for s in fresh if _width(s.text) <= _WHY), None)
    room = max(room, _width(first.text)) if first else room
    return run(_fitting(fresh, analysis, room), language)


def _beside(statement: Statement, todo: Spans, language: Language) -> Statement | None:
    """What a statement says beside what to do; ``None`` if nothing."""
    said = next((one for one in _implied(todo, language) if statement.text.startswith(one)), "")
    left = statement.text.removeprefix(said).rstrip(".。")
    if not said:
        return statement
    before, after = plain(fact_words.GOES(language, version="|")).split("|")
    version = left.removeprefix(before).removesuffix(after)
    if left == f"{before}{version}{after}":
        return replace(statement, spans=fact_words.REMOVAL_PLANNED(language, version=version))
    return statement if left else None


def _implied(todo: Spans, language: Language) -> Iterator[str]:
    """What the advice to replace or to drop something implies."""
    names = [span for span in todo if isinstance(span, Code)]
    if not names:
        return
    listed = list_in_words(names, language, limit=len(names))
    first, last = names[0], names[-1]
    phrases: tuple[Phrase, ...] = ()
    if todo == fact_words.LEAVE_DEPRECATED(language, names=listed):
        phrases = (fact_words.DEPRECATED_ONE, fact_words.DEPRECATED_MANY)
    elif any(todo == risk(language, names=listed) for risk in fact_words.REMOVED_RISKS.values()):
        phrases = (fact_words.REMOVED_ONE, fact_words.REMOVED_MANY)
    elif todo == fact_words.REPLACE(language, before=first, after=last):
        yield plain(fact_words.RENAMED(language, before=first, after=last))
        use = plain(fact_words.USE_INSTEAD(language, replacement=last))
        for phrase in (fact_words.DEPRECATED_ONE, fact_words.REMOVED_ONE):
            yield plain(phrase(language, names=first)) + use
    yield from (plain(phrase(language, names=listed)) for phrase in phrases)


def _fitting(statements: Sequence[Statement], analysis: Analysis, room: int) -> Sequence[Statement]:
    """The statements that fit, and a model's risks."""
    risks = analysis.risks if analysis.source is Origin.MODEL else ()
    told = [s for s in statements if s.aspect is not Aspect.ARCHITECTURE]  # that is for developers
    kept: list[Statement] = []
    for statement in (*told, *risks):
        width = _width(statement.text)
        if width <= room and statement not in kept:
            kept.append(statement)
            room -= width
    return kept


def _width(text: str) -> int:
    return len(text) if text.isascii() else sum(2 if ord(c) >= _WIDE else 1 for c in text)


def _foot(report: Report, shown: int, language: Language) -> Spans:
    """The counts by level, what the reader's filters left out, and the exact window."""
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


def _stretch(report: Report, language: Language) -> tuple[Spans, ...]:
    """The window with its zone, and the branch if its name is known."""
    zone = report.window.zone.key
    if day := whole_day(report.window):
        window = words.WHOLE_DAY(language, day=day, zone=zone)
    else:
        since, until = edges(report.window)
        window = words.SPAN(language, since=since, until=until, zone=zone)
    return (window, words.BRANCH(language, branch=report.branch)) if report.branch else (window,)


def _reference(where: str, language: Language) -> Spans:
    """The full report as a link, or as a path."""
    name = words.FULL_REPORT.template(language)
    span: Span = Link(name, where) if where.startswith(("https://", "http://")) else Code(where)
    return (span,) if isinstance(span, Link) else join([name, *COLON(language), span])


MOST = 5  # maximum number of changes in detail; the full report has all
_INSIGHTS = 4  # maximum insights of one change, which explain its grade further


def details_document(
    report: Report, language: Language, *, least: Level = Level.HIGH
) -> Document | None:
    """The high changes of a digest in detail, in its order; ``None`` if it lists none."""
    entries = [e for e in shown_entries(report, least) if e.level is Level.HIGH][:MOST]
    if not entries:
        return None
    name = DETAILS.template(language)
    blocks = [block for entry in entries for block in _told(entry, report, language)]
    return Document(title=name, blocks=tuple(blocks), language=str(language))


def _told(entry: ReportEntry, report: Report, language: Language) -> Iterator[Block]:
    graded, analysis = entry.graded, entry.analysis
    where = Citations(graded, report.repository, language)
    yield Heading(3, (title_link(graded, report.repository),))
    reasons = grade_reasons(graded.grade, language)
    colon = COLON(language) if reasons else ()
    yield Paragraph((Text(fact_words.level_words(entry.level, language)), *colon, Text(reasons)))
    insights = ("🔍", INSIGHTS, analysis.insights[:_INSIGHTS])
    for mark, phrase, statements in (insights, *advice(analysis)):
        if statements:
            yield Paragraph(label(mark, phrase, language))
            yield Listing(tuple(Item(where.cited(statement)) for statement in statements))


_MARK, _TO_DO = "↩️ ", "👉 "
_MARKS = tuple(LEVEL_MARKS.values())


@frozen
class RevertedChange:
    """A change and the one that reverts it."""

    change: Graded
    by: Graded


def mark_reverted(
    document: Document, reverts: Sequence[RevertedChange], repository: Repository
) -> Document | None:
    """The document with reverted changes marked, in its first sentence as well.

    ``None`` if it lists none of them.
    """
    language = Language(document.language)
    blocks: list[Block] = []
    found = False
    for block in document.blocks:
        if isinstance(block, Listing):
            items = tuple(_marked(item, reverts, repository, language) for item in block.items)
            found = found or items != block.items
            blocks.append(replace(block, items=items))
        elif isinstance(block, Paragraph) and not block.aside:
            spans = join([block.spans, *_notes(block.spans, reverts, repository, language)])
            blocks.append(replace(block, spans=spans))
        else:
            blocks.append(block)
    return replace(document, blocks=tuple(blocks)) if found else None


def _notes(
    spans: Spans, reverts: Sequence[RevertedChange], repository: Repository, language: Language
) -> Iterator[Part]:
    """A sentence for each reverted change that a paragraph names."""
    text = plain(spans)
    for one in reverts:
        name, by = name_link(one.change, repository), name_link(one.by, repository)
        if re.search(rf"{re.escape(name.text)}(?!\w)", text):
            yield f" {_MARK}"
            yield from words.REVERT_NOTE(language, title=name, by=by)


def revert_note(one: RevertedChange, repository: Repository, language: Language) -> Document:
    """The message for the thread of the digest that listed the change."""
    title = title_link(one.change, repository)
    spans = words.REVERT_NOTE(language, title=title, by=name_link(one.by, repository))
    return Document(
        title=plain(spans), blocks=(Paragraph(join([_MARK, spans])),), language=str(language)
    )


def _marked(
    item: Item, reverts: Sequence[RevertedChange], repository: Repository, language: Language
) -> Item:
    by = next((r.by for r in reverts if _lists(item, r.change, repository)), None)
    if by is None:
        return item
    left = tuple(one for one in item.children if not plain(one.spans).startswith(_TO_DO))
    marked = join([item.spans, *_reverted(by, repository, language)])
    return replace(item, spans=marked, children=left)


def _reverted(by: Graded, repository: Repository, language: Language) -> list[Part]:
    return [f" · {_MARK}", words.REVERTED(language, by=name_link(by, repository))]


def _lists(item: Item, change: Graded, repository: Repository) -> bool:
    """Whether an item is about the change: it links to it first, or gives its number or name."""
    name = name_link(change, repository)
    if isinstance(name, Link):
        # The links of follow-ups come after the first link.
        return name.url == next((span.url for span in item.spans if isinstance(span, Link)), "")
    text = plain(item.spans)
    return text.startswith(_MARKS) and f"({name.text}) · " in text.replace("（", "(").replace(
        "）", ")"
    )
