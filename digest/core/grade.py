"""A grade: how much a change matters, and why. The rules are in ``digest.grading``.

Also a change with everything that the program knows of it before wording, and whether facts alone
settle it.
"""

from __future__ import annotations

from enum import StrEnum

from digest.core.authors import clip_title
from digest.core.change import Commit
from digest.core.facts import Area, Facts
from digest.frozen import frozen


class Level(StrEnum):
    """How much a change matters to a user of the project."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """0 for high, 1 for medium, 2 for low."""
        return list(Level).index(self)


@frozen
class Reason:
    """One reason of a grade. The words are made per language by :mod:`digest.i18n`."""

    rule: str  # its name in ``importance.json``
    weight: float  # its effect on the score (in log-odds, negative lowers)
    subject: str = ""  # what it matched (a flag's name, an area, a count), or empty


@frozen
class Grade:
    """How much a change matters."""

    score: float  # in [0, 1], higher matters more
    level: Level
    reasons: tuple[Reason, ...]  # the weightiest first
    by: str = ""  # its weights and thresholds, by which an outdated grade is recognised


@frozen
class Thresholds:
    """The lowest scores of the levels; below ``medium`` is low."""

    # The defaults make about 5 of 40 changes of a busy day high and one in four medium.

    high: float = 0.55
    medium: float = 0.25


@frozen
class Description:
    """A request's description on the forge; ``note`` is its release note, or empty."""

    paragraphs: tuple[str, ...] = ()
    note: str = ""
    labels: tuple[str, ...] = ()


@frozen
class Graded:
    """A commit, its facts and its grade, as archived: without the lines of the diff."""

    commit: Commit
    facts: Facts
    grade: Grade
    description: Description | None = None  # of its request on the forge, if read

    @property
    def sha(self) -> str:
        """The full name of the commit."""
        return self.commit.sha

    @property
    def number(self) -> int | None:
        """The pull or merge request, if the message names one."""
        return self.facts.subject.number

    @property
    def name(self) -> str:
        """The request as ``#12`` or ``!12``, else the first digits of the commit."""
        number = self.number
        return self.sha[:10] if number is None else f"{self.facts.subject.sign}{number}"

    @property
    def title(self) -> str:
        """The line that a reader should see, cut if it is excessively long."""
        return clip_title(self.facts.subject.title)


@frozen
class Repository:
    """A watched repository."""

    name: str  # ``owner/name`` or the folder's name
    web: str = ""  # of its pages, without a trailing slash; empty if unknown: nothing is linked
    forge: str = ""  # ``github``, ``gitlab``, ``gitea``, ``bitbucket`` or empty

    def commit_url(self, sha: str) -> str:
        """The page of a commit, or empty."""
        return self._page(0, sha=sha)

    def author_url(self, _name: str) -> str:
        """The page of an author's changes, or empty: forges list people by other names."""
        return ""

    def file_url(self, sha: str, path: str, line: int) -> str:
        """The page of a line of a file at a commit, or empty; ``path`` is percent-encoded."""
        return self._page(2, sha=sha, path=path, line=line)

    def request_name(self, number: int) -> str:
        """A pull request as ``#12``, a merge request as ``!12``: on GitLab ``#12`` is an issue."""
        return f"{'!' if self.forge == 'gitlab' else '#'}{number}"

    def request_url(self, number: int) -> str:
        """The page of a pull or merge request, or empty."""
        return self._page(1, number=number)

    def _page(self, which: int, **parts: str | int) -> str:
        forms = _PAGES.get(self.forge, _PAGES["github"])
        return f"{self.web}/{forms[which].format(**parts)}" if self.web else ""


_PAGES = {
    "github": ("commit/{sha}", "pull/{number}", "blob/{sha}/{path}#L{line}"),
    "gitlab": ("-/commit/{sha}", "-/merge_requests/{number}", "-/blob/{sha}/{path}#L{line}"),
    "gitea": ("commit/{sha}", "pulls/{number}", "src/commit/{sha}/{path}#L{line}"),
    "bitbucket": ("commits/{sha}", "pull-requests/{number}", "src/{sha}/{path}#lines-{line}"),
}
"""The paths of a commit, a request and a line of a file, by forge."""

_ALWAYS = frozenset({Area.DOCS, Area.LOCKFILE, Area.GENERATED, Area.VENDORED})
_WHEN_LOW = _ALWAYS | {Area.TESTS, Area.CI, Area.EXAMPLES, Area.BENCHMARKS}


def is_settled(graded: Graded) -> bool:
    """Whether the lines need not be read: the kinds of files settle how much the change matters."""
    # Documents, lock files, and vendored or generated files are settled at any level; tests and the
    # like if the level is low.
    areas = set(graded.facts.areas)
    if all(file.omitted or file.binary for file in graded.facts.files):
        return True
    return areas <= (_WHEN_LOW if graded.grade.level is Level.LOW else _ALWAYS)
