"""How much each person asked lately, and who was told of a refusal.

:class:`Alone` counts in this process and forgets with it; what counts for all processes is
:class:`bot.shared.asked.RedisAsked`, which falls back on it.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Protocol, TypeVar

from bot.access.decide import Load

_Kept = TypeVar("_Kept")

MINUTE, HOUR = 60.0, 3600.0
_MOST = 10_000
"""People whose questions are counted; the one who was silent longest is forgotten first."""


class Asked(Protocol):
    """Counts questions by person, who is named ``platform:id``."""

    async def count(self, person: str) -> Load:
        """Count a question; what the person had asked before it."""

    async def uncount(self, person: str) -> None:
        """The newest question of the person was refused, and does not count."""

    async def told_lately(self, person: str) -> bool:
        """Whether the person was refused in the last minute; from now on, yes."""


class Alone:
    """Counts in this process alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: OrderedDict[str, deque[float]] = OrderedDict()
        self._told: OrderedDict[str, float] = OrderedDict()

    async def count(self, person: str) -> Load:
        """As :meth:`Asked.count`."""
        now, asked = self._clock(), self._asked.setdefault(person, deque())
        while asked and asked[0] <= now - HOUR:
            asked.popleft()
        before = Load(minute=sum(at > now - MINUTE for at in asked), hour=len(asked))
        asked.append(now)
        _bounded(self._asked, person)
        return before

    async def uncount(self, person: str) -> None:
        """As :meth:`Asked.uncount`."""
        if asked := self._asked.get(person):
            asked.pop()

    async def told_lately(self, person: str) -> bool:
        """As :meth:`Asked.told_lately`."""
        now = self._clock()
        lately = self._told.get(person, -MINUTE) > now - MINUTE
        if not lately:
            self._told[person] = now
            _bounded(self._told, person)
        return lately


def _bounded(known: OrderedDict[str, _Kept], person: str) -> None:
    """The person is the newest; the oldest goes where there are too many."""
    known.move_to_end(person)
    while len(known) > _MOST:
        known.popitem(last=False)
