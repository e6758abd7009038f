"""What forges tell, from a delivery that was heard to the work that follows from it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.store.claims import HOOK
from handlers.ports import Ledger

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """That a branch of a repository moved, or a request was changed or merged.

    ``repository`` is its path on the host, such as ``owner/name``; ``moved`` says that there are
    new commits, and not only new words.
    """

    host: str
    repository: str
    moved: bool


Tell = Callable[[Arrived], Awaitable[None]]
"""Does what follows from an arrival; its errors are logged."""


class Taking(Protocol):
    """Takes in what a forge delivered, so that its answer need not wait for what follows."""

    async def take(self, forge: str, delivery: str, arrived: Arrived) -> bool:
        """Whether a delivery, by its id, was not here before; one without an id never was."""

    async def settle(self) -> None:
        """Wait until everything that was begun here is done."""


class AtOnce:
    """Does in this process what follows. Implements :class:`Taking`."""

    def __init__(self, ledger: Ledger, tell: Tell) -> None:
        self._ledger = ledger
        self._tell = tell
        self._work: set[asyncio.Task[None]] = set()

    async def take(self, forge: str, delivery: str, arrived: Arrived) -> bool:
        """Claim the delivery, and begin."""
        if delivery and not await self._ledger.claim_slot(f"{HOOK}{forge}", delivery):
            return False
        task = asyncio.create_task(self._done(arrived))
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return True

    async def settle(self) -> None:
        """Wait until everything that was taken in is done."""
        while self._work:
            await asyncio.wait(set(self._work))

    async def _done(self, arrived: Arrived) -> None:
        try:
            await self._tell(arrived)
        except Exception:
            log.exception("hook.broken", repository=arrived.repository)
