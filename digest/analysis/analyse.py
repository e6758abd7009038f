"""The analysis of a change, from its facts and the author's own words alone; deterministic.

Every statement cites the places in the change that support it; a section with nothing to say is
empty. Performance is mentioned only in the author's words, security only where a fact names a
place. Names of functions and classes are left to the table of names on the page of a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from digest.analysis.change_types import change_types
from digest.analysis.context import (
    CONTRACTS,
    ChangeContext,
    brief,
    code,
    deprecated,
    helps_of,
    make_statement,
    read,
    with_full_stop,
)
from digest.analysis.explanations import text_beside
from digest.analysis.quotes import figure_quotes, opening
from digest.analysis.risks import risks, suggestions
from digest.analysis.summary import summary
from digest.analysis.wording import FilePlace, is_computed, is_pin, kind_of, names, places, unread
from digest.core.authors import code_as_spans
from digest.core.change import Side, printable
from digest.core.enums import Language
from digest.core.facts import Action, Area, Fact, FactKind, Facts, FileFacts
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis, Aspect, Statement
from digest.document import Spans, Strong
from digest.grading.importance import urgency
from digest.i18n import statement_text as words
from digest.i18n.phrase import Part, Phrase, list_in_words
from digest.i18n.statement_text import AREAS

# The order of a reader's questions: runtime code, tests, build, documentation.
_ORDER = (
    Area.CORE,
    Area.CONFIG,
    Area.TESTS,
    Area.BUILD,
    Area.CI,
    Area.DOCS,
    Area.EXAMPLES,
    Area.BENCHMARKS,
    Area.GENERATED,
    Area.VENDORED,
    Area.LOCKFILE,
)


def impact(reading: ChangeContext, told: Sequence[Statement] = ()) -> tuple[Statement, ...]:
    """One statement per area, within the bound of the level; none for a file that is told."""
    by_area: dict[Area, list[FileFacts]] = {}
    for file in reading.facts.files:
        by_area.setdefault(file.area, []).append(file)
    found = [_area(area, by_area[area], reading) for area in _ORDER if area in by_area]
    named = {place.path for one in told for place in one.evidence}
    if len(reading.facts.files) == 1 and reading.facts.files[0].path in named:
        found = []  # the summary names the file
    return tuple(found[: reading.bounds.impact])


def _area(area: Area, files: Sequence[FileFacts], reading: ChangeContext) -> Statement:
    name = Strong(AREAS[area].template(reading.language))
    found = places(files, reading.bounds.names)
    spans = words.AREA_FILES(reading.language, area=name, places=_listed(found, reading))
    return make_statement(spans, (p.files[0] for p in found))


_TOLD = {
    Action.ADDED: words.NEW_THING,
    Action.REMOVED: words.GONE_THING,
    Action.RENAMED: words.RENAMED_THING,
    Action.CHANGED: words.CHANGED_THING,
}

_FIGURES = 3  # maximum number of quoted sentences with figures


def insights(reading: ChangeContext, told: Sequence[Statement]) -> tuple[Statement, ...]:
    """The insights in the order compatibility, performance, security.

    Statements already made in other sections (``told``) are left out. If the bound is tight, every
    aspect gets its first statements before any gets its last.
    """
    aspects = [
        [s for s in found if not any(_covers(one, s) for one in told)]
        for found in (interfaces(reading), _performance(reading), _security(reading))
    ]
    return _fairly(aspects, reading.bounds.insights)


def _covers(told: Statement, statement: Statement) -> bool:
    """Whether a statement made elsewhere has all evidence of another, or its quote."""
    quote = statement.text.partition("“")[2].rstrip("”。. ")
    return {*told.evidence}.issuperset(statement.evidence) or bool(quote and quote in told.text)


def _fairly(aspects: Sequence[Sequence[Statement]], most: int) -> tuple[Statement, ...]:
    """At most ``most`` statements, taken in turn from each aspect, in the order of the aspects."""
    turns = [(turn, at) for at, made in enumerate(aspects) for turn in range(len(made))]
    dealt = frozenset(sorted(turns)[:most])
    every = (((turn, at), s) for at, made in enumerate(aspects) for turn, s in enumerate(made))
    return tuple(statement for place, statement in every if place in dealt)


def interfaces(reading: ChangeContext) -> Iterator[Statement]:
    """Additions, removals and changes of what others rely on."""
    for action in (Action.REMOVED, Action.RENAMED, Action.CHANGED, Action.ADDED):
        for kind in CONTRACTS:
            facts = reading.told(kind, action)
            own = [f for f in facts if not is_pin(f)]
            here = [f for f in own if f.elsewhere and action is Action.ADDED]
            pins = [f for f in facts if is_pin(f)]
            for alike in ([f for f in own if f not in here], here, pins):
                if alike:
                    yield _things(_TOLD[action], alike, reading)
    announced = deprecated(reading)
    if announced:
        spans = words.DEPRECATED(reading.language, names=names(announced, reading))
        yield make_statement(spans, announced, Aspect.COMPATIBILITY)


def _things(phrase: Phrase, facts: Sequence[Fact], reading: ChangeContext) -> Statement:
    language, kind = reading.language, kind_of(facts, reading.language)
    listed = names(facts, reading, values=True)
    paths = {f.evidence.path for f in facts if f.elsewhere}
    if phrase is words.NEW_THING and len(paths) == 1:
        path = code(printable(*paths))
        spans = words.NEW_THING_HERE(language, kind=kind, names=listed, path=path)
    else:
        spans = phrase(language, kind=kind, names=listed)
    return make_statement(spans, facts, Aspect.COMPATIBILITY)


def _listed(found: Sequence[FilePlace], reading: ChangeContext) -> Spans:
    shown: list[Part] = [p.described(reading.language) for p in found[: reading.bounds.names]]
    return list_in_words(shown, reading.language, limit=reading.bounds.names, total=len(found))


def _performance(reading: ChangeContext) -> Iterator[Statement]:
    """The author's figures, and the benchmarks that change with them."""
    figures = list(figure_quotes(reading, _FIGURES))
    yield from figures
    benchmarks = [f for f in reading.facts.files if f.area is Area.BENCHMARKS]
    if benchmarks and figures:
        listing = _listed(places(benchmarks, reading.bounds.names), reading)
        spans = words.BENCHMARKS(reading.language, names=listing)
        yield make_statement(spans, benchmarks, Aspect.PERFORMANCE)


