"""An archive in PostgreSQL looked after; see :mod:`bot.store.upkeep`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Column, Table, func, select, text

from bot.store.postgresql import PostgresDatabase
from bot.store.tables import change_texts, metadata
from digest.errors import BrokenArchive

TABLES = (*metadata.tables, "change_grams", "topic_grams")
"""Every table of ours."""

_SIZE = text("""
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relname = ANY(:tables) AND relnamespace = current_schema()::regnamespace
""")
_UNINDEXED = text("""
    SELECT count(*) FROM change_texts FULL JOIN change_grams USING (change_id)
    WHERE change_texts.subject IS NULL OR change_grams.grams IS NULL
""")


async def size(database: PostgresDatabase) -> int:
    """As :func:`bot.store.upkeep.size`."""
    async with database.reading() as connection:
        found: int = await connection.scalar(_SIZE, {"tables": list(TABLES)})
        return found


async def vacuum(database: PostgresDatabase) -> tuple[int, int]:
    """As :func:`bot.store.upkeep.vacuum`: the sizes before and after."""
    before = await size(database)
    async with database.reading() as connection:
        await connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {', '.join(TABLES)}")
    return before, await size(database)


async def check(database: PostgresDatabase) -> Sequence[str]:
    """As :func:`bot.store.upkeep.check`. The server checks its pages by itself as it reads them."""
    found: list[str] = []
    try:
        async with database.reading() as connection:
            for table, column, target in _references():
                lost = (
                    select(func.count())
                    .select_from(table)
                    .where(
                        column.is_not(None),
                        ~select(target).where(target == column).exists(),
                    )
                )
                if count := await connection.scalar(lost):
                    found.append(
                        f"{count} rows of {table.name} refer to no row of {target.table.name}"
                    )
            if count := await connection.scalar(_UNINDEXED):
                found.append(f"{count} texts are not in the index, or the other way round")
            await connection.scalar(select(func.sum(func.length(change_texts.c.body))))
    except BrokenArchive as error:
        found.append(str(error))
    return found


def _references() -> Iterable[tuple[Table, Column[int], Column[int]]]:
    for table in metadata.sorted_tables:
        for key in table.foreign_keys:
            yield table, key.parent, key.column
