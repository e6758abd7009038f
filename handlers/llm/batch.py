"""A round of model calls for one digest or question: finds stored analyses, makes missing ones.

Each change that needs one is read again with its lines. Lines are in memory only while their call
is under way.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from digest.core.change import Change, fingerprint
from digest.core.grade import Graded
from digest.errors import DigestbotError
from digest.frozen import frozen
from digest.grading.importance import move_of
from digest.llm.model_input import Material, material
from digest.llm.packing import BATCH
from digest.llm.prompt import PromptKind as Asked
from handlers.context import Context
from handlers.llm.analyse_change import Asker, ModelFindings, follow
from handlers.ports.analysis_port import Basis, Judging, Missed, StoredAnalysis, prompt_basis
from handlers.ports.model_port import BillingAccount, CallKind, ModelError, ModelReason, Usage
from handlers.ports.storage import Tip

_FAILURES_HOLD = timedelta(days=1)  # how long a failed call that was paid for is not repeated


@frozen
class AnalysisCache:
    """The stored analyses for one context. ``anew`` lets failed calls be repeated at once."""

    ctx: Context
    judging: Judging
    anew: bool = False

    def basis(self, kind: Asked) -> Basis:
        """The basis of an analysis of a kind."""
        profile = self.judging.model.profile
        return Basis(
            prompt=prompt_basis(kind, self.ctx.watched.privacy, profile.wording),
            model=profile.name,
            language=self.ctx.language,
            reserve=profile.reserve,
        )

    async def find(self, kind: Asked, shas: Sequence[str]) -> Mapping[str, StoredAnalysis]:
        """The valid stored analyses of commits, by full name."""
        loaded = await self.judging.analyses.load(
            self.ctx.watched.repository, shas, self.basis(kind)
        )
        now = self.ctx.clock.now()
        return {sha: stored for sha, stored in loaded.items() if self._holds(stored, now)}

    async def alike(self, kind: Asked, diffs: Collection[str]) -> Mapping[str, StoredAnalysis]:
        """The stored analyses of the same changes under another name, by patch id."""
        if not diffs:
            return {}
        return await self.judging.analyses.alike(
            self.ctx.watched.repository, diffs, self.basis(kind)
        )

    async def keep(
        self, kind: Asked, kept: Sequence[StoredAnalysis]
    ) -> Mapping[str, StoredAnalysis]:
        """Save analyses and return what is stored afterwards."""
        if not kept:
            return {}
        return await self.judging.analyses.save(self.ctx.watched.repository, self.basis(kind), kept)

    def _holds(self, stored: StoredAnalysis, now: datetime) -> bool:
        if stored.failure is None:
            return True
        return not self.anew and now - stored.at < _FAILURES_HOLD


AHEAD = 2  # changes held ready for each slot of the server: each takes memory until it is used
ODD = "odd"  # the reason of a change on which the program itself failed
_ENDS_ALL = frozenset({ModelReason.BUDGET, ModelReason.UNAUTHORIZED, ModelReason.NO_CREDIT})
"""After these errors no further call can succeed."""

Result: TypeAlias = ModelFindings | ModelError


@frozen
class PreparedChange:
    """A change as it may be shown, with its patch id."""

    material: Material
    diff: str

    @property
    def sha(self) -> str:
        """The full name of the commit."""
        return self.material.sha


@dataclass(slots=True, kw_only=True)
class Round:
    """Makes calls and collects their results."""

    cache: AnalysisCache
    tip: Tip
    deadline: float  # in loop time
    spends: CallKind | None = None  # what the calls are booked as; by default by their depth
    kept: dict[str, StoredAnalysis] = field(default_factory=dict)
    missed: dict[str, Missed] = field(default_factory=dict)
    spent: Usage = field(default_factory=Usage)
    over: Missed | None = None
    _places: asyncio.Semaphore = field(init=False)
    _turns: asyncio.Semaphore = field(init=False)
    _ends: dict[Asked, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))

    def __post_init__(self) -> None:
        slots = self.cache.judging.model.profile.slots
        self._places = asyncio.Semaphore(AHEAD * slots + BATCH)
        # Waiting here and not in the client lets an error that ends the round end the waiting calls
        # too.
        self._turns = asyncio.Semaphore(slots)

    async def ask(self, plan: Sequence[tuple[Asked, Mapping[str, Graded]]]) -> None:
        """Ask about the changes in this order, as many at once as the server takes."""
        async with asyncio.TaskGroup() as tasks:
            if any(changes for _, changes in plan):
                tasks.create_task(self._warm())
            for kind, changes in plan:
                under_way: list[asyncio.Task[None]] = []
                try:
                    await self._ask(kind, changes, tasks, under_way)
                except DigestbotError as error:
                    self._note_error(changes, error)
                tasks.create_task(self._end(kind, under_way))

    async def ended(self, kind: Asked) -> None:
        """Wait until all calls of a kind are answered or given up."""
        await self._ends[kind].wait()

    def end(self) -> None:
        """Give up everything that is not answered yet."""
        for kind in Asked:
            self._ends[kind].set()

    async def _end(self, kind: Asked, under_way: Sequence[asyncio.Task[None]]) -> None:
        if under_way:
            await asyncio.wait(under_way)
        self._ends[kind].set()

    async def _warm(self) -> None:
        """Load what the first call needs while git reads."""
        warm = self.cache.judging.warm
        try:
            if warm is not None:
                await warm()
        except Exception as error:  # noqa: BLE001 - the first call will report it
            self._note_error([], error)

    async def _ask(
        self,
        kind: Asked,
        changes: Mapping[str, Graded],
        tasks: asyncio.TaskGroup,
        under_way: list[asyncio.Task[None]],
    ) -> None:
        if not changes or self.over:
            return
        asker = self._asker(kind)
        source = self.cache.ctx.watched.source
        small: list[PreparedChange] = []
        async for batch in source.changes(self.tip, list(changes)):
            for ready in await self._prepare(kind, batch, changes):
                await self._places.acquire()
                if kind is not Asked.LINES:
                    under_way.append(tasks.create_task(self._change(asker, kind, ready)))
                    continue
                small.append(ready)
                if len(small) == BATCH:
                    under_way.append(tasks.create_task(self._lines(asker, small)))
                    small = []
        if small:
            under_way.append(tasks.create_task(self._lines(asker, small)))

    async def _prepare(
        self, kind: Asked, batch: Sequence[Change], changes: Mapping[str, Graded]
    ) -> Sequence[PreparedChange]:
        """The changes of a batch that must be asked about, prepared for the prompt."""
        wanted = [change for change in batch if change.sha in changes]
        ready = await asyncio.to_thread(self._made_ready, wanted, changes)
        alike = await self.cache.alike(kind, [prepared.diff for prepared in ready])
        same = [
            replace(alike[prepared.diff], sha=prepared.sha)
            for prepared in ready
            if prepared.diff in alike
        ]
        self.kept.update(await self.cache.keep(kind, same))
        return [prepared for prepared in ready if prepared.diff not in alike]

    def _made_ready(
        self, batch: Sequence[Change], changes: Mapping[str, Graded]
    ) -> Sequence[PreparedChange]:
        ready: list[PreparedChange] = []
        for change in batch:
            try:
                ready.append(made_ready(self.cache, change, changes[change.sha]))
            except Exception as error:  # noqa: BLE001 - one odd commit must not end the day
                self._note_error([change.sha], error)
        return ready

    async def _change(self, asker: Asker, kind: Asked, ready: PreparedChange) -> None:
        try:
            async with self._turns:
                if self.over is None:
                    await self._take(kind, [(ready, await self._result(asker, kind, ready))])
        except Exception as error:  # noqa: BLE001 - as above
            self._note_error([ready.sha], error)
        finally:
            self._places.release()

    async def _result(self, asker: Asker, kind: Asked, ready: PreparedChange) -> Result:
        listener = self.cache.judging.listener
        watch = follow(ready.material, asker.language, listener) if listener else None
        try:
            return await asker.change(ready.material, kind, watch)
        except ModelError as error:
            return error

    async def _lines(self, asker: Asker, small: Sequence[PreparedChange]) -> None:
        try:
            async with self._turns:
                if self.over is None:
                    results = await asker.lines([prepared.material for prepared in small])
                    await self._take(
                        Asked.LINES, [(prepared, results[prepared.sha]) for prepared in small]
                    )
        except Exception as error:  # noqa: BLE001 - as above
            self._note_error([prepared.sha for prepared in small], error)
        finally:
            for _ in small:
                self._places.release()

    async def _take(self, kind: Asked, results: Iterable[tuple[PreparedChange, Result]]) -> None:
        """Record the results of calls, and save what was paid for."""
        now = self.cache.ctx.clock.now()
        stored: list[StoredAnalysis] = []
        for ready, result in results:
            self.spent += result.usage
            if isinstance(result, ModelError):
                missed = Missed(sha=ready.sha, reason=result.reason.value, detail=result.detail)
                self.missed[ready.sha] = missed
                if result.reason in _ENDS_ALL:
                    self.over = self.over or missed
            if not isinstance(result, ModelError) or result.usage.tokens:
                stored.append(kept_of(ready, result, now))
        self.kept.update(await self.cache.keep(kind, stored))

    def _note_error(self, shas: Iterable[str], error: Exception) -> None:
        detail = f"{type(error).__name__}: {error}"
        self.missed.update((s, Missed(sha=s, reason=ODD, detail=detail)) for s in shas)

    def _asker(self, kind: Asked) -> Asker:
        spends = self.spends or (CallKind.LINES if kind is Asked.LINES else CallKind.ANALYSIS)
        return asker_of(self.cache, spends, self.deadline)


def asker_of(cache: AnalysisCache, kind: CallKind, deadline: float) -> Asker:
    """The asker on the account of a context."""
    judging, watched = cache.judging, cache.ctx.watched

    def account(shas: Sequence[str]) -> BillingAccount:
        return BillingAccount(
            kind=kind,
            repository=watched.repository.name,
            channel=judging.channel,
            person=judging.person,
            subject=" ".join(sha[:12] for sha in shas),
        )

    return Asker(
        model=judging.model,
        language=cache.ctx.language,
        account=account,
        deadline=deadline,
        thresholds=watched.thresholds,
    )


def made_ready(cache: AnalysisCache, change: Change, graded: Graded) -> PreparedChange:
    """The change, limited to what its repository's privacy lets a model see."""
    shown = material(change, graded, cache.ctx.watched.privacy, cache.judging.redactor)
    assert shown is not None, "a repository that shows nothing is not asked about"
    return PreparedChange(material=shown, diff=fingerprint(change))


def kept_of(ready: PreparedChange, result: Result, at: datetime) -> StoredAnalysis:
    """The record to store for a reply or a failure."""
    stored = StoredAnalysis(
        sha=ready.sha,
        diff=ready.diff,
        at=at,
        usage=result.usage,
        secrets=ready.material.secrets,
    )
    if isinstance(result, ModelError):
        return replace(stored, failure=result.reason)
    move = move_of(ready.material.graded.grade, result.judged.grade)
    return replace(stored, analysis=result.judged.analysis, move=move, model=result.model)
