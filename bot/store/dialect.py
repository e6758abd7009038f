"""What the databases write differently, and SQLAlchemy leaves to the caller."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Dialect, Table, Text, bindparam, func, insert, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

Insert = sqlite.Insert
"""An insertion that can say what becomes of a row whose key is taken.

PostgreSQL's has the same methods: ``on_conflict_do_nothing`` and ``on_conflict_do_update``.
"""


def insert_into(table: Table) -> Insert:
    """An insertion of the kind that :data:`Insert` tells of."""
    return sqlite.insert(table)


def one_of(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Whether a column holds one of many words, given as a JSON array in the parameter ``name``.

    A parameter for each word would make another statement of every number of them.
    """
    given = func.json_each(bindparam(name, type_=Text)).table_valued("value")
    return column.in_(select(given.c.value))


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
