"""State that all processes share in Redis: rates, question counts, seen messages, wake-ups.

A rate is a list of the last ``count`` send times, by the server's clock. The script checks every
list that limits a message and books the earliest moment in one step. A chat's place is never booked
ahead: a message that waits for its chat tries again, because an account's moments must not go back.

A question is an entry of a sorted set by its time, counted before the decision and taken back if it
is refused, so that two at once at two processes cannot both be the last allowed.

A message is remembered here only after the database has its record: what Redis knows is certainly
claimed, and what it forgot the database still knows. A wake-up that is missed costs a few minutes:
every process reads the settings again at each sweep.

Every caller can continue without an answer of Redis: a call that is not answered in ``_PATIENCE``
seconds is given up, and then nothing is asked for ``_REST`` seconds.
"""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from typing_extensions import override

from bot.access.gate import HOUR, MINUTE, QuestionCounts, QuestionNumbers
from bot.messaging.rates import Booked, Rate
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Receipt
from bot.store.replies import MessageKey, MessageRecord, Records, Stage
from bot.util.sanitize import without_secrets

# KEYS: the hold, the account's rate, its spare one, then those of the chat. ARGV: 1 for an answer,
# then count and microseconds for each key but the hold. Returns {booked, microseconds to wait}; {0,
# n}: try again after n.
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


class RedisWindows:
    """The turns of one account, named as it is in the configuration."""

    def __init__(self, connection: RedisConnection, account: str) -> None:
        self._connection = connection
        # In one slot of a cluster, because a script needs all its keys there.
        self._name = f"{PREFIX}:turn:{{{account}}}"
        self._script = connection.redis.register_script(_SCRIPT)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def book(
        self, chat: str, rates: Sequence[Rate], overall: Rate, spare: Rate, *, answer: bool
    ) -> Booked | None:
        """As :meth:`bot.messaging.rates.SharedWindows.book`."""
        keys = [f"{self._name}:hold:{chat}", f"{self._name}:all", f"{self._name}:spare"]
        keys += [f"{self._name}:chat:{chat}:{rate.count}/{rate.seconds:g}" for rate in rates]
        given = [f"{int(answer)}"]
        for rate in (overall, spare, *rates):
            given += [str(rate.count), str(math.ceil(rate.seconds * _MILLION))]
        reply = await self._connection.ask(lambda _: self._script(keys=keys, args=given))
        if reply is None:
            return None
        booked, wait = reply
        return Booked(booked=bool(int(booked)), wait=int(wait) / _MILLION)

    def hold(self, chat: str, seconds: float) -> None:
        """As :meth:`bot.messaging.rates.SharedWindows.hold`."""
        key = f"{self._name}:hold:{chat}"
        milliseconds = max(1, math.ceil(seconds * 1000))
        asking = self._connection.ask(lambda redis: redis.set(key, "1", px=milliseconds))
        task = asyncio.create_task(asking)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


# KEYS: the person's questions. ARGV: this one's name, a minute and an hour in microseconds.
_ASKED_SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
local before = {redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', now - ARGV[2]), '+inf'),
  redis.call('ZCARD', KEYS[1])}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3] / 1000)
