"""An archive in a file copied to PostgreSQL, whole or not at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Table, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.dialect import copy_rows
from bot.store.engine import SqliteDatabase
from bot.store.grams import asked
from bot.store.indexes import index_of
from bot.store.postgresql import PostgresDatabase
from bot.store.rows import storable
from bot.store.tables import change_texts, known_topics, metadata
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
    async for rows in _rows(reading, table):
        await copy_rows(writing, table.name, table.columns.keys(), map(_held, rows))
        count += len(rows)
    return count


async def _rows(reading: AsyncConnection, table: Table) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
    found = await reading.stream(select(table).order_by(*table.primary_key))
    async for rows in found.partitions(_BATCH):
        yield [tuple(row) for row in rows]


def _held(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in row)


async def _index(reading: AsyncConnection, writing: AsyncConnection) -> None:
    """What the two databases keep differently, made from the rows."""
    index = index_of("postgresql")
    names = change_texts.columns.keys()
    async for rows in _rows(reading, change_texts):
        columns = [dict(zip(names, row, strict=True)) for row in rows]
        await index.enter(writing, {given.pop("change_id"): given for given in columns})
    at = known_topics.columns.keys()
    key, topic = at.index("id"), at.index("topic")
    async for rows in _rows(reading, known_topics):
        grams = ((row[key], asked([row[topic]])) for row in rows)
        await copy_rows(writing, "topic_grams", ("topic_id", "grams"), grams)


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
