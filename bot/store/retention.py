"""What is let go of old digests: the content of what stands posted, and digests that were kept.

Neither takes back what a promise rests on. The row of a delivery stays for ever, so that nothing is
posted twice; so do the outcomes of commits and the tips of channels. What may still be needed stays
whole: a delivery that is not done or of which a part is in doubt, and all that a planned amendment
is about. Work goes in small transactions, so that writers wait for none of it.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, func, or_, select, update

from bot.store.amendments import Told
from bot.store.database import Database
from bot.store.repositories import written
from bot.store.rows import seconds
from bot.store.tables import amendments, deliveries, delivery_parts, digests, reports
from handlers.ports import PartState

_AT_ONCE = 200
"""Rows of one transaction: a few megabytes."""


async def empty_deliveries(database: Database, before: datetime, *, at_once: int = _AT_ONCE) -> int:
    """Take the content from deliveries that were claimed before a moment; from how many.

    Raises ``UnwritableFolder`` and ``BrokenArchive``, as every function here does.
    """
    # Numbers rise with time: what has no moment is older than what has one and a lower number.
    newest = select(func.max(deliveries.c.id)).where(
        deliveries.c.at > 0, deliveries.c.at < seconds(before)
    )
    some = (
        select(deliveries.c.id)
        .where(
            deliveries.c.id <= newest.scalar_subquery(),
            deliveries.c.done,
            deliveries.c.content != "",
            ~_in_doubt(),
            ~_amended(deliveries.c.digest),
        )
        .order_by(deliveries.c.id)
        .limit(at_once)
    )
    emptied = update(deliveries).where(deliveries.c.id.in_(some)).values(content="")
    total = 0
    while True:
        async with database.writing() as connection:
            count = (await connection.execute(emptied)).rowcount
        total += count
        if count < at_once:
            return total


async def drop_digests(database: Database, before: datetime, *, at_once: int = _AT_ONCE) -> int:
    """Remove digests that were made before a moment, and reports that were theirs alone; how many.

    A digest that is delivered still, or is about to be amended, stays.
    """
    old = digests.c.created_at < seconds(before)
    async with database.reading() as connection:
        owners = await connection.scalars(select(digests.c.repository).where(old).distinct())
        names = sorted(owners)
    total = 0
    for name in names:
        mine = old & (digests.c.repository == name)
        while count := await _drop_some(database, name, mine, at_once):
            total += count
    return total


async def _drop_some(
    database: Database, repository: str, mine: ColumnElement[bool], at_once: int
) -> int:
    undone = exists().where(deliveries.c.digest == digests.c.name, ~deliveries.c.done)
    some = (
        select(digests.c.name, digests.c.report)
        .where(mine, ~undone, ~_amended(digests.c.name))
        .order_by(digests.c.created_at, digests.c.name)
        .limit(at_once)
    )
    # The turn in which digests are kept: a report that seems to be nobody's stays nobody's.
    async with database.writing(f"digests {repository}") as connection:
        rows = (await connection.execute(some)).all()
        if rows:
            gone = digests.c.name.in_([row.name for row in rows])
            await connection.execute(delete(digests).where(gone))
            still = exists().where(digests.c.report == reports.c.key)
            left = reports.c.key.in_({row.report for row in rows})
            await connection.execute(delete(reports).where(left, ~still))
            await written(connection, repository)
    return len(rows)


def _in_doubt() -> ColumnElement[bool]:
    """Whether a part of the delivery was not sent for certain: an admin may have it sent again."""
    of = delivery_parts.c
    doubtful = or_(of.state != PartState.SENT.value, of.error != "")
    return exists().where(of.delivery_id == deliveries.c.id, doubtful)


def _amended(digest: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a digest of this name is to be amended in a chat."""
    return exists().where(amendments.c.digest == digest, amendments.c.state == Told.PLANNED.value)
