"""Incoming platform events, stored until they are handled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

import structlog
from sqlalchemy import Delete, Update, delete, select, update
from typing_extensions import override

from bot.messaging.inbox import Arrival, InboxStore
from bot.store.columns import columns, from_row, seconds, storable
from bot.store.database import Batcher, Database, SqlStore
from bot.store.dialect import one_of, words
from bot.store.tables.chat_tables import inbox
from digest.errors import UserError

log = structlog.get_logger(__name__)

_SOON = 0.2
"""Seconds for which a dropped arrival may stay, so that many are deleted together."""

_DROPPED = delete(inbox).where(one_of(inbox.c.key, "keys"))
_TRIED = update(inbox).where(one_of(inbox.c.key, "keys")).values(tries=inbox.c.tries + 1)


class SqlInbox(SqlStore, InboxStore):
    """The arrivals in a database. Close it with ``aclose``."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        # Five hundred wait for the disk only a few times.
        self._arrivals = Batcher(self._append)
        self._dropped: list[str] = []
        self._dropper: asyncio.Task[None] | None = None

    @override
    async def keep(self, arrival: Arrival) -> None:
        await self._arrivals.call(arrival)

    async def _append(self, arrivals: Sequence[Arrival]) -> Sequence[None]:
        rows = [columns(arrival) for arrival in arrivals]
        await self._database.append(inbox, [tuple(row[c.name] for c in inbox.c) for row in rows])
        return [None] * len(rows)

    @override
    def drop(self, key: str) -> None:
        self._dropped.append(key)
        if self._dropper is None or self._dropper.done():
            self._dropper = asyncio.create_task(self._delete())

    async def _delete(self) -> None:
        while self._dropped:
            await asyncio.sleep(_SOON)
            await self._delete_now()

    async def _delete_now(self) -> None:
        keys, self._dropped = self._dropped, []
        try:
            await self._change(_DROPPED, keys)
        except UserError as error:
            # They are read again after the next start, and recognised.
            log.warning("inbox.undropped", count=len(keys), error=str(error))

    @override
    async def left(self, account: str, until: datetime) -> Sequence[Arrival]:
        wanted = (
            select(inbox)
            .where(inbox.c.account == storable(account), inbox.c.at < seconds(until))
            .order_by(inbox.c.key)
        )
        return [from_row(Arrival, row) for row in (await self._database.run(wanted)).rows]

    @override
    async def tried(self, keys: Sequence[str]) -> None:
        await self._change(_TRIED, keys)

    async def _change(self, statement: Update | Delete, keys: Sequence[str]) -> None:
        async with self._database.writing("inbox") as connection:
            await connection.execute(statement, {"keys": words(keys)})

    async def aclose(self) -> None:
        """Delete the dropped arrivals at once."""
        if self._dropper is not None:
            self._dropper.cancel()
            await asyncio.gather(self._dropper, return_exceptions=True)
        if self._dropped:
            await self._delete_now()
