"""The ports to repositories, workers, the clock, the archive and the ledger.

``bot`` implements them; tests use the fakes in ``tests/support/fakes.py``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from digest.core.change import Change, FileChange
from digest.core.enums import Language, Privacy
from digest.core.grade import Graded, Repository, Thresholds
from digest.core.reference import Query
from digest.core.release import TaggedRelease
from digest.frozen import frozen
from digest.grading.local_weights import LocalWeights
from digest.grading.policy import GradingPolicy
from digest.window import Window
from handlers.ports.forge_port import Forge

if TYPE_CHECKING:
    from digest.answer.listing import Listed

A = TypeVar("A")
B = TypeVar("B")


@frozen
class Range:
    """Commits reachable from ``tip`` but not from ``base``, which it need not descend from."""

    base: str | None  # a full commit name; ``None`` starts at the root
    tip: str  # a full commit name


Selection = Window | Range | Sequence[str]  # by calendar, by ancestry, or by commit names


@frozen
class Tip:
    """The tip of a branch: its short name and its commit (``None`` if empty)."""

    branch: str
    sha: str | None


class TitledCommit(NamedTuple):
    """A commit with its title and the first thousand characters below it, without trailers."""

    sha: str
    title: str
    body: str = ""


class Source(Protocol):
    """A repository that can be read. All methods may raise ``SourceUnavailable``."""

    async def sync(self, since: datetime | None = None) -> None:
        """Fetch new commits, unless there is no remote or somebody did after ``since``."""

    async def tip(self, branch: str | None = None) -> Tip:
        """The newest commit of ``branch``, or of the default one. Raises ``UnknownBranch``."""

    async def branches(self) -> Mapping[str, str]:
        """The full commit names of all branches by their names."""

    async def resolve(self, reference: str) -> str:
        """The full commit name of a tag, a branch or a commit's name.

        Raises ``UnknownBranch`` and ``AmbiguousReference``.
        """

    async def release(self, name: str) -> TaggedRelease | None:
        """The release that a tag names, with or without ``v``, and the release before it.

        The previous release is the nearest among its ancestors; see
        :func:`digest.core.release.eligible`. ``None`` if the name is no tag.
        """

    async def releases(self) -> Mapping[str, datetime | None]:
        """Tags of final releases and when they were made, the newest first."""

    def changes(self, branch: Tip, selection: Selection) -> AsyncIterator[Sequence[Change]]:
        """The changes of a selection in batches, newest first along the branch's first parents."""

    async def names(self, branch: Tip, selection: Selection) -> Sequence[str]:
        """Full names of the selection's commits, as ``git rev-list`` lists them, newest first."""

    async def count(self, branch: Tip, selection: Selection) -> int:
        """The number of commits that ``git rev-list --count`` finds in the selection."""

    async def find(
        self,
        branch: Tip,
        number: int | None = None,
        sha: str = "",
        text: str = "",
        issue: int | None = None,
    ) -> Sequence[str]:
        """Full names of the commits with a request number, a shortened sha or a text, newest first.

        A number is searched for in subjects and merge messages of the branch, a text in all its
        messages; of many that hold the text, the newest ones are given, and the oldest one. For an
        ``issue``, those that say that they close it.
        """

    async def titles(self, branch: Tip, after: str = "") -> Sequence[TitledCommit]:
        """The branch's first parents with their titles, newest first: all, or after a commit."""

    async def difference(self, base: str, tip: str, paths: Collection[str]) -> Sequence[FileChange]:
        """The net changes of files between two commits, with renames among these files."""

    async def log(
        self, branch: Tip, path: str = "", before: datetime | None = None, *, mainline: bool = False
    ) -> Sequence[tuple[str, str]]:
        """Full names and authors of commits, newest first: of a path, or until a time.

        ``mainline`` gives the first parents, merges included; otherwise merges are left out.
        """

    async def files(self, branch: Tip) -> Mapping[str, str]:
        """The paths of the files at a tip, with the names of their blobs."""

    async def is_ancestor(self, base: str, tip: str) -> bool:
        """Whether ``tip`` descends from ``base``; false if ``base`` is gone."""

    async def texts(self, blobs: Sequence[str]) -> Mapping[str, str]:
        """The contents of blobs by name, without absent, oversized (1 MiB) and binary ones."""

    async def mentions(
        self, commit: str, words: Collection[str], *, settings: bool = False
    ) -> Mapping[str, Collection[str]] | None:
        """The source paths with each word in a commit's tree; ``None`` if that is not available.

        ``settings`` are the files of settings, schemas and templates instead.
        """

    async def lines_with(
        self, commit: str, parts: Collection[str]
    ) -> Mapping[str, Sequence[int]] | None:
        """The lines, from 1, with all parts in any case, by path; ``None`` if not available."""

    async def contents(self, places: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
        """The texts of files by commit and path, without absent and binary files."""

    async def backported(self, branch: Tip) -> frozenset[str]:
        """Commits and subjects of the branch that are on release branches or tags as well."""

    async def released(self, branch: Tip, sha: str, subject: str) -> tuple[str, Sequence[str]]:
        """The first release that contains a commit, empty if none does; those with a copy of it."""


class Progress(Protocol):
    """Receives the progress of long-running work."""

    def start(self, total: int) -> None:
        """``total`` changes will be read."""

    def advance(self, count: int) -> None:
        """``count`` more are done."""

    def finish(self) -> None:
        """The work is over."""


class Workers(Protocol):
    """Runs pure, processor-bound work away from the event loop."""

    at_once: int  # how many pieces of work to run at a time

    async def few(self, work: Callable[[A], B], given: A) -> B:
        """Do one small piece of work."""

    async def many(self, work: Callable[[A], B], given: A) -> B:
        """Do one of many pieces; its input and output must be picklable."""


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Now, aware, in UTC."""


class State(StrEnum):
    """How a commit ended in a run: exactly one of these."""

    POSTED = "posted"
    ARCHIVED = "archived"
    FILTERED = "filtered"
    FAILED = "failed"


@frozen
class Outcome:
    """The state of one commit, with the rule that filtered it or the cause of its failure."""

    sha: str
    state: State
    why: str = ""


class Archive(Protocol):
    """Stored graded changes. Saving what is already there changes nothing."""

    async def save(self, repository: Repository, changes: Sequence[Graded]) -> None:
        """Save the changes in one transaction; a newer facts version replaces an older one."""

    async def current(
        self, repository: Repository, shas: Sequence[str], graded_by: str
    ) -> frozenset[str]:
        """Those of ``shas`` that need no work: they have current facts and the named grading."""

    async def aged(self, repository: Repository, shas: Sequence[str]) -> frozenset[str]:
        """Those of ``shas`` that were archived with facts of another version of the program."""

    async def load(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Graded]:
        """The archived changes among ``shas``, whatever their number, by full name."""

    async def find(
        self, repository: Repository, number: int | None = None, sha: str = ""
    ) -> Sequence[Graded]:
        """The changes with a request number or a sha of at least 7 digits, newest first."""

    async def select(self, repository: Repository, query: Query) -> Sequence[Graded]:
        """The changes that meet every condition of the query, newest first."""

    async def survey(
        self, repository: Repository, query: Query, page: int, language: Language
    ) -> Listed:
        """The number of changes that meet every condition, and one page of them in a language.

        ``page`` counts from 1; a page beyond the last is the last. Page 0 returns no page, which is
        quicker. The limit of the query is ignored.
        """

    async def vocabulary(
        self, repository: Repository, among: Collection[str] | None = None
    ) -> Mapping[str, int]:
        """The repository's topics, of ``among`` if given, with their numbers of changes."""

    async def alike(self, repository: Repository, names: Sequence[str]) -> Mapping[str, int]:
        """Candidates, as of :meth:`vocabulary`, for topics similar to one of the names."""


class CoveragePort(Protocol):
    """The record of how each commit ended and of the time read, so that nothing is lost."""

    async def seen(self, repository: Repository, branch: str, channel: str) -> str | None:
        """The tip at which the channel's last finished run ended."""

    async def record(
        self,
        repository: Repository,
        branch: str,
        channel: str,
        tip: str | None,
        outcomes: Sequence[Outcome],
    ) -> None:
        """Save outcomes and, if given, the new tip in one transaction."""

    async def states(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Outcome]:
        """The recorded outcomes of ``shas`` by full name."""

    async def told(
        self, repository: Repository, branch: str, channel: str, shas: Sequence[str]
    ) -> frozenset[str]:
        """Those of ``shas`` that the channel's digests of other branches told or counted."""

    async def covered(self, repository: Repository, branch: str) -> Sequence[Window]:
        """The periods of which every commit was read, earliest first; ``branch`` may be empty."""

    async def cover(self, repository: Repository, branch: str, window: Window) -> None:
        """Record that every commit of a window was read."""


@frozen
class DeliveryKey:
    """Content and destination: the unit that is delivered once."""

    platform: str
    channel: str
    digest: str  # such as ``daily:owner/name:main:2026-01-23``


class PartState(StrEnum):
    """The state of one part of a delivery. ``SENDING`` is saved before the call that sends."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


@frozen
class PartRecord:
    """The ledger's record of a part; ``receipt`` is the platform's proof, such as an id."""

    part: int
    state: PartState
    receipt: str = ""
    error: str = ""


@frozen
class DeliveryRecord:
    """The ledger's record of a delivery: the content frozen at the first claim, and its parts."""

    key: DeliveryKey
    content: str
    parts: tuple[PartRecord, ...]
    done: bool  # nothing is left to do
    fresh: bool  # this claim made the record


class LearnedWeights(Protocol):
    """Weights that the past of repositories taught."""

    async def load(self, repository: Repository) -> Sequence[LocalWeights]:
        """The weights of the newest releases that rest on the shipped ones, the newest first."""

    async def keep(self, repository: Repository, learned: LocalWeights) -> None:
        """Keep the weights of a release; those that are kept already stay."""


@frozen
class Watched:
    """A repository with its settings."""

    repository: Repository
    source: Source
    branch: str | None = None  # ``None`` for the default branch
    grading: GradingPolicy = field(default_factory=GradingPolicy)
    # Other names of topics, in lower case.
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    privacy: Privacy = Privacy.REDACTED  # what a model may see
    forge: Forge | None = None  # ``None`` if there is none to query
    descriptions: bool = True  # whether digests may query those of merged requests
    place: str = ""  # where it was opened

    @property
    def thresholds(self) -> Thresholds | None:
        """The thresholds that the configuration sets, ``None`` for the shipped ones."""
        return self.grading.thresholds


_CLONES = frozenset(
    {"repo", "repos", "repository", "src", "git", "work", "home", "clone", "clones", "code"}
)
"""Folder names that say nothing about the clone in them."""


def names_of(watched: Watched) -> frozenset[str]:
    """The names of a repository in lower case: full, its last part, its clone's folder."""
    name = watched.repository.name.lower()
    folders = watched.place.lower().rstrip("/").split("/")[-2:]
    parts = [part for folder in folders for part in folder.removesuffix(".git").split("+")]
    names = {name, name.rpartition("/")[2], *parts}
    return frozenset(one for one in names if one and one not in _CLONES)
