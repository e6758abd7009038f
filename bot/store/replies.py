"""The record of each message to the bot: that it was received, and how far its reply is.

Platforms deliver a message again for hours, and a process may die at any point of a reply::

    HEARD -> SENDING -> HOLDING -> TOLD
      |         |          |
      |         |          the placeholder was sent, its receipt is stored: it becomes the reply
      |         something is being sent: it may or may not arrive
      nothing was sent

A record that is not ``TOLD`` and that nobody works on was left by a crash; see
:meth:`bot.chat.message_service.Conversation.recover`. Whoever inserts the row of a message first
answers it, among tasks and processes alike.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

from sqlalchemy import Row, bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Receipt
from bot.store.database import Database, Prepared
from bot.store.dialect import insert_into
from bot.store.rows import moment, seconds, storable
from bot.store.tables.chat_tables import heard

KEPT = timedelta(hours=48)
"""How long a record is kept. Feishu redelivers for 7 hours, Telegram for 24."""


class Stage(StrEnum):
    """How far a reply is."""

    HEARD = "heard"
    SENDING = "sending"
    HOLDING = "holding"
    TOLD = "told"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """A message: ``account`` is a name in the configuration, the others are the platform's ids."""

    account: str
    chat: str
    message: str

    @property
    def identity(self) -> str:
        """The identity of the reply's first part; see :class:`bot.messaging.Part`."""
        named = json.dumps([self.account, self.chat, self.message])
        return hashlib.sha256(named.encode()).hexdigest()[:32]

    @property
    def lease(self) -> str:
        """The name of the lease under which one process at a time works on the reply."""
        return f"answer\0{self.account}\0{self.chat}\0{self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A message and how far its reply is. ``receipt`` is that of the placeholder or the reply.

    ``at`` is when it was received, aware, in UTC.
    """

    key: MessageKey
    at: datetime
    stage: Stage
    asked: Incoming
    receipt: Receipt | None = None


class Records(Protocol):
    """Stores the records of messages."""

    async def claim(self, key: MessageKey, asked: Incoming, now: datetime) -> bool:
        """Create a record in ``HEARD``; return whether this call was the first to do so.

        It may delete records older than ``KEPT``.
        """

    async def get(self, key: MessageKey) -> MessageRecord | None:
        """The record of a message."""

    async def mark(self, key: MessageKey, stage: Stage, receipt: Receipt | None = None) -> None:
        """Store how far the reply is, at once; without a ``receipt`` the known one stays."""

    async def ask_again(self, key: MessageKey, asked: Incoming) -> None:
        """Replace the text of an edited message; the stage stays."""

    async def left(self, account: str) -> Sequence[MessageRecord]:
        """The records of an account that are not ``TOLD``, oldest first."""


# ``asdict`` copies deeply, which would be the most expensive step in handling a message.
_FIELDS = tuple(one.name for one in fields(Incoming) if one.name != "taken")


def dump(asked: Incoming) -> str:
    """A message as text."""
    kept = {name: getattr(asked, name) for name in _FIELDS}
    receipt = asked.receipt
    kept["receipt"] = receipt and {"message": receipt.message, "thread": receipt.thread}
    kept["at"] = asked.at.isoformat()
    return json.dumps(kept)


def load(text: str) -> Incoming:
    """The message that :func:`dump` wrote."""
    kept = json.loads(text)
    receipt = kept.pop("receipt")
    kept["at"] = datetime.fromisoformat(kept["at"])
    kept["also"] = tuple(kept.get("also", ()))
    kept["fate"] = MessageEvent(kept.get("fate", MessageEvent.SAID))
    return Incoming(receipt=Receipt(**receipt) if receipt else None, **kept)


_AT_ONCE = 250
"""The most records in one transaction, so that other work gets its turn."""

_SELDOM = 60
"""Seconds between two deletions of old records."""

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
    """A message waiting to be stored; ``first`` tells whether it had no record before."""

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
        """The row of its record."""
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

    async def claim(self, key: MessageKey, asked: Incoming, now: datetime) -> bool:
        """Create a record; return whether this call was the first. Expired records are deleted.

        Calls that arrive during a write are written together in one transaction: a hundred cost
        little more than one.
        """
        claim = _Claim(names=_columns(key), asked=asked, at=now)
        self._waiting.append(claim)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        # The writer is a task of its own: cancelling one caller does not affect the others.
        return await asyncio.shield(claim.first)

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            try:
                made = await self._made(batch)
            except Exception as error:  # noqa: BLE001  # passed on to every waiting caller
                for claim in batch:
                    claim.first.set_exception(error)
                continue
            for claim in batch:
                # Of two calls for one message, the earlier one is the first.
                first = claim.name in made
                made.discard(claim.name)
                claim.first.set_result(first)

    async def _made(self, batch: Sequence[_Claim]) -> set[tuple[str, ...]]:
        """The messages that had no record before; all are stored, or none."""
        over = seconds(max(claim.at for claim in batch) - KEPT)
        # Sorted, so that two processes that store the same messages cannot deadlock.
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
        """Hook to write more in the transaction of new records; does nothing here."""

    async def get(self, key: MessageKey) -> MessageRecord | None:
        """The record of a message."""
        row = (await self._database.ask(_GET, _of(key))).first
        return _record(row) if row else None

    async def mark(self, key: MessageKey, stage: Stage, receipt: Receipt | None = None) -> None:
        """Store how far the reply is; without a ``receipt`` the known one stays."""
        values = {**_of(key), "as_state": stage.value}
        if receipt is None:
            await self._database.ask(_MARKED, values)
        else:
            await self._database.ask(_PROVED, values | {"as_receipt": storable(receipt.dump())})

    async def ask_again(self, key: MessageKey, asked: Incoming) -> None:
        """Replace the stored text of the message."""
        values = {**_of(key), "as_asked": storable(dump(asked))}
        await self._database.write(_ASKED_AGAIN, values)

    async def left(self, account: str) -> Sequence[MessageRecord]:
        """The records of an account that are not ``TOLD``, oldest first."""
        wanted = (
            select(heard)
            .where(heard.c.account == storable(account), heard.c.state != Stage.TOLD.value)
            .order_by(heard.c.at, heard.c.message)
        )
        async with self._database.reading() as connection:
            return tuple(map(_record, await connection.execute(wanted)))


def _columns(key: MessageKey) -> dict[str, str]:
    names = {"account": key.account, "chat": key.chat, "message": key.message}
    return {name: storable(value) for name, value in names.items()}


def _of(key: MessageKey) -> dict[str, str]:
    """Parameters of the statements about one record."""
    return {f"key_{name}": value for name, value in _columns(key).items()}


def _record(row: Row[*tuple[Any, ...]]) -> MessageRecord:
    return MessageRecord(
        key=MessageKey(account=row.account, chat=row.chat, message=row.message),
        at=moment(row.at),
        stage=Stage(row.state),
        asked=load(row.asked),
        receipt=Receipt.parse(row.receipt),
    )
