"""Themes of a window, and efforts: changes that belong together, found by rule.

An effort joins the parts of one series (``[2/3]`` and ``[3/3]`` under the same tags), a change with
what undoes it or brings it back, and a change with one whose message refers to its number.

Follow-ups are later changes that fix, extend or continue an earlier one, by the author's words. A
digest names them with the first change; one that matters more, or that users must act on, keeps its
own line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from digest.analysis.headline import subject_tags
from digest.analysis.wording import main_places
from digest.core.enums import Language
from digest.core.facts import Undone
from digest.core.grade import Graded, Level
from digest.core.patterns import lazy
from digest.core.statement import Analysis, Origin
from digest.document import Code, Spans, Text
from digest.frozen import frozen
from digest.i18n.answer_text import AROUND
from digest.report.assembly import ReportEntry, shared_topics


@frozen
class Sentence:
    """A sentence about several changes, with the full names of those it is based on."""

    spans: Spans
    shas: tuple[str, ...]


@frozen
class Theme:
    """Changes that belong together: a short title, their full names, and perhaps a sentence."""

    title: Spans
    shas: tuple[str, ...]
    sentence: Sentence | None = None
    source: Origin = Origin.FACTS


def themes(told: Sequence[ToldChange], language: Language) -> tuple[Theme, ...]:
    """At most ``MOST`` themes by rule, most important first; each change is in one at most.

    Efforts come first, then changes that share an author's tag or scope, then those whose code is
    mostly in one folder. If any change is above low, every theme includes one that is.
    """
    changes = [one.graded for one in told]
    scored = {g.sha: g.grade.score for g in changes}
    weighty = {g.sha for g in changes if g.grade.level is not Level.LOW} or set(scored)
    most = max(_FEW, _SHARE * len(changes))
    found: list[tuple[int, Theme]] = [
        (0, Theme(title=_title(effort, language), shas=tuple(g.sha for g in effort)))
        for effort in efforts(changes)
    ]
    found += [
        (rank, Theme(title=title, shas=tuple(g.sha for g in group)))
        for rank, title, group in (
            *((1, title, group) for title, group in _tagged(changes)),
            *((2, title, group) for title, group in _placed(changes, weighty)),
        )
        if len(group) <= most
    ]
    worth = {theme.shas: sum(scored[sha] for sha in theme.shas) for _, theme in found}
    ranked = sorted(found, key=lambda pair: (pair[0], -worth[pair[1].shas]))
    return tuple(_apart((theme for _, theme in ranked), weighty)[:MOST])


@frozen
class DaySummary:
    """A summary of a period; ``rejected`` is the share of sentences that were dropped."""

    lead: tuple[Sentence, ...]
    themes: tuple[Theme, ...]
    rejected: float = 0.0
    source: Origin = Origin.FACTS


def efforts(changes: Sequence[Graded]) -> tuple[tuple[Graded, ...], ...]:
    """The efforts of at least two changes; both levels keep the order of ``changes``."""
    roots = list(range(len(changes)))

    def root(at: int) -> int:
        while roots[at] != at:
            roots[at] = roots[roots[at]]
            at = roots[at]
        return at

    for one, other in _links(changes):
        low, high = sorted((root(one), root(other)))
        roots[high] = low
    groups: dict[int, list[Graded]] = {}
    for at, graded in enumerate(changes):
        groups.setdefault(root(at), []).append(graded)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _links(changes: Sequence[Graded]) -> Iterator[tuple[int, int]]:
    """Pairs of indexes of changes that belong together."""
    numbers = {g.number: at for at, g in enumerate(changes) if g.number is not None}
    series: dict[tuple[object, ...], int] = {}
    for at, graded in enumerate(changes):
        facts = graded.facts
        for number in facts.issues:
            if number in numbers and numbers[number] != at:
                yield at, numbers[number]
        for undone in (facts.reverts, facts.relands):
            if undone is not None:
                yield from ((at, other) for other in _undone(undone, changes) if other != at)
        if key := series_of(graded):
            yield at, series.setdefault(key, at)


def _undone(undone: Undone, changes: Sequence[Graded]) -> Iterator[int]:
    """The changes that a revert or re-land names: by number, by commit, else by title."""
    for at, graded in enumerate(changes):
        if undone.number is not None:
            same = graded.number == undone.number
        elif undone.sha:
            same = graded.sha.startswith(undone.sha)
        else:
            same = bool(undone.title) and graded.title.startswith(undone.title)
        if same:
            yield at


MOST = 4  # maximum number of themes
_SHARE, _FEW = 0.6, 4
"""A theme with more than this share of all changes, and more than a few, separates nothing."""


class ToldChange(Protocol):
    """A change with its analysis; an entry of a report is one."""

    @property
    def graded(self) -> Graded:
        """The change."""

    @property
    def analysis(self) -> Analysis:
        """Its analysis."""


def _title(effort: Sequence[Graded], language: Language) -> Spans:
    """The tag that most of an effort has, else the title of its highest-ranked change."""
    if common := shared_topics(effort):
        return (Text(common[0]),)
    first = max(effort, key=lambda graded: graded.grade.score)
    return AROUND(language, title=" ".join(first.facts.subject.words.split()))


def _tagged(changes: Sequence[Graded]) -> Iterator[tuple[Spans, list[Graded]]]:
    """Groups of at least two changes with a topic that their authors give."""
    groups: dict[str, list[Graded]] = {}
    names: dict[str, str] = {}
    for graded in changes:
        for name in subject_tags(graded.facts.subject):
            names.setdefault(name.casefold(), name)
            groups.setdefault(name.casefold(), []).append(graded)
    yield from (((Text(names[n]),), group) for n, group in groups.items() if len(group) > 1)


def _placed(
    changes: Sequence[Graded], weighty: Collection[str]
) -> Iterator[tuple[Spans, list[Graded]]]:
    """Groups of at least two weighty changes by the folder that most of their code is in."""
    groups: dict[str, list[Graded]] = {}
    for graded in changes:
        if graded.sha in weighty:
            for folder in main_places([graded.facts], 1):
                groups.setdefault(folder, []).append(graded)
    yield from (((Code(folder),), group) for folder, group in groups.items() if len(group) > 1)


def _apart(ranked: Iterable[Theme], weighty: Collection[str]) -> list[Theme]:
    """The themes in order, each without changes of earlier ones, if enough are left."""
    taken: set[str] = set()
    kept = []
    for theme in ranked:
        shas = tuple(dict.fromkeys(sha for sha in theme.shas if sha not in taken))
        if len(shas) > 1 and any(sha in weighty for sha in shas):
            taken.update(shas)
            kept.append(Theme(title=theme.title, shas=shas))
    return kept


_LONGEST = 10_000  # characters of a message

_REFERENCE = lazy(
    r"\b(?:follow(?:s|ing|ed)?[- ]?ups?(?: (?:change|fix|pr))?(?: (?:to|of|on|for|from))?"
    r"|builds? on|on top of|introduced (?:in|by)|regress(?:ed|ion)(?: (?:in|from|of|by))?"
    r"|broken (?:in|by|since)|caused by|missed in|missing (?:in|from)|leftovers? (?:of|from)"
    r"|fix(?:es|ed|up)?(?: for)?|amends?|continu(?:es|ed|ing|ation of)|extends?)"
    r":? (?:pr |pull request )?(#\d{1,9}(?:(?:, | and |, and )#\d{1,9}){0,4})(?!\d)",
    re.IGNORECASE,
)

_NUMBER = re.compile(r"#(\d{1,9})")
_SAME = 2  # words at the start of the titles that the parts of one series share


def follow_ups(entries: Sequence[ReportEntry]) -> Mapping[str, tuple[ReportEntry, ...]]:
    """The follow-ups of changes, oldest first, each of one change; ``entries`` are newest first."""
    heads: dict[str, ReportEntry] = {}
    numbers: dict[int, ReportEntry] = {}
    series: dict[tuple[object, ...], ReportEntry] = {}
    found: dict[str, list[ReportEntry]] = {}
    for entry in reversed(entries):
        graded = entry.graded
        key = series_of(graded)
        named = (numbers[n] for n in _referred(graded, numbers) if n in numbers)
        first = next(named, None) or (series.get(key) if key else None)
        head = heads.get(first.graded.sha, first) if first else None
        if head and entry.acts <= head.acts and entry.level.rank >= head.level.rank:
            heads[graded.sha] = head
            found.setdefault(head.graded.sha, []).append(entry)
        if graded.number is not None:
            numbers[graded.number] = entry
        if key:
            series.setdefault(key, entry)
    return {sha: tuple(rest) for sha, rest in found.items()}


def _referred(graded: Graded, known: Collection[int]) -> list[int]:
    """The numbers of which the message says that the change follows them up, if any is known."""
    text = graded.commit.message[:_LONGEST]
    if not any(int(number) in known for number in _NUMBER.findall(text)):
        return []
    return [int(n) for found in _REFERENCE.findall(text) for n in _NUMBER.findall(found)]


def series_of(graded: Graded) -> tuple[object, ...]:
    """A key that the parts of one series share; empty for a change outside of one.

    Without a known number of parts, or a tag, the first words of the titles tell series apart.
    """
    subject = graded.facts.subject
    if subject.series is None:
        return ()
    total, tags = subject.series.total, tuple(tag.casefold() for tag in subject.tags)
    known = total and (tags or subject.scope)
    first = () if known else subject.words.casefold().split()[:_SAME]
    return (graded.commit.email, tags, subject.scope, total, *first)
