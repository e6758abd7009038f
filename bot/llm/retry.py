"""A server that is gone costs one wait, not one for every call.

After some failures in a row nothing is sent for a while; then one request goes ahead, and the rest
follow once it is answered. Failures of requests that ran side by side are one failure, since they
have one cause; only waits that ran out count one by one, being the dearest.

Which faults are worth another try, and after what pause.

What a server asks for is done, however long, as far as the caller's time reaches. A request that
the server may have worked for is hardly repeated: a broken answer once, and one that never came not
at all, since both may have to be paid.
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

# What no repeating mends: a person must.
_LASTING = frozenset({ModelReason.UNAUTHORIZED, ModelReason.NO_CREDIT, ModelReason.UNKNOWN_MODEL})


class Breaker:
    """Remembers how the last requests to a server went. Times are in seconds, of one clock."""

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
        """Whether a request has a chance. Raises :class:`Fault`, as the last one was, if not."""
        if self._last is not None and self._clock() < self._open_until:
            detail = f"not asked again yet; before: {self._last.detail}"
            raise replace(self._last, detail=detail, charged=False, final=True)

    def admit(self) -> None:
        """Let a request be sent, or raise as :meth:`check` does."""
        self.check()
        if self._last is not None:
            # This request goes ahead; the others wait for how it ends.
            self._open_until = self._clock() + self._cooling

    def succeeded(self) -> None:
        """A request was answered, be it with a refusal."""
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
    """The tries of one request."""

    pauses: Pauses
    made: Counter[ModelReason] = field(default_factory=Counter)

    def pause(self, fault: ModelFault) -> float | None:
        """Seconds to wait before the next try; ``None``: there is none."""
        if fault.final:
            return None
        made = self.made[fault.reason]
        self.made[fault.reason] += 1
        asked = fault.retry_after
        if asked is not None and fault.reason in {
            ModelReason.RATE_LIMITED,
            ModelReason.UNAVAILABLE,
        }:
            # A little later than asked, so that not all who wait come in the same instant.
            return max(asked, self.pauses.first) + self._jitter(self.pauses.first)
        if made >= _TRIES.get(fault.reason, 0):
            return None
        return self._jitter(min(self.pauses.longest, self.pauses.first * 2**made))

    def _jitter(self, pause: float) -> float:
        """Between half of it and all of it."""
        return pause * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing
