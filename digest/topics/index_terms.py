"""Index terms of a change from its facts and labels, each with a strength and a place.

A change has a topic when its strength reaches ``LEAST``. Tags, scopes and the words of the title
always suffice. A path counts by its share of the changed lines, an identifier by its share of the
changed names, so that a passing mention in one test file does not suffice. Both add up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from digest.core.enums import ChangeKind, TopicPlace
from digest.core.facts import Action, Area, Fact, FactKind, Facts, FileFacts, Subject
from digest.core.grade import Graded, Level
from digest.frozen import frozen
from digest.topics.synonyms import CHINESE, kin
from digest.topics.terms import (
    HAN,
    MARK,
    PATH_STOP_WORDS,
    STOP_WORDS,
    is_name,
    joins,
    kind_term,
    kinds_of,
    label_term,
    labels_of,
    pieces,
    stem,
    term,
    undoing_terms,
)

if TYPE_CHECKING:
    from digest.core.statement import Analysis

LEAST = 0.3  # the lowest strength (of 1) of a topic that a change is said to be about

_AREA_TERMS = {
    Area.TESTS: "test",
    Area.DOCS: "doc",
    Area.CI: "ci",
    Area.BUILD: "build",
    Area.CONFIG: "config",
    Area.EXAMPLES: "example",
    Area.BENCHMARKS: "benchmark",
    Area.LOCKFILE: "lockfile",
}
_KIND_TERMS = {
    FactKind.FLAG: "flag",
    FactKind.ENVIRONMENT: "environmentvariable",
    FactKind.ROUTE: "route",
    FactKind.METRIC: "metric",
    FactKind.DEPENDENCY: "dependency",
    FactKind.TOOLCHAIN: "toolchain",
    FactKind.SCHEMA: "schema",
    FactKind.DEPRECATION: "deprecation",
}
_PUBLIC_KINDS = frozenset(
    {FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG, FactKind.ROUTE, FactKind.METRIC}
)
_LINE_WEIGHTS = {
    # Tests and docs follow the code that they belong to; nobody writes the last three by hand.
    Area.TESTS: 0.5,
    Area.DOCS: 0.5,
    Area.GENERATED: 0.01,
    Area.VENDORED: 0.01,
    Area.LOCKFILE: 0.01,
}
_AREA_WEIGHT = 0.6
_PUBLIC_NAME = 0.5
_DEPENDENCY_NAME = 0.8
_FEW_DEPENDENCIES = 3
_MANY_DEPENDENCIES = 30
"""A change of more is about none of them, such as the release of a workspace."""
_SYMBOL_WEIGHT = 0.6
_MARKS = "\"'`()[]{},.:;!?，。：；！？、"
_MANY_FILES = 400
"""For a larger change, only this many files are read for topics, those with most lines."""


@frozen
class Bearing:
    """A change's relation to a topic: ``strength`` in (0, 1], and the words that show it."""

    place: TopicPlace
    strength: float
    shown: str


def topics_of(graded: Graded, told: Analysis | None = None) -> frozenset[str]:
    """The index terms of a change, by which topic questions find it; ``told`` is its gist."""
    return frozenset(t for t, b in bearings(graded, told=told).items() if b.strength >= LEAST)


def bearings(
    graded: Graded, among: Collection[str] | None = None, told: Analysis | None = None
) -> dict[str, Bearing]:
    """Every term that a change touches on, or those ``among`` some, with its strength."""
    facts = graded.facts
    strongest: dict[str, Bearing] = {}
    for name, bearing in _asked(_from_subject(facts), among):
        strongest.setdefault(name, bearing)
    _add(strongest, _from_paths(facts.files, among))
    _add(strongest, _asked(_from_names(facts), among))
    for name, bearing in _asked(_from_kinds(facts), among):
        known = strongest.get(name)
        if known is None or known.strength < bearing.strength:
            strongest[name] = bearing
    if among is None or any(MARK in name for name in among):
        strongest.update(_asked(_sorted_under(graded, told), among))
    return strongest


def _sorted_under(graded: Graded, told: Analysis | None) -> Iterator[tuple[str, Bearing]]:
    """The kinds and labels of a change, which questions ask for by name, and what it undoes."""
    # Imported here, because most questions to the archive ask for no kind.
    from digest.analysis.analyse import must_act

    kinds = {*kinds_of(graded)}
    if graded.grade.level is not Level.LOW and must_act(graded, told):
        kinds.add(ChangeKind.ACTION)
    for kind in sorted(kinds):
        yield kind_term(kind), Bearing(place=TopicPlace.KIND, strength=1, shown=kind)
    for label in labels_of(graded):
        if name := label_term(label):
            yield name, Bearing(place=TopicPlace.LABEL, strength=1, shown=label)
    for undone in filter(None, (graded.facts.reverts, graded.facts.relands)):
        for name in undoing_terms(undone.sha, undone.number, undone.title):
            yield name, Bearing(place=TopicPlace.KIND, strength=1, shown="revert")


