"""The connection to Redis: short timeouts, and a pause after a failure.

Every caller can continue without an answer. So nothing is retried, a call that is not answered in
``_PATIENCE`` seconds is given up, and then nothing is asked for ``_REST`` seconds: a Redis that
hangs delays one call per period by its timeout, and no other.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from bot.util.secrets import without_secrets

log = structlog.get_logger(__name__)

T = TypeVar("T")

PREFIX = "digestbot"
_PATIENCE = 1.0
_QUEUE = 10.0
_REST = 2.0


class RedisConnection:
    """One Redis server. Logs ``shared.lost`` and ``shared.found``, each once."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Does not connect yet. Raises ``ValueError`` for an invalid address."""
        self.place = without_secrets(url)
        # If all connections are in use the caller waits for one: a busy process has not lost Redis.
        pool: BlockingConnectionPool = BlockingConnectionPool.from_url(
            url,
            socket_timeout=_PATIENCE,
            socket_connect_timeout=_PATIENCE,
            retry=Retry(NoBackoff(), 0),
            max_connections=32,
            timeout=_QUEUE,
            client_name="digestbot",
        )
        self.redis: Redis = Redis.from_pool(pool)
        self._clock = clock
        self._trouble = ""
        self._quiet_until = 0.0

    @property
    def trouble(self) -> str:
        """The error of the last call; empty if it was answered."""
        return self._trouble

    async def ask(self, call: Callable[[Redis], Awaitable[T]]) -> T | None:
        """The answer of Redis; ``None`` if it does not answer, or did not a moment ago."""
        if self._trouble:
            if self._clock() < self._quiet_until:
                return None
            # One caller finds out for all: others continue without Redis meanwhile.
            self._quiet_until = self._clock() + _PATIENCE + _REST
        try:
            answer = await call(self.redis)
        except (RedisError, OSError) as error:
            self.lost(error)
            return None
        self.found()
        return answer

    async def look(self) -> str:
        """Query it now; return the error, empty if it answers."""
        self._quiet_until = 0.0
        await self.ask(_ping)
        return self._trouble

    def lost(self, error: Exception) -> None:
        """Record that it did not answer."""
        self._quiet_until = self._clock() + _REST
        before, self._trouble = self._trouble, str(error) or type(error).__name__
        if not before:
            log.warning("shared.lost", place=self.place, error=self._trouble)

    def found(self) -> None:
        """Record that it answered."""
        if self._trouble:
            log.info("shared.found", place=self.place)
        self._trouble = ""

    async def aclose(self) -> None:
        """Close every connection."""
        await self.redis.aclose()


async def _ping(redis: Redis) -> Any:
    return await redis.ping()
