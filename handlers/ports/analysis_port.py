"""What a model said of changes, as far as it was kept, and what judging them needs.

Two things are kept apart. A :class:`Kept` is what became of asking about one change on one
:class:`Basis`; it is never asked for again. A :class:`Judgement` is what one digest makes of many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from digest.core.enums import Language
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.statement import Analysis, Statement
from digest.grading.level_override import LevelOverride
from digest.llm.model_input import Privacy, Redactor
from digest.llm.prompt import PromptKind, version_of
from digest.report.themes import DaySummary
from handlers.ports.model_port import Model, ModelError, ModelReason, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What an analysis rests on beside the change itself; on another basis it is another one.

    ``prompt`` counts in every word that the model is told and what it may see.
    """

    prompt: str
    model: str
    language: Language
    facts: int = FACTS_VERSION


def prompt_basis(kind: PromptKind, privacy: Privacy, wording: int) -> str:
    """The version of everything that a question of a kind may consist of."""
    # A change that does not fit is asked about in parts, which are merged.
    kinds = (
        (kind,)
        if kind in {PromptKind.LINES, PromptKind.DAY}
        else (kind, PromptKind.PART, PromptKind.MERGE)
    )
    return " ".join([*map(version_of, kinds), str(wording), privacy])


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnalysis:
    """What became of asking about a change.

    ``diff`` is the fingerprint of the change. ``usage`` is what asking took, ``secrets`` how many
    were masked in what was sent. ``move`` is how a model moved the level; once one was made for a
    change it stands for all languages. Where ``failure`` is set there is no analysis, and asking
    again would be paid again.
    """

    sha: str
    diff: str
    at: datetime
    analysis: Analysis | None = None
    move: LevelOverride | None = None
    usage: Usage = field(default_factory=Usage)
    secrets: int = 0
    failure: ModelReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDay:
    """What became of asking for a lead and themes; see :class:`Kept`."""

    at: datetime
    day: DaySummary | None = None
    usage: Usage = field(default_factory=Usage)
    failure: ModelReason | None = None


class Analyses(Protocol):
    """What models said, kept. Each method is about one repository and one basis."""

    async def load(
        self, repository: Repository, shas: Sequence[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        """What is kept of the commits, by full name."""

    async def alike(
        self, repository: Repository, diffs: Collection[str], basis: Basis
    ) -> Mapping[str, StoredAnalysis]:
        """What is kept of the same changes under whatever name, by fingerprint; no failures."""

    async def save(
        self, repository: Repository, basis: Basis, kept: Sequence[StoredAnalysis]
    ) -> Mapping[str, StoredAnalysis]:
        """Keep these, and return what stands then: of several moves of a change the first."""

    async def day(self, repository: Repository, shown: str, basis: Basis) -> StoredDay | None:
        """What is kept of a day by the name of what was shown of it."""

    async def keep_day(
        self, repository: Repository, shown: str, basis: Basis, kept: StoredDay
    ) -> None:
        """Keep it, in the place of a failure too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """Why a change that was to be judged was not; ``detail`` is for the log alone."""

    sha: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisRun:
    """What a model has to say of changes.

    ``analyses`` by full name hold what was judged, now or before, ``graded`` those changes that a
    model moved. ``made`` is what each analysis took when it was made; ``spent`` is what this
    judgement took. ``missed`` holds each change that should have been judged and was not; of the
    others facts say all. ``day`` is the lead and the themes by the model, ``unled`` why there is
    none where it should.
    """

    analyses: Mapping[str, Analysis] = field(default_factory=dict)
    graded: Mapping[str, Graded] = field(default_factory=dict)
    made: Mapping[str, Usage] = field(default_factory=dict)
    missed: Mapping[str, Missed] = field(default_factory=dict)
    spent: Usage = field(default_factory=Usage)
    secrets: int = 0
    day: DaySummary | None = None
    unled: ModelError | None = None


class Listener(Protocol):
    """Whom an analysis is told while it is being made, checked sentence by sentence."""

    def hear(self, section: str, statement: Statement) -> None:
        """One more statement that the change bears out."""

    def restart(self) -> None:
        """Everything so far is void."""


@dataclass(slots=True)
class Flights:
    """What is being asked right now, so that two who want the same do not both pay."""

    _under_way: dict[Hashable, asyncio.Event] = field(default_factory=dict)

    def take(self, keys: Iterable[Hashable]) -> tuple[set[Hashable], list[asyncio.Event]]:
        """The keys that nobody asks for yet, which the caller has now, and the ends of others."""
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
        """Let those who wait for the keys go on."""
        for key in keys:
            self._under_way.pop(key).set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """A model, what it needs, and whom its work is charged to.

    ``patience`` is how long one digest waits for all of its analyses, in seconds. ``warm`` loads
    what takes long, once there is something to ask. ``report`` is told of each judgement, with the
    repository's name, for the log.
    """

    model: Model
    analyses: Analyses
    redactor: Redactor
    flights: Flights = field(default_factory=Flights)
    patience: float = 300.0
    channel: str = ""
    person: str = ""
    listener: Listener | None = None
    warm: Callable[[], Awaitable[None]] | None = None
    report: Callable[[AnalysisRun, str], None] | None = None
