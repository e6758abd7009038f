"""The values that fact extraction returns."""

from __future__ import annotations

import re
from enum import StrEnum

from digest.core.change import FileStatus, Side
from digest.core.patterns import lazy
from digest.frozen import frozen

FACTS_VERSION = 81
"""Increased whenever extraction finds other facts, so that stored ones are remade."""

TOPICS_VERSION = 10
"""Increased when the index terms of changes differ from before, so that indexes are rebuilt."""


class Area(StrEnum):
    """The part of a project that a file belongs to."""

    CORE = "core"
    TESTS = "tests"
    DOCS = "docs"
    CI = "ci"
    BUILD = "build"
    CONFIG = "config"
    EXAMPLES = "examples"
    BENCHMARKS = "benchmarks"
    GENERATED = "generated"
    VENDORED = "vendored"
    LOCKFILE = "lockfile"


class FactKind(StrEnum):
    """What a fact is about."""

    SYMBOL = "symbol"
    FLAG = "flag"
    ENVIRONMENT = "environment"
    CONFIG = "config"
    ROUTE = "route"
    METRIC = "metric"
    DEPENDENCY = "dependency"
    TOOLCHAIN = "toolchain"
    SCHEMA = "schema"
    DEPRECATION = "deprecation"
    SECURITY = "security"


class Action(StrEnum):
    """What happened to the named thing."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"


OVERLOAD = "overload"
"""The detail of a removed function of several of one name, of which others stay."""


@frozen
class Evidence:
    """Where a statement can be checked."""

    path: str  # empty for ``Side.MESSAGE``
    line: int  # from 1, of the side or from the subject; 0 for the file as a whole
    side: Side


@frozen
class Fact:
    """One thing that the diff or the message says."""

    # A name that left one file but still exists is ``changed`` with the detail ``moved``, never
    # ``removed``. Flags, variables, routes and metrics are always public. A symbol or a field is if
    # the project exposes it: by ``__all__``, the root of its package, a public header, a format
    # that is read from files.

    kind: FactKind
    action: Action
    name: str  # as written (``--ssl-ciphers``, ``Engine.step``), after a rename the new one
    before: str | None = None  # a value as written: a default, a version, a signature, an old name
    after: str | None = None  # ``None``, as ``before``, if that side has none
    detail: str = ""  # refines the kind: ``method``, ``parameter``, a manager such as ``cargo``
    evidence: Evidence
    elsewhere: str | None = None  # the path of another file that defines the same name
    in_file: bool = False  # holds only for the file of its evidence; output must say so
    condition: str | None = None  # when a default applies (``torch >= 2.10``)
    replacement: str | None = None  # what to use instead of something deprecated or removed
    when: str | None = None  # the version in which it will be removed
    public: bool | None = None  # ``False``: its removal breaks nobody's code; ``None``: unknown
    unreleased: bool = False  # no release before the change has the name that went


@frozen
class Note:
    """An entry that the change adds to the project's changelog."""

    mark: str  # its heading, such as ``breaking``, ``removed`` or ``fixed``, or empty
    text: str
    evidence: Evidence


@frozen
class Series:
    """A position in a series of changes, such as ``[3/n]``: ``total`` is ``None`` for ``n``."""

    part: int
    total: int | None = None


@frozen
class Subject:
    """The first line of a message, taken apart."""

    title: str  # the line to show: the real title of a merge, otherwise the subject
    words: str  # the title without tags, conventional-commit prefix and number
    tags: tuple[str, ...] = ()  # the leading ``[...]`` texts in order, without series tags
    type: str = ""  # of a conventional commit, in lower case, or empty
    scope: str = ""  # as ``type``
    breaking: bool = False  # a conventional ``!`` or a BREAKING CHANGE footer
    number: int | None = None  # of the pull or merge request
    sign: str = "#"  # before the number: "!" if the message writes it as GitLab does
    series: Series | None = None


@frozen
class Undone:
    """The change that a revert undoes or a re-land restores, as far as the message names it."""

    sha: str = ""
    number: int | None = None
    title: str = ""


class ClueKind(StrEnum):
    """The kind of text or value that explains a change."""

    HELP = "help"
    CHANGELOG = "changelog"
    DOCS = "docs"
    REFUSED = "refused"
    ENTRY = "entry"
    LITERAL = "literal"
    TEST = "test"
    SCOPE = "scope"
    REMARK = "remark"
    REGISTERED = "registered"


@frozen
class Clue:
    """Words or values of the diff that say what a change means for a reader.

    ``HELP`` is the help text, docstring or comment beside the thing ``name``; ``DOCS`` a sentence
    about ``name`` added to documentation; ``REFUSED`` the text of an error that is new, or removed
    if it is on the old side; ``REMARK`` a sentence of a new comment or of documentation about what
    the title names; ``LITERAL`` a value of ``name`` before and after; ``REGISTERED`` a key that the
    table ``text`` of a registry gains, or loses if it is on the old side. ``CHANGELOG``, ``ENTRY``,
    ``TEST`` and ``SCOPE`` are only in older archives.
    """

    kind: ClueKind
    text: str = ""
    name: str = ""
    before: str | None = None
    after: str | None = None
    evidence: Evidence


