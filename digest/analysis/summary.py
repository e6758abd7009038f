"""The author's own words as statements, marked as theirs. Imports ``reading`` and ``authored``.

The summary of a change: the author's words, then what the diff amounts to.

Imports ``reading``, ``telling``, ``words`` and values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from digest.analysis.context import CONTRACTS, SUBJECT_LINE, VERSIONS, ChangeContext, code, said
from digest.analysis.wording import kind_of, lines, name_with_values, names, places, undone
from digest.core.author_text import STOPS, authored, excerpt, sentences
from digest.core.change import FileStatus, Side, printable
from digest.core.facts import Action, Area, Evidence, Fact, FileFacts
from digest.core.grade import Graded, Level
from digest.core.statement import Aspect, Statement
from digest.document import Spans
from digest.i18n import statement_text as words
from digest.i18n.labels import SEPARATOR, STOP
from digest.i18n.phrase import Part, Phrase, listed, sentence

_FIGURE = re.compile(
    r"(?<![\d.,])\d[\d.,]{0,30}\s{0,4}(?:%|x\b|×|ms\b|us\b|µs\b|ns\b|s\b|sec|min\b|tok|token|req|it/s|qps|rps|[KMGT]i?B|fps"
    r"|倍|毫秒|秒|个百分点)|[x×]\s*\d",
    re.IGNORECASE,
)

_SPEED = re.compile(
    r"perf|fast|slow|speed|latenc|throughput|memory|overhead|tok(?:en)?s?/s|ttft|tpot|qps"
    r"|regress|improv|reduc|\bsav(?:e|es|ing)\b|optimi|bench|性能|延迟|吞吐|内存|加速|提升|降低",
    re.IGNORECASE,
)

_WORD = re.compile(r"\w+")

_ENOUGH = 24
"""Characters by which a paragraph is known again in its message."""

_ADDRESS = re.compile(r"(?:[\w-]+:? ){0,3}https?://\S+", re.IGNORECASE)

_POINTER = re.compile(
    r"(?:(?:this|it) (?:(?:pr|change|commit|patch) )?(?:is|was) )?(?:an? )?"
    r"(?:part of|part \d{1,3} of|follow[- ]?up (?:of|to|for|on)|based on|related to|relates to"
    r"|see|split (?:out )?(?:from|of)|cc|ref(?:s|erences)?|tracked (?:in|by)|closes|fix(?:es)?"
    r"|resolves):? (?:pr |issue )?[\w./-]{0,80}#\d{1,9}\.?",
    re.IGNORECASE,
)

_SAME = 0.75
"""Share of a paragraph's words from which on it repeats the title."""

_LEAST = 12
"""Shorter paragraphs ("cc someone", "WIP", "see below") say nothing by themselves, characters."""


def quoted(reading: ChangeContext) -> Iterator[Statement]:
    """The beginning of the message's body in whole sentences, or nothing."""
    for paragraph in reading.facts.paragraphs:
        if len(paragraph) < _LEAST or _says_nothing(paragraph, reading):
            continue
        text, whole = excerpt(paragraph, reading.bounds.quote)
        if text:
            yield _quote(reading, paragraph, text, whole=whole)
            return


def _says_nothing(paragraph: str, reading: ChangeContext) -> bool:
    """Whether a paragraph is a mere pointer, the title again, or a subject that was squashed."""
    return (
        _ADDRESS.match(paragraph) is not None
        or _POINTER.fullmatch(paragraph.strip()) is not None
        or _repeats(paragraph, reading.graded.title)
        or _is_squashed(paragraph, reading.graded)
    )


def _is_squashed(paragraph: str, graded: Graded) -> bool:
    """Whether a paragraph is the subject of one of the commits that a request was squashed from.

    GitHub writes each of them as an entry of a list: between empty lines, or beside the one that
    became the title.
    """
    begin = f"* {paragraph[:_ENOUGH]}"
    lines = ["", *graded.commit.body.splitlines(), ""]
    found = next((at for at, line in enumerate(lines) if line.startswith(begin)), 0)
    if not found:
        return False
    apart = not lines[found - 1].strip() and not lines[found + 1].strip()
    return apart or any(line.startswith("* ") and _repeats(line, graded.title) for line in lines)


def _repeats(paragraph: str, title: str) -> bool:
    """Whether a paragraph says little but the title once more, as squashed subjects do."""
    said, known = ({*_WORD.findall(text.casefold())} for text in (paragraph, title))
    return len(said & known) >= _SAME * len(said)


def measured(reading: ChangeContext, most: int) -> Iterator[Statement]:
    """Sentences of the author that speak of performance and bring figures."""
    found = 0
    for paragraph in reading.facts.paragraphs:
        for quote in sentences(paragraph):
            fits = len(quote) <= reading.bounds.quote
            if fits and _FIGURE.search(quote) and _SPEED.search(quote):
                yield _quote(reading, paragraph, quote, aspect=Aspect.PERFORMANCE)
                found += 1
            if found == most:
                return


