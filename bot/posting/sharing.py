"""Work that many want is done once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Shared:
    """Results by key: who asks while one is made waits for it, who asks later gets it as it is.

    A key must name everything that the result depends on. Of finished results the last ``most``
    are kept; a failure reaches those who wait, and is not kept.
    """

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """The result of a key, made by whoever asks for it first. Raises what ``make`` raises."""
        task: asyncio.Task[T] | None = self._made.get(key)
        if task is None or task.cancelled():
            task = asyncio.ensure_future(_awaited(make))
            self._made[key] = task
            task.add_done_callback(lambda done: self._finished(key, done))
        self._made.move_to_end(key)
        # Shielded, so that one who no longer waits does not take it from the others.
        return await asyncio.shield(task)

    def _finished(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        if (task.cancelled() or task.exception() is not None) and self._made.get(key) is task:
            del self._made[key]
        for old in [old for old, one in self._made.items() if one.done()][: -self._most]:
            del self._made[old]


async def _awaited(make: Callable[[], Awaitable[T]]) -> T:
    return await make()
