"""Calls that go together: whoever comes while others are served is served with whoever else came.

A thousand channels that are due at one minute cost the database a few statements then, and one that
is alone waits for nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_AT_ONCE = 500
"""Calls that are served together at most, so that others get their turn."""


class Together(Generic[K, V]):
    """Serves calls, those that wait in one go. ``serve`` gives results in the order of the calls.

    What it raises reaches everybody whose call it was for.
    """

    def __init__(
        self, serve: Callable[[Sequence[K]], Awaitable[Sequence[V]]], most: int = _AT_ONCE
    ) -> None:
        self._serve = serve
        self._most = most
        self._waiting: list[tuple[K, asyncio.Future[V]]] = []
        self._serving: asyncio.Task[None] | None = None

    async def ask(self, asked: K) -> V:
        """What is served to this call."""
        served: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, served))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve_all())
        # The serving is nobody's own: who is cancelled takes nothing from the others.
        return await served

    async def _serve_all(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                results = await self._serve([asked for asked, _ in some])
            except Exception as error:  # noqa: BLE001  # each of those who wait is told
                for _, served in some:
                    if not served.done():
                        served.set_exception(error)
                continue
            for (_, served), result in zip(some, results, strict=True):
                if not served.done():
                    served.set_result(result)