@frozen
class FileFacts:
    """One file as facts see it."""

    path: str
    old_path: str | None = None
    status: FileStatus
    added: int = 0
    deleted: int = 0
    area: Area
    language: str = ""  # in lower case, such as ``python``, or empty
    omitted: bool = False
    binary: bool = False
    unparsed: bool = False  # too large or too complex


@frozen
class Facts:
    """Everything that is known of a change without judging it."""

    subject: Subject
    files: tuple[FileFacts, ...]
    items: tuple[Fact, ...] = ()  # by file as git lists them, then by line, as ``clues``
    clues: tuple[Clue, ...] = ()
    paragraphs: tuple[str, ...] = ()  # the body without trailers, templates, checklists
    trailers: tuple[tuple[str, str], ...] = ()
    co_authors: tuple[str, ...] = ()
    issues: tuple[int, ...] = ()  # numbers that the message fixes or refers to, without its own
    reverts: Undone | None = None
    relands: Undone | None = None
    merge: bool = False
    notes: tuple[Note, ...] = ()
    version: int = FACTS_VERSION

    def of(self, kind: FactKind, *actions: Action) -> tuple[Fact, ...]:
        """The items of one kind, optionally limited to the given actions."""
        return tuple(
            i for i in self.items if i.kind is kind and (not actions or i.action in actions)
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files, after the change, in their order."""
        return tuple(file.path for file in self.files)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the items in their order."""
        return tuple(item.name for item in self.items)

    @property
    def areas(self) -> tuple[Area, ...]:
        """The areas that the change touches, those with most changed lines first."""
        lines: dict[Area, int] = {}
        for file in self.files:
            lines[file.area] = lines.get(file.area, 0) + file.added + file.deleted + 1
        return tuple(sorted(lines, key=lambda a: (-lines[a], a)))


_MOST_DEPRECATED = 40


def sure_deprecations(facts: Facts) -> tuple[Fact, ...]:
    """What is deprecated, if the author, itself, a version or a replacement says so."""
    # A comment alone may speak of anything. A flag and its setting share a name. A change with very
    # many brings another version of declarations written elsewhere.
    said = "\n".join((facts.subject.title, *facts.paragraphs, *(n.text for n in facts.notes)))
    texts = said, said.replace("-", "_")
    marked = {"docstring", "option", *(("mark",) if _DEPRECATES.match(facts.subject.words) else ())}

    def told(fact: Fact) -> bool:
        name = re.split(r"\.|::", fact.name)[-1]
        return bool(fact.evidence.path) and (
            fact.detail in marked or any(name in text for text in texts)
        )

    deprecations = [
        f
        for f in facts.of(FactKind.DEPRECATION, Action.ADDED)
        if not _INNER.search(f.evidence.path) and f.public is not False
    ]
    if len(deprecations) > _MOST_DEPRECATED:
        return ()
    return tuple(f for f in deprecations if f.when or f.after or f.replacement or told(f))


_FORMER = lazy(
    r"(?<![a-z])(?:deprecated|former|legacy|past|previously|removed|unsupported)(?![a-z])",
    re.IGNORECASE,
)
"""Names of tables of what a project has no longer, or not for long."""


def unregistered(facts: Facts) -> tuple[str, ...]:
    """The keys that the tables of a registry lose and none of what is still there gains."""
    clues = [c for c in facts.clues if c.kind is ClueKind.REGISTERED]
    kept = {c.name for c in clues if c.evidence.side is Side.NEW and not _FORMER.search(c.text)}
    gone = dict.fromkeys(c.name for c in clues if c.evidence.side is Side.OLD)
    return tuple(name for name in gone if name not in kept)


def is_for_tests(fact: Fact) -> bool:
    """Whether a fact is about a variable that only the tests of a project set."""
    if fact.kind is not FactKind.ENVIRONMENT:
        return False
    return "TEST" in fact.name.split("_") or _FOR_TESTS.search(fact.evidence.path) is not None


_DEPRECATES = lazy(r"(?:[\w./-]{1,40}: )?deprecat(?:e|es|ed|ing)\b", re.IGNORECASE)
_FOR_TESTS = lazy(r"(?:^|/)[a-z]{2,40}(?<!\bla)(?<!\bcon)test/[^/]{1,200}\.go$")
"""Packages of Go that help to test another one, as ``httptest`` does."""
_INNER = lazy(r"(?:^|/)internal/.*\.go$")  # nobody else can import it
_MERGE = lazy(
    r"merg(?:e|es|ed|ing)\b(?: \S{1,80}(?: \(#\d{1,9}\))?$|.{0,120}\bbranch(?:es)?\b"
    r"|(?: back| in| new| private| the| with){0,3} ['\"`]?(?:commit '|dev|main\b|master\b|next\b"
    r"|origin|release|remote|stable\b|tag\b|trunk\b|upstream|v?\d{1,4}\.)"
    r"|.{1,120} (?:->|(?:in)?to) ['\"`]?"
    r"(?:dev\b|main\b|master\b|next\b|stable\b|trunk\b|v?\d{1,4}\.))",
    re.IGNORECASE,
)
"""A title that says which branch is merged or into which; others merge two parts of a program."""


def is_branch_merge(facts: Facts) -> bool:
    """Whether a change merges a branch with changes of its own, most of which are known."""
    return facts.merge and _MERGE.match(facts.subject.words) is not None
