"""Stored analyses of changes, and what a use case needs to make new ones.

Two things are kept apart. A :class:`StoredAnalysis` is the result of asking about one change on one
:class:`Basis`; the question is never repeated. An :class:`AnalysisRun` is what one digest makes of
many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from digest.core.enums import Language, Privacy
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.statement import Analysis, Statement
from digest.frozen import frozen
from digest.grading.importance import LevelOverride
from digest.llm.model_input import Redactor
from digest.llm.prompt import PromptKind, version_of
from digest.report.themes import DaySummary
from handlers.ports.model_port import Model, ModelError, ModelReason, Usage


@frozen
class Basis:
    """What an analysis depends on beside the change; ``prompt`` covers prompt and visibility.

    What the ``reserve`` model answered is used where ``model`` has answered nothing.
    """

    prompt: str
    model: str
    language: Language
    facts: int = FACTS_VERSION
    reserve: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """The models whose analyses are used, the preferred one first."""
        return tuple(dict.fromkeys(name for name in (self.model, self.reserve) if name))


def prompt_basis(kind: PromptKind, privacy: Privacy, wording: str) -> str:
    """The version of everything that a question of a kind may consist of."""
    # A change that does not fit is asked about in parts, which are merged.
    kinds = (
        (kind,)
        if kind in {PromptKind.LINES, PromptKind.DAY}
        else (kind, PromptKind.PART, PromptKind.MERGE)
    )
    return " ".join([*map(version_of, kinds), wording, privacy])


@frozen
class StoredAnalysis:
    """The result of asking about a change."""

    sha: str
    diff: str  # the change's patch id
    at: datetime
    analysis: Analysis | None = None
    move: LevelOverride | None = None  # of the level by a model; the first holds for all languages
    usage: Usage = field(default_factory=Usage)  # the cost of the calls
    secrets: int = 0  # how many were masked in the input
    failure: ModelReason | None = None  # why there is no analysis; repeating would cost again
    # The one that answered; empty for the first one of the basis.
    model: str = field(default="", compare=False)


@frozen
class StoredDay:
    """The result of asking for a lead and themes; see :class:`StoredAnalysis`."""

    at: datetime
    day: DaySummary | None = None
    usage: Usage = field(default_factory=Usage)
    failure: ModelReason | None = None
    model: str = field(default="", compare=False)


class Analyses(Protocol):
    """Stored results of model calls. Each method is about one repository and one basis."""

    async def load(
        self, repository: Repository, shas: Sequence[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        """The stored analyses of the commits, by full name."""

    async def alike(
        self, repository: Repository, diffs: Collection[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        """The stored analyses of the same changes under any name, by patch id, without failures."""

    async def save(
        self, repository: Repository, basis: Basis, kept: Sequence[StoredAnalysis]
    ) -> Mapping[str, StoredAnalysis]:
        """Save these and return what is stored then; a change's first move wins."""

    async def day(self, repository: Repository, shown: str, basis: Basis) -> StoredDay | None:
        """The stored summary of a day, by the key of the call's input."""

    async def keep_day(
        self, repository: Repository, shown: str, basis: Basis, stored_day: StoredDay
    ) -> None:
        """Save it, replacing a failure too."""


@frozen
class Missed:
    """Why a change was not analysed as planned; ``detail`` is for the log only."""

    sha: str
    reason: str
    detail: str = ""


@frozen
class AnalysisRun:
    """A model's results on a set of changes."""

    # New and stored ones, by full name.
    analyses: Mapping[str, Analysis] = field(default_factory=dict)
    graded: Mapping[str, Graded] = field(default_factory=dict)  # the changes that a model moved
    # What each analysis cost when it was made.
    made: Mapping[str, Usage] = field(default_factory=dict)
    # Those whose planned analysis is missing; for others facts suffice.
    missed: Mapping[str, Missed] = field(default_factory=dict)
    spent: Usage = field(default_factory=Usage)  # the cost of this run
    secrets: int = 0
    day: DaySummary | None = None  # the lead and the themes by the model
    unled: ModelError | None = None  # why an expected lead is missing


class Listener(Protocol):
    """Receives the checked statements of an analysis while it is being made."""

    def hear(self, section: str, statement: Statement) -> None:
        """Receive one more statement that the change supports."""

    def restart(self) -> None:
        """Discard everything received so far."""


@dataclass(slots=True)
class Flights:
    """The calls under way, so that two tasks that want the same result do not both pay."""

    _under_way: dict[Hashable, asyncio.Event] = field(default_factory=dict)

    def take(self, keys: Iterable[Hashable]) -> tuple[set[Hashable], list[asyncio.Event]]:
        """Claim the keys that nobody is asking for; return them and the others' events."""
        mine: set[Hashable] = set()
        others: list[asyncio.Event] = []
        for key in keys:
            if (flight := self._under_way.get(key)) is not None:
                others.append(flight)
            else:
                self._under_way[key] = asyncio.Event()
                mine.add(key)
        return mine, others

    def land(self, keys: Iterable[Hashable]) -> None:
        """Release the keys and wake the tasks that wait for them."""
        for key in keys:
            self._under_way.pop(key).set()


@frozen
class Judging:
    """A model, the services it needs, and the accounts that its work is charged to."""

    model: Model
    analyses: Analyses
    redactor: Redactor
    flights: Flights = field(default_factory=Flights)
    patience: float = 300.0  # how long one digest waits for all its analyses, in seconds
    channel: str = ""
    person: str = ""
    listener: Listener | None = None
    warm: Callable[[], Awaitable[None]] | None = None  # loads what is slow, once asked
    report: Callable[[AnalysisRun, str], None] | None = None
