"""The roles of processes, and the precedence of questions over digests within one process.

Questions and digests have separate places, so neither waits for the other to end. But all of them
share one processor: a thousand digests that are due would take more than half of it from people who
are waiting for answers.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING

from digest.frozen import frozen

if TYPE_CHECKING:
    import asyncio

    from bot.delivery.delivery import Wake
    from bot.forges.hooks import Taking

Loop = Callable[["asyncio.Event"], Coroutine[None, None, None]]  # works until the event is set


@frozen
class RoleDuties:
    """What a process does."""

    loop: Loop
    taking: Taking | None = None  # accepts forge events; ``None`` without webhooks
    wake: Wake | None = None  # has pending deliveries sent at once; without it a sweep finds them


class ProcessRole(StrEnum):
    """A part of the work. All but ``ALL`` need an archive in PostgreSQL."""

    ALL = "all"
    WEB = "web"  # serves pages and receives from platforms; others answer
    WORKER = "worker"  # builds, posts and answers what others have deferred
    SCHEDULER = "scheduler"  # finds what is due

    @property
    def hosts(self) -> bool:
        """Whether it serves requests from outside."""
        return self in {ProcessRole.ALL, ProcessRole.WEB}

    @property
    def reads(self) -> bool:
        """Whether it reads repositories."""
        return self in {ProcessRole.ALL, ProcessRole.WORKER}

    @property
    def sweeps(self) -> bool:
        """Whether the absence of sweeps for a long time means that it is unhealthy."""
        return self is ProcessRole.ALL


class Precedence:
    """Limits digests while all places for questions are taken, and for a moment after."""

    # A few digests always go on. Without the moment each answer that ends would let all waiting
    # digests begin before the next question is fetched.

    def __init__(
        self, *, questions: int, digests: int, meanwhile: int, moment: float = 1.0
    ) -> None:
        """``questions`` and ``digests`` are the numbers of places, ``moment`` is in seconds.

        ``meanwhile`` is how many digests go on while all places for questions are taken.
        """
        from asyncio import Event, Lock  # the help of commands, which names the roles, waits less

        self._questions, self._digests, self._meanwhile = questions, digests, meanwhile
        self._moment = moment
        self._calm_from = 0.0
        self._answering = self._building = 0
        self._changed = Event()
        # First come, first served: the others wait here.
        self._door = Lock()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Count a question as being answered inside the context."""
        self._answering += 1
        try:
            yield
        finally:
            if self._answering >= self._questions:
                self._calm_from = time.monotonic() + self._moment
            self._answering -= 1
            self._changed.set()

    @asynccontextmanager
    async def building(self) -> AsyncIterator[None]:
        """Wait until a digest may be built, and count it inside the context."""
        from asyncio import wait_for

        async with self._door:
            while self._building >= self._room():
                self._changed.clear()
                with suppress(TimeoutError):
                    await wait_for(self._changed.wait(), self._moment or None)
            self._building += 1
        try:
            yield
        finally:
            self._building -= 1
            self._changed.set()

    def _room(self) -> int:
        busy = self._answering >= self._questions or time.monotonic() < self._calm_from
        return self._meanwhile if busy else self._digests
