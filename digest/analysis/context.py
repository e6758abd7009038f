"""A graded change prepared for analysis: its facts grouped once for all sections.

Only the project's own interface counts: a flag of a benchmark script, a variable of an example or a
route of a test changes nothing for users. The level of a change determines how much is said about
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import (
    Action,
    Area,
    Clue,
    ClueKind,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    is_for_tests,
    sure_deprecations,
)
from digest.core.grade import Graded, Level
from digest.core.patterns import lazy
from digest.core.statement import Aspect, Statement
from digest.document import Code, Spans, Text, plain
from digest.facts.paths import is_script
from digest.frozen import frozen
from digest.i18n.phrase import Part, join
from digest.i18n.statement_text import STOP

CONTRACTS = (
    FactKind.FLAG,
    FactKind.ENVIRONMENT,
    FactKind.CONFIG,
    FactKind.ROUTE,
    FactKind.METRIC,
    FactKind.SCHEMA,
    FactKind.DEPENDENCY,
    FactKind.TOOLCHAIN,
)
"""Kinds that code outside the project relies on, in the order they are reported."""

VERSIONS = (FactKind.DEPENDENCY, FactKind.TOOLCHAIN)
_ASIDE = {Area.TESTS, Area.EXAMPLES, Area.BENCHMARKS, Area.DOCS, Area.GENERATED, Area.VENDORED}
_ASIDE_VERSIONS = {Area.CI, *_ASIDE} - {Area.GENERATED}


@frozen
class Bounds:
    """The maximum size of each section.

    Sections count statements; ``names`` counts the names that one statement lists before "and N
    more"; ``quote`` counts characters of the author's words in one statement.
    """

    summary: int
    impact: int
    insights: int
    risks: int
    suggestions: int
    names: int
    quote: int


@frozen
class ChangeContext:
    """A graded change with its language, bounds and grouped facts.

    ``contracts`` and ``symbols`` hold each thing once, in the order of the facts. Neither includes
    an interface that was removed in one place and added in another, or changed annotations.
    """

    graded: Graded
    language: Language
    bounds: Bounds
    core: tuple[FileFacts, ...]
    contracts: tuple[Fact, ...]
    symbols: tuple[Fact, ...]

    @property
    def facts(self) -> Facts:
        """The facts of the change."""
        return self.graded.facts

    def told(self, kind: FactKind, action: Action) -> tuple[Fact, ...]:
        """The interface facts of one kind and action."""
        if not self.contracts:
            return ()
        return tuple(f for f in self.contracts if f.kind is kind and f.action is action)

    def named(self, action: Action) -> tuple[Fact, ...]:
        """The public symbols of the core with one action, except those that only moved."""
        return tuple(f for f in self.symbols if f.action is action and f.detail != "moved")

    @property
    def rebased(self) -> tuple[Fact, ...]:
        """The public classes whose base classes changed."""
        return tuple(f for f in self.named(Action.CHANGED) if f.detail == "bases")

    @property
    def moves(self) -> tuple[Fact, ...]:
        """The symbols that moved to another file; ``before`` and ``after`` are paths.

        Nobody imports members, or from a file of a script; in Go, a folder is one package.
        """
        moved = (f for f in self.symbols if f.detail == "moved" and f.before and f.after)
        moved = (f for f in moved if "." not in f.name and f.evidence.path[-3:] not in _SCRIPTS)
        return tuple(f for f in moved if not f.evidence.path.endswith(".go") or _leaves(f))


def read(graded: Graded, language: Language) -> ChangeContext:
    """Group the facts of a change for analysis."""
    facts = graded.facts
    areas = {f.path: f.area for f in facts.files} | {
        f.old_path: f.area for f in facts.files if f.old_path
    }
    return ChangeContext(
        graded=graded,
        language=language,
        bounds=BOUNDS[graded.grade.level],
        core=tuple(f for f in facts.files if f.area is Area.CORE),
        contracts=_contracts(facts, areas),
        symbols=_symbols(facts.items, areas),
    )


def _leaves(move: Fact) -> bool:
    folders = {(path or "").rpartition("/")[0] for path in (move.before, move.after)}
    return len(folders) > 1


WHOLE_FILES = frozenset({"openapi", "json schema", "avro", "migration"})
"""Details of schemas that changed somewhere; often only a description did."""

_FEW_NAMES = 3
_SHORT_QUOTE = 190  # characters of the author's words in a one-line summary


def brief(reading: ChangeContext) -> ChangeContext:
    """The context for a one-line summary: few names, no setting that repeats a flag, no file."""
    flags = {
        (f.action, without_dashes(f.name)) for f in reading.contracts if f.kind is FactKind.FLAG
    }
    contracts = tuple(
        f
        for f in reading.contracts
        if (f.kind is not FactKind.SCHEMA or f.detail not in WHOLE_FILES)
        and not (
            f.kind is FactKind.CONFIG and (f.action, without_dashes(owner_of(f.name)[1])) in flags
        )
    )
    names = min(reading.bounds.names, _FEW_NAMES)
    quote = min(reading.bounds.quote, _SHORT_QUOTE)
    bounds = replace(reading.bounds, names=names, quote=quote)
    return replace(reading, contracts=contracts, bounds=bounds)


def without_dashes(name: str) -> str:
    """A name in the form that a flag and its setting share."""
    return name.strip("-").replace("-", "_").lower()


def without_members(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts without those of members of something that another of them is about."""
    whole = {f.name for f in facts}
    return tuple(f for f in facts if owner_of(f.name)[0] not in whole)


