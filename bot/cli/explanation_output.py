"""Ways to show ``explain`` on a terminal: statement by statement, or the prompts alone.

While a model writes an explanation, each statement appears once it is checked. ``--show-prompt``
prints what would be sent, without sending it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Any, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from bot.cli.output import emit
from bot.util.sanitize import legible
from bot.workspace.workspace import Workspace
from digest.core.enums import Language, Privacy
from digest.core.grade import Graded, is_settled
from digest.core.statement import Statement
from digest.errors import UserError
from digest.frozen import frozen
from digest.i18n.statement_text import COLON, IMPACT, INSIGHTS, RISKS, SUGGESTIONS, SUMMARY
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


@frozen
class PromptPreview:
    """The requests about one change, in order; if there are several, another merges the replies."""

    graded: Graded
    requests: tuple[ModelRequest[Any], ...] = ()
    secrets: int = 0  # how many are masked
    why_not: Silence | None = None  # why even these would not be sent


async def preview_prompt(intent: Explain, ctx: Context) -> PromptPreview:
    """What explaining a change would send. Raises ``UnknownChange`` and ``AmbiguousReference``."""
    refuse_elsewhere(intent.reference, ctx)
    tip = await tip_of(ctx)
    graded = by_facts(ctx, (await find(intent.reference, ctx, tip))[0])
    if ctx.judging is None:
        return PromptPreview(graded=graded, why_not=Silence.NO_MODEL)
    if ctx.watched.privacy is Privacy.NONE:
        return PromptPreview(graded=graded, why_not=Silence.PRIVATE)
    cache = AnalysisCache(ctx=ctx, judging=ctx.judging, anew=True)
    kind = kind_of(graded.grade.level)
    kept = graded.sha in await cache.find(kind, [graded.sha])
    async for batch in ctx.watched.source.changes(tip, [graded.sha]):
        for change in batch:
            ready = await asyncio.to_thread(made_ready, cache, change, graded)
            return _shown(cache, kind, ready, kept=kept)
    return PromptPreview(graded=graded, why_not=Silence.SETTLED)


def _shown(
    cache: AnalysisCache, kind: Asked, ready: PreparedChange, *, kept: bool
) -> PromptPreview:
    graded = ready.material.graded
    why_not = Silence.SETTLED if is_settled(graded) else Silence.KEPT if kept else None
    account = BillingAccount(kind=CallKind.EXPLAIN, repository=cache.ctx.watched.repository.name)
    prompts = _prompts(cache, kind, ready)
    return PromptPreview(
        graded=graded,
        requests=tuple(request_for(prompt, lambda value: value, account) for prompt in prompts),
        secrets=ready.material.secrets,
        why_not=why_not,
    )


def _prompts(cache: AnalysisCache, kind: Asked, ready: PreparedChange) -> tuple[Prompt, ...]:
    model, language = cache.judging.model, cache.ctx.language
    tokens = room(model.profile, kind)
    if kind is Asked.LINES:
        return lines_prompts([ready.material], language, model.count, tokens)
    return prompts_for(ready.material, language, model.count, tokens, parts=PARTS[kind])


_LABELS = {
    "summary": SUMMARY,
    "impact": IMPACT,
    "insights": INSIGHTS,
    "risks": RISKS,
    "suggestions": SUGGESTIONS,
}


class LiveExplanation:
    """Implements ``Listener`` on a terminal, as a context manager."""

    def __init__(self, stream: TextIO, language: Language) -> None:
        self._language = language
        self._said: dict[str, list[str]] = {}
        self._live = Live(
            console=Console(file=stream),
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def hear(self, section: str, statement: Statement) -> None:
        """Show one more statement that the change supports."""
        self._said.setdefault(section, []).append(legible(statement.text))
        self._show()

    def restart(self) -> None:
        """Discard everything so far."""
        self._said.clear()
        self._show()

    def _show(self) -> None:
        lines = Text()
        for section, said in self._said.items():
            colon = COLON.template(self._language).rstrip()
            lines.append(f"{_LABELS[section].template(self._language)}{colon}\n", style="bold")
            for words in said:
                lines.append(f"  {words}\n")
        self._live.update(lines, refresh=True)


_WHY_NOT = {
    Silence.PRIVATE: "nothing would be sent: this repository's privacy is 'none'",
    Silence.SETTLED: "nothing would be sent: the facts are sufficient for this change",
    Silence.KEPT: "nothing would be sent: the answer is already stored",
}

_NO_MODEL = (
    "no model is configured, so nothing is sent; to see what would be, set DIGESTBOT_MODEL to any "
    "name; no server is called"
)


async def print_prompt(intent: Explain, ctx: Context, app: Workspace) -> None:
    """Print the requests word for word; the rest goes to standard error. Raises ``UserError``."""
    shown = await preview_prompt(intent, ctx)
    if app.runtime is None:
        raise UserError(_NO_MODEL)
    bodies = [app.runtime.model.body(request) for request in shown.requests]
    address = f"{app.runtime.config.base_url}/chat/completions"
    emit("\n".join(line for at, body in enumerate(bodies, 1) for line in _lines(at, body, address)))
    for note in _notes(shown):
        sys.stderr.write(f"digestbot: {note}\n")


def _lines(number: int, body: Mapping[str, Any], address: str) -> Iterator[str]:
    """The messages as they are, the other fields as JSON."""
    yield f"=== request {number}: POST {address}"
    for name, value in body.items():
        if name != "messages":
            yield f"{name}: {json.dumps(value, ensure_ascii=False)}"
    for message in body["messages"]:
        yield f"--- {message['role']}"
        yield message["content"]


def _notes(shown: PromptPreview) -> Iterator[str]:
    if shown.why_not in _WHY_NOT:
        yield _WHY_NOT[shown.why_not]
    if len(shown.requests) > 1:
        yield "the checked notes that come back are then joined by one more request"
    if shown.secrets:
        yield f"{shown.secrets} {'secret was' if shown.secrets == 1 else 'secrets were'} masked"
