"""The connection to Redis: asked with little patience, and left alone for a while when it is away.

Whoever asks has a way to go on without an answer. So nothing is tried twice, a call that is not
answered in ``_PATIENCE`` seconds is given up, and after one the next ``_REST`` seconds ask nothing:
a Redis that hangs costs one call in so many seconds its patience, and no other waits with it.
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
    """One Redis. Logged are ``shared.lost`` and ``shared.found``, each once."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is connected yet. Raises ``ValueError`` for an address that is none."""
        self.place = without_secrets(url)
        # Who comes when all are taken waits for one: a busy process has not lost its Redis.
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
        """What was wrong at the last call; empty where it was answered."""
        return self._trouble

    async def ask(self, call: Callable[[Redis], Awaitable[T]]) -> T | None:
        """What Redis answers; ``None`` where it does not, or was just found not to."""
        if self._trouble:
            if self._clock() < self._quiet_until:
                return None
            # One finds out for all: whoever comes meanwhile goes on without.
            self._quiet_until = self._clock() + _PATIENCE + _REST
        try:
            answer = await call(self.redis)
        except (RedisError, OSError) as error:
            self.lost(error)
            return None
        self.found()
        return answer

    async def look(self) -> str:
        """Ask it now; what is wrong, empty where it answers."""
        self._quiet_until = 0.0
        await self.ask(_ping)
        return self._trouble

    def lost(self, error: Exception) -> None:
        """It did not answer."""
        self._quiet_until = self._clock() + _REST
        before, self._trouble = self._trouble, str(error) or type(error).__name__
        if not before:
            log.warning("shared.lost", place=self.place, error=self._trouble)

    def found(self) -> None:
        """It answered."""
        if self._trouble:
            log.info("shared.found", place=self.place)
        self._trouble = ""

    async def aclose(self) -> None:
        """Close every connection."""
        await self.redis.aclose()


async def _ping(redis: Redis) -> Any:
    return await redis.ping()