def deprecated(reading: ChangeContext) -> tuple[Fact, ...]:
    """What is deprecated, without fields and settings that repeat a flag."""
    found = [_as_titled(f, reading.facts) for f in sure_deprecations(reading.facts)]
    flags = {without_dashes(f.name) for f in found if f.name.startswith("-")}
    own = {f: without_dashes(owner_of(f.name)[1]) for f in found}
    return tuple(f for f in found if f.name.startswith("-") or own[f] not in flags)


_SCRIPTS = frozenset({".js", ".ts", "tsx"})


def replacement_of(fact: Fact, reading: ChangeContext) -> str:
    """What replaces a thing: for a variable the new flag rather than the field behind it."""
    name = fact.replacement or ""
    own = without_dashes(owner_of(name)[1])
    flags = (f.name for f in reading.told(FactKind.FLAG, Action.ADDED) if fact.name.isupper())
    return next((flag for flag in flags if without_dashes(flag) == own), name)


def _as_titled(fact: Fact, facts: Facts) -> Fact:
    """A deprecation under the flag, the member of an object or the value that the title names."""
    said = [word.strip("`,.()") for word in facts.subject.words.split()]
    words = [word for word in said if word != fact.replacement]
    ends = (f".{fact.name}",) if fact.name.isidentifier() else ()
    flags = tuple(f"-{name}" for name in {fact.name, fact.name.replace("_", "-")})
    named = (
        w
        for w in words
        if w.endswith(ends)
        or ("--" in w and w.endswith(flags))
        or (w.startswith(f"{fact.name}=") and w[-1] != "=")
    )
    return replace(fact, name=next(named, fact.name))


def _contracts(facts: Facts, areas: dict[str, Area]) -> tuple[Fact, ...]:
    """The interface facts of the project itself, each once, without those that only moved."""
    kept = _one_each(
        _of_private_owner(f)
        for f in facts.items
        if f.kind in CONTRACTS
        and f.detail != "moved"
        and not (f.kind in VERSIONS and f.detail.endswith(("github-actions", " dev", "go replace")))
        and is_relied_on(f, facts)
        and areas.get(f.evidence.path) not in (_ASIDE_VERSIONS if f.kind in VERSIONS else _ASIDE)
        and (f.kind in VERSIONS or not is_script(f.evidence.path))
    )
    gone = {(f.kind, f.name) for f in kept if f.action is Action.REMOVED}
    new = {(f.kind, f.name) for f in kept if f.action is Action.ADDED}
    return tuple(
        f
        for f in kept
        if f.action not in {Action.ADDED, Action.REMOVED} or (f.kind, f.name) not in gone & new
    )


def _of_private_owner(fact: Fact) -> Fact:
    """A setting without the name of a private object or a constant that holds its default."""
    owner, name = owner_of(fact.name)
    private = fact.kind is FactKind.CONFIG and (owner.startswith("_") or owner.isupper())
    return replace(fact, name=name) if private else fact


_CONFIGURES = lazy(r"(?:^|/)[^/]*(?:config|conf|settings|options|arg|cli)[^/]*(?:/|$)")


