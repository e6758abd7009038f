"""What is not as it should be in the ledger of deliveries, and how to have it sent again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from bot.store.database import Database
from bot.store.tables import deliveries, delivery_parts
from handlers.ports import PartState


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A part of a delivery that was not sent, or of which that is only assumed.

    ``delivery`` is the number that :meth:`SqlDoubts.again` takes; parts count from 0.
    """

    delivery: int
    platform: str
    channel: str
    digest: str
    part: int
    state: PartState
    error: str


class SqlDoubts:
    """The doubts in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, limit: int) -> Sequence[Doubt]:
        """The newest parts in doubt, the newest first; ``limit`` of them at most.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        parts = delivery_parts.c
        wanted = (
            select(deliveries, parts.part, parts.state, parts.error)
            .join_from(deliveries, delivery_parts)
            .where((parts.state != PartState.SENT.value) | (parts.error != ""))
            .order_by(deliveries.c.id.desc(), parts.part)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(
                Doubt(
                    delivery=row.id,
                    platform=row.platform,
                    channel=row.channel,
                    digest=row.digest,
                    part=row.part,
                    state=PartState(row.state),
                    error=row.error,
                )
                for row in await connection.execute(wanted)
            )

    async def channel_of(self, delivery: int) -> str:
        """The name of the channel that a delivery is for; empty where there is none such."""
        wanted = select(deliveries.c.channel).where(deliveries.c.id == delivery)
        async with self._database.reading() as connection:
            return await connection.scalar(wanted) or ""

    async def again(self, delivery: int) -> int:
        """Have a delivery's parts that are in doubt sent again; how many there are.

        A part that is being sent right now is not one of them: its process brings it to an end.
        """
        parts = delivery_parts.c
        in_doubt = (
            (parts.delivery_id == delivery)
            & (parts.receipt == "")
            & (parts.error != "")
            & parts.state.in_([PartState.FAILED.value, PartState.SENT.value])
        )
        async with self._database.writing() as connection:
            changed = await connection.execute(
                update(delivery_parts)
                .where(in_doubt)
                .values(state=PartState.WAITING.value, error="")
                .returning(parts.part)
            )
            count = len(changed.all())
            if count:
                await connection.execute(
                    update(deliveries).where(deliveries.c.id == delivery).values(done=False)
                )
            return count
