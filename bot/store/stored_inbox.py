"""Incoming platform events in a database, as ``bot.messaging.inbox.InboxStore`` states."""

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
"""The most arrivals in one transaction."""

_SOON = 0.2
"""Seconds for which a dropped arrival may stay, so that many are deleted together."""

_DROPPED = delete(inbox).where(one_of(inbox.c.key, "keys"))
_TRIED = update(inbox).where(one_of(inbox.c.key, "keys")).values(tries=inbox.c.tries + 1)


class SqlShelf:
    """An ``InboxStore`` in a database. Close it with ``aclose``.

    Calls that arrive during a write are written together in one transaction, so five hundred wait
    for the disk only a few times.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[Arrival, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._dropped: list[str] = []
        self._dropper: asyncio.Task[None] | None = None

    async def keep(self, arrival: Arrival) -> None:
        """Store it durably. Raises ``UserError``."""
        kept = asyncio.get_running_loop().create_future()
        self._waiting.append((arrival, kept))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        # The writer is a task of its own: cancelling one caller does not affect the others.
        await kept

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            error: Exception | None = None
            try:
                await self._database.keep(inbox, [_row(arrival) for arrival, _ in batch])
            except Exception as raised:  # noqa: BLE001  # passed on to every waiting caller
                error = raised
            for _, kept in batch:
                if kept.done():
                    continue
                if error is None:
                    kept.set_result(None)
                else:
                    kept.set_exception(error)

    def drop(self, key: str) -> None:
        """Delete it soon, together with others."""
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
            # They are read again after the next start, and recognised.
            log.warning("inbox.undropped", count=len(keys), error=str(error))

    async def left(self, account: str, until: datetime) -> Sequence[Arrival]:
        """The stored arrivals of an account before a moment, in order. Raises ``UserError``."""
        wanted = (
            select(inbox)
            .where(inbox.c.account == storable(account), inbox.c.at < seconds(until))
            .order_by(inbox.c.key)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(wanted)).mappings().all()
        return [Arrival(**{**row, "at": moment(row["at"])}) for row in rows]

    async def tried(self, keys: Sequence[str]) -> None:
        """Count an attempt at each of these. Raises ``UserError``."""
        async with self._database.writing("inbox") as connection:
            await connection.execute(_TRIED, {"keys": words(keys)})

    async def aclose(self) -> None:
        """Delete the dropped arrivals at once."""
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