def is_relied_on(fact: Fact, facts: Facts) -> bool:
    """Whether users rely on a thing; on a field where its file, its class or a document says so.

    Nobody who runs a release relies on what came and went between two of them.
    """
    if fact.unreleased or is_for_tests(fact):
        return False
    if fact.public is not None or fact.kind is not FactKind.CONFIG:
        return fact.public is not False
    owner, name = owner_of(fact.name)
    if _CONFIGURES.search(fact.evidence.path) or fact.evidence.path.endswith(".go"):
        return True  # fields of Go are settings only if they have a name in files
    if owner.endswith(("Request", "Args", "Params", "Settings")):
        return True
    return any(c.kind is ClueKind.DOCS and c.name == name for c in facts.clues)


def _one_each(items: Iterable[Fact]) -> list[Fact]:
    """Each interface once per action, since tables, readers and manifests repeat one another.

    The fact that says most is kept: a changed default before a changed type, a value before none. A
    dependency whose version changed does not count as new or removed, whatever another manifest
    says.
    """
    best: dict[tuple[FactKind, Action, str], Fact] = {}
    for f in items:
        key = (f.kind, f.action, f.name)
        if key not in best or _says(f) > _says(best[key]):
            best[key] = f
    return [
        f
        for f in best.values()
        if f.action is Action.CHANGED or (f.kind, Action.CHANGED, f.name) not in best
    ]


def _says(fact: Fact) -> tuple[bool, bool, bool]:
    required = fact.detail != "docker"  # an image has one of the versions that a manifest allows
    return fact.detail == "default", bool(fact.before or fact.after), required


_MEMBER = lazy(r"(.+)(?:\.|::)([^.:]+)", re.DOTALL)


def owner_of(name: str) -> tuple[str, str]:
    """The owner of a member and the member: ``("A", "b")`` for ``A.b`` and ``A::b``."""
    match = _MEMBER.fullmatch(name)
    return (match[1], match[2]) if match else ("", name)


def helps_of(clues: Sequence[Clue]) -> dict[str, str]:
    """The texts beside things, by name and by the spelling that flags and fields share."""
    found: dict[str, str] = {}
    for clue in clues:
        if clue.kind is ClueKind.HELP:
            text = _without_own_name(clue.text, owner_of(clue.name)[1])
            found.setdefault(clue.name, text)
            found.setdefault(without_dashes(owner_of(clue.name)[1]), text)
    return found


def _without_own_name(text: str, name: str) -> str:
    """A comment without the name of the thing in front of its verb, as in Go."""
    first, _, rest = text.partition(" ")
    own = first.strip("`,").casefold() == name.replace("_", "").casefold()
    spelled = "_" in name or any(c.isupper() for c in name[1:])
    goes_on = first[-1:] == "," or rest.partition(" ")[0].endswith("s")
    begins = rest[:1].islower() or rest.startswith(("If ", "When ", "Whether "))
    if not own or not begins or not (spelled or goes_on):
        return text
    if rest.startswith(("is the ", "is a ", "is an ")):
        return rest.removeprefix("is ")
    return text if rest.startswith(("is ", "are ")) else rest


_OF_COMMAND = lazy(
    r"(?:^|/)(?:commands?|(?:cli|internal|pkg|src)/cmd)/(?P<path>[a-z][\w/-]{1,80})\.(?:go|js|py|rs|ts)$"
)
_CRATE = lazy(r"([\w-]+)/Cargo\.toml$")
_HELPERS = frozenset(
    """
    args arg cli cmd command commands common core default flags flag global helper helpers index
    lib main mod options opts root shared types utils
    """.split()  # noqa: SIM905 - a list a word a line would take a page
)


def shown_name(fact: Fact) -> str:
    """A name as users type it: a flag with its command, if its file is that of one command.

    A feature of a crate stands after the crate, as in a manifest of Cargo.
    """
    crate = _CRATE.search(fact.evidence.path) if fact.kind is FactKind.CONFIG else None
    if crate and crate[1] not in _HELPERS:
        return f"{crate[1]}/{fact.name}"
    match = _OF_COMMAND.search(fact.evidence.path)
    if not match or fact.kind is not FactKind.FLAG or " " in fact.name or "=" in fact.name:
        return fact.name
    parts = [part.removesuffix("_command") for part in match["path"].split("/")]
    if _HELPERS.intersection(parts) or any("_" in part for part in parts[:-1]):
        return fact.name
    if parts[-1].count("_") > 1:
        return fact.name  # which of its words are commands, a file of so many does not tell
    words = [part.replace("_", "-") for part in dict.fromkeys(parts)]
    return " ".join([*words, fact.name])


