"""The changes of a window assembled into a report, with counts made by code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from digest.analysis.analyse import analyse, gist, must_act
from digest.analysis.headline import subject_tags
from digest.analysis.risks import to_do
from digest.core.enums import Language
from digest.core.facts import Action, Fact, FactKind
from digest.core.grade import Graded, Level, Repository
from digest.core.statement import Analysis, ChangeType, Origin
from digest.document import Code, Spans, Text, plain, without_full_stop
from digest.frozen import frozen
from digest.grading.importance import urgency
from digest.i18n import answer_text as words
from digest.i18n.phrase import join, list_in_words
from digest.i18n.statement_text import COMMA, COUNTED_TYPES, SEPARATOR, STOP
from digest.window import Window

if TYPE_CHECKING:
    from digest.report.themes import DaySummary


@frozen
class ReportEntry:
    """A change in a report.

    ``late``: its date is outside the window. ``missed``: a model should have analysed it and did
    not. ``muted``: the reader does not want to see it, but it is counted. ``acts``: users who
    upgrade may have to do something; ``todo`` says what, if the facts do.
    """

    graded: Graded
    analysis: Analysis
    late: bool = False
    missed: bool = False
    muted: bool = False
    acts: bool = False
    todo: Spans = ()

    @property
    def level(self) -> Level:
        """The level of the change."""
        return self.graded.grade.level


def entry_of(graded: Graded, given: Analysis | None, language: Language) -> ReportEntry:
    """A change with its analysis, by default the one from facts."""
    told = given or analyse(graded, language)
    facts = told if told.source is Origin.FACTS else gist(graded, language)
    acts, todo = duty(graded, facts)
    return ReportEntry(graded=graded, analysis=told, acts=acts, todo=todo)


def duty(graded: Graded, facts: Analysis) -> tuple[bool, Spans]:
    """Whether an urgent rule or the facts call on users to act, and what to do if facts say so."""
    acts = must_act(graded, facts)
    return acts, to_do(graded, facts.language) if acts else ()


def foremost(entries: Iterable[ReportEntry]) -> list[ReportEntry]:
    """The entries by level, within a level the most urgent to act on first, then by score."""
    return sorted(entries, key=_place)


def _place(entry: ReportEntry) -> tuple[float, ...]:
    grade = entry.graded.grade
    return (entry.level.rank, not entry.acts, -urgency(grade) * entry.acts, -grade.score)


@frozen
class Counts:
    """How many changes a report holds, by level; the levels add up to ``total``."""

    total: int
    high: int
    medium: int
    low: int

    def of(self, level: Level) -> int:
        """The number of changes of a level."""
        return {Level.HIGH: self.high, Level.MEDIUM: self.medium, Level.LOW: self.low}[level]


@frozen
class Coverage:
    """How commits ended, adding up to ``total``; ``filtered`` by rule, ``failed`` by cause."""

    total: int
    posted: int = 0
    archived: int = 0
    filtered: tuple[tuple[str, int], ...] = ()
    failed: tuple[tuple[str, int], ...] = ()

    @property
    def accounted(self) -> int:
        """The sum of all states."""
        return (
            self.posted
            + self.archived
            + sum(n for _, n in self.filtered)
            + sum(n for _, n in self.failed)
        )


def tally(outcomes: Iterable[tuple[str, str]], total: int) -> Coverage:
    """Count outcomes, pairs of a state and a reason.

    States are ``posted``, ``archived``, ``filtered`` and ``failed``; ``total`` is git's own count.
    Raises ``ValueError`` for another state.
    """
    counted: dict[str, Counter[str]] = {
        state: Counter() for state in ("posted", "archived", "filtered", "failed")
    }
    for state, why in outcomes:
        if state not in counted:
            raise ValueError(f"{state!r} is no state of a commit")
        counted[state][why] += 1
    return Coverage(
        total=total,
        posted=counted["posted"].total(),
        archived=counted["archived"].total(),
        filtered=tuple(sorted(counted["filtered"].items())),
        failed=tuple(sorted(counted["failed"].items())),
    )


def lead(
    entries: Sequence[ReportEntry], counts: Counts, language: Language, *, counted: bool = False
) -> Spans:
    """What a reader should know first, then the number of changes by type, counted by code.

    The first change, or the counts if no change is important, is followed by whether there is
    something to act on. With ``counted`` there are only the numbers.
    """
    if not counts.total:
        return words.QUIET(language)
    top = [e for e in foremost(entries) if e.level is Level.HIGH or e.acts]
    todo = [e for e in top if e.acts and e.level is not Level.LOW]
    phrase = words.LEAD_HIGH if counts.high else words.LEAD_NONE
    spans = phrase(language, total=counts.total, high=counts.high)
    told = [e for e in entries if e.level is Level.HIGH] or list(entries)
    if kinds := _kinds(told, language):
        spans = words.LEAD_KINDS(language, lead=spans, kinds=kinds)
    if topics := shared_topics([e.graded for e in told], len(told) // _SEVERAL)[:_TOPICS]:
        places = list_in_words(topics, language, limit=_TOPICS)
        spans = words.LEAD_TOPICS(language, lead=spans, topics=places)
    first = todo or [e for e in top if e.level is Level.HIGH]
    if not first:
        spans = words.LEAD_CALM(language, lead=spans)
    late = sum(1 for e in entries if e.late)
    if late:
        spans = (*spans, *SEPARATOR(language), *words.LEAD_LATE(language, n=late))
    before = () if counted else _foremost(first[:1], todo, language)
    return join([*before, *spans, *STOP(language)])


@frozen
class Report:
    """The changes of a window, newest first as the source gave them.

    ``lead`` is one or two sentences on what matters, made by code. ``coverage`` is ``None`` if
    nothing was recorded, for example for a preview. ``day`` holds the
    lead and themes shown beside it if a model is used. ``apart`` says that the branch is not the
    repository's default one.
    """

    repository: Repository
    branch: str
    window: Window
    language: Language
    entries: tuple[ReportEntry, ...]
    counts: Counts
    lead: Spans
    coverage: Coverage | None = None
    day: DaySummary | None = None
    apart: bool = False

    @property
    def name(self) -> str:
        """The repository, with the branch if readers would take it for another one."""
        return f"{self.repository.name} {self.branch}" if self.apart else self.repository.name

    def of(self, level: Level) -> tuple[ReportEntry, ...]:
        """The entries of a level, in the report's order."""
        return tuple(e for e in self.entries if e.level is level)


