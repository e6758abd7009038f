"""Which changes affect what a profile names, how, and by which evidence; and profiles from code.

A hit is a fact whose name matches an entry, or a path or topic that an entry names. What is
removed, renamed or has another default *may break*, and so may a change to a file that the reader's
fork changes too; everything else *touches*. Tests, documents and examples break nobody. Of a
plug-in or of a fork's own files, only names of the project are taken: imports from its packages,
variables that begin with its name, and flags on lines that name it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from digest.analysis.wording import choices_of
from digest.core.change import FileStatus, Side
from digest.core.enums import Effect
from digest.core.facts import Action, Area, Evidence, Fact, FactKind, FileFacts
from digest.core.grade import Graded
from digest.core.patterns import matches, within
from digest.core.profile import EntryKind, PatchedFile, Profile, ProfileEntry
from digest.frozen import frozen
from digest.topics.index_terms import Bearing
from digest.topics.matching import Aliases, bears, candidates, resolve


@frozen
class Hit:
    """A match of a change and an entry, by one of a fact, a file or bearings on a topic."""

    entry: ProfileEntry
    effect: Effect
    evidence: Evidence
    fact: Fact | None = None
    file: FileFacts | None = None
    bearings: tuple[Bearing, ...] = ()


def touching(
    changes: Sequence[Graded], entry: ProfileEntry
) -> tuple[Sequence[Graded], Sequence[str]]:
    """Those of the changes (newest first) that touch a patched file, and the names it had."""
    names, found = {entry.name: None}, list[Graded]()
    for graded in reversed(changes):
        files = [f for f in graded.facts.files if not names.keys().isdisjoint({f.path, f.old_path})]
        names.update({f.path: None for f in files if f.status is FileStatus.RENAMED})
        found += [graded] if files else []
    return found[::-1], tuple(names)


def softened(hits: Sequence[Hit], patched: Sequence[PatchedFile]) -> tuple[Hit, ...]:
    """The hits, without a warning about files in which only other lines were changed."""
    harmless = {one.entry for one in patched if one.conflict is False}
    told = (replace(hit, effect=Effect.TOUCHES) if hit.entry in harmless else hit for hit in hits)
    return tuple(sorted(told, key=lambda hit: hit.effect))


_NAMED = {
    EntryKind.FLAG: frozenset({FactKind.FLAG, FactKind.CONFIG, FactKind.DEPRECATION}),
    EntryKind.VARIABLE: frozenset({FactKind.ENVIRONMENT, FactKind.DEPRECATION}),
    EntryKind.SYMBOL: frozenset({FactKind.SYMBOL, FactKind.CONFIG, FactKind.DEPRECATION}),
    EntryKind.TOPIC: frozenset({FactKind.DEPENDENCY, FactKind.TOOLCHAIN}),
}
_HARMLESS = frozenset({Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS, Area.CI})
_UNSIGNED = re.compile(r"[-_]")


def affects(
    graded: Graded, profile: Profile, aliases: Aliases | None = None, labels: Sequence[str] = ()
) -> tuple[Hit, ...]:
    """Every hit of a change, most severe first; ``labels`` are the forge's, for topics."""
    areas = {file.path: file.area for file in graded.facts.files}
    entries = profile.entries
    if profile.of(EntryKind.PATCH):  # a fork may change hundreds of files
        paths = {path for file in graded.facts.files for path in (file.path, file.old_path)}
        entries = tuple(e for e in entries if e.kind is not EntryKind.PATCH or e.name in paths)
    hits = [
        hit
        for entry in entries
        for hit in tuple(_by_fact(graded, entry, areas))
        or _otherwise(graded, entry, aliases or {}, labels)
    ]
    return tuple(sorted(hits, key=lambda hit: hit.effect))


def _by_fact(graded: Graded, entry: ProfileEntry, areas: dict[str, Area]) -> Iterator[Hit]:
    kinds = _NAMED.get(entry.kind, frozenset())
    for fact in graded.facts.items:
        if fact.kind in kinds and _names(fact, entry):
            area = areas.get(fact.evidence.path)
            if entry.kind is EntryKind.SYMBOL and area in _HARMLESS:
                continue
            effect = Effect.TOUCHES if area in _HARMLESS else _effect(fact)
            yield Hit(entry=entry, effect=effect, evidence=fact.evidence, fact=fact)


