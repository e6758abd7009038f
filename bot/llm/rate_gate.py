"""Limits the concurrent requests, and the requests and tokens in a minute.

All callers share one :class:`RateGate`. A minute is counted exactly, not on average: no 60 seconds,
wherever they begin, contain more than the limit. A token bucket that starts full would let twice
the limit pass in its first minute, which servers answer with 429.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.llm.transport_values import ModelFault
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


@dataclass(frozen=True, slots=True)
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
    """Lets at most ``limit`` pass in any 60 seconds; ``None`` lets everything pass.

    An amount above the limit passes once nothing else has for a minute, rather than never.
    """

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
        self._closed_until = max(self._closed_until, _now() + seconds)

    @asynccontextmanager
    async def turn(self, tokens: int, deadline: float) -> AsyncIterator[Turn]:
        """A slot for the duration of one request.

        ``tokens`` is the most that the request can take; ``deadline`` is in the loop's time. Raises
        :class:`ModelFault` if the turn cannot come before it.
        """
        try:
            async with asyncio.timeout_at(deadline):
                await self._slots.acquire()
        except TimeoutError:
            raise _late("no slot was free in time") from None
        try:
            try:
                async with asyncio.timeout_at(deadline):
                    turn = await self._pass(tokens, deadline)
            except TimeoutError:
                raise _limited("the rate limit leaves no room before the deadline") from None
            yield turn
        finally:
            self._slots.release()

    async def _pass(self, tokens: int, deadline: float) -> Turn:
        async with self._queue:
            while (wait := self._wait(tokens)) > 0:
                if self._closed_until >= deadline:
                    raise _limited("the server asked to wait past the deadline")
                await asyncio.sleep(min(wait, _LOOK))
            now = _now()
            return Turn(self._requests.take(now, 1), self._tokens.take(now, tokens))

    def _wait(self, tokens: int) -> float:
        now = _now()
        return max(
            self._closed_until - now, self._requests.wait(now, 1), self._tokens.wait(now, tokens)
        )


def _now() -> float:
    return asyncio.get_running_loop().time()


def _late(detail: str) -> ModelFault:
    return ModelFault(reason=ModelReason.TIMEOUT, detail=detail, final=True)


def _limited(detail: str) -> ModelFault:
    return ModelFault(reason=ModelReason.RATE_LIMITED, detail=detail, final=True)
