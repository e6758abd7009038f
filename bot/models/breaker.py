"""A server that is gone costs one wait, not one for every call.

After some failures in a row nothing is sent for a while; then one request goes ahead, and the rest
follow once it is answered. Failures of requests that ran side by side are one failure, since they
have one cause; only waits that ran out count one by one, being the dearest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import structlog

from bot.models.base import Fault
from handlers.model_port import ModelReason

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
        self._last: Fault | None = None

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

    def failed(self, fault: Fault, sent_at: float) -> None:
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
