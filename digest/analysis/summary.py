"""The summary of a change: the author's words, then what the diff amounts to.

Imports ``reading``, ``telling``, ``words`` and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from digest.analysis.quoting import quoted
from digest.analysis.reading import CONTRACTS, SUBJECT_LINE, VERSIONS, Reading, code, said
from digest.analysis.telling import kind_of, lines, name_with_values, names, places, undone
from digest.change import FileStatus, printable
from digest.document import Spans
from digest.facts.model import Action, Area, Fact, FileFacts
from digest.grade import Level
from digest.statement import Statement
from digest.words import statements as words
from digest.words.labels import SEPARATOR, STOP
from digest.words.phrase import Part, Phrase, listed, sentence

_VERBS = {
    Action.ADDED: words.ADDS,
    Action.REMOVED: words.REMOVES,
    Action.RENAMED: words.RENAMES,
    Action.CHANGED: words.ALTERS,
}
_CLAUSES = 4
"""The most sentences that tell what a change adds, removes and changes."""

_NAMES = 3
"""The most names of a clause; the insights name more."""

_NAMED_FILES = 2
"""So many files are named where nothing else is told of them."""

_AREAS = 3
"""So many areas are named beside the code."""


def summary(reading: Reading) -> tuple[Statement, ...]:
    """The summary in order of worth, within its bound; one statement for a low change."""
    return tuple(
        statement
        for statement, _ in zip(_in_order(reading), range(reading.bounds.summary), strict=False)
    )


def _in_order(reading: Reading) -> Iterator[Statement]:
    told = [*_undoing(reading), *_told(reading)]
    yield from told
    yield _extent(reading) if told else _by_area(reading)
    yield from _series(reading)


def _told(reading: Reading) -> Iterator[Statement]:
    """What the author says of it and what is seen of it; of a low change the latter first."""
    low = reading.graded.grade.level is Level.LOW
    yield from _deeds(reading) if low else quoted(reading)
    yield from quoted(reading) if low else _deeds(reading)


def _undoing(reading: Reading) -> Iterator[Statement]:
    """What is undone or brought back."""
    facts, language = reading.facts, reading.language
    if facts.reverts:
        yield said(words.UNDOES(language, what=undone(facts.reverts, language)), [SUBJECT_LINE])
    if facts.relands:
        yield said(words.RELANDS(language, what=undone(facts.relands, language)), [SUBJECT_LINE])


def _extent(reading: Reading) -> Statement:
    """How much changes, and where most of it stands."""
    files, language = reading.facts.files, reading.language
    if not files:
        return said(words.EMPTY(language), [SUBJECT_LINE])
    if len(files) == 1:
        return said(_single(files[0], reading), files)
    if len(files) <= _NAMED_FILES and reading.graded.grade.level is Level.LOW:
        return _both(reading)
    counts = lines(sum(f.added for f in files), sum(f.deleted for f in files))
    return said(
        words.EXTENT(language, n=len(files), lines=counts, where=_where(reading)),
        files,
    )


def _both(reading: Reading) -> Statement:
    """The files of a change of two, each with what happens to it."""
    files, language = reading.facts.files, reading.language
    parts: list[Part] = [p.described(language) for p in places(files, _NAMED_FILES)]
    listing = listed(parts, language, limit=_NAMED_FILES)
    return said(words.PAIR(language, names=listing), files)


def _by_area(reading: Reading) -> Statement:
    """Which files a change touches of which nothing else can be said, those of the code first.

    What else is touched, tests and docs as a rule, is counted by area.
    """
    facts, language = reading.facts, reading.language
    first = Area.CORE if reading.core else next(iter(facts.areas), Area.CORE)
    files = [f for f in facts.files if f.area is first]
    if len(facts.files) < _NAMED_FILES:
        return _extent(reading)
    if len(facts.files) == _NAMED_FILES:
        return _both(reading)
    found = places(files, _NAMED_FILES)
    parts: list[Part] = [p.described(language) for p in found]
    named = listed(parts, language, limit=_NAMED_FILES, total=len(found))
    rest = [_of_area(area, reading) for area in facts.areas if area is not first]
    if not rest and first is not Area.CORE:
        area = words.IN_AREA[first].text(language)
        return said(words.OF_ONE_AREA(language, area=area, names=named), files)
    beside = words.BESIDE(language, areas=listed(rest, language, limit=_AREAS)) if rest else ()
    return said(words.BY_AREA(language, names=named, rest=beside), facts.files)


def _of_area(area: Area, reading: Reading) -> Part:
    """The files of an area, counted."""
    files = [f for f in reading.facts.files if f.area is area]
    new = all(f.status is FileStatus.ADDED for f in files)
    phrase = words.AREA_NEW if new else words.AREA_COUNT
    return phrase(
        reading.language,
        area=words.IN_AREA[area].text(reading.language),
        n=len(files),
        lines=lines(sum(f.added for f in files), sum(f.deleted for f in files)),
    )


def _single(file: FileFacts, reading: Reading) -> Spans:
    """One file and what happens to it."""
    key = str(file.status)
    if file.omitted:
        key = "omitted"
    elif file.binary:
        key = "binary"
    elif file.status is FileStatus.COPIED:
        key = "added"
    phrase = words.ONE_FILE.get(key, words.ONE_FILE["modified"])
    return phrase(
        reading.language,
        path=code(printable(file.path)),
        old=code(printable(file.old_path or file.path)),
        lines=lines(file.added, file.deleted),
    )


def _where(reading: Reading) -> Spans:
    """The folder that holds all, or at least half, of the changed lines of the code."""
    files = reading.core or reading.facts.files
    top = places(files, 3)[0]
    if "/" not in top.path:
        return ()
    total = sum(f.added + f.deleted for f in reading.facts.files)
    share = (top.added + top.deleted) / total if total else 0.0
    if len(top.files) == len(reading.facts.files):
        return words.ALL_IN(reading.language, place=code(top.path))
    if share >= 0.5:
        return words.MOSTLY_IN(reading.language, place=code(top.path))
    return ()


def _deeds(reading: Reading) -> Iterator[Statement]:
    """What the change adds, removes, renames and changes, a sentence each; one for a low change."""
    clauses = list(islice(_clauses(reading), _CLAUSES))
    if reading.graded.grade.level is not Level.LOW:
        for clause, facts in clauses:
            yield said((*sentence([clause]), *STOP(reading.language)), facts)
    elif clauses:
        row = SEPARATOR(reading.language)
        told = [part for clause, _ in clauses for part in (row, clause)][1:]
        every = [f for _, fs in clauses for f in fs]
        yield said((*sentence(told), *STOP(reading.language)), every)


def _clauses(reading: Reading) -> Iterator[tuple[Spans, Sequence[Fact] | Sequence[FileFacts]]]:
    """The interfaces that come, go and change, then the public symbols."""
    for kind in CONTRACTS:
        for action, verb in _VERBS.items():
            if facts := reading.told(kind, action):
                yield _clause(verb, facts, reading), facts
    symbols = list(_symbol_clauses(reading))
    yield from symbols
    if not symbols and not reading.contracts:
        yield from _module_clauses(reading)


def _module_clauses(reading: Reading) -> Iterator[tuple[Spans, Sequence[FileFacts]]]:
    """The files of the code that come and go, where nothing in them has a public name."""
    for status, verb in ((FileStatus.ADDED, words.ADDS), (FileStatus.DELETED, words.REMOVES)):
        files = [f for f in reading.core if f.status is status]
        if files and len(reading.facts.files) > 1:
            parts: list[Part] = [code(printable(f.path)) for f in files[:_NAMES]]
            what = listed(parts, reading.language, limit=_NAMES, total=len(files))
            yield verb(reading.language, what=what), files


def _clause(verb: Phrase, facts: Sequence[Fact], reading: Reading) -> Spans:
    """``adds the environment variable X``; changed things are told with their values."""
    language, kind = reading.language, facts[0].kind
    valued = facts[0].action in {Action.CHANGED, Action.RENAMED}
    listing = listed(
        [name_with_values(f, language) if valued else code(f.name) for f in facts[:_NAMES]],
        language,
        limit=_NAMES,
        total=len(facts),
    )
    if kind in VERSIONS and valued:
        return verb(language, what=listing)
    named = words.NAMED(language, kind=kind_of(facts, language), names=listing)
    return verb(language, what=named)


def _symbol_clauses(reading: Reading) -> Iterator[tuple[Spans, Sequence[Fact]]]:
    language = reading.language
    for action in (Action.ADDED, Action.REMOVED, Action.RENAMED):
        if facts := reading.named(action):
            what = names(facts, reading, values=action is Action.RENAMED, most=_NAMES)
            yield _VERBS[action](language, what=what), facts
    if facts := reading.moves:
        yield words.MOVES(language, what=names(facts, reading, most=_NAMES)), facts
    if facts := reading.resigned:
        verb = words.CHANGES_SIGNATURE if len(facts) == 1 else words.CHANGES_SIGNATURES
        yield verb(language, what=names(facts, reading, most=_NAMES)), facts
    if facts := reading.rebased:
        yield words.CHANGES_BASES(language, what=names(facts, reading, most=_NAMES)), facts


def _series(reading: Reading) -> Iterator[Statement]:
    series = reading.facts.subject.series
    if series is None:
        return
    if series.total is None:
        yield said(words.SERIES(reading.language, part=str(series.part)), [SUBJECT_LINE])
    else:
        spans = words.SERIES_OF(reading.language, part=str(series.part), total=str(series.total))
        yield said(spans, [SUBJECT_LINE])
