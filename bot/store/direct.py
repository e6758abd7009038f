"""PostgreSQL without SQLAlchemy in between: transactions, and statements that are written already.

Connections are those of SQLAlchemy's pool, each in autocommit: outside a transaction a statement
is kept by itself, and the driver, psycopg, begins none on its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import namedtuple_row
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.found import Found

Driver = psycopg.AsyncConnection[Any]

_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"


def driver_of(connection: AsyncConnection) -> Driver:
    """The driver's own connection."""
    assert connection.sync_connection is not None
    driver: Driver | None = connection.sync_connection.connection.driver_connection
    assert driver is not None
    return driver


async def run(driver: Driver, text: str, values: Sequence[Any]) -> Found:
    """Run a statement. Raises ``psycopg.Error``."""
    cursor = driver.cursor(row_factory=namedtuple_row)
    await cursor.execute(text, values)
    rows = await cursor.fetchall() if cursor.description is not None else ()
    return Found(rows=rows, count=cursor.rowcount)


@asynccontextmanager
async def transaction(driver: Driver, turn: str = "") -> AsyncIterator[None]:
    """Keep what is done inside, or none of it.

    ``turn`` is a statement without parameters that waits for something first: it goes to the server
    together with the beginning.
    """
    try:
        # Without parameters several statements are one message.
        await driver.execute(f"{_BEGIN}; {turn}" if turn else _BEGIN, prepare=False)
        yield
        await driver.commit()
    except BaseException:
        with suppress(psycopg.Error):
            await driver.rollback()
        raise
    finally:
        await settle(driver)


async def settle(driver: Driver) -> None:
    """Let nobody go on with a connection that is in the middle of something.

    That is one whose end was itself cancelled. The pool makes another in its place.
    """
    if driver.info.transaction_status is not TransactionStatus.IDLE:
        await driver.close()
