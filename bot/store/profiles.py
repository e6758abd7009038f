"""Profiles in a database, as ``handlers.ports.chat_port.Profiles`` states."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import storable
from bot.store.tables.chat_tables import profiles
from digest.core.grade import Repository
from digest.core.profile import Profile, parse_entry
from handlers.ports.chat_port import StoredProfile


class SqlProfiles:
    """A ``Profiles`` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, owner: str, repository: Repository) -> StoredProfile:
        """The stored profile, or an empty one.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        async with self._database.reading() as connection:
            return await _load(connection, owner, repository)

    async def change(
        self, owner: str, repository: Repository, change: Callable[[StoredProfile], StoredProfile]
    ) -> StoredProfile:
        """Change the stored profile in one transaction and return the new one."""
        async with self._database.writing() as connection:
            fresh = change(await _load(connection, owner, repository))
            if fresh.profile.entries:
                await _keep(connection, owner, repository, fresh)
            else:
                await connection.execute(delete(profiles).where(_of(owner, repository)))
        return fresh

    async def reached(self, repository: Repository, kept: StoredProfile, tip: str) -> None:
        """Record that alerts were checked up to ``tip``, if tip and alerts are unchanged.

        Other changes made to the profile since ``kept`` was loaded stay.
        """
        moved = (
            update(profiles)
            .where(
                _of(kept.owner, repository),
                profiles.c.alerts == int(kept.alerts),
                profiles.c.tip == kept.tip,
            )
            .values(tip=tip)
        )
        async with self._database.writing() as connection:
            await connection.execute(moved)

    async def alerted(self, repository: Repository) -> Sequence[StoredProfile]:
        """The profiles whose owners want alerts."""
        wanted = (
            select(profiles)
            .where(profiles.c.repository == repository.name, profiles.c.alerts == 1)
            .order_by(profiles.c.owner)
        )
        async with self._database.reading() as connection:
            return [_kept(row) for row in await connection.execute(wanted)]


def _of(owner: str, repository: Repository) -> ColumnElement[bool]:
    return and_(profiles.c.owner == storable(owner), profiles.c.repository == repository.name)


async def _load(connection: AsyncConnection, owner: str, repository: Repository) -> StoredProfile:
    wanted = select(profiles).where(_of(owner, repository))
    row = (await connection.execute(wanted)).one_or_none()
    return StoredProfile(owner=owner) if row is None else _kept(row)


async def _keep(
    connection: AsyncConnection, owner: str, repository: Repository, kept: StoredProfile
) -> None:
    key = {"owner": storable(owner), "repository": repository.name}
    values = {
        "entries": json.dumps([str(entry) for entry in kept.profile.entries]),
        "alerts": int(kept.alerts),
        "tip": kept.tip,
        "person": storable(kept.person),
    }
    insertion = insert_into(profiles).values({**key, **values})
    await connection.execute(insertion.on_conflict_do_update(index_elements=[*key], set_=values))


def _kept(row: Row[Any]) -> StoredProfile:
    entries = tuple(parse_entry(text) for text in json.loads(row.entries))
    return StoredProfile(
        owner=row.owner,
        profile=Profile(entries=entries),
        alerts=bool(row.alerts),
        tip=row.tip,
        person=row.person,
    )
