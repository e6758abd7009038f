"""What the databases write differently, and SQLAlchemy leaves to the caller."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Dialect, Table, insert
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

Insert = sqlite.Insert
"""An insertion that can say what becomes of a row whose key is taken.

PostgreSQL's has the same methods: ``on_conflict_do_nothing`` and ``on_conflict_do_update``.
"""


def insert_into(table: Table) -> Insert:
    """An insertion of the kind that :data:`Insert` tells of."""
    return sqlite.insert(table)


async def insert_rows(
    connection: AsyncConnection, table: Table, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert many narrow rows, their values in the order of the table's columns.

    They go to the driver as they are: naming every value of every row would cost more than
    writing it.
    """
    if rows:
        await connection.exec_driver_sql(_insertion(table, connection.dialect), list(rows))


@lru_cache(maxsize=32)
def _insertion(table: Table, dialect: Dialect) -> str:
    return str(insert(table).compile(dialect=dialect))
