"""Which part of which digest was sent where, and who claimed what.

The first to insert a row has claimed it. Parts are numbered from 0. A claim in ``slots`` is removed
once nobody can claim the same name again. The part of its name before the colon gives its kind:

- passing events (:data:`PASSING`): the delivery of a forge's webhook, a day's line for the admin,
  the range of an alert. Old ones are removed, except for the alert that a profile has reached.
- channels, with the scheduler's notes on them, one claim a day. The newest says how far the
  channel is and is kept forever; older ones are never looked up again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store import dialect
from bot.store.database import Batcher, Database, Prepared, SqlStore
from bot.store.tables.chat_tables import profiles
from bot.store.tables.ledger_tables import deliveries, delivery_parts, slots
from bot.util.machine import SystemClock
from handlers.ports.storage import Clock, DeliveryKey, DeliveryRecord, PartRecord, PartState

HOOK, NOTICE, ALERT = PASSING = "hook:", "notice:", "alert:"
"""Prefixes of claims of passing events."""

_SENT = PartState.SENT.value
_KEY = "platform", "channel", "digest"

_RECORDS: sa.Select[*tuple[Any, ...]] = (
    sa.select(deliveries, *(c for c in delivery_parts.c if c.name != "delivery_id"))
    .join_from(deliveries, delivery_parts, isouter=True)
    .order_by(deliveries.c.id, delivery_parts.c.part)
)

_OF = (
    sa.select(deliveries.c.id)
    .where(dialect.equals_parameters(deliveries, *_KEY, prefix="of_"))
    .scalar_subquery()
)

_MARK = (
    sa.update(delivery_parts)
    .where(delivery_parts.c.delivery_id == _OF, delivery_parts.c.part == sa.bindparam("of_part"))
    .values({name: sa.bindparam(name) for name in ("state", "receipt", "error")})
)

_MARK_SENT = Prepared(_MARK)
_MARK_UNSENT = Prepared(_MARK.where(delivery_parts.c.state != _SENT))

_UNSENT = sa.exists().where(
    delivery_parts.c.delivery_id == deliveries.c.id, delivery_parts.c.state != _SENT
)

_DONE = Prepared(sa.update(deliveries).where(deliveries.c.id == _OF).values(done=~_UNSENT))

_CLAIMED = Prepared(
    dialect.insert_into(deliveries)
    .values({name: sa.bindparam(name) for name in (*_KEY, "content", "done", "at")})
    .on_conflict_do_nothing()
    .returning(deliveries.c.id)
)

_CLAIM = Prepared(
    dialect.insert_into(slots)
    .on_conflict_do_nothing()
    .returning(slots.c.subscription, slots.c.slot)
)

_PART = Prepared(sa.insert(delivery_parts))

_LAST = Prepared(
    sa.select(slots.c.subscription, sa.func.max(slots.c.slot))
    .where(dialect.one_of(slots.c.subscription, "names"))
    .group_by(slots.c.subscription)
)


class SqlLedger(SqlStore):
    """The ledger in a database; ``clock`` gives the time of claims."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        super().__init__(database)
        self._clock = clock or SystemClock()
        self._claims = Batcher(self._claim_all)
        self._lasts = Batcher(self._last_of)

    async def claim(self, key: DeliveryKey, content: str, parts: int) -> DeliveryRecord:
        """Create the record, or return the existing one, whose frozen content wins.

        ``content`` is the document as JSON text; ``parts`` is the number of messages it makes.
        """
        content, waiting = dialect.storable(content), PartState.WAITING
        at = dialect.seconds(self._clock.now())
        row = {**dialect.columns(key), "content": content, "done": parts == 0, "at": at}
        async with self._database.writing(None) as connection:
            delivery = (await _CLAIMED.on(connection, row)).value
            if delivery is None:
                existing = await connection.execute(_RECORDS.where(_is(key)))
                return next(iter(_records(existing.all())))
            if parts:
                new = {"delivery_id": delivery, "state": waiting.value, "receipt": "", "error": ""}
                await _PART.on_each(connection, [{**new, "part": n} for n in range(parts)])
        return DeliveryRecord(
            key=key,
            content=content,
            parts=tuple(PartRecord(part=n, state=waiting) for n in range(parts)),
            done=parts == 0,
            fresh=True,
        )

    async def mark(self, key: DeliveryKey, part: PartRecord) -> None:
        """Save one part's state at once. The delivery is done when all parts are ``SENT``."""
        # A sent part stays sent.
        values = {f"of_{name}": value for name, value in dialect.columns(key).items()}
        values |= {**dialect.columns(part, "state", "receipt", "error"), "of_part": part.part}
        if part.state is PartState.SENT:
            count = (await self._database.run_all((_MARK_SENT, values), (_DONE, values)))[0].count
        else:
            count = (await self._database.run(_MARK_UNSENT, values)).count
        # No row was updated: the part was already sent, or it does not exist.
        if not count and not await self._has_part(key, part.part):
            raise LookupError(f"part {part.part} of {key} was never claimed")

    async def _has_part(self, key: DeliveryKey, part: int) -> bool:
        record = await self.record(key)
        return record is not None and any(entry.part == part for entry in record.parts)

    async def pending(self) -> Sequence[DeliveryRecord]:
        """The deliveries that were claimed and are not done, oldest first."""
        return tuple(_records((await self._database.run(_RECORDS.where(~deliveries.c.done))).rows))

    async def record(self, key: DeliveryKey) -> DeliveryRecord | None:
        """The stored delivery; ``None`` if it was never claimed."""
        rows = (await self._database.run(_RECORDS.where(_is(key)))).rows
        return next(iter(_records(rows)), None)

    async def claim_slot(self, subscription: str, slot: str) -> bool:
        """Whether this call is the first to claim the slot (a local date) of a subscription."""
        return await self._claims.call((subscription, slot))

    async def _claim(self, connection: AsyncConnection, subscription: str, slot: str) -> bool:
        """The same, in the transaction of a connection."""
        row = {"subscription": subscription, "slot": slot, "at": dialect.seconds(self._clock.now())}
        return bool((await _CLAIM.on(connection, row)).rows)

    async def _claim_all(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bool]:
        """Claim many slots in one transaction; for each, whether this call was the first."""
        at = dialect.seconds(self._clock.now())
        # Sorted, so that two processes that claim the same slots cannot deadlock.
        rows = [{"subscription": name, "slot": slot, "at": at} for name, slot in sorted({*wanted})]
        async with self._database.writing(None) as connection:
            claimed = {tuple(row) for row in (await _CLAIM.on_each(connection, rows)).rows}
            if claimed:
                await self._on_claimed(
                    connection, [c for c in dict.fromkeys(wanted) if c in claimed]
                )
        first = []
        for claim in wanted:
            first.append(claim in claimed)
            claimed.discard(claim)
        return first

    async def _on_claimed(
        self, _connection: AsyncConnection, _claims: Sequence[tuple[str, str]]
    ) -> None:
        """Hook to write more in the transaction of the claims; does nothing here."""

    async def last_slot(self, subscription: str) -> str | None:
        """The newest claimed slot of a subscription."""
        return await self._lasts.call(subscription)  # dates sort as their texts do

    async def _last_of(self, subscriptions: Sequence[str]) -> Sequence[str | None]:
        rows = (await self._database.run(_LAST, {"names": dialect.words(subscriptions)})).rows
        last = dict(tuple(row) for row in rows)
        return [last.get(name) for name in subscriptions]


