"""When to retry a failed request, and when to stop sending to a server that is down.

After several failures in a row the breaker stops all requests for a while; then one request goes
ahead, and the others follow once it is answered. Failures of concurrent requests count once,
because they have one cause; only timeouts count singly, because they cost most.

A wait that the server asks for is observed, however long, within the caller's time. A request that
the server may have worked on is hardly repeated: after a broken answer once, after a timeout not at
all, because both may have to be paid for.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import structlog

from bot.llm.transport_values import ModelFault
from handlers.ports.model_port import ModelReason

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


@dataclass(frozen=True, slots=True, kw_only=True)
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
