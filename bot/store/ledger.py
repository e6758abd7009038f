"""Which part of which digest was sent where, as ``handlers.ports.storage.Ledger`` states.

The first to insert a row has claimed it: unique keys decide between tasks as well as between
processes. Parts are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, bindparam, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Batcher, Database, Prepared
from bot.store.dialect import insert_into, one_of, words
from bot.store.rows import seconds, storable
from bot.store.tables.ledger_tables import deliveries, delivery_parts, slots
from bot.util.clock import SystemClock
from handlers.ports.storage import Clock, DeliveryKey, DeliveryRecord, PartRecord, PartState

_SENT = PartState.SENT.value
_NAMES = "platform", "channel", "digest"

_RECORDS: Select[*tuple[Any, ...]] = (
    select(
        deliveries,
        delivery_parts.c.part,
        delivery_parts.c.state,
        delivery_parts.c.receipt,
        delivery_parts.c.error,
    )
    .join_from(deliveries, delivery_parts, isouter=True)
    .order_by(deliveries.c.id, delivery_parts.c.part)
)


_OF = (
    select(deliveries.c.id)
    .where(*(deliveries.c[name] == bindparam(f"of_{name}") for name in _NAMES))
    .scalar_subquery()
)
_MARK = (
    update(delivery_parts)
    .where(delivery_parts.c.delivery_id == _OF, delivery_parts.c.part == bindparam("of_part"))
    .values(state=bindparam("state"), receipt=bindparam("receipt"), error=bindparam("error"))
)
_MARK_SENT = Prepared(_MARK)
_MARK_UNSENT = Prepared(_MARK.where(delivery_parts.c.state != _SENT))
_UNSENT = exists().where(
    delivery_parts.c.delivery_id == deliveries.c.id, delivery_parts.c.state != _SENT
)
_DONE = Prepared(update(deliveries).where(deliveries.c.id == _OF).values(done=~_UNSENT))


_CLAIMED = Prepared(
    insert_into(deliveries)
    .values({name: bindparam(name) for name in (*_NAMES, "content", "done", "at")})
    .on_conflict_do_nothing()
    .returning(deliveries.c.id)
)
_inserted = insert_into(slots)
_CLAIM = Prepared(_inserted.on_conflict_do_nothing().returning(slots.c.subscription, slots.c.slot))
_PART = Prepared(insert(delivery_parts))
_LAST = Prepared(
    select(slots.c.subscription, func.max(slots.c.slot))
    .where(one_of(slots.c.subscription, "names"))
    .group_by(slots.c.subscription)
)


class SqlLedger:
    """A ``Ledger`` in a database; ``clock`` gives the time of claims."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = clock or SystemClock()
        self._claims = Batcher(self._claim_all)
        self._lasts = Batcher(self._last_of)

    async def claim(self, key: DeliveryKey, content: str, parts: int) -> DeliveryRecord:
        """Create the record by its unique key, or return the existing one.

        An existing record keeps its content and its number of parts. A delivery without parts is
        done. Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        at = seconds(self._clock.now())
        given = {**_columns(key), "content": storable(content), "done": parts == 0, "at": at}
        waiting = {"state": PartState.WAITING.value, "receipt": "", "error": ""}
        async with self._database.writing(None) as connection:
            made = (await _CLAIMED.on(connection, given)).value
            if made is None:
                stands = await connection.execute(_RECORDS.where(_is(key)))
                return next(iter(_records(stands.all(), fresh=False)))
            if parts:
                rows = [{"delivery_id": made, "part": n, **waiting} for n in range(parts)]
                await _PART.on_each(connection, rows)
        return DeliveryRecord(
            key=key,
            content=storable(content),
            parts=tuple(PartRecord(part=n, state=PartState.WAITING) for n in range(parts)),
            done=parts == 0,
            fresh=True,
        )

    async def mark(self, key: DeliveryKey, part: PartRecord) -> None:
        """Write one part's state at once; the delivery is done when all parts are ``SENT``.

        A sent part stays sent. Raises ``LookupError`` for a part that was never claimed.
        """
        given = {
            **{f"of_{name}": value for name, value in _columns(key).items()},
            "of_part": part.part,
            "state": part.state.value,
            "receipt": storable(part.receipt),
            "error": storable(part.error),
        }
        if part.state is PartState.SENT:
            async with self._database.writing(None) as connection:
                found = (await _MARK_SENT.on(connection, given)).count
                await _DONE.on(connection, given)
        else:
            found = (await self._database.ask(_MARK_UNSENT, given)).count
        # No row was updated: the part was already sent, or it does not exist.
        if not found and await self._part(key, part.part) is None:
            raise LookupError(f"part {part.part} of {key} was never claimed")

    async def _part(self, key: DeliveryKey, part: int) -> PartRecord | None:
        record = await self.record(key)
        parts = record.parts if record is not None else ()
        return next((one for one in parts if one.part == part), None)

    async def pending(self) -> Sequence[DeliveryRecord]:
        """The deliveries that were claimed and are not done, oldest first."""
        async with self._database.reading() as connection:
            rows = await connection.execute(_RECORDS.where(~deliveries.c.done))
            return tuple(_records(rows.all(), fresh=False))

    async def record(self, key: DeliveryKey) -> DeliveryRecord | None:
        """The stored delivery; ``None`` if it was never claimed."""
        async with self._database.reading() as connection:
            rows = await connection.execute(_RECORDS.where(_is(key)))
            return next(iter(_records(rows.all(), fresh=False)), None)

    async def claim_slot(self, subscription: str, slot: str) -> bool:
        """Whether this call is the first to claim the slot (a local date) of a subscription."""
        return await self._claims.ask((subscription, slot))

    async def _claim(self, connection: AsyncConnection, subscription: str, slot: str) -> bool:
        """The same, in the transaction of a connection."""
        claimed = (
            insert_into(slots)
            .values(subscription=subscription, slot=slot, at=seconds(self._clock.now()))
            .on_conflict_do_nothing()
            .returning(slots.c.slot)
        )
        return await connection.scalar(claimed) is not None

    async def _claim_all(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bool]:
        """Claim many slots in one transaction; for each, whether this call was the first."""
        at = seconds(self._clock.now())
        # Sorted, so that two processes that claim the same slots cannot deadlock.
        rows = [{"subscription": name, "slot": slot, "at": at} for name, slot in sorted({*wanted})]
        async with self._database.writing(None) as connection:
            made = {tuple(row) for row in (await _CLAIM.on_each(connection, rows)).rows}
            if made:
                await self._claimed(
                    connection, [one for one in dict.fromkeys(wanted) if one in made]
                )
        first = []
        for one in wanted:
            first.append(one in made)
            made.discard(one)
        return first

    async def _claimed(
        self, _connection: AsyncConnection, _claims: Sequence[tuple[str, str]]
    ) -> None:
        """Hook to write more in the transaction of the claims; does nothing here."""

    async def last_slot(self, subscription: str) -> str | None:
        """The newest slot claimed for a subscription; dates sort as their texts do."""
        return await self._lasts.ask(subscription)

    async def _last_of(self, subscriptions: Sequence[str]) -> Sequence[str | None]:
        found = await self._database.ask(_LAST, {"names": words(subscriptions)})
        last = dict(tuple(row) for row in found.rows)
        return [last.get(name) for name in subscriptions]


def _columns(key: DeliveryKey) -> dict[str, str]:
    return {"platform": key.platform, "channel": key.channel, "digest": key.digest}


def _is(key: DeliveryKey) -> ColumnElement[bool]:
    return (
        (deliveries.c.platform == key.platform)
        & (deliveries.c.channel == key.channel)
        & (deliveries.c.digest == key.digest)
    )


def _records(rows: Iterable[Row[*tuple[Any, ...]]], *, fresh: bool) -> Iterable[DeliveryRecord]:
    """The records of ordered rows, in which a delivery's parts are adjacent."""
    by_delivery: dict[int, list[Row[*tuple[Any, ...]]]] = {}
    for row in rows:
        by_delivery.setdefault(row.id, []).append(row)
    for parts in by_delivery.values():
        first = parts[0]
        yield DeliveryRecord(
            key=DeliveryKey(platform=first.platform, channel=first.channel, digest=first.digest),
            content=first.content,
            parts=tuple(
                PartRecord(
                    part=row.part,
                    state=PartState(row.state),
                    receipt=row.receipt,
                    error=row.error,
                )
                for row in parts
                if row.part is not None
            ),
            done=first.done,
            fresh=fresh,
        )
