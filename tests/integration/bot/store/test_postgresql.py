"""PostgreSQL without SQLAlchemy in between: what is kept, undone, and made anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import bindparam, func, select

from bot.store.database import Prepared
from bot.store.dialect import insert_into
from bot.store.postgresql import PostgresDatabase, ServerLeases, driver_of, open_postgres
from bot.store.tables.ledger_tables import slots
from digest.errors import UnreachableDatabase

_KEEP = Prepared(insert_into(slots).on_conflict_do_nothing())
_COUNT = Prepared(
    select(func.count().label("many")).where(slots.c.subscription == bindparam("name"))
)
_BACKEND = Prepared(select(func.pg_backend_pid().label("pid")))
_END = Prepared(select(func.pg_terminate_backend(bindparam("pid"))))


@pytest.fixture
async def server(address: str) -> AsyncIterator[PostgresDatabase]:
    async with await open_postgres(address) as opened:
        yield opened


def row(name: str) -> dict[str, Any]:
    return {"subscription": name, "slot": "2026-05-04", "at": 1}


async def counted(database: PostgresDatabase, name: str) -> int:
    found = (await database.run(_COUNT, {"name": name})).first
    assert found is not None
    return int(found.many)


async def backend(database: PostgresDatabase) -> int:
    return int((await database.run(_BACKEND)).value or 0)


async def test_change_tells_how_many_rows_it_touched(server: PostgresDatabase) -> None:
    assert (await server.run(_KEEP, row("a"))).count == 1
    assert (await server.run(_KEEP, row("a"))).count == 0
    assert await counted(server, "a") == 1


async def test_insertion_without_one_of_its_values_is_refused(server: PostgresDatabase) -> None:
    with pytest.raises(KeyError):
        await server.run(_KEEP, {"subscription": "a", "slot": "2026-05-04"})
    assert await counted(server, "a") == 0


async def test_transaction_that_raises_keeps_nothing_of_what_either_way_wrote(
    server: PostgresDatabase,
) -> None:
    async def broken() -> None:
        async with server.writing("subject") as connection:
            await _KEEP.on(connection, row("prepared"))
            await connection.execute(insert_into(slots), row("ordinary"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken()
    assert await counted(server, "prepared") == await counted(server, "ordinary") == 0


async def test_transaction_keeps_what_either_way_wrote(server: PostgresDatabase) -> None:
    async with server.writing("subject") as connection:
        await connection.execute(insert_into(slots), row("ordinary"))
        await _KEEP.on(connection, row("prepared"))
    assert await counted(server, "prepared") == await counted(server, "ordinary") == 1


async def test_turn_that_is_given_up_while_waiting_leaves_others_theirs(
    server: PostgresDatabase,
) -> None:
    async def write() -> None:
        async with server.writing("subject"):
            pass

    async with server.writing("subject"):
        waiting = asyncio.create_task(write())
        done, _ = await asyncio.wait({waiting}, timeout=0.2)
        assert not done
        waiting.cancel()
        await asyncio.wait({waiting})
    await asyncio.wait_for(write(), 120)


async def test_transaction_whose_undoing_is_cancelled_leaves_no_connection_in_it(
    server: PostgresDatabase,
) -> None:
    async def left_open() -> None:
        async with server.writing("subject") as connection:
            await _KEEP.on(connection, row("a"))
            driver = driver_of(connection)

            async def cancelled() -> None:
                raise asyncio.CancelledError

            driver.rollback = cancelled  # type: ignore[method-assign]  # as a second end would
            raise ZeroDivisionError

    with pytest.raises(asyncio.CancelledError):
        await left_open()
    # Neither the row nor the turn of its subject is held by what was given back.
    assert await counted(server, "a") == 0
    await asyncio.wait_for(left_behind(server), 120)


async def left_behind(database: PostgresDatabase) -> None:
    async with database.writing("subject") as connection:
        await _KEEP.on(connection, row("b"))


async def test_connection_that_the_server_ended_is_told_and_then_replaced(
    server: PostgresDatabase, address: str
) -> None:
    first = await backend(server)
    async with await open_postgres(address) as other:
        await other.run(_END, {"pid": first})
    with pytest.raises(UnreachableDatabase):
        await backend(server)
    # At once, not only after it lay idle for a while.
    assert await backend(server) not in {0, first}


async def test_a_lease_is_held_by_one_process_at_a_time(server):
    mine, other = ServerLeases(server), ServerLeases(server)
    try:
        async with mine.hold("slot") as held:
            assert held
            async with mine.hold("slot") as again:
                assert not again
            async with other.hold("slot") as second, other.hold("another slot") as apart:
                assert (second, apart) == (False, True)
        async with other.hold("slot") as later:
            assert later
    finally:
        await mine.aclose()
        await other.aclose()
