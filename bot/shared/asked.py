"""How much each person asked of all processes: :class:`bot.access.asked.Asked` in Redis.

A question is an entry of a sorted set by its moment. It is counted before it is decided on and
taken back if it is refused, so that two at once at two processes cannot both be the last allowed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from redis.asyncio import Redis

from bot.access.asked import HOUR, MINUTE, Alone
from bot.access.decide import Load
from bot.shared.connection import PREFIX, Connection

# KEYS: the person's questions. ARGV: this one's name, a minute and an hour in microseconds.
_SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
local before = {redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', now - ARGV[2]), '+inf'),
  redis.call('ZCARD', KEYS[1])}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3] / 1000)
return before
"""
_MILLION = 1_000_000


class RedisAsked:
    """Counts for all processes, and beside that for itself: that holds while Redis is away."""

    def __init__(
        self,
        connection: Connection,
        alone: Alone | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection = connection
        self._alone = alone or Alone(clock)
        self._clock = clock
        self._script = connection.redis.register_script(_SCRIPT)
        self._unsure_until = -HOUR

    async def count(self, person: str) -> Load:
        """As :meth:`bot.access.asked.Asked.count`."""
        here = await self._alone.count(person)
        given: list[str | int] = [secrets.token_hex(8)]
        given += [int(MINUTE * _MILLION), int(HOUR * _MILLION)]
        found = await self._connection.ask(lambda _: self._script(keys=[_key(person)], args=given))
        if found is None:
            self._unsure_until = self._clock() + HOUR
            return here
        minute, hour = map(int, found)
        if self._clock() < self._unsure_until:
            # It was away, and may have begun anew: this process may know of more.
            minute, hour = max(minute, here.minute), max(hour, here.hour)
        return Load(minute=minute, hour=hour)

    async def uncount(self, person: str) -> None:
        """As :meth:`bot.access.asked.Asked.uncount`; which of two at once goes is all the same."""
        await self._alone.uncount(person)
        await self._connection.ask(lambda redis: redis.zpopmax(_key(person)))

    async def told_lately(self, person: str) -> bool:
        """As :meth:`bot.access.asked.Asked.told_lately`."""
        here = await self._alone.told_lately(person)

        async def claim(redis: Redis) -> bool:
            key = f"{PREFIX}:told:{person}"
            return await redis.set(key, "1", nx=True, px=int(MINUTE * 1000)) is None

        there = await self._connection.ask(claim)
        return here or bool(there)


def _key(person: str) -> str:
    return f"{PREFIX}:asked:{person}"
