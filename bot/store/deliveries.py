"""The newest deliveries of the ledger, as admins look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, func, select

from bot.store.database import Database
from bot.store.tables import deliveries, delivery_parts
from handlers.ports import PartState


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A delivery: how many parts it has, and how many of them were sent."""

    id: int
    platform: str
    channel: str
    digest: str
    done: bool
    parts: int
    sent: int
    error: str


class SqlDeliveries:
    """The deliveries in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, limit: int) -> Sequence[Delivered]:
        """The newest deliveries, the newest first; ``limit`` of them at most.

        Raises ``UnwritableFolder`` and ``BrokenArchive``.
        """
        of, parts = deliveries.c, delivery_parts.c
        last = select(of.id).order_by(of.id.desc()).limit(limit)
        about = (of.id, of.platform, of.channel, of.digest, of.done)
        sent = func.coalesce(func.sum(case((parts.state == PartState.SENT.value, 1), else_=0)), 0)
        wanted = (
            select(
                *about,
                func.count(parts.part).label("parts"),
                sent.label("sent"),
                func.coalesce(func.max(parts.error), "").label("error"),
            )
            .join_from(deliveries, delivery_parts, isouter=True)
            .where(of.id.in_(last))
            .group_by(*about)
            .order_by(of.id.desc())
        )
        async with self._database.reading() as connection:
            return [Delivered(**row._mapping) for row in await connection.execute(wanted)]  # noqa: SLF001 - its public name
