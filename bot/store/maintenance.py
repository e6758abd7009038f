"""Maintenance of the archive in either database.

What it holds, its size, checks, compaction, and rebuilding the indexes without git.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Row, bindparam, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import CHUNK, Database
from bot.store.dialect import from_row, moment
from bot.store.rows import (
    GRADED,
    INDEXED_BY,
    ChangeRow,
    entry,
    find_repository,
    graded_from_row,
    raise_revision,
)
from bot.store.tables.archive_tables import change_texts, changes, metadata, repositories
from bot.store.text_index_sqlite import OPTIMIZE
from bot.store.writer import clear_indexes, write_indexes
from digest.core.grade import Repository
from digest.errors import BrokenArchive
from digest.frozen import frozen


@frozen
class Holding:
    """The archived data of a repository."""

    repository: Repository
    changes: int
    first: datetime | None  # dates of its oldest and newest change, if any
    last: datetime | None


@frozen
class Vacuumed:
    """The size of the archive in bytes before and after compaction."""

    before: int
    after: int


async def holdings(database: Database) -> Sequence[Holding]:
    """The archived data of every repository, by name."""
    counted = (
        select(
            repositories.c.name,
            repositories.c.web,
            repositories.c.forge,
            func.count(changes.c.id).label("changes"),
            func.min(changes.c.committed_at).label("first"),
            func.max(changes.c.committed_at).label("last"),
        )
        .join_from(repositories, changes, isouter=True)
        .group_by(repositories.c.id)
        .order_by(repositories.c.name)
    )
    return tuple(
        Holding(
            repository=from_row(Repository, row),
            changes=row.changes,
            first=None if row.first is None else moment(row.first),
            last=None if row.last is None else moment(row.last),
        )
        for row in (await database.run(counted)).rows
    )


TABLES = (*metadata.tables, "change_grams", "topic_grams")
"""All tables of this program in PostgreSQL."""

_SIZE = text("""
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relname = ANY(:tables) AND relnamespace = current_schema()::regnamespace
""")

_UNINDEXED = text("""
    SELECT count(*) FROM change_texts FULL JOIN change_grams USING (change_id)
    WHERE change_texts.subject IS NULL OR change_grams.grams IS NULL
""")


async def size(database: Database) -> int:
    """The size of the archive in bytes, including its log."""
    if database.dialect == "postgresql":
        async with database.reading() as connection:
            return int(await connection.scalar(_SIZE, {"tables": list(TABLES)}) or 0)
    files = (Path(database.place), Path(f"{database.place}-wal"))
    return await asyncio.to_thread(
        lambda: sum(file.stat().st_size for file in files if file.exists())
    )


async def vacuum(database: Database) -> Vacuumed:
    """Release unused space, merge the text index, and update the planner's statistics."""
    flush: tuple[str, ...] = ()
    commands = [f"VACUUM (FULL, ANALYZE) {', '.join(TABLES)}"]
    if database.dialect == "sqlite":
        flush = ("PRAGMA wal_checkpoint(TRUNCATE)",)  # writes the log into the file
        commands = [*OPTIMIZE, "VACUUM", "PRAGMA optimize = 0x10002", *flush]
    async with database.reading() as connection:
        for command in flush:
            await connection.exec_driver_sql(command)
        before = await size(database)
        for command in commands:
            await connection.exec_driver_sql(command)
        return Vacuumed(before=before, after=await size(database))


async def check(database: Database) -> Sequence[str]:
    """Problems of the archive, one sentence each, damage that stops the check included."""
    problems = _server_problems if database.dialect == "postgresql" else _file_problems
    sentences: list[str] = []
    try:
        async with database.reading() as connection:
            async for sentence in problems(connection):
                sentences.append(sentence)  # noqa: PERF401 - what precedes damage counts
    except BrokenArchive as error:
        sentences.append(str(error))
    return sentences


async def _server_problems(connection: AsyncConnection) -> AsyncIterator[str]:
    """Problems of the rows in PostgreSQL, which checks its pages itself as it reads them."""
    for table in metadata.sorted_tables:
        for key in table.foreign_keys:
            column, target = key.parent, key.column
            exists = select(target).where(target == column).exists()
            lost = select(func.count()).select_from(table).where(column.is_not(None), ~exists)
            if count := await connection.scalar(lost):
                owner = target.table.name
                yield f"{count} rows of {table.name} refer to missing rows of {owner}"
    if count := await connection.scalar(_UNINDEXED):
        yield f"the text index and the texts differ in {count} rows"
    await connection.scalar(select(func.sum(func.length(change_texts.c.body))))


async def _file_problems(connection: AsyncConnection) -> AsyncIterator[str]:
    for (sentence,) in await connection.exec_driver_sql("PRAGMA integrity_check"):
        if sentence != "ok":
            yield sentence
    orphans = await connection.exec_driver_sql("PRAGMA foreign_key_check")
    for row in orphans.mappings():
        yield f"row {row['rowid']} of {row['table']} refers to no row of {row['parent']}"
    # With a rank of 1 the index is also compared with the texts.
    await connection.exec_driver_sql(
        "INSERT INTO change_search (change_search, rank) VALUES ('integrity-check', 1)"
    )


async def reindex(database: Database, repository: Repository) -> int:
    """Rebuild the indexes, areas and authors of a repository; return its number of changes.

    Transactions are small enough that other writers wait only briefly. After an interruption the
    indexes are complete, partly by the old rules and partly by the new; the next call starts over.
    """
    async with database.reading() as connection:
        row = await find_repository(connection, repository.name)
    if row is None:
        return 0
    last, count = 0, 0
    while entries := await _reindex_some(database, row.id, last):
        last, count = entries[-1][0], count + len(entries)
    async with database.writing() as connection:
        await connection.execute(
            update(repositories).where(repositories.c.id == row.id).values(indexed_by=INDEXED_BY)
        )
        await raise_revision(connection, repository.name)
    return count


async def _reindex_some(
    database: Database, repository: int, after: int
) -> Sequence[tuple[int, ChangeRow]]:
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
                [
                    {"key": key, **{name: entry.change[name] for name in ("area", "author_key")}}
                    for key, entry in entries
                ],
            )
    return entries


def _entries(rows: Sequence[Row[*tuple[Any, ...]]]) -> list[tuple[int, ChangeRow]]:
    return [(row.id, entry(graded_from_row(row))) for row in rows]
