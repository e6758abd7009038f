"""What is made of many changes and asked for often, kept until the archive changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

_T = TypeVar("_T")
_MOST = 256


class Memo:
    """Values by key, those that were asked for last; a key names all that its value depends on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    async def of(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """The value of a key, made where it is not kept."""
        if key in self._kept:
            self._kept.move_to_end(key)
            kept: _T = self._kept[key]
            return kept
        value = await make()
        self._kept[key] = value
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return value
