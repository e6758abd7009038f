"""The summary of a change: the author's words, then what the diff amounts to.

Imports ``reading``, ``telling``, ``words`` and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.analysis.quoting import quoted
from digest.analysis.reading import CONTRACTS, SUBJECT_LINE, VERSIONS, Reading, code, said
from digest.analysis.telling import kind_of, name_with_values, names, places, undone
from digest.change import FileStatus, printable
from digest.document import Spans
from digest.facts.model import Action, Fact, FileFacts
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
"""The most clauses of the sentence that tells what a change adds, removes and changes."""


def summary(reading: Reading) -> tuple[Statement, ...]:
    """The summary in order of worth, within its bound; one statement for a low change."""
    return tuple(
        statement
        for statement, _ in zip(_in_order(reading), range(reading.bounds.summary), strict=False)
    )


def _in_order(reading: Reading) -> Iterator[Statement]:
    yield from _undoing(reading)
    low = reading.graded.grade.level is Level.LOW
    if low:
        yield from _deeds(reading)
    yield from quoted(reading)
    yield _extent(reading)
    if not low:
        yield from _deeds(reading)
        yield from _series(reading)


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
    added, deleted = sum(f.added for f in files), sum(f.deleted for f in files)
    return said(
        words.EXTENT(language, n=len(files), added=added, deleted=deleted, where=_where(reading)),
        files,
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
        added=file.added,
        deleted=file.deleted,
    )


def _where(reading: Reading) -> Spans:
    """The folder that holds all, or at least half, of the changed lines of the code."""
    files = reading.core or reading.facts.files
    top = places(files, 3)[0]
    if "/" not in top.path:
        return ()
    lines = sum(f.added + f.deleted for f in reading.facts.files)
    share = (top.added + top.deleted) / lines if lines else 0.0
    if len(top.files) == len(reading.facts.files):
        return words.ALL_IN(reading.language, place=code(top.path))
    if share >= 0.5:
        return words.MOSTLY_IN(reading.language, place=code(top.path))
    return ()


def _deeds(reading: Reading) -> Iterator[Statement]:
    """What the change adds, removes, renames and changes of the project's interfaces."""
    language = reading.language
    clauses: list[Spans] = []
    told: list[Fact] = []
    for kind in CONTRACTS:
        for action, verb in _VERBS.items():
            facts = reading.told(kind, action)
            if facts and len(clauses) < _CLAUSES:
                clauses.append(_clause(verb, facts, reading))
                told += facts
    if not clauses:
        clauses, told = _symbol_clauses(reading)
    if clauses:
        row: list[Part] = []
        for at, clause in enumerate(clauses):
            row += [SEPARATOR.template(language), clause] if at else [clause]
        yield said((*sentence(row), *STOP(language)), told)


def _clause(verb: Phrase, facts: Sequence[Fact], reading: Reading) -> Spans:
    """``adds the environment variable X``; changed things are told with their values."""
    language, kind = reading.language, facts[0].kind
    shown = min(3, reading.bounds.names)
    valued = facts[0].action in {Action.CHANGED, Action.RENAMED}
    listing = listed(
        [name_with_values(f, language) if valued else code(f.name) for f in facts[:shown]],
        language,
        limit=shown,
        total=len(facts),
    )
    if kind in VERSIONS and valued:
        return verb(language, what=listing)
    named = words.NAMED(language, kind=kind_of(facts, language), names=listing)
    return verb(language, what=named)


def _symbol_clauses(reading: Reading) -> tuple[list[Spans], list[Fact]]:
    """The public symbols that come and go, where no interface changes."""
    clauses: list[Spans] = []
    told: list[Fact] = []
    for action in (Action.ADDED, Action.REMOVED, Action.RENAMED):
        facts = reading.named(action)
        if facts:
            what = names(facts, reading, values=action is Action.RENAMED)
            clauses.append(_VERBS[action](reading.language, what=what))
            told += facts
    return clauses, told


def _series(reading: Reading) -> Iterator[Statement]:
    series = reading.facts.subject.series
    if series is None:
        return
    if series.total is None:
        yield said(words.SERIES(reading.language, part=str(series.part)), [SUBJECT_LINE])
    else:
        spans = words.SERIES_OF(reading.language, part=str(series.part), total=str(series.total))
        yield said(spans, [SUBJECT_LINE])