def _asked(
    borne: Iterable[tuple[str, Bearing]], among: Collection[str] | None
) -> Iterable[tuple[str, Bearing]]:
    return borne if among is None else (pair for pair in borne if pair[0] in among)


def _add(strongest: dict[str, Bearing], more: Iterable[tuple[str, Bearing]]) -> None:
    """Add strengths; the place that contributed more is the one shown."""
    for name, bearing in more:
        known = strongest.get(name)
        if known is None:
            strongest[name] = bearing
        elif known.strength < 1:
            stronger = max(known, bearing, key=lambda b: b.strength)
            strongest[name] = Bearing(
                place=stronger.place,
                strength=min(known.strength + bearing.strength, 0.95),
                shown=stronger.shown,
            )


def subject_bearings(graded: Graded, among: Collection[str]) -> dict[str, Bearing]:
    """The given terms that the subject contains: the strongest of :func:`bearings`, quickly."""
    strongest: dict[str, Bearing] = {}
    for name, bearing in _asked(_from_words(graded.facts.subject), among):
        strongest.setdefault(name, bearing)
    return strongest


def _from_subject(facts: Facts) -> Iterator[tuple[str, Bearing]]:
    yield from _from_words(facts.subject)
    if facts.reverts:
        yield "revert", Bearing(place=TopicPlace.FACT, strength=1, shown="revert")


def _from_words(subject: Subject) -> Iterator[tuple[str, Bearing]]:
    for tag in subject.tags:
        yield from _whole(tag, TopicPlace.TAG, f"[{tag}]")
    for written in (subject.scope, subject.type):
        if written:
            yield from _whole(written, TopicPlace.SCOPE, written)
    yield from _from_title(subject)
    if subject.breaking:
        yield "breaking", Bearing(place=TopicPlace.FACT, strength=1, shown="breaking")


def _whole(text: str, place: TopicPlace, shown: str) -> Iterator[tuple[str, Bearing]]:
    bearing = Bearing(place=place, strength=1, shown=shown)
    for name in _name_terms(text, STOP_WORDS):
        yield name, bearing


def _from_title(subject: Subject) -> Iterator[tuple[str, Bearing]]:
    before: tuple[tuple[str, ...], str] = ((), "")
    for word in subject.words.split():
        shown = word.strip(_MARKS)
        bearing = Bearing(place=TopicPlace.TITLE, strength=1, shown=shown)
        for name in _name_terms(word, STOP_WORDS):
            yield name, bearing
        parts = pieces(word)
        yield from _phrase(before, (parts, shown))
        # Words separated by a mark are no phrase.
        before = (parts, shown) if word.endswith(shown) else ((), "")


def _phrase(
    before: tuple[tuple[str, ...], str], here: tuple[tuple[str, ...], str]
) -> Iterator[tuple[str, Bearing]]:
    """The terms that two adjacent words of a title form: ``kv cache``."""
    (left, left_shown), (right, right_shown) = before, here
    if left and right and is_name(left[-1]) and is_name(right[0]):
        shown = f"{left_shown} {right_shown}"
        bearing = Bearing(place=TopicPlace.TITLE, strength=1, shown=shown)
        yield left[-1] + right[0], bearing
        yield "".join(left + right), bearing


@lru_cache(maxsize=16_384)
def _name_terms(name: str, stop: frozenset[str]) -> tuple[str, ...]:
    """The terms of one written name: its pieces, their combinations, and versionless stems."""
    parts = pieces(name)
    singles = [p for p in parts if is_name(p, stop)]
    stems = [s for p in singles if (s := stem(p))]
    chinese = [c for run in HAN.findall(name) for c in CHINESE if c in run]
    return tuple(dict.fromkeys([*singles, *joins(parts, 4), *stems, *chinese]))


def _from_paths(
    files: tuple[FileFacts, ...], among: Collection[str] | None
) -> Iterator[tuple[str, Bearing]]:
    if len(files) > _MANY_FILES:
        files = tuple(sorted(files, key=lambda f: -(f.added + f.deleted))[:_MANY_FILES])
    lines: dict[str, float] = {}
    shown: dict[str, str] = {}
    total = 0.0
    for file in files:
        weight = (file.added + file.deleted + 1) * _LINE_WEIGHTS.get(file.area, 1)
        total += weight
        for name, part in _path_terms(file.path):
            if among is not None and name not in among:
                continue
            lines[name] = lines.get(name, 0) + weight
            shown.setdefault(name, part)
    for name, count in lines.items():
        yield name, Bearing(place=TopicPlace.PATH, strength=0.9 * count / total, shown=shown[name])