def _is(key: DeliveryKey) -> sa.ColumnElement[bool]:
    return dialect.matches(deliveries, dialect.columns(key))


def _records(rows: Iterable[sa.Row[*tuple[Any, ...]]]) -> Iterable[DeliveryRecord]:
    """The records of ordered rows, in which a delivery's parts are adjacent."""
    for _, group in groupby(rows, key=lambda row: row.id):
        parts = list(group)
        first = parts[0]
        yield DeliveryRecord(
            key=dialect.from_row(DeliveryKey, first),
            content=first.content,
            parts=tuple(dialect.from_row(PartRecord, row) for row in parts if row.part is not None),
            done=first.done,
            fresh=False,
        )


def alert_claim(repository: str, owner: str, tip: str) -> str:
    """The claim of an alert: whom it is for, and the commit its range starts from."""
    return f"{ALERT}{repository}:{owner}:{tip}"


async def remove_claims(database: Database, before: datetime) -> int:
    """Remove claims made before a moment that are no longer needed; return how many there were."""
    name = slots.c.subscription
    passing = sa.or_(*(sa.func.substr(name, 1, len(kind)) == kind for kind in PASSING))
    profile = profiles.c
    start = sa.literal(ALERT) + profile.repository + ":" + profile.owner + ":" + profile.tip
    reached = sa.exists().where(start == name)
    newer = slots.alias()
    overtaken = sa.exists().where(newer.c.subscription == name, newer.c.slot > slots.c.slot)
    # Earlier versions of the program stored no time: the age of such a claim is unknown.
    old = sa.and_(slots.c.at > 0, slots.c.at < dialect.seconds(before))
    # Passing events have no order: none overtakes another.
    unneeded = sa.or_(sa.and_(passing, sa.not_(reached)), sa.and_(sa.not_(passing), overtaken))
    return (await database.run(sa.delete(slots).where(old, unneeded))).count