def _security(reading: ChangeContext) -> Iterator[Statement]:
    language, most = reading.language, reading.bounds.names
    facts = reading.facts.of(FactKind.SECURITY)
    advisories = [f for f in facts if f.detail == "advisory" and f.name[-1] != "]"]
    if advisories:
        spans = words.SECURITY_SAID(language, names=names(advisories, reading))
        yield make_statement(spans, advisories, Aspect.SECURITY)
    for gone, phrase in ((False, words.SECURITY_ADDED), (True, words.SECURITY_GONE)):
        shown = [f for f in security_code(reading) if (f.action is Action.REMOVED) is gone]
        if shown:
            parts: list[Part] = [
                words.NAME_AT(language, name=code(f.name), path=code(printable(f.evidence.path)))
                for f in shown[:most]
            ]
            listing = list_in_words(parts, language, limit=most, total=len(shown))
            yield make_statement(phrase(language, names=listing), shown, Aspect.SECURITY)


def security_code(reading: ChangeContext) -> list[Fact]:
    """The security facts of the diff itself, each name once per file.

    Unsafe memory access is everyday code of its languages and says nothing about security.
    """
    found: dict[tuple[str, str, Action], Fact] = {}
    for f in reading.facts.of(FactKind.SECURITY):
        if f.evidence.side is not Side.MESSAGE and not f.name.startswith("unsafe"):
            found.setdefault((f.name, f.evidence.path, f.action), f)
    return list(found.values())


def descriptions(facts: Sequence[Fact], reading: ChangeContext) -> Iterator[Spans]:
    """What a table of names and values lacks, for each fact; empty if nothing, or told before.

    That is the text beside a thing that is new or set differently, or when a deprecated one goes.
    """
    helps = helps_of(reading.facts.clues)
    told = {""}
    for f in facts:
        when = (f.when or "") if f.kind is FactKind.DEPRECATION else ""
        new = f.action is Action.ADDED or f.detail in {"default", "choices"}
        text = opening(text_beside(f.name, helps), f.name) if new else ""
        if any(c.isdigit() for c in when):
            yield words.REMOVAL_PLANNED(reading.language, version=when)
        elif text in told:
            yield ()
        else:
            yield with_full_stop(code_as_spans(text), reading)
        told.add(text)


def is_told_by_values(f: Fact, facts: Facts) -> bool:
    """Whether a table of names and values, with descriptions, says all that a fact does."""
    announced = f.action is Action.REMOVED and facts.of(FactKind.DEPRECATION, Action.REMOVED)
    unknown = f.action is Action.CHANGED and is_computed(f.after)
    return not (f.condition or f.elsewhere or f.in_file or announced or unknown)


def analyse(graded: Graded, language: Language) -> Analysis:
    """Analyse a change: what it does, whom it affects and what to check.

    High changes get every section, medium ones shorter sections, low ones one line.
    """
    reading = read(graded, language)
    types = change_types(reading)
    bounds = reading.bounds
    told, dangers = summary(reading), risks(reading)
    return Analysis(
        language=language,
        change_types=types,
        summary=told,
        impact=impact(reading, told),
        insights=insights(reading, (*told, *dangers)) if bounds.insights else (),
        risks=dangers,
        suggestions=suggestions(reading),
        partial=unread(reading),
    )


def analyse_whole(graded: Graded, language: Language) -> Analysis:
    """The analysis with at least the depth of a medium change, for questions about one change."""
    if graded.grade.level is not Level.LOW:
        return analyse(graded, language)
    return analyse(replace(graded, grade=replace(graded.grade, level=Level.MEDIUM)), language)


def gist(graded: Graded, language: Language, most: int | None = None) -> Analysis:
    """The summary alone, of at most so many statements, for the line of a change in a list."""
    return Analysis(language=language, summary=summary(brief(read(graded, language)), most))


def must_act(graded: Graded, facts: Analysis | None = None) -> bool:
    """Whether users must do or check something: an urgent rule or the facts call for it."""
    if urgency(graded.grade) and graded.facts.reverts is None:
        return True
    return acts(facts or gist(graded, Language.EN, most=1))


def acts(analysis: Analysis) -> bool:
    """Whether users may have to act, by an analysis from facts: on a contract or on security."""
    return any(
        one.aspect in {Aspect.COMPATIBILITY, Aspect.SECURITY} for one in analysis.summary[:1]
    )
