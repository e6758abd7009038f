"""Amendments: changes that were reverted after a digest listing them was posted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, select, update

from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import moment, seconds, storable
from bot.store.tables.ledger_tables import amendments
from handlers.ports.storage import DeliveryKey


class AmendmentProgress(StrEnum):
    """The state of an amendment."""

    PLANNED = "planned"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """Change ``sha`` of a delivery was reverted by ``by_sha``, shown to people as ``by_name``."""

    key: DeliveryKey
    sha: str
    by_sha: str
    by_name: str
    at: datetime
    state: AmendmentProgress = AmendmentProgress.PLANNED


class SqlAmendments:
    """The amendments in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def plan(self, wanted: Sequence[Amendment]) -> None:
        """Store the amendments that are not there yet; existing ones stay unchanged.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        if wanted:
            async with self._database.writing() as connection:
                await connection.execute(_PLAN, [_columns(one) for one in wanted])

    async def planned(self) -> Sequence[Amendment]:
        """The amendments still to be carried out, oldest first."""
        wanted = (
            select(amendments)
            .where(amendments.c.state == AmendmentProgress.PLANNED.value)
            .order_by(amendments.c.at, amendments.c.by_sha, amendments.c.sha)
        )
        async with self._database.reading() as connection:
            return tuple(map(_amendment, await connection.execute(wanted)))

    async def of(self, key: DeliveryKey) -> Sequence[Amendment]:
        """All amendments of a delivery, oldest first."""
        wanted = (
            select(amendments)
            .where(*_is(key))
            .order_by(amendments.c.at, amendments.c.by_sha, amendments.c.sha)
        )
        async with self._database.reading() as connection:
            return tuple(map(_amendment, await connection.execute(wanted)))

    async def done(self, one: Amendment) -> None:
        """Mark an amendment as carried out."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(amendments)
                .where(
                    *_is(one.key), amendments.c.sha == one.sha, amendments.c.by_sha == one.by_sha
                )
                .values(state=AmendmentProgress.DONE.value)
            )


def _is(key: DeliveryKey) -> tuple[Any, ...]:
    return (
        amendments.c.platform == key.platform,
        amendments.c.channel == key.channel,
        amendments.c.digest == key.digest,
    )


def _columns(one: Amendment) -> dict[str, Any]:
    return {
        "platform": one.key.platform,
        "channel": one.key.channel,
        "digest": one.key.digest,
        "sha": one.sha,
        "by_sha": one.by_sha,
        "by_name": storable(one.by_name),
        "at": seconds(one.at),
        "state": one.state.value,
    }


def _amendment(row: Row[*tuple[Any, ...]]) -> Amendment:
    return Amendment(
        key=DeliveryKey(platform=row.platform, channel=row.channel, digest=row.digest),
        sha=row.sha,
        by_sha=row.by_sha,
        by_name=row.by_name,
        at=moment(row.at),
        state=AmendmentProgress(row.state),
    )


_PLAN = insert_into(amendments).on_conflict_do_nothing()
