"""The archive looked after: what it holds, its size, its soundness, and making it anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, cast

from sqlalchemy import delete, func, select

from bot.store.database import Database
from bot.store.dialect import total
from bot.store.reindex import reindex
from bot.store.repositories import enrolled, written
from bot.store.rows import moment
from bot.store.tables import change_texts, change_topics, changes, contents, repositories
from bot.store.writing import chunks, clear_indexes
from digest.graded import Repository

__all__ = ["Holding", "Vacuumed", "check", "forget", "holdings", "reindex", "size", "vacuum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What is archived of a repository.

    ``first`` and ``last`` are the moments of its oldest and its newest change, ``None`` where it
    has none. ``characters`` are those of its messages, facts and searched texts.
    """

    repository: Repository
    changes: int
    first: datetime | None
    last: datetime | None
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacuumed:
    """The sizes of the archive in bytes."""

    before: int
    after: int


class _Care(Protocol):
    """What looks after one kind of database."""

    async def size(self, database: Database) -> int: ...

    async def vacuum(self, database: Database) -> tuple[int, int]: ...

    async def check(self, database: Database) -> Sequence[str]: ...


async def holdings(database: Database) -> Sequence[Holding]:
    """What is archived of every repository, by name.

    Raises ``BrokenArchive`` and ``UnwritableFolder``, as every function here does.
    """
    characters = total(
        func.length(contents.c.message)
        + func.length(contents.c.facts)
        + func.length(change_texts.c.body)
        + func.length(change_texts.c.paths)
        + func.length(change_texts.c.names)
        + func.length(change_texts.c.subject)
    )
    counted = (
        select(
            repositories.c.name,
            repositories.c.web,
            repositories.c.forge,
            func.count(changes.c.id).label("number"),
            func.min(changes.c.committed_at).label("first"),
            func.max(changes.c.committed_at).label("last"),
            characters.label("characters"),
        )
        .join_from(repositories, changes, isouter=True)
        .join(contents, contents.c.change_id == changes.c.id, isouter=True)
        .join(change_texts, change_texts.c.change_id == changes.c.id, isouter=True)
        .group_by(repositories.c.id)
        .order_by(repositories.c.name)
    )
    async with database.reading() as connection:
        return tuple(
            Holding(
                repository=Repository(name=row.name, web=row.web, forge=row.forge),
                changes=row.number,
                first=None if row.first is None else moment(row.first),
                last=None if row.last is None else moment(row.last),
                characters=row.characters,
            )
            for row in await connection.execute(counted)
        )


async def size(database: Database) -> int:
    """The bytes that the archive takes, its log included."""
    return await _care(database).size(database)


async def vacuum(database: Database) -> Vacuumed:
    """Give back unused space, merge the text index, and look at the tables for the planner."""
    before, after = await _care(database).vacuum(database)
    return Vacuumed(before=before, after=after)


async def check(database: Database) -> Sequence[str]:
    """What is wrong with the archive, a sentence each; nothing where it is sound.

    Damage so great that the check itself cannot go on is one of the sentences.
    """
    return await _care(database).check(database)


def _care(database: Database) -> _Care:
    """The module that looks after a kind of database."""
    if database.dialect == "postgresql":
        from bot.store import upkeep_postgresql

        return cast("_Care", upkeep_postgresql)
    from bot.store import upkeep_sqlite

    return cast("_Care", upkeep_sqlite)


async def forget(database: Database, repository: Repository) -> int:
    """Remove the changes of a repository, for them to be read anew; return how many there were.

    What was posted, and which commits were seen, is kept: nothing is delivered twice for it.
    """
    async with database.writing() as connection:
        held = await enrolled(connection, repository)
        if held is None:
            return 0
        mine = changes.c.repository_id == held.id
        keys = (await connection.scalars(select(changes.c.id).where(mine))).all()
        await connection.execute(
            delete(change_topics).where(change_topics.c.repository_id == held.id)
        )
        await clear_indexes(connection, held.id, keys)
        for some in chunks(keys):
            await connection.execute(delete(contents).where(contents.c.change_id.in_(some)))
        await connection.execute(delete(changes).where(mine))
        await written(connection, repository.name)
        return len(keys)
