"""What is under way, so that a stop can wait for it.

What the loop is given, and what it asks of those who build, answer and alert.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from bot.delivery.delivery import Delivered, Delivery, WakeQueue
from bot.delivery.quarantine import Quarantine
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Sender
from bot.publishing.slots import DigestToPost
from bot.scheduler.schedule import Slot
from bot.subscriptions.channel_registry import Channels, Post
from bot.util.locks import Leases
from bot.util.tracing import trace
from handlers.ports.storage import Clock, Ledger, Watched

log = structlog.get_logger(__name__)

GRACE = 25.0
"""Seconds that what is under way gets at a stop.

They follow the web server's five: 30 in all, which is what Kubernetes gives; systemd's own default
is 90.
"""


class TaskTracker:
    """The tasks of a process that a stop should not cut off."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    @contextmanager
    def here(self) -> Iterator[None]:
        """Count the task that calls as under way; one inside another is the same task."""
        task = asyncio.current_task()
        assert task is not None
        outermost = task not in self._tasks
        self._tasks.add(task)
        try:
            yield
        finally:
            if outermost:
                self._tasks.discard(task)

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Let something run by itself, under way until it ends."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self, seconds: float) -> None:
        """Wait for what is under way, then cancel it."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                log.warning("run.cancelled", tasks=len(late))
                await asyncio.wait(late)


@contextmanager
def traced() -> Iterator[None]:
    """Log under one id, with whatever is called from here."""
    with structlog.contextvars.bound_contextvars(trace=trace()):
        yield


Build = Callable[[Post, Slot], Awaitable[Sequence[DigestToPost]]]
"""Makes the digests of a slot, none for a quiet one; repeatable until the slot is finished."""

Finish = Callable[[Post, Slot, Sequence[Delivered]], Awaitable[None]]
"""Called when the slot's content is frozen, and again if the process dies in it."""


class Alerts(Protocol):
    """Tells what cannot wait for a slot. Nothing but cancellation leaves it."""

    async def look(self) -> None:
        """Look at everything; called often."""

    async def wanted(self) -> Sequence[str]:
        """The names of the repositories that :meth:`look` looks at."""

    async def look_at(self, repository: str) -> None:
        """Look at one repository, by its name."""

    async def moved(self, watched: Watched) -> None:
        """Look at a repository whose newest changes were just fetched."""


class Hearing(Protocol):
    """Deals with what platforms hear. Nothing but cancellation leaves it."""

    async def hear(self, sender: Sender, incoming: Incoming) -> None:
        """Answer a message, unless it was heard before."""

    async def recover(self, sender: Sender) -> None:
        """Bring to an end what a process that died left half answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopServices:
    """What the loop is given. ``receivers`` are senders that listen as well."""

    posts: Channels
    build: Build
    finish: Finish
    hearing: Hearing
    delivery: Delivery
    ledger: Ledger
    leases: Leases
    clock: Clock
    receivers: Sequence[Sender] = ()
    elected: Mapping[str, Sender] = field(default_factory=dict)
    """The receivers, by account, that one process at a time may have a connection of."""
    parking: Quarantine | None = None
    """Knows dead chats; without it one is left alone until the next start."""
    amend: Callable[[Mapping[str, Post]], Awaitable[None]] | None = None
    """Tells, in what was posted to the channels given, what became of it since."""
    alerts: Alerts | None = None
    """Tells at once what cannot wait for a slot."""
    waking: WakeQueue = field(default_factory=WakeQueue)
    """Told of channels that something is to be sent to again."""
    tidy: Callable[[], Awaitable[None]] | None = None
    """Lets go what nobody can ask for any more; called at every sweep."""
    refresh: Callable[[], Awaitable[None]] | None = None
    """Reads again some of what an older version read; called at every sweep, nobody waits."""
