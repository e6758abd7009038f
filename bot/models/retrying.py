"""Which faults are worth another try, and after what pause.

What a server asks for is done, however long, as far as the caller's time reaches. A request that
the server may have worked for is hardly repeated: a broken answer once, and one that never came not
at all, since both may have to be paid.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.models.base import Fault
from handlers.model_port import ModelReason

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

    def pause(self, fault: Fault) -> float | None:
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
