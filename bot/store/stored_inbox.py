"""What platforms delivered, as ``bot.messaging.inbox.InboxStore`` promises."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

import structlog
from sqlalchemy import delete, select, update

from bot.messaging.inbox import Arrival
from bot.store.database import Database
from bot.store.dialect import one_of, words
from bot.store.rows import moment, seconds, storable
from bot.store.tables.chat_tables import inbox
from digest.errors import UserError

log = structlog.get_logger(__name__)

_AT_ONCE = 500
"""Arrivals of one transaction at most."""

_SOON = 0.2
"""Seconds for which what is dropped may stay: many are dropped together."""

_DROPPED = delete(inbox).where(one_of(inbox.c.key, "keys"))

_TRIED = update(inbox).where(one_of(inbox.c.key, "keys")).values(tries=inbox.c.tries + 1)


class SqlShelf:
    """``Shelf`` in a database. Close it with ``aclose``.

    Who comes while others are written down is written down with whoever else does, in one
    transaction: five hundred wait for the disk a few times.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[Arrival, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._dropped: list[str] = []
        self._dropper: asyncio.Task[None] | None = None

    async def keep(self, arrival: Arrival) -> None:
        """Write it down for good. Raises ``UserError``."""
        kept = asyncio.get_running_loop().create_future()
        self._waiting.append((arrival, kept))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        # The writer is nobody's own: who is cancelled takes nothing from the others.
        await kept

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            error: Exception | None = None
            try:
                await self._database.keep(inbox, [_row(arrival) for arrival, _ in batch])
            except Exception as raised:  # noqa: BLE001  # each of those who wait is told
                error = raised
            for _, kept in batch:
                if kept.done():
                    continue
                if error is None:
                    kept.set_result(None)
                else:
                    kept.set_exception(error)

    def drop(self, key: str) -> None:
        """Forget it, with whatever else is dropped soon."""
        self._dropped.append(key)
        if self._dropper is None or self._dropper.done():
            self._dropper = asyncio.create_task(self._forget())

    async def _forget(self) -> None:
        while self._dropped:
            await asyncio.sleep(_SOON)
            await self._forget_now()

    async def _forget_now(self) -> None:
        keys, self._dropped = self._dropped, []
        try:
            async with self._database.writing("inbox") as connection:
                await connection.execute(_DROPPED, {"keys": words(keys)})
        except UserError as error:
            # They are read again after the next start, and known.
            log.warning("inbox.undropped", count=len(keys), error=str(error))

    async def left(self, account: str, until: datetime) -> Sequence[Arrival]:
        """What is kept of an account since before a moment, in order. Raises ``UserError``."""
        wanted = (
            select(inbox)
            .where(inbox.c.account == storable(account), inbox.c.at < seconds(until))
            .order_by(inbox.c.key)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(wanted)).mappings().all()
        return [Arrival(**{**row, "at": moment(row["at"])}) for row in rows]

    async def tried(self, keys: Sequence[str]) -> None:
        """Count that these are taken up. Raises ``UserError``."""
        async with self._database.writing("inbox") as connection:
            await connection.execute(_TRIED, {"keys": words(keys)})

    async def aclose(self) -> None:
        """Forget at once what was to be forgotten soon."""
        if self._dropper is not None:
            self._dropper.cancel()
            await asyncio.gather(self._dropper, return_exceptions=True)
        if self._dropped:
            await self._forget_now()


def _row(arrival: Arrival) -> tuple[str, str, str, str, str, int, int]:
    """The values of a row, in the order of the table's columns."""
    return (
        arrival.key,
        storable(arrival.account),
        arrival.kind,
        storable(arrival.content),
        arrival.trace,
        seconds(arrival.at),
        arrival.tries,
    )
