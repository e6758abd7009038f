"""What a grade looks at: numbers read off the facts of a change. Imports ``facts`` only.

A signal's value is 0 where it is absent; sizes enter by their logarithm so that the tenth file
adds less than the first. What a contract loses counts once however many names it has. No signal
knows a project: titles are read for the words that any changelog uses, paths for their area, items
for their kind. The weights stand in ``importance.json``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import log1p, log2

from digest.core.bots import made_by_bot
from digest.core.change import Commit, FileStatus
from digest.core.facts import Action, Area, Fact, FactKind, Facts
from digest.facts.change_notes import is_change_note
from digest.facts.paths import is_script
from digest.grading.title_signals import Title, read_title


@dataclass(frozen=True, slots=True)
class Signal:
    """A named number; ``subject`` is the thing it was read off, for the reason's words."""

    name: str
    value: float
    subject: str = ""


_SPECIAL_AREAS = (
    Area.TESTS,
    Area.DOCS,
    Area.CI,
    Area.BUILD,
    Area.BENCHMARKS,
    Area.EXAMPLES,
)

_ASIDE = frozenset({Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS, Area.CI})
"""Areas whose flags and variables nobody outside relies on."""

_CONTRACT = {
    FactKind.FLAG: "flag",
    FactKind.ENVIRONMENT: "environment",
    FactKind.CONFIG: "config",
    FactKind.ROUTE: "route",
    FactKind.METRIC: "metric",
    FactKind.SYMBOL: "symbol",
}

_BREAKING = re.compile(
    r"(?:type|kind|impact|semver|change)?[/: -]{0,2}(?:breaking(?:[ _-]?changes?)?|change|major"
    r"|backwards?[ -]incompatible)",
    re.IGNORECASE,
)
"""A tag or a label that declares a breaking change."""

_MARKED = re.compile(r"[a-z]{2,20}!\([^()]{1,80}\):")
"""A conventional ``!`` before the scope instead of behind it."""

_LABELS = {
    "security": re.compile(r"\bsecurity\b|\bvulnerab|\bCVE\b", re.IGNORECASE),
    "deprecation": re.compile(r"\bdeprecat", re.IGNORECASE),
}

_WITH_DEFAULT = frozenset({FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG})


def signals(
    facts: Facts, commit: Commit | None = None, labels: Collection[str] = ()
) -> tuple[Signal, ...]:
    """The signals of a change that are not 0, in a stable order, each name once.

    ``labels`` are those that a forge gave its request.
    """
    found = (
        *_title(facts),
        *_spread(facts),
        *_message(facts),
        *_contract(facts),
        *_items(facts),
        *_notes(facts),
        *_declared(facts, labels),
    )
    bot = commit is not None and made_by_bot(commit, facts)
    return tuple(s for s in (*found, Signal("bot", float(bot))) if s.value)


def _title(facts: Facts) -> Iterator[Signal]:
    """What the title says; of a revert, what the title says that it undoes."""
    core = any(f.area is Area.CORE for f in facts.files)
    for name, seen in read_title(Title.of(facts.subject, undone=facts.reverts), core=core):
        yield Signal(name, 1.0, seen)
    yield Signal("title_length", log1p(len(facts.subject.title[:400])))


def _spread(facts: Facts) -> Iterator[Signal]:
    core = [f for f in facts.files if f.area is Area.CORE]
    added, deleted = sum(f.added for f in core), sum(f.deleted for f in core)
    areas = {f.area for f in facts.files}
    docs = sum(f.added for f in facts.files if f.area is Area.DOCS and not is_change_note(f.path))
    tests = sum(f.added for f in facts.files if f.area is Area.TESTS)
    yield Signal("core", float(bool(core)))
    yield Signal("core_added", log1p(added), str(added))
    yield Signal("core_deleted", log1p(deleted), str(deleted))
    yield Signal("core_files", log1p(len(core)), str(len(core)))
    yield Signal("files", log1p(len(facts.files)), str(len(facts.files)))
    fresh = sum(f.status is FileStatus.ADDED for f in core)
    yield Signal("core_new_files", log1p(fresh), str(fresh))
    for area in _SPECIAL_AREAS:
        # Beside real code these say little: such a change is no change of its tests or pipeline.
        yield Signal(f"area_{area}", float(area in areas and not core), area)
    yield Signal("tests_with_core", float(bool(core) and Area.TESTS in areas))
    yield Signal("tests_added", log1p(tests) * bool(core), str(tests))
    yield Signal("docs_with_core", log1p(docs) * bool(core))
    yield Signal("mostly_removed", float(deleted > 20 and deleted > 1.5 * added), str(deleted))


