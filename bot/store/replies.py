"""The record of each message to the bot: that it was received, and how far its reply is.

Platforms deliver a message again for hours, and a process may die at any point of a reply::

    HEARD -> SENDING -> HOLDING -> TOLD
      |         |          |
      |         |          the placeholder was sent, its receipt is stored: it becomes the reply
      |         something is being sent: it may or may not arrive
      nothing was sent

A record that is not ``TOLD`` and that nobody works on was left by a crash; see
:meth:`bot.chat.message_service.Conversation.recover`. Whoever inserts the row of a message first
answers it, among tasks and processes alike. Platform events are stored before, until they are read.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import structlog
from sqlalchemy import Delete, Update, bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import override

from bot.messaging.inbox import Arrival, InboxStore
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Receipt
from bot.store import dialect
from bot.store.database import Batcher, Database, Prepared, SqlStore
from bot.store.tables.chat_tables import heard, inbox
from digest.errors import UserError
from digest.frozen import frozen

KEPT = timedelta(hours=48)
"""How long a record is kept. Feishu redelivers for 7 hours, Telegram for 24."""


class Stage(StrEnum):
    """How far a reply is."""

    HEARD = "heard"
    SENDING = "sending"
    HOLDING = "holding"
    TOLD = "told"


@frozen
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


@frozen
class MessageRecord:
    """A message, how far its reply is, its receipt, and when (aware, UTC) it was received."""

    key: MessageKey
    at: datetime
    stage: Stage
    asked: Incoming
    receipt: Receipt | None = None


class Records:
    """Stores the records of messages. This one keeps nothing, for a place without repeats."""

    async def claim(self, key: MessageKey, asked: Incoming, now: datetime) -> bool:  # noqa: ARG002  # for those that keep some
        """Create a record in ``HEARD``; return whether this call was first. Deletes old ones."""
        return True

    async def get(self, key: MessageKey) -> MessageRecord | None:  # noqa: ARG002  # as above
        """The record of a message."""
        return None

    async def mark(self, key: MessageKey, stage: Stage, receipt: Receipt | None = None) -> None:
        """Store how far the reply is, at once; without a ``receipt`` the known one stays."""

    async def ask_again(self, key: MessageKey, asked: Incoming) -> None:
        """Replace the text of an edited message; the stage stays."""

    async def left(self, account: str) -> Sequence[MessageRecord]:  # noqa: ARG002  # as above
        """The records of an account that are not ``TOLD``, oldest first."""
        return ()


def dump(asked: Incoming) -> str:
    """A message as text."""
    return json.dumps(dialect.adapter(Incoming).dump_python(asked, mode="json", exclude={"taken"}))


def load(text: str) -> Incoming:
    """The message that :func:`dump` wrote."""
    return dialect.value_from(Incoming, json.loads(text))


_AT_ONCE = 250  # the most records in one transaction, so that other work gets its turn
_SELDOM = 60  # seconds between two deletions of old records
_IS = dialect.equals_parameters(heard, "account", "chat", "message", prefix="key_")
_GET = Prepared(select(heard).where(_IS))
_mark = update(heard).where(_IS).values(state=bindparam("as_state"))
_MARK = Prepared(_mark)
_MARK_WITH_RECEIPT = Prepared(_mark.values(receipt=bindparam("as_receipt")))
_ASK_AGAIN = update(heard).where(_IS).values(asked=bindparam("as_asked"))
_EXPIRED = delete(heard).where(heard.c.at < bindparam("before"))

_CLAIM = Prepared(
    dialect.insert_into(heard)
    .on_conflict_do_nothing()
    .returning(heard.c.account, heard.c.chat, heard.c.message)
)

_Row = Mapping[str, Any]


class SqlReplies(SqlStore, Records):
    """The records in a database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        # Calls that arrive during a write are written together: a hundred cost little more.
        self._claims = Batcher(self._claim_all, _AT_ONCE)
        self._expired = 0

    @override
    async def claim(self, key: MessageKey, asked: Incoming, now: datetime) -> bool:
        about = {"at": dialect.seconds(now), "state": Stage.HEARD.value, "receipt": ""}
        row = {**dialect.columns(key), **about, "asked": dialect.storable(dump(asked))}
        return await self._claims.call(row)

    async def _claim_all(self, rows: Sequence[_Row]) -> Sequence[bool]:
        """Store messages that have no record; for each, whether this call was the first."""
        keys = [(row["account"], row["chat"], row["message"]) for row in rows]
        before = max(row["at"] for row in rows) - int(KEPT.total_seconds())
        # Sorted, so that two processes that store the same messages cannot deadlock. Of two calls
        # for one message, the earlier one is the first.
        first = dict(reversed(list(zip(keys, rows, strict=True))))
        async with self._database.writing(None) as connection:
            if before >= self._expired + _SELDOM:
                await connection.execute(_EXPIRED, {"before": before})
                self._expired = before
            ordered = [first[key] for key in sorted(first)]
            added = {tuple(row) for row in (await _CLAIM.on_each(connection, ordered)).rows}
            await self._on_recorded(connection, added)
        return [key in added and first[key] is row for key, row in zip(keys, rows, strict=True)]

    async def _on_recorded(
        self, _connection: AsyncConnection, _added: Collection[tuple[str, ...]]
    ) -> None:
        """Hook to write more in the transaction of new records; does nothing here."""

    @override
    async def get(self, key: MessageKey) -> MessageRecord | None:
        row = (await self._database.run(_GET, _of(key))).first
        return _record(row) if row else None

    @override
    async def mark(self, key: MessageKey, stage: Stage, receipt: Receipt | None = None) -> None:
        values = {**_of(key), "as_state": stage.value}
        if receipt is None:
            await self._database.run(_MARK, values)
        else:
            proof = {"as_receipt": dialect.storable(receipt.dump())}
            await self._database.run(_MARK_WITH_RECEIPT, values | proof)

    @override
    async def ask_again(self, key: MessageKey, asked: Incoming) -> None:
        await self._database.run(
            _ASK_AGAIN, {**_of(key), "as_asked": dialect.storable(dump(asked))}
        )

    @override
    async def left(self, account: str) -> Sequence[MessageRecord]:
        wanted = (
            select(heard)
            .where(heard.c.account == dialect.storable(account), heard.c.state != Stage.TOLD.value)
            .order_by(heard.c.at, heard.c.message)
        )
        return tuple(map(_record, (await self._database.run(wanted)).rows))


