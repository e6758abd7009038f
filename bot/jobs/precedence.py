"""Questions before digests, where both want the processor: somebody waits for an answer.

Each kind has places of its own, so neither waits for the other to end. But what is under way shares
one processor: a thousand digests that are due would take more than half of it from those who ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager


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