def _message(facts: Facts) -> Iterator[Signal]:
    words = sum(map(len, facts.paragraphs))
    yield Signal("explained", log1p(words))
    yield Signal("co_authors", float(bool(facts.co_authors)))


def _contract(facts: Facts) -> Iterator[Signal]:
    aside = {f.path for f in facts.files if f.area in _ASIDE or is_script(f.path)}
    switched: list[Fact] = []
    for kind, name in _CONTRACT.items():
        for action in Action:
            hits = [h for h in facts.of(kind, action) if _counts(h, aside)]
            if action is Action.CHANGED and kind in _WITH_DEFAULT:
                switched += [h for h in hits if h.detail == "default"]
            yield _counted(f"{name}_{action}", hits, once=action is not Action.ADDED)
    yield _counted("default_changed", switched, once=True)


def _counts(fact: Fact, aside: Collection[str]) -> bool:
    """Whether somebody outside may rely on it, and it did not merely move."""
    internal = fact.public is False or fact.evidence.path in aside
    return not internal and fact.detail != "moved"


def _declared(facts: Facts, labels: Collection[str]) -> Iterator[Signal]:
    """What the authors declared: by a mark in the subject, a tag, or a label of the request."""
    said = (*facts.subject.tags, *labels)
    mark = next((text for text in said if _BREAKING.fullmatch(text.strip())), "")
    breaking = facts.subject.breaking or bool(mark) or bool(_MARKED.match(facts.subject.title))
    yield Signal("breaking", float(breaking), mark)
    for name, rule in _LABELS.items():
        if label := next((text for text in labels if rule.search(text)), ""):
            yield Signal(f"label_{name}", 1.0, label)


def _items(facts: Facts) -> Iterator[Signal]:
    aside = {f.path for f in facts.files if f.area in _ASIDE}
    yield _counted("dependency", facts.of(FactKind.DEPENDENCY))
    yield _counted("toolchain", facts.of(FactKind.TOOLCHAIN))
    yield _counted("schema", facts.of(FactKind.SCHEMA, Action.ADDED))
    lost = facts.of(FactKind.SCHEMA, Action.REMOVED, Action.RENAMED, Action.CHANGED)
    yield _counted("schema_changed", lost, once=True)
    yield _counted("deprecation", facts.of(FactKind.DEPRECATION))
    begun = (
        f for f in facts.of(FactKind.DEPRECATION, Action.ADDED) if f.evidence.path not in aside
    )
    yield _counted("deprecation_added", begun, once=True)
    security = facts.of(FactKind.SECURITY)
    # Not counted: a dependency's notes, pasted into a message, may name a dozen.
    advisories = [f.name for f in security if f.detail == "advisory"]
    yield Signal("advisory", float(bool(advisories)), *advisories[:1])
    told = {"advisory", "words"}
    yield _counted("security", (f for f in security if f.detail in told), once=True)
    yield _counted("security_code", (f for f in security if f.detail not in told))


def _notes(facts: Facts) -> Iterator[Signal]:
    """An entry in the changelog, where code comes with it: else the changelog itself is edited."""
    if not any(f.area in {Area.CORE, Area.BUILD} and f.added + f.deleted for f in facts.files):
        return
    yield Signal("note", float(bool(facts.notes)))
    for mark in dict.fromkeys(note.mark for note in facts.notes if note.mark):
        yield Signal(f"note_{mark}", 1.0)


def _counted(name: str, hits: Iterable[Fact], *, once: bool = False) -> Signal:
    """The different names among the facts, told by the first: how many, or just that there are."""
    names = list(dict.fromkeys(h.name for h in hits))
    subject = names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}" if names else ""
    return Signal(name, float(bool(names)) if once else log2(1 + len(names)), subject)