return before
"""


class RedisQuestionCounts(QuestionCounts):
    """Counts for all processes, and for this one too, which applies while Redis is away."""

    def __init__(
        self, connection: RedisConnection, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(clock)
        self._connection = connection
        self._script = connection.redis.register_script(_ASKED_SCRIPT)
        self._unsure_until = -HOUR

    @override
    async def count(self, person: str) -> QuestionNumbers:
        here = await super().count(person)
        given: list[str | int] = [secrets.token_hex(8)]
        given += [int(MINUTE * _MILLION), int(HOUR * _MILLION)]
        reply = await self._connection.ask(lambda _: self._script(keys=[_key(person)], args=given))
        if reply is None:
            self._unsure_until = self._clock() + HOUR
            return here
        minute, hour = map(int, reply)
        if self._clock() < self._unsure_until:
            # Redis may have restarted empty: this process may know of more.
            minute, hour = max(minute, here.minute), max(hour, here.hour)
        return QuestionNumbers(minute=minute, hour=hour)

    @override
    async def uncount(self, person: str) -> None:
        # Of two at once either may be taken back.
        await super().uncount(person)
        await self._connection.ask(lambda redis: redis.zpopmax(_key(person)))

    @override
    async def told_lately(self, person: str) -> bool:
        here = await super().told_lately(person)

        async def claim(redis: Redis) -> bool:
            key = f"{PREFIX}:told:{person}"
            return await redis.set(key, "1", nx=True, px=int(MINUTE * 1000)) is None

        there = await self._connection.ask(claim)
        return here or bool(there)


def _key(person: str) -> str:
    return f"{PREFIX}:asked:{person}"


_KEPT = timedelta(hours=1)
"""Most repeated deliveries arrive within that; Feishu's last one comes after 6 hours."""


class CachedRecords(Records):
    """``Records`` that save the database repeated claims of the same message."""

    def __init__(self, records: Records, connection: RedisConnection) -> None:
        self._records = records
        self._connection = connection

    @override
    async def claim(self, key: MessageKey, asked: Incoming, now: datetime) -> bool:
        name = _name(key)
        if await self._connection.ask(lambda redis: redis.exists(name)):
            return False
        first = await self._records.claim(key, asked, now)
        await self._connection.ask(lambda redis: redis.set(name, "1", ex=_KEPT))
        return first

    @override
    async def get(self, key: MessageKey) -> MessageRecord | None:
        return await self._records.get(key)

    @override
    async def mark(self, key: MessageKey, stage: Stage, receipt: Receipt | None = None) -> None:
        await self._records.mark(key, stage, receipt)

    @override
    async def ask_again(self, key: MessageKey, asked: Incoming) -> None:
        await self._records.ask_again(key, asked)

    @override
    async def left(self, account: str) -> Sequence[MessageRecord]:
        return await self._records.left(account)


def _name(key: MessageKey) -> str:
    return f"{PREFIX}:heard:{key.identity}"


log = structlog.get_logger(__name__)

PREFIX = "digestbot"
_CHANNEL = f"{PREFIX}:nudge"
_PAUSE = 2.0
_WAIT = 0.5  # seconds that one read waits; below the connection's timeout


class WakeUps:
    """Sends wake-ups to other processes and receives theirs."""

    def __init__(self, connection: RedisConnection, nudge: Callable[[], None]) -> None:
        """``nudge`` wakes this process; it is called for every wake-up, including its own."""
        self._connection = connection
        self._nudge = nudge
        self._tasks: set[asyncio.Task[Any]] = set()

    def tell(self) -> None:
        """Something changed: wake this process and the others."""
        self._nudge()
        task = asyncio.create_task(
            self._connection.ask(lambda redis: redis.publish(_CHANNEL, "changed"))
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @asynccontextmanager
    async def heard(self) -> AsyncIterator[None]:
        """Receive wake-ups while inside."""
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
                    # Wake-ups from before this, or while Redis was away, were missed.
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


T = TypeVar("T")
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
        self.trouble = ""  # the error of the last call, if it failed
        self._quiet_until = 0.0

    async def ask(self, call: Callable[[Redis], Awaitable[T]]) -> T | None:
        """The answer of Redis; ``None`` if it does not answer, or did not a moment ago."""
        if self.trouble:
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
        return self.trouble

    def lost(self, error: Exception) -> None:
        """Record that it did not answer."""
        self._quiet_until = self._clock() + _REST
        before, self.trouble = self.trouble, str(error) or type(error).__name__
        if not before:
            log.warning("shared.lost", place=self.place, error=self.trouble)

    def found(self) -> None:
        """Record that it answered."""
        if self.trouble:
            log.info("shared.found", place=self.place)
        self.trouble = ""

    async def aclose(self) -> None:
        """Close every connection."""
        await self.redis.aclose()


async def _ping(redis: Redis) -> Any:
    return await redis.ping()
