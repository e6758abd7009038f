"""The next job of a queue: the first that may be done, found by indexes whatever else waits."""

from __future__ import annotations

from collections.abc import AsyncIterator

import psycopg
import pytest
from procrastinate import App
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from sqlalchemy import text

from bot.forges.hooks import Arrived
from bot.jobs.job_engine import FETCH, INDEXES, Engine, app_on
from bot.jobs.role_duties import DeferringArrivals
from bot.store.job_queue import ANSWERS, CHANNELS, REPOSITORIES
from bot.store.postgresql import PostgresDatabase, open_postgres

_WORKER = text("SELECT worker_id FROM procrastinate_register_worker_v1()")

_MADE = text("SELECT indexname FROM pg_indexes WHERE indexname = ANY(:names)")


@pytest.fixture
async def database(address: str) -> AsyncIterator[PostgresDatabase]:
    async with await open_postgres(address) as opened:
        yield opened


@pytest.fixture
async def engine(database: PostgresDatabase) -> AsyncIterator[Engine]:
    async with Engine(database) as opened:
        yield opened


@pytest.fixture
async def jobs(address: str, engine: Engine) -> AsyncIterator[JobManager]:
    app: App = app_on(address)
    async with app.open_async():
        yield app.job_manager


@pytest.fixture
async def worker(database: PostgresDatabase, engine: Engine) -> int:
    async with database.reading() as connection:
        return (await connection.execute(_WORKER)).scalar_one()


async def put(database: PostgresDatabase, engine: Engine, *, channels: int, answers: int) -> None:
    async with database.writing() as connection:
        await engine.put_channels([f"c{n}" for n in range(channels)], connection)
        await engine.put_answers([("a", "c", f"{n}") for n in range(answers)], connection)


@pytest.mark.parametrize("queue", [CHANNELS, ANSWERS])
async def test_job_is_found_without_reading_what_waits(
    database, engine, worker, address, queue
) -> None:
    """The statistics know of none of them."""
    await put(database, engine, channels=2000, answers=1000)
    given = {"queue": queue, "worker": worker}
    with psycopg.connect(address) as connection:
        (told,) = connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {FETCH}", given)
    plan = told[0][0]["Plan"]
    assert plan["Actual Rows"] == 1
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 80
    assert "digestbot_jobs_queue" in str(plan)


async def test_channels_that_are_due_do_not_send_what_is_pending_as_well(
    database, engine, jobs, worker
) -> None:
    for channels in (1, 3):  # the second time, one of them waits already
        await put(database, engine, channels=channels, answers=0)
    found = [await jobs.fetch_job([CHANNELS], worker) for _ in range(3)]
    assert sorted(job.task_kwargs["name"] for job in found) == ["c0", "c1", "c2"]
    assert not any(job.task_kwargs["left"] for job in found)


async def test_jobs_of_one_message_are_done_one_after_the_other(engine, jobs, worker) -> None:
    key = ("a", "c", "1")
    for _ in range(2):
        await engine.put_change(key, "{}")
    first = await jobs.fetch_job([ANSWERS], worker)
    assert first is not None
    assert await jobs.fetch_job([ANSWERS], worker) is None
    await jobs.finish_job(first, status=Status.SUCCEEDED, delete_job=True)
    second = await jobs.fetch_job([ANSWERS], worker)
    assert second is not None
    assert second.id > first.id
    assert (second.lock, second.worker_id) == (first.lock, worker)
    assert (first.task_kwargs["account"], first.task_kwargs["incoming"]) == ("a", "{}")


async def test_event_of_a_forge_waits_once_however_often_it_comes(
    database, engine, jobs, worker
) -> None:
    taking = DeferringArrivals(database, engine)
    taken = [
        await taking.take("mine", delivery, Arrived(host="h", repository=name, moved=True))
        for delivery, name in (("1", "a/b"), ("1", "a/d"), ("", "a/b"), ("2", "a/c"))
    ]
    assert taken == [True, False, True, True]
    found = [await jobs.fetch_job([REPOSITORIES], worker) for _ in range(3)]
    told = [job and (job.task_kwargs["repository"], job.task_kwargs["moved"]) for job in found]
    assert told == [("a/b", True), ("a/c", True), None]


async def test_job_that_is_put_off_is_not_fetched(database, engine, jobs, worker) -> None:
    await engine.put_channel("later")
    async with database.reading() as connection:
        later = text("UPDATE procrastinate_jobs SET scheduled_at = now() + interval '1 hour'")
        await connection.execute(later)
    assert await jobs.fetch_job([CHANNELS], worker) is None
    await engine.put_channel("now")
    job = await jobs.fetch_job([CHANNELS], worker)
    assert job is not None
    assert job.task_kwargs["name"] == "now"


async def test_queue_with_many_jobs_holds_up_no_other(database, engine, jobs, worker) -> None:
    await put(database, engine, channels=5, answers=0)
    for name in "ab":
        await engine.put_alert(name)
    fetched = [await jobs.fetch_job([CHANNELS, REPOSITORIES], worker) for _ in range(8)]
    queues = [job.queue if job else None for job in fetched]
    assert queues[:4].count(REPOSITORIES) == 2
    assert [*queues[4:]] == [CHANNELS, CHANNELS, CHANNELS, None]


async def test_indexes_are_made_beside_tables_that_are_there(database, engine) -> None:
    async with database.reading() as connection:
        for name in INDEXES:
            await connection.exec_driver_sql(f"DROP INDEX {name}")
    async with Engine(database), database.reading() as connection:
        found = await connection.scalars(_MADE, {"names": list(INDEXES)})
        assert set(found) == set(INDEXES)
