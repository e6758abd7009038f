"""Requests to one server, limited by rate and caps and recorded in the ledger.

The usage of a request is recorded however it ends: answered, broken, or cancelled by its caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from bot.config.model_section import ModelConfig
from bot.llm import token_count
from bot.llm.rate_gate import RateGate
from bot.llm.response_format import Dialect
from bot.llm.retry import Breaker
from bot.llm.transport_values import Ask, Hear, ModelFault, ModelResponse, ModelTransport
from handlers.ports.model_port import (
    OK,
    BillingAccount,
    BudgetPort,
    CallLedger,
    ModelCall,
    ModelReason,
    Usage,
)
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)


class Outdated(Exception):
    """The dialect of the server changed while a request waited for its turn."""


@dataclass(slots=True)
class CallContext:
    """What belongs to one question: its account, deadline (in the loop's time) and usage.

    ``dialect`` returns the server's current dialect.
    """

    account: BillingAccount
    deadline: float
    dialect: Callable[[], Dialect]
    usage: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class _Sent:
    """One request that is being sent."""

    ask: Ask
    most: Usage
    at: datetime
    began: float
    outcome: str = "cancelled"
    answer: ModelResponse | None = None
    fault: ModelFault | None = None
    heard: list[str] | None = None


class ModelCalls:
    """Sends requests through one rate gate, breaker and budget, and corrects token estimates."""

    def __init__(
        self,
        config: ModelConfig,
        transport: ModelTransport,
        *,
        ledger: CallLedger,
        purse: BudgetPort,
        clock: Clock,
        breaker: Breaker | None = None,
    ) -> None:
        self._config = config
        self._transport = transport
        self._ledger = ledger
        self._purse = purse
        self._clock = clock
        self._breaker = breaker or Breaker(now)
        self._gate = RateGate(
            config.concurrency, config.requests_per_minute, config.tokens_per_minute
        )
        self._estimator = token_count.Estimator()

    @property
    def estimator(self) -> token_count.Estimator:
        """The estimator, which learns how the model counts tokens."""
        return self._estimator

    async def send(self, ask: Ask, errand: CallContext, hear: Hear | None) -> ModelResponse:
        """Send one request. Raises :class:`ModelFault`, :class:`Outdated` or ``BudgetSpent``."""
        self._breaker.check()
        most = self._priced(
            Usage(
                calls=1,
                input_tokens=int(ask.estimated * self._estimator.factor) + 1,
                output_tokens=ask.output_tokens,
                estimated=True,
            )
        )
        async with self._gate.turn(most.tokens, errand.deadline) as turn:
            # The dialect may have changed while this request waited.
            if ask.dialect != errand.dialect():
                turn.not_taken()
                raise Outdated
            self._breaker.admit()
            hold = await self._purse.reserve(errand.account, most)
            sent = _Sent(ask, most, self._clock.now(), now())
            try:
                return await self._carry(sent, errand.deadline, hear)
            finally:
                usage = self._used(sent)
                errand.usage += usage
                turn.took(usage.tokens)
                try:
                    await self._book(sent, usage, errand.account)
                finally:
                    await self._purse.settle(hold, usage)

    async def _carry(self, sent: _Sent, deadline: float, hear: Hear | None) -> ModelResponse:
        """Send it and record how it ended."""
        # A stream may go on while it flows; the transport limits the wait between two pieces.
        limit = deadline if hear else min(deadline, sent.began + self._config.timeout)
        if hear is not None:
            sent.heard = []
            hear = _both(sent.heard.append, hear)
        try:
            async with asyncio.timeout_at(limit):
                sent.answer = await self._transport.send(sent.ask, hear)
        except TimeoutError:
            detail = f"no answer in {now() - sent.began:.2g} s"
            sent.fault = ModelFault(reason=ModelReason.TIMEOUT, detail=detail, charged=True)
        except ModelFault as fault:
            sent.fault = fault
        if sent.fault is not None:
            self._failed(sent, sent.fault)
            raise sent.fault
        assert sent.answer is not None
        sent.outcome = OK
        self._breaker.succeeded()
        if sent.answer.metered:
            self._estimator.learn(sent.ask.estimated, sent.answer.metered.input)
        return sent.answer

    def _failed(self, sent: _Sent, fault: ModelFault) -> None:
        sent.outcome = fault.reason.value
        log.warning("model.fault", reason=fault.reason, detail=fault.detail, status=fault.status)
        self._breaker.failed(fault, sent.began)
        if fault.reason is ModelReason.RATE_LIMITED and fault.retry_after:
            self._gate.close_for(fault.retry_after)

    def _used(self, sent: _Sent) -> Usage:
        """The usage of a request; if nobody reports it, the most it can have been."""
        if sent.answer is not None and (metered := sent.answer.metered) is not None:
            return self._priced(
                Usage(
                    calls=1,
                    input_tokens=metered.input,
                    cached_tokens=metered.cached,
                    output_tokens=metered.output,
                )
            )
        if sent.answer is not None or sent.heard:
            text = sent.answer.text if sent.answer else "".join(sent.heard or ())
            return self._priced(replace(sent.most, output_tokens=self._estimator.count(text)))
        free = sent.fault is not None and not sent.fault.charged
        return Usage(calls=1) if free else sent.most

    def _priced(self, usage: Usage) -> Usage:
        return replace(usage, cost=self._config.price.cost(usage))

    async def _book(self, sent: _Sent, usage: Usage, account: BillingAccount) -> None:
        seconds = now() - sent.began
        log.debug(
            "model.call",
            kind=account.kind,
            repository=account.repository,
            outcome=sent.outcome,
            seconds=round(seconds, 3),
            input=usage.input_tokens,
            cached=usage.cached_tokens,
            output=usage.output_tokens,
            cost=str(usage.cost),
        )
        await self._ledger.add(
            ModelCall(
                at=sent.at,
                account=account,
                model=(sent.answer and sent.answer.model) or self._config.name,
                rung=sent.ask.dialect.rung.value if sent.ask.schema is not None else "",
                usage=usage,
                seconds=seconds,
                outcome=sent.outcome,
            )
        )


def _both(first: Callable[[str], None], second: Callable[[str], None]) -> Hear:
    def hear(piece: str) -> None:
        first(piece)
        second(piece)

    return hear


def now() -> float:
    """The time of the running loop, in seconds."""
    return asyncio.get_running_loop().time()