@lru_cache(maxsize=16_384)
def _path_terms(path: str) -> tuple[tuple[str, str], ...]:
    """The terms of a path, each with its part of the path."""
    # The last piece of a folder's name is the thing and the others qualify it (``model_executor``
    # is an executor): those count only joined; a file's first piece counts as well.
    terms: dict[str, str] = {}
    *folders, file = path.split("/")
    for place, folder in enumerate(folders):
        parts = pieces(folder)
        shown = "/".join(folders[: place + 1]) + "/"
        for name in (*parts[-1:], *joins(parts, 4)):
            terms[name] = shown
    parts = pieces(file.partition(".")[0])
    if len(parts) > 1 and parts[0] == "test":
        parts = parts[1:]
    for name in (*parts[:1], *parts[-1:], *joins(parts, 4)):
        terms[name] = path
    for name in list(terms):
        if bare := stem(name):
            terms.setdefault(bare, terms[name])
    return tuple((n, shown) for n, shown in terms.items() if is_name(n, PATH_STOP_WORDS))


def _from_names(facts: Facts) -> Iterator[tuple[str, Bearing]]:
    tests = {f.path for f in facts.files if f.area is Area.TESTS}
    items = [i for i in facts.items if i.evidence.path not in tests]
    strengths: dict[str, tuple[float, str]] = {}
    symbols = sum(1 for i in items if i.kind is FactKind.SYMBOL)
    pinned = sum(1 for i in items if i.kind is FactKind.DEPENDENCY)
    if pinned > _MANY_DEPENDENCIES:
        items = [i for i in items if i.kind is not FactKind.DEPENDENCY]
    bundled = pinned > _FEW_DEPENDENCIES
    for item in items:
        share = _name_strength(item, symbols)
        if not share:
            continue
        for name, part in _identifier_terms(item.name):
            if bundled and item.kind is FactKind.DEPENDENCY and len(kin(name)) > 1:
                continue  # "api" in one of many names says nothing of interfaces
            known = strengths.get(name, (0.0, item.name))
            # A public name is short: each word of it counts in full.
            add = share * (part if item.kind is FactKind.SYMBOL else 1)
            strengths[name] = (known[0] + add, known[1])
    for name, (strength, shown) in strengths.items():
        bearing = Bearing(place=TopicPlace.IDENTIFIER, strength=min(strength, 0.9), shown=shown)
        yield name, bearing


@lru_cache(maxsize=16_384)
def _identifier_terms(name: str) -> tuple[tuple[str, float], ...]:
    """The terms of an identifier: one word of two counts fully, one of five little."""
    terms: dict[str, float] = {}
    for component in name.split("."):
        length = len("".join(pieces(component)))
        for said in _name_terms(component, PATH_STOP_WORDS):
            terms[said] = max(terms.get(said, 0), min(1, 3.5 * len(said) / length))
    return tuple(terms.items())


def _name_strength(item: Fact, symbols: int) -> float:
    if item.kind is FactKind.SYMBOL:
        return _SYMBOL_WEIGHT / symbols
    if item.kind in _PUBLIC_KINDS:
        return _PUBLIC_NAME
    return _DEPENDENCY_NAME if item.kind is FactKind.DEPENDENCY else 0.0


def _from_kinds(facts: Facts) -> Iterator[tuple[str, Bearing]]:
    for kind in {i.kind for i in facts.items if i.kind in _KIND_TERMS}:
        first = facts.of(kind)[0]
        yield (
            _KIND_TERMS[kind],
            Bearing(place=TopicPlace.FACT, strength=_PUBLIC_NAME, shown=first.name),
        )
    if facts.of(FactKind.SYMBOL, Action.REMOVED):
        yield "removal", Bearing(place=TopicPlace.FACT, strength=_PUBLIC_NAME, shown="removed")
    total = sum(f.added + f.deleted + 1 for f in facts.files)
    for area, name in _AREA_TERMS.items():
        lines = sum(f.added + f.deleted + 1 for f in facts.files if f.area is area)
        if lines:
            bearing = Bearing(
                place=TopicPlace.AREA, strength=_AREA_WEIGHT * lines / total, shown=area
            )
            yield term(name), bearing


def label_topics(labels: Iterable[str]) -> frozenset[str]:
    """The index terms of labels: each as a label, and the words in it as topics."""
    return frozenset().union(*map(_terms, labels))


def label_bearings(labels: Iterable[str], among: Collection[str]) -> dict[str, Bearing]:
    """The given terms that labels contain, each with the first such label."""
    strongest: dict[str, Bearing] = {}
    for label in labels:
        bearing = Bearing(place=TopicPlace.LABEL, strength=1, shown=label)
        for name in _terms(label).intersection(among):
            strongest.setdefault(name, bearing)
    return strongest


def _terms(label: str) -> frozenset[str]:
    parts = pieces(label)
    singles = [part for part in parts if is_name(part, STOP_WORDS)]
    stems = filter(None, map(stem, singles))
    return frozenset({*singles, *joins(parts, 4), *stems, label_term(label)} - {""})
