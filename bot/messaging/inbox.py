"""The inbox of an account: platform deliveries are stored before they are acknowledged.

Reading a delivery follows in the order of arrival, several at a time. What a process leaves behind
is taken up at the next start, or after a while by any process that listens to the same account; a
message that is read twice is recognised by its own identity.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Protocol, runtime_checkable

import structlog

from bot.messaging.receiver import Ear, Incoming
from bot.messaging.sender import SendError
from bot.util.tracing import trace
from digest.errors import UserError
from digest.frozen import frozen

log = structlog.get_logger(__name__)

MOST = 10_000  # the most waiting deliveries of an account; further ones have to come again later
AT_ONCE = 16  # deliveries read at a time
TRIES = 5
OLDEST = timedelta(hours=24)
"""Deliveries tried too often or older than this are given up. Messages are remembered twice as
long."""

LOOK, PATIENCE = 60.0, 300.0
"""Seconds between checks for leftovers, and for which a handed-on delivery is not one."""

# While deliveries arrive, reading the next ones waits up to this many seconds.
_BREATH, _LONGEST_BREATH, _SOME = 0.005, 0.5, 256
_PROCESS = os.urandom(4).hex()
_NUMBERS = itertools.count()


class Unkept(Exception):
    """A delivery could not be stored, and must not be acknowledged."""


@frozen
class Arrival:
    """What a platform delivered."""

    key: str  # in the order of arrival
    account: str
    kind: str  # the platform's own name for the format
    content: str
    trace: str
    at: datetime  # aware, in UTC
    tries: int = 0  # how often it was taken up


class InboxStore:
    """Stores arrivals until they are handled. This one keeps nothing: they end with the process."""

    async def keep(self, arrival: Arrival) -> None:
        """Store it so that it outlives this process. Raises ``UserError``."""

    def drop(self, key: str) -> None:
        """Delete it, soon."""

    async def left(self, account: str, until: datetime) -> Sequence[Arrival]:  # noqa: ARG002  # for stores that keep some
        """The stored arrivals of an account before a moment, in order. Raises ``UserError``."""
        return ()

    async def tried(self, keys: Sequence[str]) -> None:
        """Count an attempt at each of these. Raises ``UserError``."""


Read = Callable[[Arrival], Awaitable[Incoming | None]]
"""Reads a delivery; ``None`` if there is nothing to answer. If it raises, it is tried again."""

Keep = Callable[[str], Awaitable[None]]
"""Stores a delivery, which may then be acknowledged. Raises :class:`Unkept`."""


class Inbox:
    """The deliveries to one account."""

    def __init__(self, account: str = "", store: InboxStore | None = None) -> None:
        self._account = account
        self._store = store or InboxStore()
        self._waiting: deque[Arrival] = deque()
        self._held: dict[str, float] = {}
        self._arriving = 0
        self._came = asyncio.Event()

    async def put(self, content: str, kind: str = "") -> None:
        """Store a delivery; after this it may be acknowledged. Raises ``Unkept``."""
        if len(self._held) >= MOST:
            log.warning("inbox.full", account=self._account)
            raise Unkept
        arrival = Arrival(
            key=f"{time.time_ns():020}-{_PROCESS}-{next(_NUMBERS):08x}",
            account=self._account,
            kind=kind,
            content=content,
            trace=trace(),
            at=datetime.now(UTC),
        )
        self._held[arrival.key] = time.monotonic()
        self._arriving += 1
        try:
            await self._store.keep(arrival)
        except BaseException as error:
            del self._held[arrival.key]
            if not isinstance(error, UserError):
                raise
            log.warning("inbox.unkept", account=self._account, error=str(error))
            raise Unkept from error
        finally:
            self._arriving -= 1
        self._wait(arrival)

    async def deal(self, read: Read, hand_on: Callable[[Incoming], None]) -> None:
        """Read arrivals, leftovers first, and hand on messages to be answered, until cancelled."""
        await self._look(datetime.now(UTC) + OLDEST)
        places = asyncio.Semaphore(AT_ONCE)
        reading: set[asyncio.Task[None]] = {asyncio.create_task(self._look_often())}

        def over(task: asyncio.Task[None]) -> None:
            reading.discard(task)
            places.release()

        try:
            while True:
                for arrival in await self._next():
                    await places.acquire()
                    task = asyncio.create_task(self._deal(arrival, read, hand_on))
                    reading.add(task)
                    task.add_done_callback(over)
        finally:
            for task in [*reading]:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)

    def done(self, key: str) -> None:
        """Mark a delivery as handled, for good."""
        self._held.pop(key, None)
        self._store.drop(key)

    def _wait(self, arrival: Arrival) -> None:
        self._waiting.append(arrival)
        self._came.set()

    async def _next(self) -> Sequence[Arrival]:
        """The next few; storing goes first, because a platform waits for it."""
        while not self._waiting:
            self._came.clear()
            await self._came.wait()
        until = time.monotonic() + _LONGEST_BREATH
        while self._arriving and time.monotonic() < until:  # noqa: ASYNC110  # a changing count
            await asyncio.sleep(_BREATH)
        return [self._waiting.popleft() for _ in range(min(_SOME, len(self._waiting)))]

    async def _deal(
        self, arrival: Arrival, read: Read, hand_on: Callable[[Incoming], None]
    ) -> None:
        self._held[arrival.key] = time.monotonic()
        with structlog.contextvars.bound_contextvars(trace=arrival.trace):
            try:
                incoming = await read(arrival)
            except SendError as error:
                log.warning("inbox.unread", account=self._account, error=str(error))
                self._held.pop(arrival.key, None)
            except Exception:
                log.exception("inbox.unread", account=self._account)
                self._held.pop(arrival.key, None)
            else:
                if incoming is None:
                    self.done(arrival.key)
                else:
                    hand_on(replace(incoming, taken=partial(self.done, arrival.key)))

    async def _look_often(self) -> None:
        """Take up what nobody handles, such as leftovers of another process."""
        while True:
            await asyncio.sleep(LOOK)
            await self._look(datetime.now(UTC) - timedelta(seconds=LOOK))

    async def _look(self, until: datetime) -> None:
        try:
            left = await self._take_pending(until)
        except Exception:
            log.exception("inbox.unseen", account=self._account)
            return
        for arrival in left:
            self._held[arrival.key] = time.monotonic()
            self._wait(arrival)
        if left:
            log.info("inbox.taken_up", account=self._account, count=len(left))

    async def _take_pending(self, until: datetime) -> Sequence[Arrival]:
        """What is to be taken up, after counting it; what was tried too often is given up."""
        now, late = datetime.now(UTC), time.monotonic() - PATIENCE
        left = await self._store.left(self._account, until)
        ours = [one for one in left if self._held.get(one.key, late) <= late]
        again = [one for one in ours if one.tries < TRIES and now - one.at < OLDEST]
        for arrival in ours:
            if arrival not in again:
                log.error("inbox.given_up", account=self._account, tries=arrival.tries)
                self.done(arrival.key)
        if again:
            await self._store.tried([one.key for one in again])
        return again


@runtime_checkable
class InboxReceiver(Protocol):
    """A receiver that acknowledges what is stored."""

    inbox: Inbox  # set once, before any delivery; at first it stores nothing


async def hearing(
    inbox: Inbox,
    read: Read,
    bringing: Coroutine[None, None, None] | None = None,
    ear: Ear | None = None,
) -> AsyncGenerator[Incoming, None]:
    """The messages to be answered, as they are read from an inbox.

    ``bringing`` puts deliveries there meanwhile; its error is raised here, and its end ends this.
    Without it the platform calls us, and the ``ear`` hears from the beginning.
    """
    if ear is not None and bringing is None:
        ear.hears()
    heard: asyncio.Queue[Incoming | asyncio.Task[None]] = asyncio.Queue()
    duties = [asyncio.create_task(inbox.deal(read, heard.put_nowait))]
    if bringing is not None:
        duties.append(asyncio.create_task(bringing))
    for duty in duties:
        duty.add_done_callback(heard.put_nowait)
    try:
        while True:
            message = await heard.get()
            if isinstance(message, asyncio.Task):
                await message
                return
            yield message
    finally:
        if ear is not None:
            ear.fails("no longer listens")
        for duty in duties:
            duty.cancel()
        await asyncio.gather(*duties, return_exceptions=True)
