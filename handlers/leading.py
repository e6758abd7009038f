"""The lead and the themes of a digest, by a second call that sees only what was kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import blake2b

from digest.prompting import Kind as Asked
from digest.prompting import NoRoom, Prompt
from digest.statement import Origin
from digest.themes import Day, Told, day_prompt, day_reader, plain_day, themes
from digest.themes.shown import shown
from handlers.asking import request_for
from handlers.context import Context
from handlers.judgement import Judging, KeptDay
from handlers.model_port import Account, Kind, ModelError, ModelReason, ModelReply, Usage
from handlers.shelf import Shelf

PATIENCE = 30.0
"""Seconds for one try; there are two at most, since the rest of the digest is ready."""

_MOST_TOKENS = 12_000
_OUTPUT = 1_200
_LEAST_CHANGES = 2
"""With fewer there is nothing to lead to and nothing to join."""

_AGAIN = frozenset({ModelReason.TIMEOUT, ModelReason.BROKEN, ModelReason.UNAVAILABLE})
_FAILURES_HOLD = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """The day as it is told; ``error`` is why no model told it, where one was to."""

    day: Day
    spent: Usage = field(default_factory=Usage)
    error: ModelError | None = None


async def lead(ctx: Context, told: Sequence[Told]) -> Led:
    """The lead and the themes of changes, by the context's model or by rule."""
    judging = ctx.judging
    read = any(one.analysis.source is Origin.MODEL for one in told)
    if judging is None or not read or len(told) < _LEAST_CHANGES:
        return Led(day=plain_day(told, ctx.language))
    try:
        return await _led(ctx, judging, told)
    except Exception as error:  # noqa: BLE001 - the digest is ready; only its opening is not
        odd = ModelError(ModelReason.REJECTED, f"{type(error).__name__}: {error}")
        return Led(day=plain_day(told, ctx.language), error=odd)


async def _led(ctx: Context, judging: Judging, told: Sequence[Told]) -> Led:
    plain = plain_day(told, ctx.language)
    seen = await asyncio.to_thread(shown, told, ctx.watched.privacy, judging.redactor)
    try:
        prompt = day_prompt(seen, ctx.language, judging.model.count, _room(judging))
    except NoRoom as error:
        return Led(day=plain, error=ModelError(ModelReason.CONTEXT_LENGTH, str(error)))
    shelf, key = Shelf(ctx=ctx, judging=judging), _key(prompt)
    basis, repository = shelf.basis(Asked.DAY), ctx.watched.repository
    kept = await judging.analyses.day(repository, key, basis)
    if kept is not None and kept.day is not None:
        return Led(day=_whole(kept.day, told, ctx))
    now = ctx.clock.now()
    if kept is not None and now - kept.at < _FAILURES_HOLD:
        reason = kept.failure or ModelReason.REJECTED
        return Led(day=plain, error=ModelError(reason, "failed before, not asked again"))
    try:
        reply = await _asked(ctx, judging, prompt, seen)
    except ModelError as error:
        if error.usage.tokens:
            failed = KeptDay(at=now, usage=error.usage, failure=error.reason)
            await judging.analyses.keep_day(repository, key, basis, failed)
        return Led(day=plain, spent=error.usage, error=error)
    made = KeptDay(at=now, day=reply.value, usage=reply.usage)
    await judging.analyses.keep_day(repository, key, basis, made)
    return Led(day=_whole(reply.value, told, ctx), spent=reply.usage)


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


def _whole(day: Day, told: Sequence[Told], ctx: Context) -> Day:
    """The day with themes by rule made of what was not masked, where the model made none."""
    ruled = all(theme.source is not Origin.MODEL for theme in day.themes)
    return replace(day, themes=themes(told, ctx.language)) if ruled else day


def _room(judging: Judging) -> int:
    return min(_MOST_TOKENS, judging.model.profile.room(_OUTPUT))


def _key(prompt: Prompt) -> str:
    """What the call sees, as a name."""
    return blake2b(prompt.user.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
