"""The services that the loop is given, and the running tasks that a stop waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from typing import Protocol

import structlog

from bot.delivery.delivery import Delivered, Delivery, Posting, WakeQueue
from bot.delivery.quarantine import Quarantine
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Sender
from bot.publishing.alerts import ImmediateAlerts
from bot.scheduler.schedule import Slot
from bot.store.ledger import SqlLedger
from bot.subscriptions.channel_registry import ChannelRegistry, Subscription
from bot.util.locks import Leases
from bot.util.tracing import trace
from digest.frozen import frozen
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)

GRACE = 25.0
"""Seconds that running tasks get at a stop. They follow the web server's five: 30 in all, which is
what Kubernetes gives; systemd's default is 90."""


class TaskTracker:
    """The tasks of a process that a stop should not cut off."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()

    @contextmanager
    def here(self) -> Iterator[None]:
        """Count the calling task as running; nested calls count once."""
        task = asyncio.current_task()
        assert task is not None
        outermost = task not in self._tasks
        self._tasks.add(task)
        try:
            yield
        finally:
            if outermost:
                self._end(task)

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Start a task of its own, which counts as running until it ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)

    async def settle(self, seconds: float) -> None:
        """Wait until nothing is running, then cancel what still is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._tasks:  # a loop's task goes on after its work
                    self._ended.clear()
                    await self._ended.wait()
        if late := set(self._tasks):
            for task in late:
                task.cancel()
            log.warning("run.cancelled", tasks=len(late))
            await asyncio.wait(late)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._ended.set()


@contextmanager
def traced() -> Iterator[None]:
    """Log everything inside under one id."""
    with structlog.contextvars.bound_contextvars(trace=trace()):
        yield


Build = Callable[[Subscription, Slot], Awaitable[Sequence[Posting]]]
"""Builds the digests of a slot, none for a quiet one; repeatable until the slot is finished."""

Finish = Callable[[Subscription, Slot, Sequence[Delivered]], Awaitable[None]]
"""Called when the slot's content is frozen, and again if the process dies in it."""


class MessageHandler(Protocol):
    """Handles received messages. Raises nothing but cancellation."""

    async def hear(self, sender: Sender, incoming: Incoming) -> None:
        """Answer a message, unless it was received before."""

    async def recover(self, sender: Sender) -> None:
        """Complete the replies that a dead process left unfinished."""


@frozen
class LoopServices:
    """The services of the loop. ``receivers`` are senders that also listen."""

    posts: ChannelRegistry
    build: Build
    finish: Finish
    hearing: MessageHandler
    delivery: Delivery
    ledger: SqlLedger
    leases: Leases
    clock: Clock
    receivers: Sequence[Sender] = ()
    elected: Mapping[str, Sender] = field(default_factory=dict)
    """Receivers, by account, to which only one process at a time may be connected."""
    parking: Quarantine | None = None
    """Knows dead chats; without it, they are left alone until the next start."""
    amend: Callable[[Mapping[str, Subscription]], Awaitable[None]] | None = None
    """Amends posts in the given channels whose changes were reverted since."""
    alerts: ImmediateAlerts | None = None  # posts at once what cannot wait for a slot
    waking: WakeQueue = field(default_factory=WakeQueue)
    """Receives channels with new pending deliveries."""
    tidy: Callable[[], Awaitable[None]] | None = None
    """Removes data that is no longer needed; called at every sweep."""
    refresh: Callable[[], Awaitable[None]] | None = None
    """Reads some changes again that an older version read; called at every sweep, nobody waits."""