def _quote(
    reading: ChangeContext,
    paragraph: str,
    text: str,
    *,
    whole: bool = True,
    aspect: Aspect = Aspect.NONE,
) -> Statement:
    spans = authored(text)
    if not whole:
        spans += words.OMISSION(reading.language)
    quote = words.AUTHOR_WRITES(reading.language, words=spans)
    if whole and text[-1] not in STOPS:
        quote += STOP(reading.language)
    return said(
        quote,
        [Evidence(path="", line=_line(reading, paragraph, text), side=Side.MESSAGE)],
        aspect,
    )


def _line(reading: ChangeContext, paragraph: str, text: str) -> int:
    """The line of the message, counted from the subject, where the words begin."""
    lines = reading.graded.commit.message.lstrip("\n").splitlines()
    for start in (text[:24], paragraph.strip().splitlines()[0][:24]):
        for at, line in enumerate(lines, 1):
            if start and start in line:
                return at
    return 1


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


def summary(reading: ChangeContext) -> tuple[Statement, ...]:
    """The summary in order of worth, within its bound; one statement for a low change."""
    return tuple(
        statement
        for statement, _ in zip(_in_order(reading), range(reading.bounds.summary), strict=False)
    )


def _in_order(reading: ChangeContext) -> Iterator[Statement]:
    told = [*_undoing(reading), *_told(reading)]
    yield from told
    yield _extent(reading) if told else _by_area(reading)
    yield from _series(reading)


def _told(reading: ChangeContext) -> Iterator[Statement]:
    """What the author says of it and what is seen of it; of a low change the latter first."""
    low = reading.graded.grade.level is Level.LOW
    yield from _deeds(reading) if low else quoted(reading)
    yield from quoted(reading) if low else _deeds(reading)


def _undoing(reading: ChangeContext) -> Iterator[Statement]:
    """What is undone or brought back."""
    facts, language = reading.facts, reading.language
    if facts.reverts:
        yield said(words.UNDOES(language, what=undone(facts.reverts, language)), [SUBJECT_LINE])
    if facts.relands:
        yield said(words.RELANDS(language, what=undone(facts.relands, language)), [SUBJECT_LINE])


def _extent(reading: ChangeContext) -> Statement:
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


def _both(reading: ChangeContext) -> Statement:
    """The files of a change of two, each with what happens to it."""
    files, language = reading.facts.files, reading.language
    parts: list[Part] = [p.described(language) for p in places(files, _NAMED_FILES)]
    listing = listed(parts, language, limit=_NAMED_FILES)
    return said(words.PAIR(language, names=listing), files)


def _by_area(reading: ChangeContext) -> Statement:
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


def _of_area(area: Area, reading: ChangeContext) -> Part:
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


def _single(file: FileFacts, reading: ChangeContext) -> Spans:
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


def _where(reading: ChangeContext) -> Spans:
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


def _deeds(reading: ChangeContext) -> Iterator[Statement]:
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


def _clauses(
    reading: ChangeContext,
) -> Iterator[tuple[Spans, Sequence[Fact] | Sequence[FileFacts]]]:
    """The interfaces that come, go and change, then the public symbols."""
    for kind in CONTRACTS:
        for action, verb in _VERBS.items():
            if facts := reading.told(kind, action):
                yield _clause(verb, facts, reading), facts
    symbols = list(_symbol_clauses(reading))
    yield from symbols
    if not symbols and not reading.contracts:
        yield from _module_clauses(reading)


def _module_clauses(reading: ChangeContext) -> Iterator[tuple[Spans, Sequence[FileFacts]]]:
    """The files of the code that come and go, where nothing in them has a public name."""
    for status, verb in ((FileStatus.ADDED, words.ADDS), (FileStatus.DELETED, words.REMOVES)):
        files = [f for f in reading.core if f.status is status]
        if files and len(reading.facts.files) > 1:
            parts: list[Part] = [code(printable(f.path)) for f in files[:_NAMES]]
            what = listed(parts, reading.language, limit=_NAMES, total=len(files))
            yield verb(reading.language, what=what), files


def _clause(verb: Phrase, facts: Sequence[Fact], reading: ChangeContext) -> Spans:
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


def _symbol_clauses(reading: ChangeContext) -> Iterator[tuple[Spans, Sequence[Fact]]]:
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


def _series(reading: ChangeContext) -> Iterator[Statement]:
    series = reading.facts.subject.series
    if series is None:
        return
    if series.total is None:
        yield said(words.SERIES(reading.language, part=str(series.part)), [SUBJECT_LINE])
    else:
        spans = words.SERIES_OF(reading.language, part=str(series.part), total=str(series.total))
        yield said(spans, [SUBJECT_LINE])
