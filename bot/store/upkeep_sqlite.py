"""An archive in a file looked after; see :mod:`bot.store.upkeep`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.engine import SqliteDatabase
from bot.store.fulltext_sqlite import OPTIMIZE
from digest.errors import BrokenArchive


async def size(database: SqliteDatabase) -> int:
    """As :func:`bot.store.upkeep.size`."""
    return await asyncio.to_thread(_size, database)


async def vacuum(database: SqliteDatabase) -> tuple[int, int]:
    """As :func:`bot.store.upkeep.vacuum`: the sizes before and after."""
    async with database.reading() as connection:
        await _flush(connection)
        before = await size(database)
        for command in OPTIMIZE:
            await connection.exec_driver_sql(command)
        await connection.exec_driver_sql("VACUUM")
        await connection.exec_driver_sql("PRAGMA optimize = 0x10002")
        await _flush(connection)
        return before, await size(database)


async def check(database: SqliteDatabase) -> Sequence[str]:
    """As :func:`bot.store.upkeep.check`."""
    found: list[str] = []
    try:
        async with database.reading() as connection:
            for row in await connection.exec_driver_sql("PRAGMA integrity_check"):
                found += [row[0]] if row[0] != "ok" else []
            orphans = await connection.exec_driver_sql("PRAGMA foreign_key_check")
            found += [
                f"row {row['rowid']} of {row['table']} refers to no row of {row['parent']}"
                for row in orphans.mappings()
            ]
            # With a rank of 1 the index is held against the texts as well.
            await connection.exec_driver_sql(
                "INSERT INTO change_search (change_search, rank) VALUES ('integrity-check', 1)"
            )
    except BrokenArchive as error:
        found.append(str(error))
    return found


def _size(database: SqliteDatabase) -> int:
    files = (database.path, Path(f"{database.path}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


async def _flush(connection: AsyncConnection) -> None:
    """Bring what is in the log into the file, and empty the log."""
    await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