def _of(key: MessageKey) -> dict[str, str]:
    return {f"key_{name}": value for name, value in dialect.columns(key).items()}


def _record(row: Any) -> MessageRecord:
    return MessageRecord(
        key=dialect.from_row(MessageKey, row),
        at=dialect.moment(row.at),
        stage=Stage(row.state),
        asked=load(row.asked),
        receipt=Receipt.parse(row.receipt),
    )


log = structlog.get_logger(__name__)

_SOON = 0.2  # seconds for which a dropped arrival may stay, so that many are deleted together
_DROPPED = delete(inbox).where(dialect.one_of(inbox.c.key, "keys"))
_TRIED = update(inbox).where(dialect.one_of(inbox.c.key, "keys")).values(tries=inbox.c.tries + 1)


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
        rows = [dialect.columns(arrival) for arrival in arrivals]
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
            .where(
                inbox.c.account == dialect.storable(account), inbox.c.at < dialect.seconds(until)
            )
            .order_by(inbox.c.key)
        )
        return [dialect.from_row(Arrival, row) for row in (await self._database.run(wanted)).rows]

    @override
    async def tried(self, keys: Sequence[str]) -> None:
        await self._change(_TRIED, keys)

    async def _change(self, statement: Update | Delete, keys: Sequence[str]) -> None:
        async with self._database.writing("inbox") as connection:
            await connection.execute(statement, {"keys": dialect.words(keys)})

    async def aclose(self) -> None:
        """Delete the dropped arrivals at once."""
        if self._dropper is not None:
            self._dropper.cancel()
            await asyncio.gather(self._dropper, return_exceptions=True)
        if self._dropped:
            await self._delete_now()
