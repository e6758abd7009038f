"""The lead and the themes of a digest, by a second call that sees only what was kept.

It need not wait for everything: once the most important changes are judged, the others are shown to
it as facts tell of them. So it runs beside the last analyses, and sees the same in every run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import blake2b

from digest.analysis import analyse
from digest.graded import Graded
from digest.language import Language
from digest.prompting import Kind as Asked
from digest.prompting import NoRoom, Prompt
from digest.statement import Analysis, Origin
from digest.themes import Day, Told, day_prompt, day_reader, plain_day, themes
from digest.themes.shown import shown
from handlers.asking import request_for
from handlers.context import Context
from handlers.judgement import Basis, Judging, KeptDay
from handlers.model_port import Account, Kind, ModelError, ModelReason, ModelReply, Usage
from handlers.shelf import Shelf

PATIENCE = 30.0
"""Seconds for one try; there are two at most, since the rest of the digest is ready."""

_MOST_TOKENS = 12_000
_OUTPUT = 1_200
_LEAST_CHANGES = 2
"""With fewer there is nothing to lead to and nothing to join."""

_MOST_CHANGES = 80
"""With more than these it would not fit; and they are the most important."""

_AGAIN = frozenset({ModelReason.TIMEOUT, ModelReason.BROKEN, ModelReason.UNAVAILABLE})
_FAILURES_HOLD = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A change with what is said of it; implements ``Told``."""

    graded: Graded
    analysis: Analysis


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """What a model says of a stretch of time; ``error`` is why it says nothing, where it should."""

    day: Day | None = None
    spent: Usage = field(default_factory=Usage)
    error: ModelError | None = None


def told(
    changes: Sequence[Graded], judged: Mapping[str, Said], language: Language
) -> tuple[Said, ...]:
    """What the call may be shown: the most important changes, as ``judged`` or by their facts."""
    ranked = sorted(changes, key=lambda one: (one.grade.level.rank, -one.grade.score))
    return tuple(
        judged.get(one.sha) or Said(graded=one, analysis=analyse(one, language))
        for one in ranked[:_MOST_CHANGES]
    )


def composed(day: Day | None, entries: Sequence[Told], language: Language) -> Day:
    """The day as a report tells it: with themes by rule where a model made none."""
    if day is None:
        return plain_day(entries, language)
    ruled = all(theme.source is not Origin.MODEL for theme in day.themes)
    return replace(day, themes=themes(entries, language)) if ruled else day


async def lead(ctx: Context, judging: Judging, changes: Sequence[Said]) -> Led:
    """The lead and the themes of changes. Raises nothing: without it a digest is whole as well."""
    read = any(one.analysis.source is Origin.MODEL for one in changes)
    if not read or len(changes) < _LEAST_CHANGES:
        return Led()
    try:
        return await _led(ctx, judging, changes)
    except ModelError as error:
        return Led(spent=error.usage, error=error)
    except Exception as error:  # noqa: BLE001 - the digest is ready; only its opening is not
        return Led(error=ModelError(ModelReason.REJECTED, f"{type(error).__name__}: {error}"))


async def _led(ctx: Context, judging: Judging, changes: Sequence[Said]) -> Led:
    seen = await asyncio.to_thread(shown, changes, ctx.watched.privacy, judging.redactor)
    try:
        prompt = day_prompt(seen, ctx.language, judging.model.count, _room(judging))
    except NoRoom as error:
        raise ModelError(ModelReason.CONTEXT_LENGTH, str(error)) from error
    basis = Shelf(ctx=ctx, judging=judging).basis(Asked.DAY)
    key = _key(prompt)
    flight = (ctx.watched.repository.name, key, basis)
    mine, others = judging.flights.take([flight])
    try:
        for other in others:
            await other.wait()
        kept = await judging.analyses.day(ctx.watched.repository, key, basis)
        if kept is not None and (led := _kept(kept, ctx)) is not None:
            return led
        return await _made(ctx, judging, prompt, seen, basis)
    finally:
        judging.flights.land(mine)


def _kept(kept: KeptDay, ctx: Context) -> Led | None:
    """What was kept, as far as it holds. A failure that was paid for holds for a day."""
    if kept.day is not None:
        return Led(day=kept.day)
    if ctx.clock.now() - kept.at >= _FAILURES_HOLD:
        return None
    reason = kept.failure or ModelReason.REJECTED
    return Led(error=ModelError(reason, "failed before, not asked again"))


async def _made(
    ctx: Context, judging: Judging, prompt: Prompt, seen: Sequence[Told], basis: Basis
) -> Led:
    now, repository, key = ctx.clock.now(), ctx.watched.repository, _key(prompt)
    try:
        reply = await _asked(ctx, judging, prompt, seen)
    except ModelError as error:
        if error.usage.tokens:
            failed = KeptDay(at=now, usage=error.usage, failure=error.reason)
            await judging.analyses.keep_day(repository, key, basis, failed)
        raise
    made = KeptDay(at=now, day=reply.value, usage=reply.usage)
    await judging.analyses.keep_day(repository, key, basis, made)
    return Led(day=reply.value, spent=reply.usage)


async def _asked(
    ctx: Context, judging: Judging, prompt: Prompt, seen: Sequence[Told]
) -> ModelReply[Day]:
    """The reply, at the second try where the first one did not come through."""
    account = Account(
        kind=Kind.LEAD,
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
    """What the call sees, as a name."""
    return blake2b(prompt.user.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
