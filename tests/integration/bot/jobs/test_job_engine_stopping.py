"""A worker that is told to end does so, whatever its last words to the database come to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from procrastinate.exceptions import ConnectorException

from bot.jobs.job_engine import Engine
from bot.store.postgresql import open_postgres


async def test_a_worker_ends_though_the_database_is_away(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def worked(_app: Any, **_options: Any) -> None:
        """As the library does: a worker that is cancelled tells the database that it goes."""
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectorException from TimeoutError("couldn't get a connection")

    monkeypatch.setattr("procrastinate.App.run_worker_async", worked)
    async with await open_postgres(address) as database:
        work = asyncio.create_task(Engine(database).work(["digests"], 1))
        await begun.wait()
        begun.clear()
        work.cancel()
        await asyncio.wait({work}, timeout=120)
        assert work.cancelled()
        assert not begun.is_set()
