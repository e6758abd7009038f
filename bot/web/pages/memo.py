"""What is made of many changes and asked for often, kept until the archive changes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

_T = TypeVar("_T")
_MOST = 256


class Memo:
    """Values by key, those that were asked for last; a key names all that its value depends on."""

    def __init__(self, most: int = _MOST) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._most = most
        self._turn = asyncio.Lock()

    async def of(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """The value of a key, made where it is not kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
            kept: _T = self._kept[key]
            return kept
        value = await make()
        self._kept[key] = value
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value

    async def in_turn(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """As :meth:`of`, for what takes long: one value is made at a time, and none twice."""
        async with self._turn:
            return await self.of(key, make)