def _effect(fact: Fact) -> Effect:
    if fact.action is Action.ADDED and fact.kind is not FactKind.DEPRECATION:
        return Effect.TOUCHES
    if fact.action is Action.CHANGED and fact.kind is FactKind.SYMBOL and _keeps_calls(fact):
        return Effect.TOUCHES
    lost, gained = choices_of(fact)
    if gained and not lost:
        return Effect.TOUCHES
    return Effect.MAY_BREAK


def _keeps_calls(fact: Fact) -> bool:
    """Whether a signature only gained optional parameters."""
    from digest.analysis.signatures import differences  # most questions meet no signature

    changed = differences(fact.before, fact.after)
    return bool(changed.added) and not (changed.required or changed.lost)


def _names(fact: Fact, entry: ProfileEntry) -> bool:
    """Whether a fact is about what an entry names, by its new or old name."""
    names = [fact.name]
    if fact.action is Action.RENAMED and fact.before:
        names.append(fact.before)
    match entry.kind:
        case EntryKind.FLAG:
            return _plain(entry.name) in {_plain(name.rpartition(".")[2]) for name in names}
        case EntryKind.SYMBOL:
            return any(_is_symbol(name, fact.evidence.path, entry.name) for name in names)
        case EntryKind.TOPIC:
            return entry.name.lower() in {name.lower() for name in names}
        case _:
            return entry.name in names


def _plain(flag: str) -> str:
    """A flag in the spelling of its setting: ``--max-len`` and ``max_len`` are the same."""
    return _UNSIGNED.sub("", flag.partition("=")[0]).lower()


def _is_symbol(name: str, path: str, written: str) -> bool:
    """Whether a symbol of a file is the written one, or belongs to it."""
    # The written one may begin with its modules: those beyond the package itself must be the end of
    # the file's path.
    wanted = _segments(written)
    segments = _segments(name)
    if len(wanted) == 1:
        return wanted[0] in (segments[0], segments[-1]) or segments[: len(wanted)] == wanted
    stem = _modules(path)
    for split in range(len(wanted)):
        modules, symbol = wanted[:split], wanted[split:]
        if segments[: len(symbol)] != symbol:
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
    graded: Graded, entry: ProfileEntry, aliases: Aliases, labels: Sequence[str]
) -> Iterator[Hit]:
    """Hits by path and by topic, one per entry."""
    match entry.kind:
        case EntryKind.PATH:
            reached = [
                file
                for file in graded.facts.files
                if matches(entry.name, file.path)
                or (file.old_path and matches(entry.name, file.old_path))
            ]
            if reached:
                worst = min(reached, key=_effect_on_file)
                place = Evidence(path=worst.path, line=0, side=Side.NEW)
                yield Hit(entry=entry, effect=_effect_on_file(worst), evidence=place, file=worst)
        case EntryKind.PATCH:
            for file in graded.facts.files:
                if entry.name in {file.path, file.old_path}:
                    place = Evidence(path=file.path, line=0, side=Side.NEW)
                    yield Hit(entry=entry, effect=Effect.MAY_BREAK, evidence=place, file=file)
        case EntryKind.AUTHOR:
            commit, helpers = graded.commit, graded.facts.co_authors
            if within(entry.name, commit.author, commit.email, *commit.writers, *helpers):
                place = Evidence(path="", line=1, side=Side.MESSAGE)
                yield Hit(entry=entry, effect=Effect.TOUCHES, evidence=place)
        case EntryKind.TOPIC:
            yield from _by_topic(graded, entry, aliases, labels)
        case _:
            return


def _effect_on_file(file: FileFacts) -> Effect:
    gone = file.status in {FileStatus.DELETED, FileStatus.RENAMED}
    return Effect.MAY_BREAK if gone and file.area not in _HARMLESS else Effect.TOUCHES


