"""Messages that were heard, as ``bot.conversation.record.Records`` promises.

Whoever inserts the row of a message first answers it, among tasks and processes alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.conversation.record import KEPT, Key, Record, Stage, dump, load
from bot.platforms.base import Incoming, Receipt
from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.prepared import Prepared
from bot.store.rows import moment, seconds, storable
from bot.store.tables import heard

_AT_ONCE = 250
"""Records of one transaction at most, so that others get their turn."""

_SELDOM = 60
"""Seconds between two times that old records are forgotten."""

_IS = (
    (heard.c.account == bindparam("key_account"))
    & (heard.c.chat == bindparam("key_chat"))
    & (heard.c.message == bindparam("key_message"))
)
_GET = Prepared(select(heard).where(_IS))
_marked = update(heard).where(_IS).values(state=bindparam("as_state"))
_MARKED = Prepared(_marked)
_PROVED = Prepared(_marked.values(receipt=bindparam("as_receipt")))
_ASKED_AGAIN = update(heard).where(_IS).values(asked=bindparam("as_asked"))
_FORGOTTEN = delete(heard).where(heard.c.at < bindparam("over"))
_CLAIMED = Prepared(
    insert_into(heard)
    .on_conflict_do_nothing()
    .returning(heard.c.account, heard.c.chat, heard.c.message)
)


@dataclass(slots=True, kw_only=True)
class _Claim:
    """A message that waits to be written down; ``first`` says whether it was not before."""

    names: dict[str, str]
    asked: Incoming
    at: datetime
    first: asyncio.Future[bool] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def name(self) -> tuple[str, ...]:
        return tuple(self.names.values())

    def row(self) -> dict[str, Any]:
        """Its record."""
        return {
            **self.names,
            "at": seconds(self.at),
            "state": Stage.HEARD.value,
            "receipt": "",
            "asked": storable(dump(self.asked)),
        }


class SqlReplies:
    """``Records`` in a database. Every method raises ``UnwritableFolder`` and ``BrokenArchive``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Claim] = []
        self._writer: asyncio.Task[None] | None = None
        self._forgotten = 0

    async def claim(self, key: Key, asked: Incoming, now: datetime) -> bool:
        """Make a record; whether this call is the first. Those that are too old are forgotten.

        Who comes while others are written down is written down with whoever else does, in one
        transaction: a hundred cost little more than one.
        """
        claim = _Claim(names=_columns(key), asked=asked, at=now)
        self._waiting.append(claim)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        # The writer is nobody's own: who is cancelled takes nothing from the others.
        return await asyncio.shield(claim.first)

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            try:
                made = await self._made(batch)
            except Exception as error:  # noqa: BLE001  # each of those who wait is told
                for claim in batch:
                    claim.first.set_exception(error)
                continue
            for claim in batch:
                # Of two calls for one message the earlier is the first.
                first = claim.name in made
                made.discard(claim.name)
                claim.first.set_result(first)

    async def _made(self, batch: Sequence[_Claim]) -> set[tuple[str, ...]]:
        """Which messages had no record before; all are written down, or none."""
        over = seconds(max(claim.at for claim in batch) - KEPT)
        # In one order everywhere: two processes that write down the same never wait for each other
        # both at once.
        rows = [row for _, row in sorted({c.name: c.row() for c in reversed(batch)}.items())]
        async with self._database.writing(None) as connection:
            if over >= self._forgotten + _SELDOM:
                await connection.execute(_FORGOTTEN, {"over": over})
                self._forgotten = over
            made = {tuple(row) for row in (await _CLAIMED.on_each(connection, rows)).rows}
            await self._recorded(connection, made)
            return made

    async def _recorded(
        self, _connection: AsyncConnection, _made: Collection[tuple[str, ...]]
    ) -> None:
        """What is written with new records, in their transaction; here nothing."""

    async def get(self, key: Key) -> Record | None:
        """What is remembered of a message."""
        row = (await self._database.ask(_GET, _of(key))).first
        return _record(row) if row else None

    async def mark(self, key: Key, stage: Stage, receipt: Receipt | None = None) -> None:
        """Write how far the answer is; without a ``receipt`` the known one stays."""
        values = {**_of(key), "as_state": stage.value}
        if receipt is None:
            await self._database.ask(_MARKED, values)
        else:
            await self._database.ask(_PROVED, values | {"as_receipt": storable(receipt.dump())})

    async def ask_again(self, key: Key, asked: Incoming) -> None:
        """Put other words in the place of the message's."""
        values = {**_of(key), "as_asked": storable(dump(asked))}
        await self._database.write(_ASKED_AGAIN, values)

    async def left(self, account: str) -> Sequence[Record]:
        """The records of an account that are not ``TOLD``, oldest first."""
        wanted = (
            select(heard)
            .where(heard.c.account == storable(account), heard.c.state != Stage.TOLD.value)
            .order_by(heard.c.at, heard.c.message)
        )
        async with self._database.reading() as connection:
            return tuple(map(_record, await connection.execute(wanted)))


def _columns(key: Key) -> dict[str, str]:
    names = {"account": key.account, "chat": key.chat, "message": key.message}
    return {name: storable(value) for name, value in names.items()}


def _of(key: Key) -> dict[str, str]:
    """What the statements about one record are given."""
    return {f"key_{name}": value for name, value in _columns(key).items()}


def _record(row: Row[*tuple[Any, ...]]) -> Record:
    return Record(
        key=Key(account=row.account, chat=row.chat, message=row.message),
        at=moment(row.at),
        stage=Stage(row.state),
        asked=load(row.asked),
        receipt=Receipt.parse(row.receipt),
    )
