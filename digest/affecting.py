"""Which changes reach what a profile names, how, and by which evidence.

A hit is a fact whose name is an entry's, or a path or topic that an entry names. What is removed,
renamed or behaves otherwise by default *may break*; everything else *touches*. Tests, documents and
examples break nobody. Imports ``profile``, ``match`` and values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from digest.analysis.signatures import differences
from digest.change import FileStatus, Side
from digest.facts.model import Action, Area, Evidence, Fact, FactKind, FileFacts
from digest.globs import matches
from digest.graded import Graded
from digest.match import Aliases, bears, candidates, resolve
from digest.profile import Entry, Kind, Profile
from digest.topics import Bearing


class Effect(IntEnum):
    """How hard a change reaches somebody, the hardest first."""

    MAY_BREAK = 0
    TOUCHES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """That a change reaches an entry, by one of a fact, a file or bearings on a topic."""

    entry: Entry
    effect: Effect
    evidence: Evidence
    fact: Fact | None = None
    file: FileFacts | None = None
    bearings: tuple[Bearing, ...] = ()


_NAMED = {
    Kind.FLAG: frozenset({FactKind.FLAG, FactKind.CONFIG, FactKind.DEPRECATION}),
    Kind.VARIABLE: frozenset({FactKind.ENVIRONMENT, FactKind.DEPRECATION}),
    Kind.SYMBOL: frozenset({FactKind.SYMBOL, FactKind.CONFIG, FactKind.DEPRECATION}),
    Kind.TOPIC: frozenset({FactKind.DEPENDENCY, FactKind.TOOLCHAIN}),
}
_HARMLESS = frozenset({Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS, Area.CI})
_UNSIGNED = re.compile(r"[-_]")


def affects(
    graded: Graded,
    profile: Profile,
    aliases: Aliases | None = None,
    labels: Sequence[str] = (),
) -> tuple[Hit, ...]:
    """Every hit of a change, the hardest first, then in the profile's order; empty for none.

    ``labels`` are those that the forge gave it, which topics may be borne by.
    """
    areas = {file.path: file.area for file in graded.facts.files}
    hits = [
        hit
        for entry in profile.entries
        for hit in tuple(_by_fact(graded, entry, areas))
        or _otherwise(graded, entry, aliases or {}, labels)
    ]
    return tuple(sorted(hits, key=lambda hit: hit.effect))


def _by_fact(graded: Graded, entry: Entry, areas: dict[str, Area]) -> Iterator[Hit]:
    kinds = _NAMED.get(entry.kind, frozenset())
    for fact in graded.facts.items:
        if fact.kind in kinds and _names(fact, entry):
            area = areas.get(fact.evidence.path)
            if entry.kind is Kind.SYMBOL and area in _HARMLESS:
                continue
            effect = Effect.TOUCHES if area in _HARMLESS else _effect(fact)
            yield Hit(entry=entry, effect=effect, evidence=fact.evidence, fact=fact)


def _effect(fact: Fact) -> Effect:
    if fact.action is Action.ADDED and fact.kind is not FactKind.DEPRECATION:
        return Effect.TOUCHES
    if fact.action is Action.CHANGED and fact.kind is FactKind.SYMBOL and _keeps_calls(fact):
        return Effect.TOUCHES
    return Effect.MAY_BREAK


def _keeps_calls(fact: Fact) -> bool:
    """Whether a signature only gained parameters that nobody has to give."""
    found = differences(fact.before, fact.after)
    return bool(found.added) and not (found.required or found.lost)


def _names(fact: Fact, entry: Entry) -> bool:
    """Whether a fact is about what an entry names, by its name now or before."""
    names = [fact.name]
    if fact.action is Action.RENAMED and fact.before:
        names.append(fact.before)
    match entry.kind:
        case Kind.FLAG:
            return _plain(entry.name) in {_plain(name.rpartition(".")[2]) for name in names}
        case Kind.SYMBOL:
            return any(_is_symbol(name, fact.evidence.path, entry.name) for name in names)
        case Kind.TOPIC:
            return entry.name.lower() in {name.lower() for name in names}
        case _:
            return entry.name in names


def _plain(flag: str) -> str:
    """A flag as its setting is spelt: ``--max-len`` and ``max_len`` are one."""
    return _UNSIGNED.sub("", flag.partition("=")[0]).lower()


def _is_symbol(name: str, path: str, written: str) -> bool:
    """Whether a symbol of a file is the one that is written, or belongs to it.

    The written one may begin with its modules: those that are more than the package itself must
    be the end of the file's path.
    """
    wanted = _segments(written)
    found = _segments(name)
    if len(wanted) == 1:
        return wanted[0] in (found[0], found[-1]) or found[: len(wanted)] == wanted
    stem = _modules(path)
    for split in range(len(wanted)):
        modules, symbol = wanted[:split], wanted[split:]
        if found[: len(symbol)] != symbol:
            continue
        if len(modules) <= 1 or stem[-len(modules) :] == modules or stem[: len(modules)] == modules:
            return True
    return False


@lru_cache(maxsize=4096)
def _segments(name: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"\.|::", name.removesuffix("()")) if part)


@lru_cache(maxsize=4096)
def _modules(path: str) -> tuple[str, ...]:
    parts = path.rpartition(".")[0].split("/")
    return tuple(parts[:-1] if parts[-1] in {"__init__", "mod", "index", "lib"} else parts)


def _otherwise(
    graded: Graded, entry: Entry, aliases: Aliases, labels: Sequence[str]
) -> Iterator[Hit]:
    """Hits by path and by topic, one an entry."""
    match entry.kind:
        case Kind.PATH:
            yield from _by_path(graded, entry)
        case Kind.TOPIC:
            yield from _by_topic(graded, entry, aliases, labels)
        case _:
            return


def _by_path(graded: Graded, entry: Entry) -> Iterator[Hit]:
    reached = [
        file
        for file in graded.facts.files
        if matches(entry.name, file.path) or (file.old_path and matches(entry.name, file.old_path))
    ]
    if reached:
        worst = min(reached, key=_effect_on_file)
        place = Evidence(path=worst.path, line=0, side=Side.NEW)
        yield Hit(entry=entry, effect=_effect_on_file(worst), evidence=place, file=worst)


def _effect_on_file(file: FileFacts) -> Effect:
    gone = file.status in {FileStatus.DELETED, FileStatus.RENAMED}
    return Effect.MAY_BREAK if gone and file.area not in _HARMLESS else Effect.TOUCHES


def _by_topic(
    graded: Graded, entry: Entry, aliases: Aliases, labels: Sequence[str]
) -> Iterator[Hit]:
    known = dict.fromkeys(candidates(entry.name, aliases), 1)
    found = bears(graded, resolve(entry.name, known, aliases), labels)
    if found and not _HARMLESS.issuperset(graded.facts.areas):
        place = Evidence(path="", line=1, side=Side.MESSAGE)
        yield Hit(entry=entry, effect=Effect.TOUCHES, evidence=place, bearings=found)
