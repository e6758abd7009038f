"""What would be sent about a change, without sending it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from digest.graded import Graded
from digest.intent import Explain
from digest.privacy import Privacy
from digest.prompting import Kind as Asked
from digest.prompting import Prompt, kind_of, lines_prompts, prompts_for
from digest.settled import settled
from handlers.asking import PARTS, request_for, room
from handlers.context import Context
from handlers.explain import find, refuse_elsewhere
from handlers.judging import by_facts
from handlers.looking import tip_of
from handlers.model_port import Account, Kind, ModelRequest
from handlers.round import Ready, made_ready
from handlers.shelf import Shelf


class Silence(Enum):
    """Why nothing would be sent."""

    NO_MODEL = auto()
    PRIVATE = auto()  # the repository's privacy lets nothing out
    SETTLED = auto()  # facts say all that matters
    KEPT = auto()  # it was asked before, and the answer is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """The requests about one change, in order; where they are several, another joins the replies.

    ``why_not`` says why even these would not be sent; without ``requests`` there is nothing to
    show. ``secrets`` counts what was masked in them.
    """

    graded: Graded
    requests: tuple[ModelRequest[Any], ...] = ()
    secrets: int = 0
    why_not: Silence | None = None


async def showing(intent: Explain, ctx: Context) -> Showing:
    """What explaining a change would send. Raises ``UnknownChange`` and ``AmbiguousReference``."""
    refuse_elsewhere(intent.reference, ctx)
    tip = await tip_of(ctx)
    graded = by_facts(ctx, (await find(intent.reference, ctx, tip))[0])
    if ctx.judging is None:
        return Showing(graded=graded, why_not=Silence.NO_MODEL)
    if ctx.watched.privacy is Privacy.NONE:
        return Showing(graded=graded, why_not=Silence.PRIVATE)
    shelf = Shelf(ctx=ctx, judging=ctx.judging, anew=True)
    kind = kind_of(graded.grade.level)
    kept = graded.sha in await shelf.find(kind, [graded.sha])
    async for batch in ctx.watched.source.changes(tip, [graded.sha]):
        for change in batch:
            ready = await asyncio.to_thread(made_ready, shelf, change, graded)
            return _shown(shelf, kind, ready, kept=kept)
    return Showing(graded=graded, why_not=Silence.SETTLED)


def _shown(shelf: Shelf, kind: Asked, ready: Ready, *, kept: bool) -> Showing:
    graded = ready.material.graded
    why_not = Silence.SETTLED if settled(graded) else Silence.KEPT if kept else None
    account = Account(kind=Kind.EXPLAIN, repository=shelf.ctx.watched.repository.name)
    prompts = _prompts(shelf, kind, ready)
    return Showing(
        graded=graded,
        requests=tuple(request_for(one, lambda value: value, account) for one in prompts),
        secrets=ready.material.secrets,
        why_not=why_not,
    )


def _prompts(shelf: Shelf, kind: Asked, ready: Ready) -> tuple[Prompt, ...]:
    model, language = shelf.judging.model, shelf.ctx.language
    tokens = room(model.profile, kind)
    if kind is Asked.LINES:
        return lines_prompts([ready.material], language, model.count, tokens)
    return prompts_for(ready.material, language, model.count, tokens, parts=PARTS[kind])
