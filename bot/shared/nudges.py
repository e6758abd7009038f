"""Word that settings changed, from one process to all: each looks at its channels at once.

What is missed costs a few minutes: every process reads the settings again at each sweep.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import structlog
from redis.exceptions import RedisError

from bot.shared.connection import PREFIX, Connection

log = structlog.get_logger(__name__)

_CHANNEL = f"{PREFIX}:nudge"
_PAUSE = 2.0
_WAIT = 0.5
"""Seconds for which one reading waits; below the connection's patience."""


class Nudges:
    """Tells others, and hears them."""

    def __init__(self, connection: Connection, nudge: Callable[[], None]) -> None:
        """``nudge`` lets this process look; it is called for every word, its own among them."""
        self._connection = connection
        self._nudge = nudge
        self._tasks: set[asyncio.Task[Any]] = set()

    def tell(self) -> None:
        """Something changed: look here at once, and let the others look."""
        self._nudge()
        task = asyncio.create_task(
            self._connection.ask(lambda redis: redis.publish(_CHANNEL, "changed"))
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @asynccontextmanager
    async def heard(self) -> AsyncIterator[None]:
        """Hear the others while inside."""
        task = asyncio.create_task(self._listen())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, *self._tasks, return_exceptions=True)

    async def _listen(self) -> None:
        while True:
            try:
                async with self._connection.redis.pubsub() as words:
                    await words.subscribe(_CHANNEL)
                    # What was told before this, or while Redis was away, was missed.
                    self._nudge()
                    while True:
                        word = await words.get_message(timeout=_WAIT)
                        if word is None:
                            continue  # one that hangs is silent as well
                        self._connection.found()
                        if word["type"] == "message":
                            self._nudge()
            except (RedisError, OSError) as error:
                self._connection.lost(error)
            await asyncio.sleep(_PAUSE)
