"""Workers at a database that fails: they go on, and they end when they are told to."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import make_url
from structlog.testing import capture_logs

from bot.jobs import job_engine
from bot.jobs.job_engine import Engine


class Database:
    url = make_url("postgresql+psycopg://localhost/none")


class Failing:
    """A library whose workers fail so often, and then work until they are cancelled."""

    def __init__(self, failures: int, *, hides: bool = False) -> None:
        self.failures, self.hides = failures, hides
        self.runs = 0
        self.works = asyncio.Event()

    async def run_worker_async(self, **_options: object) -> None:
        self.runs += 1
        if self.runs <= self.failures:
            raise OSError("no database")
        self.works.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if self.hides:
                raise OSError("the connection is closed") from None
            raise


def engine(library: Failing, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(job_engine, "_PAUSE", 0.001)
    made = Engine(Database())  # type: ignore[arg-type]
    made._app = library  # type: ignore[assignment]
    return made


async def test_worker_goes_on_after_failures_of_the_database(monkeypatch):
    library = Failing(3)
    with capture_logs() as logs:
        task = asyncio.create_task(engine(library, monkeypatch).work(["a"], 1))
        await asyncio.wait_for(library.works.wait(), 120)
    assert [(one["event"], one["error"]) for one in logs] == [("jobs.broken", "no database")] * 3
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_worker_ends_although_an_error_replaced_the_cancellation(monkeypatch):
    library = Failing(0, hides=True)
    task = asyncio.create_task(engine(library, monkeypatch).work(["a"], 1))
    await library.works.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 120)
    assert library.runs == 1
