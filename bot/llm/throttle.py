"""When a request may be sent: limits of a minute, pauses between tries, and a breaker.

All callers share one :class:`RateGate`. No 60 seconds, wherever they begin, contain more than the
limit: a token bucket that starts full would let twice the limit pass in its first minute.

After several failures in a row the breaker stops all requests for a while; then one request goes
ahead, and the others follow once it is answered. Failures of concurrent requests count once, except
timeouts, which cost most.

A wait that the server asks for is observed, however long, within the caller's time. What the server
may have worked on is hardly repeated, since both may have to be paid for: after a broken answer
once, after a timeout not at all.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import structlog

from bot.llm.transport_values import ModelFault
from bot.util.machine import loop_time
from digest.frozen import frozen
from handlers.ports.model_port import ModelReason

# Seconds. The margin allows for requests with different delays to the server's clock.
MINUTE = 60.5

# Waiters check again this often, in seconds: an answer that used less than was reserved for it
# makes room before the minute is over.
_LOOK = 1.0


@dataclass(slots=True)
class GateEntry:
    """An amount that was let pass, and when."""

    at: float
    amount: float


@frozen(kw_only=False)
class Turn:
    """The entries of one request that was let pass."""

    request: GateEntry
    tokens: GateEntry

    def took(self, tokens: int) -> None:
        """The request actually took this many tokens."""
        self.tokens.amount = tokens

    def not_taken(self) -> None:
        """The request was not sent after all."""
        self.request.amount = self.tokens.amount = 0


class MinuteWindow:
    """Lets at most ``limit`` (``None``: everything) pass in any 60 seconds, more only alone."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._passed: deque[GateEntry] = deque()

    def wait(self, now: float, amount: float) -> float:
        """Seconds until this amount may pass; 0 if it may now."""
        if self._limit is None:
            return 0.0
        while self._passed and self._passed[0].at + MINUTE <= now:
            self._passed.popleft()
        excess = sum(entry.amount for entry in self._passed) + amount - self._limit
        if excess <= 0 or not self._passed:
            return 0.0
        for entry in self._passed:
            excess -= entry.amount
            if excess <= 0:
                return entry.at + MINUTE - now
        return self._passed[-1].at + MINUTE - now

    def take(self, now: float, amount: float) -> GateEntry:
        """Let it pass. The entry's amount may be corrected later."""
        entry = GateEntry(now, amount)
        if self._limit is not None:
            self._passed.append(entry)
        return entry


class RateGate:
    """Where all requests wait for their turn, first come, first served."""

    def __init__(
        self,
        concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
    ) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._queue = asyncio.Lock()
        self._requests = MinuteWindow(requests_per_minute)
        self._tokens = MinuteWindow(tokens_per_minute)
        self._closed_until = 0.0

    def close_for(self, seconds: float) -> None:
        """Let nothing pass for a while, because the server asked for it."""
        self._closed_until = max(self._closed_until, loop_time() + seconds)

    @asynccontextmanager
    async def turn(self, tokens: int, deadline: float) -> AsyncIterator[Turn]:
        """A slot for one request of at most ``tokens``, until ``deadline`` (loop time)."""
        # Raises :class:`ModelFault` if the turn cannot come before the deadline.
        try:
            async with asyncio.timeout_at(deadline):
                await self._slots.acquire()
        except TimeoutError:
            detail = "no slot became free in time"
            raise ModelFault(reason=ModelReason.TIMEOUT, detail=detail, final=True) from None
        try:
            try:
                async with asyncio.timeout_at(deadline):
                    turn = await self._pass(tokens, deadline)
            except TimeoutError:
                raise _rate_limit_fault(
                    "the rate limit leaves no room before the deadline"
                ) from None
            yield turn
        finally:
            self._slots.release()

    async def _pass(self, tokens: int, deadline: float) -> Turn:
        async with self._queue:
            while (wait := self._wait(tokens)) > 0:
                if self._closed_until >= deadline:
                    raise _rate_limit_fault("the server asked to wait past the deadline")
                await asyncio.sleep(min(wait, _LOOK))
            now = loop_time()
            return Turn(self._requests.take(now, 1), self._tokens.take(now, tokens))

    def _wait(self, tokens: int) -> float:
        now = loop_time()
        return max(
            self._closed_until - now, self._requests.wait(now, 1), self._tokens.wait(now, tokens)
        )


