"""The lead and themes of a digest, by a second call that sees only checked statements.

The call does not wait for all analyses: once the most important changes are analysed, it gets the
others as described by their facts. So it runs beside the last analyses, with the same input in
every run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import timedelta
from hashlib import blake2b

from digest.analysis.analyse import analyse
from digest.core.enums import Language
from digest.core.grade import Graded
from digest.core.statement import Origin
from digest.frozen import frozen
from digest.llm.day_summary import (
    SummarisedChange,
    changes_for_model,
    day_prompt,
    day_reader,
    plain_day,
)
from digest.llm.packing import NoRoom
from digest.llm.prompt import Prompt
from digest.llm.prompt import PromptKind as Asked
from digest.report.themes import DaySummary, ToldChange, themes
from handlers.context import Context
from handlers.llm.analyse_change import request_for
from handlers.llm.batch import AnalysisCache
from handlers.ports.analysis_port import Basis, Judging, StoredDay
from handlers.ports.model_port import (
    BillingAccount,
    CallKind,
    ModelError,
    ModelReason,
    ModelReply,
    Usage,
)

PATIENCE = 30.0
"""Seconds for one try. There are at most two, because the rest of the digest is ready."""

_MOST_TOKENS = 12_000
_OUTPUT = 1_200
_LEAST_CHANGES = 2  # with fewer there is nothing to introduce or to group
_MOST_CHANGES = 80  # the most important changes; more would not fit
_AGAIN = frozenset({ModelReason.TIMEOUT, ModelReason.BROKEN, ModelReason.UNAVAILABLE})
_FAILURES_HOLD = timedelta(days=1)


@frozen
class DayResult:
    """A model's summary of a period; ``error`` says why an expected summary is missing."""

    day: DaySummary | None = None
    spent: Usage = field(default_factory=Usage)
    error: ModelError | None = None


def summary_input(
    changes: Sequence[Graded], judged: Mapping[str, SummarisedChange], language: Language
) -> tuple[SummarisedChange, ...]:
    """The input of the call: the most important changes, as ``judged`` or by their facts."""
    ranked = sorted(changes, key=lambda change: (change.grade.level.rank, -change.grade.score))
    return tuple(
        judged.get(change.sha)
        or SummarisedChange(graded=change, analysis=analyse(change, language))
        for change in ranked[:_MOST_CHANGES]
    )


def complete_summary(
    day: DaySummary | None, entries: Sequence[ToldChange], language: Language
) -> DaySummary:
    """The summary for a report, with themes by rule if a model made none."""
    if day is None:
        return plain_day(entries, language)
    ruled = all(theme.source is not Origin.MODEL for theme in day.themes)
    return replace(day, themes=themes(entries, language)) if ruled else day


async def lead(ctx: Context, judging: Judging, changes: Sequence[SummarisedChange]) -> DayResult:
    """The lead and the themes of changes. Raises nothing: a digest is complete without them."""
    read = any(change.analysis.source is Origin.MODEL for change in changes)
    if not read or len(changes) < _LEAST_CHANGES:
        return DayResult()
    try:
        before = _room(judging)
        try:
            return await _summarise_once(ctx, judging, changes)
        except ModelError as error:
            # The server said that its context is smaller: a call refused for that is free.
            if error.reason is not ModelReason.CONTEXT_LENGTH or _room(judging) >= before:
                raise
        return await _summarise_once(ctx, judging, changes)
    except ModelError as error:
        return DayResult(spent=error.usage, error=error)
    except Exception as error:  # noqa: BLE001 - the digest is complete without a lead
        return DayResult(error=ModelError(ModelReason.REJECTED, f"{type(error).__name__}: {error}"))


async def _summarise_once(
    ctx: Context, judging: Judging, changes: Sequence[SummarisedChange]
) -> DayResult:
    seen = await asyncio.to_thread(
        changes_for_model, changes, ctx.watched.privacy, judging.redactor
    )
    try:
        prompt = day_prompt(seen, ctx.language, judging.model.count, _room(judging))
    except NoRoom as error:
        raise ModelError(ModelReason.CONTEXT_LENGTH, str(error)) from error
    basis = AnalysisCache(ctx=ctx, judging=judging).basis(Asked.DAY)
    key = _key(prompt)
    flight = (ctx.watched.repository.name, key, basis)
    mine, others = judging.flights.take([flight])
    try:
        for other in others:
            await other.wait()
        stored = await judging.analyses.day(ctx.watched.repository, key, basis)
        if stored is not None and (led := _valid_summary(stored, ctx)) is not None:
            return led
        return await _make_summary(ctx, judging, prompt, seen, basis)
    finally:
        judging.flights.land(mine)


def _valid_summary(stored: StoredDay, ctx: Context) -> DayResult | None:
    """The stored summary if it is still valid. A failure that was paid for is kept for a day."""
    if stored.day is not None:
        return DayResult(day=stored.day)
    if ctx.clock.now() - stored.at >= _FAILURES_HOLD:
        return None
    reason = stored.failure or ModelReason.REJECTED
    return DayResult(error=ModelError(reason, "failed before, not asked again"))


async def _make_summary(
    ctx: Context, judging: Judging, prompt: Prompt, seen: Sequence[ToldChange], basis: Basis
) -> DayResult:
    now, repository, key = ctx.clock.now(), ctx.watched.repository, _key(prompt)
    try:
        reply = await _ask_twice(ctx, judging, prompt, seen)
    except ModelError as error:
        if error.usage.tokens:
            failed = StoredDay(at=now, usage=error.usage, failure=error.reason)
            await judging.analyses.keep_day(repository, key, basis, failed)
        raise
    made = StoredDay(at=now, day=reply.value, usage=reply.usage, model=reply.by)
    await judging.analyses.keep_day(repository, key, basis, made)
    return DayResult(day=reply.value, spent=reply.usage)


async def _ask_twice(
    ctx: Context, judging: Judging, prompt: Prompt, seen: Sequence[ToldChange]
) -> ModelReply[DaySummary]:
    """The reply, after a second try if the first failed in transit."""
    account = BillingAccount(
        kind=CallKind.LEAD,
        repository=ctx.watched.repository.name,
        channel=judging.channel,
        person=judging.person,
    )
    read = day_reader(seen, prompt.shas, ctx.language)
    request = request_for(prompt, read, account, PATIENCE)
    try:
        return await judging.model.complete(request)
    except ModelError as error:
        if error.reason not in _AGAIN:
            raise
        first = error.usage
    try:
        reply = await judging.model.complete(request)
    except ModelError as error:
        error.usage += first
        raise
    return replace(reply, usage=reply.usage + first)


def _room(judging: Judging) -> int:
    return min(_MOST_TOKENS, judging.model.profile.room(_OUTPUT))


def _key(prompt: Prompt) -> str:
    """A key for the input of the call."""
    return blake2b(prompt.user.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