def assemble(
    repository: Repository,
    branch: str,
    window: Window,
    changes: Sequence[Graded],
    language: Language,
    *,
    late: Collection[str] = (),
    analyses: Mapping[str, Analysis] | None = None,
    missed: Collection[str] = (),
) -> Report:
    """Analyse the changes and assemble a report; ``changes`` are newest first.

    ``late`` holds the full names of commits that arrived with a date outside the window. Changes
    without an entry in ``analyses`` are analysed from facts, also if they are ``missed``.
    """
    given = analyses or {}
    entries = tuple(
        replace(entry_of(g, given.get(g.sha), language), late=g.sha in late, missed=g.sha in missed)
        for g in _without_passing(changes)
    )
    counts = _counts(entries)
    return Report(
        repository=repository,
        branch=branch,
        window=window,
        language=language,
        entries=entries,
        counts=counts,
        lead=lead(entries, counts, language),
    )


def _without_passing(changes: Sequence[Graded]) -> list[Graded]:
    """The changes, newest first, with names as unreleased that went and that come back.

    What is there again at the end of a window is missed by nobody.
    """
    renames = {
        (f.kind, f.evidence.path, f.before, f.name)
        for graded in changes
        for f in graded.facts.items
        if f.action is Action.RENAMED
    }
    came: set[tuple[FactKind, str, str]] = set()

    def passes(fact: Fact) -> bool:
        place, name = (fact.kind, fact.evidence.path), fact.name
        if fact.kind not in _PASSING or fact.action not in {Action.REMOVED, Action.RENAMED}:
            return False
        if fact.action is Action.REMOVED:
            return (*place, name) in came
        return (*place, name, fact.before) in renames or (*place, fact.before or "") in came

    kept: list[Graded] = []
    for graded in changes:
        facts = graded.facts.items
        gone = {n for n, fact in enumerate(facts) if passes(fact)}
        items = tuple(replace(f, unreleased=True) if n in gone else f for n, f in enumerate(facts))
        kept.append(replace(graded, facts=replace(graded.facts, items=items)) if gone else graded)
        came |= {(f.kind, f.evidence.path, f.name) for f in facts if f.action is Action.ADDED}
    return kept


