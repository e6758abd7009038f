"""A model behind a server. One object serves all callers of a process, in one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import structlog

from bot.config.model_section import ModelConfig
from bot.llm.calls import CallContext, CappedBudget, ModelCalls, Outdated
from bot.llm.exchange import Dialogue, Whole
from bot.llm.json_reply import Unthinking
from bot.llm.openai_client import OpenAITransport
from bot.llm.response_format import Dialect, DialectFile, Rung, context_limit, next_lower, simpler
from bot.llm.throttle import Breaker, Pauses, Tries
from bot.llm.transport_values import Ask, ModelFault
from bot.store.analyses import SqlCalls
from bot.util.machine import SystemClock, loop_time
from handlers.ports import model_port
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)

T = TypeVar("T")
Tell = Callable[[model_port.ReplyPiece | model_port.Restart], None]

# Faults that can be caused by the dialect rather than by the request itself.
_ABOUT_ASKING = frozenset({model_port.ModelReason.REJECTED, model_port.ModelReason.UNAVAILABLE})

# Faults of a server or an account, which another model may not have.
_ELSEWHERE = frozenset(
    {
        model_port.ModelReason.RATE_LIMITED,
        model_port.ModelReason.UNAVAILABLE,
        model_port.ModelReason.TIMEOUT,
        model_port.ModelReason.BROKEN,
        model_port.ModelReason.UNAUTHORIZED,
        model_port.ModelReason.NO_CREDIT,
        model_port.ModelReason.UNKNOWN_MODEL,
    }
)

# The share of a context that was found to be small which a reply may take: one in so many.
_REPLY_SHARE = 4
_CHANGES = 6  # limits the changes of dialect, in case a server refuses every one


@dataclass(slots=True)
class _Patience:
    """The retries and changes of dialect that a question has left."""

    tries: Tries
    changes: int = 0


class ServedModel:
    """Implements ``Model``."""

    def __init__(
        self,
        config: ModelConfig,
        transport: OpenAITransport,
        ledger: SqlCalls,
        *,
        budget: CappedBudget,
        memory: DialectFile,
        anew: bool = False,
        clock: Clock | None = None,
        pauses: Pauses | None = None,
        breaker: Breaker | None = None,
        reserve: ServedModel | None = None,
    ) -> None:
        """``reserve`` answers what this one cannot because of its server.

        With ``anew`` everything is probed again, and the findings replace what was remembered.
        """
        self._config = config
        self._reserve = reserve
        self._transport = transport
        self._memory = memory
        self._pauses = pauses or Pauses()
        self._calls = ModelCalls(
            config,
            transport,
            ledger=ledger,
            budget=budget,
            clock=clock or SystemClock(),
            breaker=breaker,
        )
        known = None if anew else memory.recall(config.base_url, config.name)
        self.dialect = known or Dialect(limit=config.output_limit)

        self._proven: set[Rung] = set()

    @property
    def profile(self) -> model_port.ModelProfile:
        """The model's name and limits, with what the server said of its context."""
        known, context = self._config.profile, self.dialect.context
        if context and context < known.context:
            most = min(known.max_output, context // _REPLY_SHARE)
            known = replace(known, context=context, max_output=most)
        if self._reserve is None:
            return known
        # A question must fit both.
        other = self._reserve.profile
        return replace(
            known,
            context=min(known.context, other.context),
            max_output=min(known.max_output, other.max_output),
        )

    def count(self, text: str) -> int:
        """An estimate of the tokens in a text, rather too high than too low."""
        return self._calls.estimator.count(text)

    async def complete(self, request: model_port.ModelRequest[T]) -> model_port.ModelReply[T]:
        """Ask, and return the complete reply. Raises ``ModelError``."""
        return await self.answer(request, None)

    async def stream(
        self, request: model_port.ModelRequest[T]
    ) -> AsyncIterator[model_port.StreamEvent[T]]:
        """Ask, and yield the reply as it arrives; the last event is the complete reply."""
        # The question runs in a task of its own: a slow consumer must not use up the time.
        events: asyncio.Queue[model_port.ReplyPiece | model_port.Restart | None] = asyncio.Queue()
        task = asyncio.create_task(self.answer(request, events.put_nowait))
        task.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            yield await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def body(self, request: model_port.ModelRequest[T]) -> Mapping[str, Any]:
        """The body of the first request, not sent. Raises ``ModelError`` if it is too long."""
        talk = Dialogue(request, self.profile, self._calls.estimator.factor)
        return self._transport.body(talk.ask(self.dialect))

    def remember(self) -> None:
        """Store what was learned about the server for the next run."""
        self._memory.keep(self._config.base_url, self._config.name, self.dialect)

    async def warm(self) -> None:
        """Load slow parts in the background; otherwise the first question waits for them."""
        await self._transport.warm()
        if self._reserve is not None:
            await self._reserve.warm()

    async def aclose(self) -> None:
        """Close connections."""
        await self._transport.aclose()
        if self._reserve is not None:
            await self._reserve.aclose()

    async def answer(
        self, request: model_port.ModelRequest[T], tell: Tell | None
    ) -> model_port.ModelReply[T]:
        """The complete reply, of which ``tell`` hears while it arrives. Raises ``ModelError``."""
        wait = self._config.patience if request.patience is None else request.patience
        began = loop_time()
        question = CallContext(request.account, began + wait, lambda: self.dialect)
        try:
            return await self._converse(request, question, began, tell)
        except model_port.ModelError as error:
            error.usage = question.usage
            left = question.deadline - loop_time()
            if self._reserve is None or error.reason not in _ELSEWHERE or left <= 0:
                raise
            failed = error
        log.info("model.fallback", why=failed.reason, model=self._reserve.profile.name)
        if tell:
            tell(model_port.Restart(why=failed.reason))
        try:
            reply = await self._reserve.answer(replace(request, patience=left), tell)
        except model_port.ModelError as error:
            error.usage += failed.usage
            raise
        name = self._reserve.profile.name
        return replace(reply, usage=reply.usage + failed.usage, by=reply.by or name)

    async def _converse(
        self,
        request: model_port.ModelRequest[T],
        question: CallContext,
        began: float,
        tell: Tell | None,
    ) -> model_port.ModelReply[T]:
        talk = Dialogue(request, self.profile, self._calls.estimator.factor)
        patience = _Patience(Tries(self._pauses))
        while True:
            ask = talk.ask(self.dialect)
            telling = _Telling(tell) if tell else None
            try:
                answer = await self._calls.send(ask, question, telling.hear if telling else None)
            except Outdated:
                continue
            except ModelFault as fault:
                await self._overcome(fault, ask, question, patience)
                why = fault.reason
            else:
                rung = ask.dialect.rung
                step = talk.take(ask, answer, proven=rung in self._proven)
                if isinstance(step, Whole):
                    if ask.schema is not None:
                        self._proven.add(rung)
                    if telling:
                        telling.close()
                    return model_port.ModelReply(
                        value=step.value,
                        usage=question.usage,
                        model=answer.model or self._config.name,
                        seconds=loop_time() - began,
                    )
                why = step.why
                log.info("model.again", why=why, kind=request.account.kind)
                if step.unkept:
                    self._adopt(ask.dialect, next_lower(ask.dialect))
            if telling:
                telling.restart(why)

    async def _overcome(
        self, fault: ModelFault, ask: Ask, question: CallContext, patience: _Patience
    ) -> None:
        """Change the dialect or wait. Raises ``ModelError`` if neither helps."""
        # A context smaller than configured is remembered; the caller fits its question again.
        new = None
        if fault.reason is model_port.ModelReason.CONTEXT_LENGTH:
            limit = context_limit(fault.detail)
            if limit and limit < self.profile.context:
                self._adopt(self.dialect, replace(self.dialect, context=limit))
        if fault.reason in _ABOUT_ASKING:
            shaped = ask.schema is not None
            new = simpler(ask.dialect, fault.status, fault.parameter, fault.detail, shaped=shaped)
        if new is not None and patience.changes < _CHANGES:
            patience.changes += 1
            self._adopt(ask.dialect, new)
            return
        pause = patience.tries.pause(fault)
        if pause is None or loop_time() + pause >= question.deadline:
            raise model_port.ModelError(fault.reason, fault.detail) from fault
        await asyncio.sleep(pause)

    def _adopt(self, old: Dialect, new: Dialect | None) -> None:
        """Use the new dialect from now on, unless another request has changed it meanwhile."""
        if new is None or self.dialect != old:
            return
        self.dialect = new
        self.remember()
        log.info(
            "model.dialect", rung=new.rung, limit=new.limit, stream=new.stream, context=new.context
        )


@dataclass(slots=True)
class _Telling:
    """Passes the text of one request to a listener, without the model's thoughts."""

    tell: Tell
    unthinking: Unthinking = field(default_factory=Unthinking)
    told: bool = False

    def hear(self, piece: str) -> None:
        self._pass(self.unthinking.feed(piece))

    def close(self) -> None:
        self._pass(self.unthinking.close())

    def restart(self, why: model_port.ModelReason) -> None:
        if self.told:
            self.tell(model_port.Restart(why=why))

    def _pass(self, text: str) -> None:
        if text:
            self.told = True
            self.tell(model_port.ReplyPiece(text=text))
