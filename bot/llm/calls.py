"""Requests to one server, limited by rate and daily caps and recorded in the ledger.

The usage of a request is recorded however it ends: answered, broken, or cancelled by its caller.
Spending is read from the ledger, so a restart forgets nothing and there is no second count. The
most that running calls may still cost is added to it: concurrent calls never exceed a cap, though
close to it a call may be refused that would just have fitted. Other processes' calls count once
they end.

Tokens are estimated from characters, since every model has its own tokenizer, and corrected by the
counts that the server reports. The weights were fitted, by least squares of the relative error, to
the largest of five tokenizers (o200k, cl100k, DeepSeek V3, Qwen 3, Llama 3.1) on 260 commits of
vLLM with their patches and on English and Chinese prose about them: the estimate is 0.92 to 1.07 of
that count in nine of ten. A quarter of the characters is off by a factor of three on Chinese.
"""

from __future__ import annotations

import asyncio
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

import structlog

from bot.config.model_section import CapSettings, CapsSettings, ModelConfig
from bot.llm.openai_client import OpenAITransport
from bot.llm.response_format import Dialect
from bot.llm.throttle import Breaker, RateGate
from bot.llm.transport_values import Ask, Hear, ModelFault, ModelResponse
from bot.store.analyses import SqlCalls
from bot.util.machine import loop_time
from digest.frozen import frozen
from handlers.ports import model_port
from handlers.ports.storage import Clock

# Tokens for each byte of UTF-8. Line ends count much because of indentation and diff marks; bytes
# not listed are punctuation. A Han character has three bytes.
_WEIGHTS: Mapping[bytes, float] = {
    string.ascii_lowercase.encode(): 0.194,
    string.ascii_uppercase.encode(): 0.366,
    string.digits.encode(): 1.207,
    b" \t": 0.039,
    b"\n": 1.707,
    bytes(range(0x80, 0x100)): 0.355,
}

_PUNCTUATION = 0.575

# How fast the correction follows the server, and how many usual deviations it stays above.
_PACE = 0.2
_ABOVE = 2.0

# Below this many tokens the overhead of messages is too large to learn from.
_WORTH = 400
_LEAST, _MOST = 0.3, 3.0


def raw(text: str) -> float:
    """The uncorrected estimate. One megabyte takes about 10 ms."""
    data = text.encode("utf-8", "replace")
    left = len(data)
    total = 0.0
    for kind, weight in _WEIGHTS.items():
        found = len(data) - len(data.translate(None, kind))
        total += found * weight
        left -= found
    return total + left * _PUNCTUATION


class Estimator:
    """Estimates for one model, rather too high than too low."""

    # It starts a tenth above the fit and approaches the server's counts: the running mean of
    # counted over estimated, plus twice the usual deviation from it.

    def __init__(self) -> None:
        self._mean = 1.0
        self._deviation = 0.05

    @property
    def factor(self) -> float:
        """The factor for raw estimates."""
        return self._mean + _ABOVE * self._deviation

    def count(self, text: str) -> int:
        """Tokens in a text, at least 1 unless it is empty."""
        return int(raw(text) * self.factor) + 1 if text else 0

    def learn(self, estimated: float, counted: int) -> None:
        """Learn that a text with this raw estimate had this many tokens."""
        if estimated < _WORTH or counted <= 0:
            return
        ratio = min(_MOST, max(_LEAST, counted / estimated))
        self._deviation += _PACE * (abs(ratio - self._mean) - self._deviation)
        self._mean += _PACE * (ratio - self._mean)


log = structlog.get_logger(__name__)


@frozen
class _Scope:
    cap: CapSettings
    name: str
    channel: str | None = None
    person: str | None = None

    def covers(self, account: model_port.BillingAccount) -> bool:
        return self.channel in {None, account.channel} and self.person in {None, account.person}


Hold = tuple[model_port.BillingAccount, model_port.Usage]
"""The most that a call can take, reserved while it runs, and who it is for."""


class CappedBudget:
    """The caps on the usage of calls: per day, in UTC, channel and person."""

    def __init__(self, caps: CapsSettings, ledger: SqlCalls, clock: Clock) -> None:
        self._caps = caps
        self._ledger = ledger
        self._clock = clock
        self._holds: list[Hold] = []
        self._told: dict[str, date] = {}
        self._turn = asyncio.Lock()

    async def reserve(self, account: model_port.BillingAccount, most: model_port.Usage) -> Hold:
        """Reserve the most that a call can take. Raises ``BudgetSpent``."""
        async with self._turn:
            for scope in self._scopes(account):
                await self._check(scope, most)
            self._holds.append(hold := (account, most))
            return hold

    def settle(self, hold: Hold) -> None:
        """Release the reservation: the ledger has what the call took."""
        self._holds.remove(hold)

    async def _check(self, scope: _Scope, most: model_port.Usage) -> None:
        today = self._clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
        spent = await self._ledger.spent(today, channel=scope.channel, person=scope.person)
        reserved = (held for account, held in self._holds if scope.covers(account))
        total = sum(reserved, spent + most)
        cap = scope.cap
        if cap.tokens is not None and total.tokens > cap.tokens:
            raise self._budget_error(f"{cap.tokens} tokens a day{scope.name}")
        if cap.money is not None and total.cost > cap.money:
            raise self._budget_error(f"{cap.money} a day{scope.name}")

    def _budget_error(self, detail: str) -> model_port.BudgetSpent:
        """The error for a spent cap, which is logged once a day for each cap."""
        today = self._clock.now().date()
        if self._told.get(detail) != today:
            self._told[detail] = today
            log.warning("model.capped", detail=detail)
        return model_port.BudgetSpent(detail)

    def _scopes(self, account: model_port.BillingAccount) -> Iterator[_Scope]:
        """The caps that apply to an account."""
        caps = self._caps
        candidates = [_Scope(cap=caps.day, name="")]
        if account.channel:
            name = f" of channel {account.channel!r}"
            candidates.append(_Scope(cap=caps.channel, name=name, channel=account.channel))
        if account.person:
            name = f" of person {account.person!r}"
            candidates.append(_Scope(cap=caps.person, name=name, person=account.person))
        for scope in candidates:
            if scope.cap.tokens is not None or scope.cap.money is not None:
                yield scope