_PASSING = frozenset(
    {
        FactKind.CONFIG,
        FactKind.ENVIRONMENT,
        FactKind.FLAG,
        FactKind.METRIC,
        FactKind.ROUTE,
        FactKind.SYMBOL,
    }
)
"""Kinds of names that users call or set."""


def keep_entries(report: Report, entries: Sequence[ReportEntry]) -> Report:
    """The report with some of its entries, counted again, without a model's text on the whole."""
    counts = _counts(entries)
    opening = lead(entries, counts, report.language)
    return replace(report, entries=tuple(entries), counts=counts, lead=opening, day=None)


def _counts(entries: Sequence[ReportEntry]) -> Counts:
    levels = Counter(e.level for e in entries)
    return Counts(
        total=len(entries),
        high=levels[Level.HIGH],
        medium=levels[Level.MEDIUM],
        low=levels[Level.LOW],
    )


def _foremost(
    first: Sequence[ReportEntry], todo: Sequence[ReportEntry], language: Language
) -> Spans:
    """The most important change and the others to act on; empty without one."""
    if not first:
        return ()
    spans, others = _told(first[0], language), todo[1:]
    second = _second(others[0], language) if len(others) == 1 else ()
    if second:
        spans = words.LEAD_ALSO(language, first=spans, second=second)
    elif others:
        spans = words.LEAD_MORE(language, first=spans, n=len(others))
        if len(others) <= _NAMED:
            spans = join([*spans, *_cited(others, language)])
    else:
        spans = (words.LEAD_ONLY if todo else words.LEAD_CALM)(language, lead=spans)
    return join([*spans, *STOP(language), "" if language is Language.ZH else " "])


def _second(entry: ReportEntry, language: Language) -> Spans:
    """A second change to act on: what it does or what must be done, whichever fits the lead."""
    ways = [_told(entry, language)]
    todo = without_full_stop(entry.todo)
    if any(isinstance(span, Code) for span in todo):  # others do not show what it is about
        first = todo[0].text if isinstance(todo[0], Text) else ""
        verb = [Text(first[:1].lower() + first[1:])] if first else []
        ways.append(join([*verb, *todo[len(verb) :], *_cited([entry], language)]))
    fit = (w for w in ways if len(plain(w)) <= _SHORT and not {":", "："}.intersection(plain(w)))
    return next(fit, ())


def _told(entry: ReportEntry, language: Language) -> Spans:
    """What a change does, from facts, with its number."""
    graded, told = entry.graded, entry.analysis
    told = told if told.source is Origin.FACTS else gist(graded, language)
    return join([*without_full_stop(told.summary[0].spans), *_cited([entry], language)])


def _cited(entries: Sequence[ReportEntry], language: Language) -> Spans:
    changes = [entry.graded for entry in entries]
    names = [g.name for g in changes]
    return words.CITED(language, places=list_in_words(names, language, limit=_NAMED))


_SHORT = 140
"""Maximum characters of a second change to act on in a lead; of a longer one, only the number.

It must not contain a colon, because one precedes it.
"""
_NAMED = 3
"""Most further changes to act on that a lead names."""

_TOPICS, _SEVERAL = 2, 7
"""Maximum number of topics in a lead, and of how many changes one has to be about it."""


def shared_topics(changes: Sequence[Graded], least: int = 0) -> list[str]:
    """Topics of at least two changes, and ``least``, by tags and scopes, the commonest first."""
    names: dict[str, str] = {}
    counted: Counter[str] = Counter()
    for graded in changes:
        for name in subject_tags(graded.facts.subject):
            counted[names.setdefault(name.casefold(), name)] += 1
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0].casefold()))
    return [name for name, count in ranked if count >= max(2, least)]


def _kinds(entries: Sequence[ReportEntry], language: Language) -> str:
    """The most frequent types of changes with counts, the rest as others; or empty.

    A change counts by its first type, one about security as such and before all others.
    """
    kinds = (e.analysis.change_types for e in entries)
    security = ChangeType.SECURITY
    counted = Counter(security if security in found else found[0] for found in kinds)
    del counted[ChangeType.OTHER]
    order = sorted(counted.items(), key=lambda item: (item[0] != security, -item[1], item[0]))
    ranked = order[:4]
    told = [COUNTED_TYPES[kind].text(language, n=count) for kind, count in ranked]
    if told and (rest := len(entries) - sum(count for _, count in ranked)):
        told.append(words.LEAD_OTHERS.text(language, n=rest))
    return COMMA.template(language).join(told)
