"""Which part of the program a process is.

Questions before digests, where both want the processor: somebody waits for an answer.

Each kind has places of its own, so neither waits for the other to end. But what is under way shares
one processor: a thousand digests that are due would take more than half of it from those who ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.delivery.delivery import Wake
    from bot.forges.hooks import Taking


Loop = Callable[[asyncio.Event], Coroutine[None, None, None]]
"""Works until the event is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleDuties:
    """What a process does, and how it takes in what forges tell it; not at all without hooks.

    ``wake`` has what is left of a channel sent at once; without it a sweep finds it.
    """

    loop: Loop
    taking: Taking | None = None
    wake: Wake | None = None


class ProcessRole(StrEnum):
    """A part of the work. All but ``ALL`` need an archive in PostgreSQL."""

    ALL = "all"
    WEB = "web"
    """Pages, and what platforms tell; others answer."""
    WORKER = "worker"
    """Builds, posts and answers what others found to be done."""
    SCHEDULER = "scheduler"
    """Finds what is due."""

    @property
    def hosts(self) -> bool:
        """Whether it serves what the outside calls."""
        return self in {ProcessRole.ALL, ProcessRole.WEB}

    @property
    def reads(self) -> bool:
        """Whether it reads repositories."""
        return self in {ProcessRole.ALL, ProcessRole.WORKER}

    @property
    def sweeps(self) -> bool:
        """Whether it may be held against it that nothing was taken up for long."""
        return self is ProcessRole.ALL


class Precedence:
    """Lets few digests go on while every place for questions is taken, and all of them otherwise.

    Those few are never none: digests come later then, and come.
    """

    def __init__(self, *, questions: int, digests: int, meanwhile: int) -> None:
        """``questions`` and ``digests`` are the places of each.

        ``meanwhile`` is how many digests go on while all places for questions are taken.
        """
        self._questions, self._digests, self._meanwhile = questions, digests, meanwhile
        self._answering = self._building = 0
        self._changed = asyncio.Event()
        # Who came first is the next: the others wait here.
        self._door = asyncio.Lock()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """A question is answered inside."""
        self._answering += 1
        try:
            yield
        finally:
            self._answering -= 1
            self._changed.set()

    @asynccontextmanager
    async def building(self) -> AsyncIterator[None]:
        """A digest is built inside, once it may."""
        async with self._door:
            while self._building >= self._room():
                self._changed.clear()
                await self._changed.wait()
            self._building += 1
        try:
            yield
        finally:
            self._building -= 1
            self._changed.set()

    def _room(self) -> int:
        return self._meanwhile if self._answering >= self._questions else self._digests
