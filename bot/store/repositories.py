"""The rows of watched repositories, which all else refers to. A row is never removed.

Whoever writes anything of a repository raises its revision in the same transaction: who has made
something of what is archived knows by one number whether that still holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import insert_into
from bot.store.prepared import Prepared
from bot.store.tables import repositories
from digest.graded import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """A repository's row: its key, and what its indexes were made by."""

    id: int
    indexed_by: str


_MINE = repositories.c.name == bindparam("named")
_ENROLLED = Prepared(select(repositories.c.id, repositories.c.indexed_by).where(_MINE))
_raised = update(repositories).where(_MINE).values(revision=repositories.c.revision + 1)
_RAISED = Prepared(_raised)


async def enrolled(connection: AsyncConnection, repository: Repository) -> Enrolled | None:
    """The row of a repository, known by its name; ``None`` where nothing was kept of it yet."""
    row = (await _ENROLLED.on(connection, {"named": repository.name})).first
    return Enrolled(id=row.id, indexed_by=row.indexed_by) if row else None


async def enrol(connection: AsyncConnection, repository: Repository, indexed_by: str) -> int:
    """The key of the repository's row, made where there is none; within a writing transaction.

    ``indexed_by`` is what a new row's indexes will be made by. The revision is raised: whoever
    asks for the key is about to write under it.
    """
    about = {"web": repository.web, "forge": repository.forge}
    held = await enrolled(connection, repository)
    if held is None:
        made = await connection.execute(
            insert_into(repositories)
            .values(name=repository.name, indexed_by=indexed_by, revision=1, **about)
            .on_conflict_do_nothing()
            .returning(repositories.c.id)
        )
        key: int | None = made.scalar()
        # Who writes of another subject may have made the row in between.
        return key if key is not None else await enrol(connection, repository, indexed_by)
    if repository.web:
        await connection.execute(_raised.values(**about), {"named": repository.name})
    else:
        await written(connection, repository.name)
    return held.id


async def written(connection: AsyncConnection, name: str) -> None:
    """Raise the revision of the repository of a name, within a writing transaction."""
    await _RAISED.on(connection, {"named": name})
