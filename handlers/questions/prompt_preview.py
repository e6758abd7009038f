"""Shows the prompt that would be sent about a change, without sending it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from digest.core.grade import Graded, is_settled
from digest.llm.model_input import Privacy
from digest.llm.packing import lines_prompts, prompts_for
from digest.llm.prompt import Prompt, kind_of
from digest.llm.prompt import PromptKind as Asked
from digest.question.intent import Explain
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.llm.analyse import by_facts
from handlers.llm.analyse_change import PARTS, request_for, room
from handlers.llm.batch import AnalysisCache, PreparedChange, made_ready
from handlers.ports.model_port import BillingAccount, CallKind, ModelRequest
from handlers.questions.explain import find, refuse_elsewhere


class Silence(Enum):
    """Why nothing would be sent."""

    NO_MODEL = auto()
    PRIVATE = auto()  # the repository's privacy lets nothing out
    SETTLED = auto()  # facts say all that matters
    KEPT = auto()  # a stored reply exists


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPreview:
    """The requests about one change, in order; if there are several, another merges the replies.

    ``why_not`` says why even these would not be sent; without ``requests`` there is nothing to
    show. ``secrets`` is the number of secrets masked in them.
    """

    graded: Graded
    requests: tuple[ModelRequest[Any], ...] = ()
    secrets: int = 0
    why_not: Silence | None = None


async def preview_prompt(intent: Explain, ctx: Context) -> PromptPreview:
    """What explaining a change would send. Raises ``UnknownChange`` and ``AmbiguousReference``."""
    refuse_elsewhere(intent.reference, ctx)
    tip = await tip_of(ctx)
    graded = by_facts(ctx, (await find(intent.reference, ctx, tip))[0])
    if ctx.judging is None:
        return PromptPreview(graded=graded, why_not=Silence.NO_MODEL)
    if ctx.watched.privacy is Privacy.NONE:
        return PromptPreview(graded=graded, why_not=Silence.PRIVATE)
    shelf = AnalysisCache(ctx=ctx, judging=ctx.judging, anew=True)
    kind = kind_of(graded.grade.level)
    kept = graded.sha in await shelf.find(kind, [graded.sha])
    async for batch in ctx.watched.source.changes(tip, [graded.sha]):
        for change in batch:
            ready = await asyncio.to_thread(made_ready, shelf, change, graded)
            return _shown(shelf, kind, ready, kept=kept)
    return PromptPreview(graded=graded, why_not=Silence.SETTLED)


def _shown(
    shelf: AnalysisCache, kind: Asked, ready: PreparedChange, *, kept: bool
) -> PromptPreview:
    graded = ready.material.graded
    why_not = Silence.SETTLED if is_settled(graded) else Silence.KEPT if kept else None
    account = BillingAccount(kind=CallKind.EXPLAIN, repository=shelf.ctx.watched.repository.name)
    prompts = _prompts(shelf, kind, ready)
    return PromptPreview(
        graded=graded,
        requests=tuple(request_for(one, lambda value: value, account) for one in prompts),
        secrets=ready.material.secrets,
        why_not=why_not,
    )


def _prompts(shelf: AnalysisCache, kind: Asked, ready: PreparedChange) -> tuple[Prompt, ...]:
    model, language = shelf.judging.model, shelf.ctx.language
    tokens = room(model.profile, kind)
    if kind is Asked.LINES:
        return lines_prompts([ready.material], language, model.count, tokens)
    return prompts_for(ready.material, language, model.count, tokens, parts=PARTS[kind])