class Outdated(Exception):
    """The dialect of the server changed while a request waited for its turn."""


@dataclass(slots=True)
class CallContext:
    """One question: its account, deadline (in the loop's time), usage and the current dialect."""

    account: model_port.BillingAccount
    deadline: float
    dialect: Callable[[], Dialect]
    usage: model_port.Usage = field(default_factory=model_port.Usage)


@dataclass(slots=True)
class _Sent:
    ask: Ask
    most: model_port.Usage
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
        transport: OpenAITransport,
        *,
        ledger: SqlCalls,
        budget: CappedBudget,
        clock: Clock,
        breaker: Breaker | None = None,
    ) -> None:
        self._config = config
        self._transport = transport
        self._ledger = ledger
        self._budget = budget
        self._clock = clock
        self._breaker = breaker or Breaker(loop_time)
        self._gate = RateGate(
            config.concurrency, config.requests_per_minute, config.tokens_per_minute
        )
        self.estimator = Estimator()

    async def send(self, ask: Ask, question: CallContext, hear: Hear | None) -> ModelResponse:
        """Send one request. Raises :class:`ModelFault`, :class:`Outdated` or ``BudgetSpent``."""
        self._breaker.check()
        most = self._with_price(
            model_port.Usage(
                calls=1,
                input_tokens=int(ask.estimated * self.estimator.factor) + 1,
                output_tokens=ask.output_tokens,
                estimated=True,
            )
        )
        async with self._gate.turn(most.tokens, question.deadline) as turn:
            # The dialect may have changed while this request waited.
            if ask.dialect != question.dialect():
                turn.not_taken()
                raise Outdated
            self._breaker.admit()
            hold = await self._budget.reserve(question.account, most)
            sent = _Sent(ask, most, self._clock.now(), loop_time())
            try:
                return await self._carry(sent, question.deadline, hear)
            finally:
                usage = self._usage_of(sent)
                question.usage += usage
                turn.took(usage.tokens)
                try:
                    await self._book(sent, usage, question.account)
                finally:
                    self._budget.settle(hold)

    async def _carry(self, sent: _Sent, deadline: float, hear: Hear | None) -> ModelResponse:
        # A stream may go on while it flows; the transport limits the wait between two pieces.
        limit = deadline if hear else min(deadline, sent.began + self._config.timeout)
        if hear is not None:
            sent.heard = []
            hear = _both(sent.heard.append, hear)
        try:
            async with asyncio.timeout_at(limit):
                sent.answer = await self._transport.send(sent.ask, hear)
        except TimeoutError:
            detail = f"no answer in {loop_time() - sent.began:.2g} s"
            sent.fault = ModelFault(
                reason=model_port.ModelReason.TIMEOUT, detail=detail, charged=True
            )
        except ModelFault as fault:
            sent.fault = fault
        if sent.fault is not None:
            self._note_failure(sent, sent.fault)
            raise sent.fault
        assert sent.answer is not None
        sent.outcome = model_port.OK
        self._breaker.succeeded()
        if sent.answer.metered:
            self.estimator.learn(sent.ask.estimated, sent.answer.metered.input)
        return sent.answer

    def _note_failure(self, sent: _Sent, fault: ModelFault) -> None:
        sent.outcome = fault.reason.value
        log.warning("model.fault", reason=fault.reason, detail=fault.detail, status=fault.status)
        self._breaker.failed(fault, sent.began)
        if fault.reason is model_port.ModelReason.RATE_LIMITED and fault.retry_after:
            self._gate.close_for(fault.retry_after)

    def _usage_of(self, sent: _Sent) -> model_port.Usage:
        """The usage of a request; if nobody reports it, the most it can have been."""
        if sent.answer is not None and (metered := sent.answer.metered) is not None:
            return self._with_price(
                model_port.Usage(
                    calls=1,
                    input_tokens=metered.input,
                    cached_tokens=metered.cached,
                    output_tokens=metered.output,
                )
            )
        if sent.answer is not None or sent.heard:
            text = sent.answer.text if sent.answer else "".join(sent.heard or ())
            return self._with_price(replace(sent.most, output_tokens=self.estimator.count(text)))
        free = sent.fault is not None and not sent.fault.charged
        return model_port.Usage(calls=1) if free else sent.most

    def _with_price(self, usage: model_port.Usage) -> model_port.Usage:
        return replace(usage, cost=self._config.price.cost(usage))

    async def _book(
        self, sent: _Sent, usage: model_port.Usage, account: model_port.BillingAccount
    ) -> None:
        seconds = loop_time() - sent.began
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
            model_port.ModelCall(
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
