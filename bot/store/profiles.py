"""Profiles kept, as ``handlers.profiling.Profiles`` promises."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from bot.store.dialect import insert_into
from bot.store.rows import storable
from bot.store.tables import profiles
from digest.graded import Repository
from digest.profile import Profile, parse_entry
from handlers.profiling import Kept


class SqlProfiles:
    """A ``Profiles`` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, owner: str, repository: Repository) -> Kept:
        """What is kept, or an empty profile.

        Raises ``UnwritableFolder`` and ``BrokenArchive``, as every method does.
        """
        async with self._database.reading() as connection:
            return await _load(connection, owner, repository)

    async def change(
        self, owner: str, repository: Repository, change: Callable[[Kept], Kept]
    ) -> Kept:
        """Change what is kept in one transaction; what it is now."""
        async with self._database.writing() as connection:
            fresh = change(await _load(connection, owner, repository))
            if fresh.profile.entries:
                await _keep(connection, owner, repository, fresh)
            else:
                await connection.execute(delete(profiles).where(_of(owner, repository)))
        return fresh

    async def reached(self, repository: Repository, kept: Kept, tip: str) -> None:
        """Alerts were looked for up to ``tip``; where that or alerts were changed, nothing is kept.

        What else was changed of the profile since ``kept`` was loaded stays.
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

    async def alerted(self, repository: Repository) -> Sequence[Kept]:
        """Those whose owners want alerts."""
        wanted = (
            select(profiles)
            .where(profiles.c.repository == repository.name, profiles.c.alerts == 1)
            .order_by(profiles.c.owner)
        )
        async with self._database.reading() as connection:
            return [_kept(row) for row in await connection.execute(wanted)]


def _of(owner: str, repository: Repository) -> ColumnElement[bool]:
    return and_(profiles.c.owner == storable(owner), profiles.c.repository == repository.name)


async def _load(connection: AsyncConnection, owner: str, repository: Repository) -> Kept:
    wanted = select(profiles).where(_of(owner, repository))
    row = (await connection.execute(wanted)).one_or_none()
    return Kept(owner=owner) if row is None else _kept(row)


async def _keep(
    connection: AsyncConnection, owner: str, repository: Repository, kept: Kept
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


def _kept(row: Row[Any]) -> Kept:
    entries = tuple(parse_entry(text) for text in json.loads(row.entries))
    return Kept(
        owner=row.owner,
        profile=Profile(entries=entries),
        alerts=bool(row.alerts),
        tip=row.tip,
        person=row.person,
    )
