"""What the use cases need of the outside world: five protocols, each small.

``bot`` implements them; tests use the fakes in ``tests/support/fakes.py``.

A repository that is looked at.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeVar

from digest.answer.listing import Listed
from digest.core.change import Change
from digest.core.enums import Language
from digest.core.grade import Graded, Repository, Thresholds
from digest.core.reference import Query
from digest.core.release import TaggedRelease
from digest.llm.model_input import Privacy
from digest.window import Window
from handlers.ports.forge_port import Forge

A = TypeVar("A")

B = TypeVar("B")


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Commits reachable from ``tip`` and not from ``base``; ``base`` ``None`` is from the root.

    Both are full commit names. A ``base`` that ``tip`` does not descend from (a force-push) is
    allowed: what both share is left out, and :attr:`Tip.rewritten` says so.
    """

    base: str | None
    tip: str


Selection = Window | Range | Sequence[str]
"""By calendar, by ancestry, or commit names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """Where a branch stands. ``branch`` is its short name, ``sha`` its commit (``None``: empty)."""

    branch: str
    sha: str | None


class Source(Protocol):
    """A repository that can be read. All methods may raise ``SourceUnavailable``."""

    async def sync(self, since: datetime | None = None) -> None:
        """Fetch what is new, where there is anything to fetch from.

        Not again where somebody fetched after ``since``, an aware time, or after this call.
        """

    async def tip(self, branch: str | None = None) -> Tip:
        """The newest commit of ``branch``, or of the default branch.

        Raises ``UnknownBranch``.
        """

    async def resolve(self, reference: str) -> str:
        """The full name of the commit that a tag, a branch or a commit's name stands for.

        Raises ``UnknownBranch`` and ``AmbiguousReference``.
        """

    async def release(self, name: str) -> TaggedRelease | None:
        """The release that a tag names, written with a ``v`` or without, and the one before it.

        That is the nearest among its ancestors, as :func:`digest.core.release.eligible` tells them.
        ``None`` where no tag is meant.
        """

    async def releases(self) -> Sequence[str]:
        """Tags of final releases, the newest first."""

    def changes(self, branch: Tip, selection: Selection) -> AsyncIterator[Sequence[Change]]:
        """The changes of a selection in batches, newest first along the branch's first parents."""

    async def names(self, branch: Tip, selection: Selection) -> Sequence[str]:
        """Full names of the selection's commits, as ``git rev-list`` lists them, newest first."""

    async def count(self, branch: Tip, selection: Selection) -> int:
        """How many commits ``git rev-list --count`` finds in the selection."""

    async def find(self, branch: Tip, number: int | None = None, sha: str = "") -> Sequence[str]:
        """Full names of the commits that a request number or a shortened sha names, newest first.

        A number is looked for in subjects and merge messages of the branch.
        """

    async def is_ancestor(self, base: str, tip: str) -> bool:
        """Whether ``tip`` descends from ``base``; false where ``base`` is gone."""

    async def texts(self, blobs: Sequence[str]) -> Mapping[str, str]:
        """The contents of blobs by name; absent, oversized (1 MiB) and binary ones are left out."""

    async def mentions(
        self, commit: str, words: Collection[str]
    ) -> Mapping[str, Collection[str]] | None:
        """The paths of program text in which each word stands, in the tree of a commit.

        ``None`` where that tree is not at hand as a whole.
        """

    async def contents(self, places: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
        """The texts of files by commit and path; what is no text or absent is left out."""

    async def backported(self, branch: Tip) -> frozenset[str]:
        """Commits and subjects of the branch that stand on release branches or tags as well."""


class Progress(Protocol):
    """Whom long work tells how far it is."""

    def start(self, total: int) -> None:
        """``total`` changes are to be read."""

    def advance(self, count: int) -> None:
        """``count`` more are done."""

    def finish(self) -> None:
        """The work is over."""


class Workers(Protocol):
    """Where pure work that takes processor time is done, away from the event loop."""

    at_once: int
    """How many pieces of work make sense at a time."""

    async def few(self, work: Callable[[A], B], given: A) -> B:
        """Do a piece of little work."""

    async def many(self, work: Callable[[A], B], given: A) -> B:
        """Do one of many pieces; what goes in and comes out can be pickled."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The state of one commit, with the rule that filtered it or the cause it failed by."""

    sha: str
    state: State
    why: str = ""


class Archive(Protocol):
    """Graded changes, kept. Writing what is there already changes nothing."""

    async def save(self, repository: Repository, changes: Sequence[Graded]) -> None:
        """Keep the changes in one transaction; a newer facts version replaces an older one."""

    async def current(
        self, repository: Repository, shas: Sequence[str], graded_by: str
    ) -> frozenset[str]:
        """Those of ``shas`` that need no work: today's facts, and the named grading."""

    async def aged(self, repository: Repository, shas: Sequence[str]) -> frozenset[str]:
        """Those of ``shas`` that are archived with the facts of another version of the program."""

    async def load(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Graded]:
        """The archived ones among ``shas``, whatever their number, by full name."""

    async def find(
        self, repository: Repository, number: int | None = None, sha: str = ""
    ) -> Sequence[Graded]:
        """Those that a request number or a sha of at least 7 digits names, newest first."""

    async def select(self, repository: Repository, query: Query) -> Sequence[Graded]:
        """Those that meet every condition of the query, newest first."""

    async def survey(
        self, repository: Repository, query: Query, page: int, language: Language
    ) -> Listed:
        """Those that meet every condition, counted, and a page of them in a language.

        ``page`` counts from 1; a page beyond the last is the last, and page 0 is none, which is
        quicker. The limit and the rank of the query do not matter.
        """

    async def vocabulary(
        self, repository: Repository, among: Collection[str] | None = None
    ) -> Mapping[str, int]:
        """The topics of the repository with the number of changes that bear each.

        With ``among`` only those of the given ones that some change bears, which is quick.
        """

    async def alike(self, repository: Repository, names: Sequence[str]) -> Mapping[str, int]:
        """Topics that may be near to one of the names, among others; as :meth:`vocabulary`."""


class CoveragePort(Protocol):
    """Which commit ended how, and which time was read, so that nothing is lost."""

    async def seen(self, repository: Repository, branch: str, channel: str) -> str | None:
        """The tip that the channel's last finished run ended at."""

    async def record(
        self,
        repository: Repository,
        branch: str,
        channel: str,
        tip: str | None,
        outcomes: Sequence[Outcome],
    ) -> None:
        """Keep outcomes and, where given, the new tip, in one transaction."""

    async def states(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Outcome]:
        """The recorded outcomes of ``shas`` by full name."""

    async def covered(self, repository: Repository, branch: str) -> Sequence[Window]:
        """The time of which every commit was read, in stretches, the earliest first.

        The branch is empty where the usual one is watched.
        """

    async def cover(self, repository: Repository, branch: str, window: Window) -> None:
        """Keep that every commit of a window was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryKey:
    """What is delivered where: the unit that is delivered once.

    ``digest`` is the stable name of the content, such as ``daily:owner/name:main:2026-01-23`` or
    ``window:owner/name:main:<since>:<until>``.
    """

    platform: str
    channel: str
    digest: str


class PartState(StrEnum):
    """How far one part of a delivery is: ``SENDING`` is written before the call that sends."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRecord:
    """One part as the ledger has it; ``receipt`` is the platform's proof, such as a message id."""

    part: int
    state: PartState
    receipt: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRecord:
    """A delivery as the ledger has it: the content frozen at the first claim, and its parts.

    ``done`` says that nothing is left to do. ``fresh`` says that this claim made the record.
    """

    key: DeliveryKey
    content: str
    parts: tuple[PartRecord, ...]
    done: bool
    fresh: bool


class Ledger(Protocol):
    """Which part of which digest was sent where, so that nothing is sent twice."""

    async def claim(self, key: DeliveryKey, content: str, parts: int) -> DeliveryRecord:
        """Create the record by its unique key, or return the one that stands; frozen content wins.

        ``content`` is the document as JSON text; ``parts`` how many messages it makes.
        """

    async def mark(self, key: DeliveryKey, part: PartRecord) -> None:
        """Write one part's state at once; all parts ``SENT`` makes the delivery done."""

    async def pending(self) -> Sequence[DeliveryRecord]:
        """The deliveries that were claimed and are not done, oldest first."""

    async def claim_slot(self, subscription: str, slot: str) -> bool:
        """Whether this call is the first to claim the slot (a local date) of a subscription."""

    async def last_slot(self, subscription: str) -> str | None:
        """The newest slot that was claimed for a subscription."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A repository with the settings that belong to it.

    ``aliases`` leads from another name of a topic (lower case, any language) to the topics it
    stands for. ``branch`` is ``None`` for the default branch. ``privacy`` is what a model may see.
    ``forge`` is ``None`` where there is none to ask; ``descriptions`` says whether it may be asked
    for those of merged requests when a digest is made. ``place`` is where it was opened.
    """

    repository: Repository
    source: Source
    branch: str | None = None
    thresholds: Thresholds | None = None
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    privacy: Privacy = Privacy.REDACTED
    forge: Forge | None = None
    descriptions: bool = True
    place: str = ""


_CLONES = frozenset(
    {"repo", "repos", "repository", "src", "git", "work", "home", "clone", "clones", "code"}
)
"""Names of folders that say nothing of what is in them."""


def called(watched: Watched) -> frozenset[str]:
    """What a repository goes by, lower case: its name, the last part of it, its clone's folder."""
    name = watched.repository.name.lower()
    folders = watched.place.lower().rstrip("/").split("/")[-2:]
    parts = [part for folder in folders for part in folder.removesuffix(".git").split("+")]
    names = {name, name.rpartition("/")[2], *parts}
    return frozenset(one for one in names if one and one not in _CLONES)