def called(fact: Fact, reading: ChangeContext) -> str:
    """A name as :func:`shown_name` has it, with the program if the title calls the command."""
    command, _, flag = (name := shown_name(fact)).rpartition(" ")
    if not command or fact.kind is not FactKind.FLAG:
        return name
    title = reading.facts.subject.title
    match = re.search(rf"(?:^|`)([a-z][\w-]{{1,15}}) {re.escape(command)}\b", title)
    return f"{match[1]} {command} {flag}" if match else name


def _symbols(items: Iterable[Fact], areas: dict[str, Area]) -> tuple[Fact, ...]:
    """The public symbols of the core, each once; an added or removed class covers its members."""
    found = [
        f
        for f in dict.fromkeys(f for f in items if not f.unreleased)
        if f.kind is FactKind.SYMBOL
        and areas.get(f.evidence.path) is Area.CORE
        and f.detail != "types"
    ]
    whole = {(f.name, f.action) for f in found if f.action is not Action.CHANGED}
    moved = {f.name for f in found if f.detail == "moved"}
    return tuple(
        f
        for f in found
        if not any((owner, f.action) in whole for owner in _owners(f.name))
        and (f.detail == "moved" or f.action is Action.CHANGED or f.name not in moved)
    )


def _owners(name: str) -> Iterable[str]:
    """``a.b`` and ``a`` for ``a.b.c``."""
    while name := owner_of(name)[0]:
        yield name


def make_statement(
    spans: Iterable[Part] | Spans,
    evidence: Iterable[Evidence | Fact | FileFacts],
    aspect: Aspect = Aspect.NONE,
) -> Statement:
    """A statement with its evidence: at most a few places per thing."""
    places: dict[Evidence, None] = {}
    for item in evidence:
        places.setdefault(_place(item))
        if len(places) == EVIDENCE:
            break
    return Statement(spans=join(spans), evidence=tuple(places), aspect=aspect)


def _place(item: Evidence | Fact | FileFacts) -> Evidence:
    if isinstance(item, Evidence):
        return item
    if isinstance(item, Fact):
        return item.evidence
    gone = item.status == "deleted"
    return Evidence(path=item.path, line=0, side=Side.OLD if gone else Side.NEW)


SUBJECT_LINE = Evidence(path="", line=1, side=Side.MESSAGE)
"""The first line of the message as evidence."""

REQUEST = Evidence(path="", line=0, side=Side.REQUEST)  # the description of the request as evidence


def with_full_stop(spans: Iterable[Part], reading: ChangeContext) -> Spans:
    """A sentence with its full stop; English text in Chinese output gets an English one."""
    row = join(spans)
    end = row[-1].text[-1:] if row else ""
    if end and end in ".!?。！？”":
        return row
    ascii_end = row and isinstance(row[-1], Text) and row[-1].text.isascii()
    english = ascii_end or not _CHINESE.search(plain(row))
    return join([*row, *STOP(Language.EN if english else reading.language)])


_CHINESE = lazy(r"[\u3000-\u9fff]")


def code(name: str, limit: int = 0) -> Code:
    """An identifier or value as written, on one line; ``limit`` shortens long values."""
    name = " ".join(name.split())
    return Code(name[: limit - 1] + "…" if limit and len(name) > limit else name)


# A reader gives a high change a minute, a medium one a glance and a low one a line.
BOUNDS = {
    Level.HIGH: Bounds(
        summary=7, impact=7, insights=12, risks=6, suggestions=5, names=6, quote=420
    ),
    Level.MEDIUM: Bounds(
        summary=5, impact=4, insights=4, risks=3, suggestions=3, names=4, quote=280
    ),
    Level.LOW: Bounds(summary=1, impact=0, insights=0, risks=0, suggestions=0, names=3, quote=200),
}

VALUE = 60  # maximum characters shown of a value (a default, a version, a signature)
EVIDENCE = 8  # maximum number of places that one statement cites
