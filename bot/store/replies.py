"""Messages that were heard, as ``bot.conversation.record.Records`` promises.

Whoever inserts the row of a message first answers it, among tasks and processes alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, select, update

from bot.conversation.record import KEPT, Key, Record, Stage, dump, load
from bot.platforms.base import Incoming, Receipt
from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import moment, seconds, storable
from bot.store.tables import heard


class SqlReplies:
    """``Records`` in a database. Every method raises ``UnwritableFolder`` and ``BrokenArchive``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, key: Key, asked: Incoming, now: datetime) -> bool:
        """Make a record; whether this call is the first. Those that are too old are forgotten."""
        claimed = (
            insert_into(heard)
            .values(
                **_columns(key),
                at=seconds(now),
                state=Stage.HEARD.value,
                receipt="",
                asked=storable(dump(asked)),
            )
            .on_conflict_do_nothing()
            .returning(heard.c.message)
        )
        async with self._database.writing() as connection:
            await connection.execute(delete(heard).where(heard.c.at < seconds(now - KEPT)))
            return await connection.scalar(claimed) is not None

    async def get(self, key: Key) -> Record | None:
        """What is remembered of a message."""
        async with self._database.reading() as connection:
            row = (await connection.execute(select(heard).where(_is(key)))).first()
        return _record(row) if row else None

    async def mark(self, key: Key, stage: Stage, receipt: Receipt | None = None) -> None:
        """Write how far the answer is; without a ``receipt`` the known one stays."""
        values = {"state": stage.value}
        if receipt is not None:
            values["receipt"] = storable(receipt.dump())
        await self._update(key, values)

    async def ask_again(self, key: Key, asked: Incoming) -> None:
        """Put other words in the place of the message's."""
        await self._update(key, {"asked": storable(dump(asked))})

    async def left(self, account: str) -> Sequence[Record]:
        """The records of an account that are not ``TOLD``, oldest first."""
        wanted = (
            select(heard)
            .where(heard.c.account == storable(account), heard.c.state != Stage.TOLD.value)
            .order_by(heard.c.at, heard.c.message)
        )
        async with self._database.reading() as connection:
            return tuple(map(_record, await connection.execute(wanted)))

    async def _update(self, key: Key, values: dict[str, str]) -> None:
        async with self._database.writing() as connection:
            await connection.execute(update(heard).where(_is(key)).values(**values))


def _columns(key: Key) -> dict[str, str]:
    names = {"account": key.account, "chat": key.chat, "message": key.message}
    return {name: storable(value) for name, value in names.items()}


def _is(key: Key) -> ColumnElement[bool]:
    wanted = _columns(key)
    return (
        (heard.c.account == wanted["account"])
        & (heard.c.chat == wanted["chat"])
        & (heard.c.message == wanted["message"])
    )


def _record(row: Row[*tuple[Any, ...]]) -> Record:
    return Record(
        key=Key(account=row.account, chat=row.chat, message=row.message),
        at=moment(row.at),
        stage=Stage(row.state),
        asked=load(row.asked),
        receipt=Receipt.parse(row.receipt),
    )
