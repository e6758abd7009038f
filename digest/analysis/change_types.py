"""The types of a change, from its subject and its facts."""

from __future__ import annotations

import re

from digest.analysis.context import VERSIONS, ChangeContext, deprecated, owner_of
from digest.core.authors import without_presented
from digest.core.change import FileStatus
from digest.core.facts import Action, Area, Fact, FactKind, is_branch_merge
from digest.core.patterns import lazy
from digest.core.statement import ChangeType

MOST = 4  # maximum number of types of one change

# Conventional-commit types (https://www.conventionalcommits.org) and the words that projects put
# into bracketed tags, in lower case, without spaces and hyphens.
_BY_WORD = {
    ChangeType.FEATURE: "feat feature features newmodel model enhancement",
    ChangeType.FIX: "fix bugfix bug hotfix fixes",
    ChangeType.PERFORMANCE: "perf performance optimization optimisation speed",
    ChangeType.REFACTOR: "refactor refactoring cleanup style",
    ChangeType.REMOVAL: "removal",
    ChangeType.DEPRECATION: "deprecation deprecate deprecated",
    ChangeType.SECURITY: "security cve",
    ChangeType.DEPENDENCY: "deps dependency dependencies",
    ChangeType.DOCUMENTATION: "doc docs documentation",
    ChangeType.TESTS: "test tests testing",
    ChangeType.CI: "ci",
    ChangeType.BUILD: "build",
    ChangeType.REVERT: "revert reverts",
}
_WORDS = {word: kind for kind, words in _BY_WORD.items() for word in words.split()}

# First verbs of subjects without a tag; only the leading verb counts.
_VERBS = {
    ChangeType.FEATURE: r"add|adds|support|supports|introduce|implement|enable|allow",
    ChangeType.FIX: r"correct|resolve",
    ChangeType.PERFORMANCE: r"accelerate|fus(?:e[sd]?|ing)",  # as the label of its headline
    ChangeType.REFACTOR: (
        r"refactor|move|moves|rename|extract|clean ?up|simplify|consolidate|restructure|unify"
        r"|reorgani[sz]e|deduplicate|split|merge"
    ),
    ChangeType.REMOVAL: r"remove|removes|drop|drops|delete",
    ChangeType.DEPRECATION: r"deprecate|deprecates",
    ChangeType.DEPENDENCY: r"bump|upgrade|pin",
}
_LEADING = {kind: lazy(rf"(?:{verbs})\b", re.IGNORECASE) for kind, verbs in _VERBS.items()}

# Words anywhere in a title.
_ATTACK = lazy(
    r"\b(?:DoS|RCE|SSRF|XSS|CSRF|XXE|ReDoS|CVE-\d{4}-\d+|GHSA(?:-\w{4}){3})\b"
    r"|(?i:\b(?:denial[- ]of[- ]service|(?:remote|arbitrary) code execution|vulnerabilit(?:y|ies)"
    r"|(?:path|directory) traversal|(?:code|command|sql|shell|header) injection"
    r"|request forgery|(?:zip|decompression) bomb|privilege escalation"
    r"|security(?!-| (?:context|group|header|key|level|manager|model|module|option|polic(?:y|ie)"
    r"|profile|protocol|realm|scheme|setting|type|zone)s?\b))\b)"
    r"|(?i:\b(?:bypass|sanitiz|leak)\w*(?: \S+){0,4} (?:guard|authenti\w+|authoriz\w+|secrets?"
    r"|credentials?|passwords?|(?:file )?paths|remediation|error (?:paths|messages?|responses?))\b)"
)
_FASTER = lazy(
    r"\b(?:perf(?:ormance)?|optimi[sz](?:e[sd]?|ing|ations?)|fast[- ]paths?|zero[- ]copy|faster"
    r"|(?P<built>PGO|profile[- ]guided)|speeds? ?up|quadratic"
    r"|(?:avoid|reduce|reuse|fewer|eliminate|skip|remove|pool|cut)\w*(?: \S+){0,3} "
    r"(?:allocations?|cop(?:ies|ying)|clones?|lookups?|syncs?|overhead|(?:re)?comput\w+|scans"
    r"|re-?encoding|(?:de)?seriali[sz]\w+|round ?trips?|scratch)"
    r"|(?:start|stop|run|load|fetch|read|write|process|scrape|decode)\w*(?: \S+){0,3}"
    r" in parallel)\b",
    re.IGNORECASE,
)
_FIXED = lazy(
    r"(?<![\w-])(?:(?:(?:bug|hot)[- ]?)?fix(?:e[sd])?|bugs?"
    r"|(?:avoid|prevent|don't|do not|no longer|guard against|instead of)(?: \S+){0,3} "
    r"(?:panic|crash|segfault|hang|deadlock|leak|oom|(?:data )?race)(?:e?s|ing|king)?)\b",
    re.IGNORECASE,
)

_MOST_WORDS = 300  # characters of a title that are read for them
_ASIDE = frozenset({"docs", "doc", "test", "tests", "ci", "style"})
_KEPT_UP = frozenset({"chore", "build", "refactor"})
"""Types of conventional commits whose "fix" mends nothing that users run."""

