"""What a grade looks at: numbers read off the facts of a change. Imports ``facts`` only.

A signal's value is 0 where it is absent; counts enter by their logarithm so that the tenth file
adds less than the first, and of things with a name the first counts 1. No signal knows a project:
titles are read for the verbs that any changelog uses, paths for their area, items for their kind.
The weights stand in ``importance.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log1p, log2

from digest.core.change import FileStatus
from digest.core.facts import Action, Area, Fact, FactKind, Facts
from digest.facts.paths import is_script


@dataclass(frozen=True, slots=True)
class Signal:
    """A named number; ``subject`` is the thing it was read off, for the reason's words."""

    name: str
    value: float
    subject: str = ""


_BEGIN = r"(?:^|(?<=[\[(])|(?<=[\]:)] ))"
"""Where a title or one of its tags begins."""

_TITLE = {
    "feature": r"(?:add|support|allow|extend)(?:s|ing)?|enabl(?:e|es|ing)|introduc(?:es?|ing)"
    r"|implement(?:s|ing|ation)?|integrat(?:es?|ing|ion)|exposes?|provides?|feat(?:ure)?s?"
    # What was done is news at the begin alone: "when logging is enabled" tells of a condition.
    rf"|{_BEGIN}(?:add|support|allow|extend|enabl|introduc|implement|integrat|expos|provid)ed"
    rf"|{_BEGIN}new",
    "performance": r"perf(?:ormance)?|optimi[sz]\w{1,7}|accelerat\w{1,4}|speed\w{0,4}|faster"
    r"|fus(?:e|ed|ing|ion)|latency|throughput|reduc\w{1,4}|efficien\w{1,4}",
    "removal": r"remov\w{1,4}|drop(?:s|ped)?|delet\w{1,4}|deprecat\w{1,5}",
    "fix": r"(?:bug|hot)?fix(?:es|ed|ing)?|bugs?|correct\w{0,4}|resolve[sd]?|repair|handle[sd]?"
    r"|prevent\w{0,4}",
    "failure": r"crash\w{0,4}|deadlock\w{0,4}|leak\w{0,4}|hangs?|corrupt\w{0,4}|race|oom"
    r"|regression|panic\w{0,4}",
    "refactor": r"refactor\w{0,4}|clean ?-?ups?|simplif\w{1,8}|mov(?:e|ed|ing)|renam\w{1,4}"
    r"|reorgani\w{1,7}|consolidat\w{1,4}|tidy|unused|dead|extract|split|dedup\w{0,8}|inline|unify",
    "tests": r"tests?|testing|unit ?tests?|e2e|flaky|coverage",
    "docs": r"docs?|documentation|readme|comments?|typos?|docstrings?|spelling|guide|examples?"
    r"|changelog",
    "ci": r"ci|workflows?|pipelines?|buildkite|github actions?|nightly|pre-?commit|lint\w{0,4}|mypy"
    r"|ruff|clippy|codeowners",
    "upgrade": r"bump\w{0,3}|upgrad\w{1,3}|updat(?:e|es|ed|ing) \S{1,80} to|pin(?:ned)?",
    "default": r"defaults?",
    "breaking": r"break(?:s|ing)?|incompatib\w{1,5}|backwards?",
    "logging": r"log(?:s|ging|ger)?|warnings?|messages?",
    "revert": r"revert(?:s|ed)?",
    "chore": r"misc|chores?|minor|nits?|nfc",
    "benchmark": r"bench\w{0,8}",
    "interface": r"api|endpoints?|cli|options?|flags?|arguments?|param\w{0,6}|config\w{0,8}"
    r"|env(?:ironment)?",
}

_TITLE_RULES = {
    name: re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.IGNORECASE)
    for name, words in _TITLE.items()
}

_TITLE_BOUND = 400  # characters; longer subjects are pasted bodies

