"""Turns to speak that all processes share: ``bot.transport.rates.Common`` by a script in Redis.

A rate is a list of the last ``count`` moments at which a message goes, by the server's clock. The
script looks at every list that bounds a message and books the earliest moment in one step, so that
two processes cannot both take the last place. A chat's place is never booked ahead: who waits for
a chat comes again, since an account's moments must not go back.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any

from bot.shared.connection import PREFIX, Connection
from bot.transport.rates import Booked, Rate

# KEYS: the hold, the account's rate, its spare one, then those of the chat.
# ARGV: 1 for an answer, then count and microseconds for each key but the hold.
# Answers {booked, microseconds to wait}; {0, n}: come again in n.
_SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local function free_at(key, n)
  local first = redis.call('LINDEX', key, -tonumber(ARGV[2 * n]))
  if first then return tonumber(first) + tonumber(ARGV[2 * n + 1]) end
  return 0
end
local function take(key, n, at)
  redis.call('RPUSH', key, string.format('%.0f', at))
  redis.call('LTRIM', key, -tonumber(ARGV[2 * n]), -1)
  redis.call('PEXPIRE', key, math.ceil((at - now + tonumber(ARGV[2 * n + 1])) / 1000) + 1000)
end
local held = redis.call('PTTL', KEYS[1])
local free = 0
if held > 0 then free = now + held * 1000 end
for i = 4, #KEYS do free = math.max(free, free_at(KEYS[i], i - 1)) end
if free > now then return {0, string.format('%.0f', free - now)} end
local all, spare = free_at(KEYS[2], 1), free_at(KEYS[3], 2)
local account, at = 2, math.max(now, all)
if ARGV[1] == '1' and spare < all then account, at = 3, math.max(now, spare) end
take(KEYS[account], account - 1, at)
for i = 4, #KEYS do take(KEYS[i], i - 1, at) end
return {1, string.format('%.0f', at - now)}
"""
_MILLION = 1_000_000


class RedisTurns:
    """The turns of one account, named as it is in the configuration."""

    def __init__(self, connection: Connection, account: str) -> None:
        self._connection = connection
        # In one slot of a cluster, as a script must have all its keys.
        self._name = f"{PREFIX}:turn:{{{account}}}"
        self._script = connection.redis.register_script(_SCRIPT)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def book(
        self, chat: str, rates: Sequence[Rate], overall: Rate, spare: Rate, *, answer: bool
    ) -> Booked | None:
        """As :meth:`bot.transport.rates.Common.book`."""
        keys = [f"{self._name}:hold:{chat}", f"{self._name}:all", f"{self._name}:spare"]
        keys += [f"{self._name}:chat:{chat}:{one.count}/{one.seconds:g}" for one in rates]
        given = [f"{int(answer)}"]
        for one in (overall, spare, *rates):
            given += [str(one.count), str(math.ceil(one.seconds * _MILLION))]
        found = await self._connection.ask(lambda _: self._script(keys=keys, args=given))
        if found is None:
            return None
        booked, wait = found
        return Booked(booked=bool(int(booked)), wait=int(wait) / _MILLION)

    def hold(self, chat: str, seconds: float) -> None:
        """As :meth:`bot.transport.rates.Common.hold`."""
        key = f"{self._name}:hold:{chat}"
        milliseconds = max(1, math.ceil(seconds * 1000))
        asking = self._connection.ask(lambda redis: redis.set(key, "1", px=milliseconds))
        task = asyncio.create_task(asking)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
