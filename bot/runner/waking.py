"""Word from elsewhere in the process that something is left to be sent to a channel."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Wake = Callable[[str], Awaitable[None]]
"""Has what is left of a channel, by its name, sent at once by whichever process delivers."""


class Waking:
    """Names of channels, in the order in which they were told. What is lost is found by a sweep."""

    def __init__(self) -> None:
        self._names: asyncio.Queue[str] = asyncio.Queue()

    async def tell(self, channel: str) -> None:
        """Something is left of a channel; as :data:`Wake`."""
        self._names.put_nowait(channel)

    async def told(self) -> str:
        """The next channel, as soon as there is one."""
        return await self._names.get()
