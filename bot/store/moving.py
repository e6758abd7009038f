"""An archive in a file copied to PostgreSQL, whole or not at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, Table, bindparam, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import copy_rows
from bot.store.engine import SqliteDatabase
from bot.store.fulltext_postgresql import PostgresIndex, enter_topics
from bot.store.postgresql import PostgresDatabase
from bot.store.rows import storable
from bot.store.tables import change_texts, changes, known_topics, metadata, repositories
from digest.errors import UserError

_BATCH = 1000


async def copy_archive(source: SqliteDatabase, target: PostgresDatabase) -> Mapping[str, int]:
    """Copy every row under the key that it has; return how many of each table there were.

    Writers of the source wait meanwhile, so the copy is of one moment. An interrupted copy leaves
    nothing behind. Raises ``UserError`` where the target holds anything, and what both databases
    raise.
    """
    counts: dict[str, int] = {}
    async with source.writing() as reading, target.writing() as writing:
        for table in metadata.sorted_tables:
            if await writing.scalar(select(func.count()).select_from(table)):
                raise UserError(
                    f"{target.place} holds rows of {table.name} already; name an empty database"
                )
        for table in metadata.sorted_tables:
            counts[table.name] = await _copy(reading, writing, table)
        await _index(reading, writing)
        for table in metadata.sorted_tables:
            await _go_on(writing, table)
    return counts


async def _copy(reading: AsyncConnection, writing: AsyncConnection, table: Table) -> int:
    count = 0
    async for rows in _rows(reading, select(table).order_by(*table.primary_key)):
        await copy_rows(writing, table.name, table.columns.keys(), map(_held, rows))
        count += len(rows)
    return count


async def _rows(
    reading: AsyncConnection, wanted: Select[Any], **given: object
) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
    found = await reading.stream(wanted, given)
    async for rows in found.partitions(_BATCH):
        yield [tuple(row) for row in rows]


def _held(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in row)


async def _index(reading: AsyncConnection, writing: AsyncConnection) -> None:
    """What the two databases keep differently, made from the rows."""
    index = PostgresIndex()
    mine = select(changes.c.id).where(changes.c.repository_id == bindparam("repository"))
    names = change_texts.columns.keys()
    for repository in (await reading.scalars(select(repositories.c.id))).all():
        texts = select(change_texts).where(change_texts.c.change_id.in_(mine))
        async for rows in _rows(reading, texts, repository=repository):
            columns = [dict(zip(names, row, strict=True)) for row in rows]
            texts_of = {given.pop("change_id"): given for given in columns}
            await index.enter(writing, repository, texts_of)
    topics = select(known_topics.c.id, known_topics.c.repository_id, known_topics.c.topic)
    async for rows in _rows(reading, topics):
        await enter_topics(writing, [(row[0], row[1], row[2]) for row in rows])


async def _go_on(writing: AsyncConnection, table: Table) -> None:
    """Have new rows numbered after those that were copied."""
    counted = table.autoincrement_column
    if counted is None:
        return
    names = {"table": table.name, "column": counted.name}
    sequence = text("SELECT pg_get_serial_sequence(:table, :column)")
    last = await writing.scalar(select(func.max(counted)))
    if last is not None and (name := await writing.scalar(sequence, names)) is not None:
        await writing.execute(text("SELECT setval(:name, :last)"), {"name": name, "last": last})