_SPECIAL_AREAS = (
    Area.TESTS,
    Area.DOCS,
    Area.CI,
    Area.BUILD,
    Area.BENCHMARKS,
    Area.EXAMPLES,
)

_ASIDE = frozenset({Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS})
"""Areas whose flags and variables nobody outside relies on."""

_CONTRACT = {
    FactKind.FLAG: "flag",
    FactKind.ENVIRONMENT: "environment",
    FactKind.CONFIG: "config",
    FactKind.ROUTE: "route",
    FactKind.METRIC: "metric",
    FactKind.SYMBOL: "symbol",
}


def signals(facts: Facts) -> tuple[Signal, ...]:
    """The signals of a change that are not 0, in a stable order, each name once."""
    found = (*_title(facts), *_spread(facts), *_message(facts), *_contract(facts), *_items(facts))
    return tuple(s for s in found if s.value)


def _title(facts: Facts) -> Iterator[Signal]:
    title = facts.subject.title[:_TITLE_BOUND]
    for name, rule in _TITLE_RULES.items():
        if match := rule.search(title):
            yield Signal(f"title_{name}", 1.0, match.group())
    yield Signal("title_length", log1p(len(title)))


def _spread(facts: Facts) -> Iterator[Signal]:
    core = [f for f in facts.files if f.area is Area.CORE]
    added, deleted = sum(f.added for f in core), sum(f.deleted for f in core)
    areas = {f.area for f in facts.files}
    yield Signal("core", float(bool(core)))
    yield Signal("core_added", log1p(added), str(added))
    yield Signal("core_deleted", log1p(deleted), str(deleted))
    yield Signal("core_files", log1p(len(core)), str(len(core)))
    yield Signal("files", log1p(len(facts.files)), str(len(facts.files)))
    fresh = sum(f.status is FileStatus.ADDED for f in core)
    yield Signal("core_new_files", log1p(fresh), str(fresh))
    for area in _SPECIAL_AREAS:
        yield Signal(f"area_{area}", float(area in areas), area)
    yield Signal("tests_with_core", float(bool(core) and Area.TESTS in areas))
    yield Signal("docs_with_core", float(bool(core) and Area.DOCS in areas))
    yield Signal("mostly_removed", float(deleted > 20 and deleted > 1.5 * added), str(deleted))


def _message(facts: Facts) -> Iterator[Signal]:
    words = sum(map(len, facts.paragraphs))
    yield Signal("explained", log1p(words))
    yield Signal("co_authors", float(bool(facts.co_authors)))


def _contract(facts: Facts) -> Iterator[Signal]:
    aside = {f.path for f in facts.files if f.area in _ASIDE or is_script(f.path)}
    for kind, name in _CONTRACT.items():
        for action in Action:
            hits = (h for h in facts.of(kind, action) if h.evidence.path not in aside)
            yield _counted(f"{name}_{action}", hits)
    yield Signal("breaking", float(facts.subject.breaking))


def _items(facts: Facts) -> Iterator[Signal]:
    yield _counted("dependency", facts.of(FactKind.DEPENDENCY))
    yield _counted("toolchain", facts.of(FactKind.TOOLCHAIN))
    yield _counted("schema", facts.of(FactKind.SCHEMA))
    yield _counted("deprecation", facts.of(FactKind.DEPRECATION))
    security = facts.of(FactKind.SECURITY)
    # Not counted: a dependency's notes, pasted into a message, may name a dozen.
    advisories = [f.name for f in security if f.detail == "advisory"]
    yield Signal("advisory", float(bool(advisories)), *advisories[:1])
    told = {"advisory", "words"}
    yield _counted("security", (f for f in security if f.detail in told))
    yield _counted("security_code", (f for f in security if f.detail not in told))


def _counted(name: str, hits: Iterable[Fact]) -> Signal:
    """The number of different names among the facts, told by the first."""
    names = list(dict.fromkeys(h.name for h in hits))
    subject = names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}" if names else ""
    return Signal(name, log2(1 + len(names)), subject)
