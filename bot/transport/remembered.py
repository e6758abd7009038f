"""What was found out of somebody else, remembered for a while."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")

_MOST = 10_000
"""Values that are kept at a time."""


class Remembered(Generic[_T]):
    """Values by key, the newest of them, each for some seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, _T]] = OrderedDict()

    def get(self, key: str) -> _T | None:
        """The value, while it lasts."""
        if key not in self._kept:
            return None
        until, value = self._kept[key]
        return value if until > self._clock() else None

    def keep(self, key: str, value: _T) -> _T:
        """Remember, and forget the oldest where there are too many."""
        self._kept[key] = (self._clock() + self._seconds, value)
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return value
