"""The indexes made anew from what is archived, without git."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, bindparam, update

from bot.store.database import Database
from bot.store.index import INDEXED_BY
from bot.store.repositories import enrolled, written
from bot.store.rows import GRADED, Entry, entry, graded
from bot.store.tables import changes, repositories
from bot.store.writing import CHUNK, clear_indexes, write_indexes
from digest.graded import Repository


async def reindex(database: Database, repository: Repository) -> int:
    """Make the topics, paths, texts and areas of a repository anew; return of how many changes.

    Each transaction holds so many changes that other writers need not wait long. Where the work
    is interrupted the indexes are whole, though of two makings, and it starts again the next time.
    """
    async with database.reading() as connection:
        row = await enrolled(connection, repository)
    if row is None:
        return 0
    last, count = 0, 0
    while entries := await _reindex_some(database, row.id, last):
        last, count = entries[-1][0], count + len(entries)
    async with database.writing() as connection:
        await connection.execute(
            update(repositories).where(repositories.c.id == row.id).values(indexed_by=INDEXED_BY)
        )
        await written(connection, repository.name)
    return count


async def _reindex_some(
    database: Database, repository: int, after: int
) -> Sequence[tuple[int, Entry]]:
    some = (
        GRADED.add_columns(changes.c.id)
        .where(changes.c.repository_id == repository, changes.c.id > after)
        .order_by(changes.c.id)
        .limit(CHUNK)
    )
    async with database.writing() as connection:
        rows = (await connection.execute(some)).all()
        entries = await asyncio.to_thread(_entries, rows)
        if entries:
            await clear_indexes(connection, repository, [key for key, _ in entries])
            await write_indexes(connection, repository, entries)
            await connection.execute(
                update(changes).where(changes.c.id == bindparam("key")),
                [{"key": key, "area": entry.change["area"]} for key, entry in entries],
            )
    return entries


def _entries(rows: Sequence[Row[*tuple[Any, ...]]]) -> list[tuple[int, Entry]]:
    return [(row.id, entry(graded(row))) for row in rows]