# Areas that set the type if every file of a change belongs to them.
_BY_AREA = {
    Area.DOCS: ChangeType.DOCUMENTATION,
    Area.TESTS: ChangeType.TESTS,
    Area.CI: ChangeType.CI,
    Area.BUILD: ChangeType.BUILD,
    Area.CONFIG: ChangeType.CONFIGURATION,
    Area.LOCKFILE: ChangeType.DEPENDENCY,
}
_OF_CODE = {ChangeType.FEATURE, ChangeType.PERFORMANCE}
_NOT_RUN = {Area.DOCS, Area.TESTS, Area.EXAMPLES, Area.BENCHMARKS}
_SETTINGS = (FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG)


def change_types(reading: ChangeContext) -> tuple[ChangeType, ...]:
    """The types of a change, those named by its author first, at most ``MOST``."""
    facts = reading.facts
    found: dict[ChangeType, None] = {}
    if facts.reverts:
        found[ChangeType.REVERT] = None
    spoken = _types_of_subject(reading)
    if not (spoken or facts.reverts) and _adds(reading):
        spoken = [ChangeType.FEATURE]
    for kind in (*spoken, *_types_of_diff(reading)):
        found[kind] = None
    if ChangeType.CI in found and ChangeType.BUILD in found and facts.areas[:1] != (Area.BUILD,):
        del found[ChangeType.BUILD]  # "[CI/Build]" is a common tag for either
    versions = any(f.kind in VERSIONS for f in facts.items)
    rest = ChangeType.DEPENDENCY if versions else ChangeType.OTHER
    return tuple(found)[:MOST] or (rest,)


def _types_of_subject(reading: ChangeContext) -> list[ChangeType]:
    """The types that the subject names: by its breaking mark, type and tags, else by its verb."""
    subject = reading.facts.subject
    of_dependencies = _WORDS.get(subject.scope) is ChangeType.DEPENDENCY  # "fix(deps): update"
    scoped = of_dependencies or subject.type in {"chore", "build"}
    words = [subject.type, subject.scope if scoped else ""]
    for tag in subject.tags:
        words += [*re.split(r"[/,&|+ ]+", tag.lower()), re.sub(r"[ _-]", "", tag.lower())]
    kinds = [ChangeType.BREAKING] if subject.breaking else []
    kinds += [_WORDS[word] for word in words if word in _WORDS]
    verbs = {} if is_branch_merge(reading.facts) else _LEADING
    kinds += [k for k, known in verbs.items() if known.match(subject.words)]
    title = subject.words[:_MOST_WORDS]
    faster = _FASTER.search(title)
    kinds += [ChangeType.FIX] if _FIXED.search(title) else []
    kinds += [ChangeType.SECURITY] if _ATTACK.search(without_presented(title)) else []
    kinds += [ChangeType.PERFORMANCE] if faster else []
    unmeant = {ChangeType.FEATURE} if reading.facts.reverts else set()
    if not (reading.core or (faster and faster["built"])):
        # "Add more runners" is not a feature of the project, and faster tests are not performance.
        unmeant |= _OF_CODE
    if subject.type in _KEPT_UP or of_dependencies:
        unmeant.add(ChangeType.FIX)
    if subject.type in _ASIDE or set(reading.facts.areas) <= _NOT_RUN:
        unmeant |= {ChangeType.FIX, ChangeType.PERFORMANCE}
    return [kind for kind in kinds if kind not in unmeant]


def _types_of_diff(reading: ChangeContext) -> list[ChangeType]:
    """The types that the diff shows, whatever the subject says."""
    facts = reading.facts
    kinds = []
    if facts.areas and len(facts.areas) == 1 and facts.areas[0] in _BY_AREA:
        kinds.append(_BY_AREA[facts.areas[0]])
    called = any(
        f.detail == "advisory" or f.name == "security" for f in facts.of(FactKind.SECURITY)
    )
    if called or any(note.mark == "security" for note in facts.notes):
        kinds.append(ChangeType.SECURITY)
    gone = any(f.kind not in VERSIONS and f.action is Action.REMOVED for f in reading.contracts)
    if gone or any(f.public for f in reading.named(Action.REMOVED)):
        kinds.append(ChangeType.REMOVAL)
    if any(f.kind in VERSIONS for f in reading.contracts):
        kinds.append(ChangeType.DEPENDENCY)
    if deprecated(reading):
        kinds.append(ChangeType.DEPRECATION)
    if any(f.kind in _SETTINGS for f in reading.contracts):
        kinds.append(ChangeType.CONFIGURATION)
    if _architectural(reading):
        kinds.append(ChangeType.ARCHITECTURE)
    return kinds


def _architectural(reading: ChangeContext) -> bool:
    """Whether at least two modules or public symbols moved, or two classes changed their bases."""
    moved = sum(1 for f in reading.core if f.status is FileStatus.RENAMED)
    return max(moved, len(reading.moves), len(reading.rebased)) >= 2


def _adds(reading: ChangeContext) -> bool:
    """Whether a change adds public names and removes none: a feature not labelled as one."""
    return bool(reading.named(Action.ADDED)) and not reading.named(Action.REMOVED)


def unnamed_removals(reading: ChangeContext) -> list[Fact]:
    """Public names that went, if the title only says that old code did."""
    told = _OLD_CODE.fullmatch(reading.facts.subject.words)
    gone = reading.named(Action.REMOVED) if told else ()
    return [f for f in gone if f.public and not owner_of(f.name)[0]]


_OLD_CODE = lazy(
    r"(?:remov|drop|delet)\w{1,3} (?:all |some |the )?(?:deprecated|legacy|obsolete|old) (?:\w+ )?"
    r"(?:apis?|class(?:es)?|code|features|func(?:tion)?s|interfaces|methods|migrations|names|types)",
    re.IGNORECASE,
)