def _by_topic(
    graded: Graded, entry: ProfileEntry, aliases: Aliases, labels: Sequence[str]
) -> Iterator[Hit]:
    known = dict.fromkeys(candidates(entry.name, aliases), 1)
    bearings = bears(graded, resolve(entry.name, known, aliases), labels)
    if bearings and not _HARMLESS.issuperset(graded.facts.areas):
        place = Evidence(path="", line=1, side=Side.MESSAGE)
        yield Hit(entry=entry, effect=Effect.TOUCHES, evidence=place, bearings=bearings)


_FROM = re.compile(
    r"^[ \t]*from[ \t]+([A-Za-z_][\w.]*)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n#;]{1,500})",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([A-Za-z_][\w., \t]{0,500})", re.MULTILINE)
_USE = re.compile(r"\buse[ \t]+([A-Za-z_]\w*(?:::[A-Za-z_]\w*)+)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"#[^\n]*")
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_CONTINUED = re.compile(r"\\\n")


def find_usage(text: str, packages: frozenset[str]) -> frozenset[ProfileEntry]:
    """What a text uses of packages, which are named in lower case (``vllm``, ``tokio``)."""
    lowered = text.lower()
    if not any(package in lowered for package in packages):
        return frozenset()
    entries = {
        ProfileEntry(kind=EntryKind.SYMBOL, name=name) for name in _imports_of(text, packages)
    }
    entries |= {
        ProfileEntry(kind=EntryKind.VARIABLE, name=name) for name in _variables(text, packages)
    }
    entries |= {ProfileEntry(kind=EntryKind.FLAG, name=name) for name in _flags(text, packages)}
    return frozenset(entries)


def _imports_of(text: str, packages: frozenset[str]) -> Iterator[str]:
    for module, names in _FROM.findall(text):
        if _root(module) in packages:
            for part in _COMMENT.sub("", names).strip("()").split(","):
                if name := _NAME.match(part.strip()):
                    yield f"{module}.{name[0]}"
    for modules in _IMPORT.findall(text):
        for part in modules.split(","):
            module = part.strip().partition(" ")[0]
            if "." in module and _root(module) in packages:
                yield module
    for path in _USE.findall(text):
        if _root(path) in packages:
            yield path


def _root(module: str) -> str:
    return re.split(r"\.|::", module, maxsplit=1)[0].lower()


def _variables(text: str, packages: frozenset[str]) -> Iterator[str]:
    prefixes = "|".join(sorted(re.escape(p.upper().replace("-", "_")) for p in packages))
    yield from re.findall(rf"\b(?:{prefixes})_[A-Z0-9]+(?:_[A-Z0-9]+)*\b", text)


def _flags(text: str, packages: frozenset[str]) -> Iterator[str]:
    """Flags of commands that name the project; a command may continue after a backslash."""
    for line in _CONTINUED.sub(" ", text).splitlines():
        lowered = line[:4000].lower()
        if "--" in line and any(package in lowered for package in packages):
            yield from _FLAG.findall(line[:4000])


def packages_of(repository: str) -> frozenset[str]:
    """The possible package names of a repository: ``owner/some-name`` gives two."""
    name = repository.rpartition("/")[2].removesuffix(".git").lower()
    bare = re.sub(r"[-_.](?:rs|js|py|go)$", "", name)
    return frozenset({name, name.replace("-", "_"), bare} - {""})


DECLARING = ("pyproject.toml", "Cargo.toml", "package.json", "go.mod")
"""Files at the root of a repository that declare the name of its package."""

_GO_MODULE = re.compile(r"^module[ \t]+(\S+)", re.MULTILINE)
_MAJOR = re.compile(r"/v\d+$")


def declared_packages(path: str, text: str) -> frozenset[str]:
    """The possible package names that one of the ``DECLARING`` files declares."""
    if path == "go.mod":
        match = _GO_MODULE.search(text)
        return packages_of(_MAJOR.sub("", match[1])) if match else frozenset()
    try:
        table = json.loads(text) if path == "package.json" else tomllib.loads(text)
    except (ValueError, RecursionError):
        return frozenset()
    places = {
        "pyproject.toml": (("project",), ("tool", "poetry")),
        "Cargo.toml": (("package",),),
        "package.json": ((),),
    }
    names = (_at(table, (*keys, "name")) for keys in places.get(path, ()))
    return frozenset().union(*(packages_of(name) for name in names if isinstance(name, str)))


def _at(table: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table