def _rate_limit_fault(detail: str) -> ModelFault:
    return ModelFault(reason=ModelReason.RATE_LIMITED, detail=detail, final=True)


log = structlog.get_logger(__name__)

_GONE = frozenset({ModelReason.UNAVAILABLE, ModelReason.BROKEN, ModelReason.TIMEOUT})

# Failures that retrying does not solve: a person has to.
_LASTING = frozenset({ModelReason.UNAUTHORIZED, ModelReason.NO_CREDIT, ModelReason.UNKNOWN_MODEL})


class Breaker:
    """Tracks the results of the last requests to a server. Times are in seconds, of one clock."""

    def __init__(
        self, clock: Callable[[], float], failures: int = 3, cooling: float = 60.0
    ) -> None:
        """``failures`` in a row open it; ``cooling`` is how long it stays open."""
        self._clock = clock
        self._most = failures
        self._cooling = cooling
        self._failures = 0
        self._failed_at = float("-inf")
        self._open_until = float("-inf")
        self._last: ModelFault | None = None

    def check(self) -> None:
        """Raise the last :class:`ModelFault` again while the breaker is open."""
        if self._last is not None and self._clock() < self._open_until:
            detail = f"not retried yet; last error: {self._last.detail}"
            raise replace(self._last, detail=detail, charged=False, final=True)

    def admit(self) -> None:
        """Let a request be sent, or raise as :meth:`check` does."""
        self.check()
        if self._last is not None:
            # This request goes ahead; the others wait for its result.
            self._open_until = self._clock() + self._cooling

    def succeeded(self) -> None:
        """A request was answered, possibly with a refusal."""
        if self._last is not None:
            log.info("model.back")
        self._failures = 0
        self._last = None

    def failed(self, fault: ModelFault, sent_at: float) -> None:
        """A request that was sent at this time was not answered."""
        if fault.reason not in _GONE | _LASTING:
            self.succeeded()
            return
        now = self._clock()
        lasting = fault.reason in _LASTING
        if sent_at >= self._failed_at or fault.reason is ModelReason.TIMEOUT:
            self._failures += 1
            self._failed_at = now
        if lasting or self._failures >= self._most:
            if self._last is None:
                log.warning("model.gone", reason=fault.reason, detail=fault.detail)
            self._last = fault
            self._open_until = now + self._cooling


_TRIES: Mapping[ModelReason, int] = {
    ModelReason.RATE_LIMITED: 8,
    ModelReason.UNAVAILABLE: 3,
    ModelReason.BROKEN: 1,
}


@frozen
class Pauses:
    """Pauses in seconds: the first, doubled each time, never above the longest."""

    first: float = 0.5
    longest: float = 30.0


@dataclass(slots=True)
class Tries:
    """The retries of one request."""

    pauses: Pauses
    made: Counter[ModelReason] = field(default_factory=Counter)

    def pause(self, fault: ModelFault) -> float | None:
        """Seconds to wait before the next attempt; ``None`` if there is none."""
        if fault.final:
            return None
        made = self.made[fault.reason]
        self.made[fault.reason] += 1
        asked = fault.retry_after
        if asked is not None and fault.reason in {
            ModelReason.RATE_LIMITED,
            ModelReason.UNAVAILABLE,
        }:
            # A little later than asked, so that waiters do not all return at the same instant.
            return max(asked, self.pauses.first) + self._jitter(self.pauses.first)
        if made >= _TRIES.get(fault.reason, 0):
            return None
        return self._jitter(min(self.pauses.longest, self.pauses.first * 2**made))

    def _jitter(self, pause: float) -> float:
        """A random value between half the pause and the whole pause."""
        return pause * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing
