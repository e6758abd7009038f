"""What is under way, so that a stop can wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager

import structlog

from bot.platforms.base import trace

log = structlog.get_logger(__name__)

GRACE = 25.0
"""Seconds that what is under way gets at a stop.

They follow the web server's five: 30 in all, which is what Kubernetes gives; systemd's own default
is 90.
"""


class UnderWay:
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
