"""Workers at a database that fails: they go on, and they end when they are told to."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from procrastinate.testing import InMemoryConnector
from sqlalchemy import make_url
from structlog.testing import capture_logs

from bot.jobs import job_engine
from bot.jobs.job_engine import PATIENCE, Engine, lock_of
from bot.store.job_queue import PERIODIC, QUEUES, JobKind, task_of
from bot.util.tracing import trace


class Database:
    url = make_url("postgresql+psycopg://localhost/none")


class Failing:
    """A library whose workers fail so often, and then work until they are cancelled."""

    def __init__(self, failures: int, *, hides: bool = False) -> None:
        self.failures, self.hides = failures, hides
        self.runs = 0
        self.works = asyncio.Event()

    async def run_worker_async(self, **options: object) -> None:
        self.runs += 1
        self.options = options
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


def test_jobs_connect_with_the_password_of_the_database(monkeypatch):
    urls, real = [], job_engine.app_on
    monkeypatch.setattr(job_engine, "app_on", lambda url: (urls.append(url), real(url))[1])
    Engine(SimpleNamespace(url=make_url("postgresql+psycopg://ada:secret@localhost/bot")))  # type: ignore[arg-type]
    assert urls == ["postgresql://ada:secret@localhost/bot"]


async def test_worker_goes_on_after_failures_of_the_database(monkeypatch):
    library, pauses, real = Failing(3), [], asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with capture_logs() as logs:
        task = asyncio.create_task(engine(library, monkeypatch).work(["a"], 1))
        await asyncio.wait_for(library.works.wait(), 120)
    assert pauses == [0.001] * 3
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


async def test_worker_leaves_signals_to_the_process_and_counts_three_heartbeats(monkeypatch):
    library = Failing(0)
    task = asyncio.create_task(engine(library, monkeypatch).work(("a", "b"), 7))
    await library.works.wait()
    task.cancel()
    assert library.options == {
        "queues": ["a", "b"],
        "concurrency": 7,
        "install_signal_handlers": False,
        "delete_jobs": "successful",
        "shutdown_graceful_timeout": PATIENCE,
        "update_heartbeat_interval": 10.0,
        "stalled_worker_timeout": 30.0,
    }
    with pytest.raises(asyncio.CancelledError):
        await task


class Table:
    """The library's table: jobs whose workers died, and what becomes of them."""

    def __init__(self, stalled: int) -> None:
        self.stalled = stalled
        self.calls: list[object] = []

    async def get_stalled_jobs(self, *, seconds_since_heartbeat: float) -> list[str]:
        self.calls.append(seconds_since_heartbeat)
        return [f"job {number}" for number in range(self.stalled)]

    async def retry_job(self, job: str) -> None:
        self.calls.append(job)

    async def delete_old_jobs(self, **given: object) -> None:
        self.calls.append(given)


@pytest.mark.parametrize("count", [0, 2])
async def test_jobs_of_dead_workers_are_rescued_and_old_ones_deleted(monkeypatch, count: int):
    table = Table(count)
    library = Failing(0)
    library.job_manager = table
    made = engine(library, monkeypatch)
    monkeypatch.setattr(made, "put_abandoned", lambda: asyncio.sleep(0, count))
    with capture_logs() as logs:
        await made._duties[JobKind.RESCUE]()
    assert table.calls == [
        30.0,
        *(f"job {number}" for number in range(count)),
        {"nb_hours": 48, "include_failed": True},
    ]
    told = [("jobs.rescued", 2), ("answers.abandoned", 2)] if count else []
    assert [(line["event"], line["count"]) for line in logs] == told


async def test_job_runs_under_the_id_of_what_it_was_put_down_for():
    made, ran = Engine(Database()), []

    async def amend(**given: object) -> None:
        ran.append((given, trace()))

    made.serve({JobKind.AMEND: amend})
    do = made._app.tasks[task_of(JobKind.AMEND)].func
    await do(trace="t1")
    await do(timestamp=5)
    assert ran[0] == ({}, "t1")
    assert ran[1][0] == {}
    assert ran[1][1] not in {"", "t1"}


def test_job_that_fails_is_tried_again_ever_later_for_a_quarter_of_an_hour():
    task = Engine(Database())._app.tasks[task_of(JobKind.CHANNEL)]
    pauses: list[float] = []
    while True:
        failed = SimpleNamespace(attempts=len(pauses))
        again = task.retry_strategy.get_retry_decision(exception=OSError(), job=failed)
        if again is None:
            break
        began = datetime.now(UTC)
        pauses.append((again.retry_at - began).total_seconds())
    assert pauses == sorted(pauses)
    assert len(pauses) == 6
    assert 15 * 60 < sum(pauses) < 20 * 60


def test_kinds_of_jobs_have_their_queues_and_periods():
    made = Engine(Database())
    for kind in JobKind:
        task = made._app.tasks[task_of(kind)]
        assert task.queue == QUEUES[kind]
        assert task.queueing_lock == (str(kind) if kind in PERIODIC else None)
    periodic = {
        task.task.name: task.cron for task in made._app.periodic_registry.periodic_tasks.values()
    }
    assert periodic == {task_of(kind): cron for kind, cron in PERIODIC.items()}


async def test_jobs_are_put_down_under_what_they_are_about_and_run_at_once_if_they_wait():
    now: list[object] = []

    class Reading(Database):
        @asynccontextmanager
        async def reading(self):
            yield self

        async def execute(self, _statement, values):
            now.append(values["lock"])

    made, memory = Engine(Reading()), InMemoryConnector()  # type: ignore[arg-type]
    with made._app.replace_connector(memory):
        await made.put_channel("team")
        await made.put_channel("team", left=True)
        await made.put_left("team")
        await made.put_alert("acme/web")
        await made.put_amendments()
        await made.put_amendments()
        await made.put_change(("desk", "C1", "m1"), "{}")
    told = [
        (job["task_name"], job["queueing_lock"], {**job["args"], "trace": ""})
        for job in memory.jobs.values()
    ]
    assert told == [
        (task_of(JobKind.CHANNEL), "team", {"name": "team", "left": False, "trace": ""}),
        (task_of(JobKind.CHANNEL), "left team", {"name": "team", "left": True, "trace": ""}),
        (task_of(JobKind.ALERT), "alert acme/web", {"repository": "acme/web", "trace": ""}),
        (task_of(JobKind.AMEND), "amend", {"trace": ""}),
        (task_of(JobKind.CHANGE), None, {"account": "desk", "incoming": "{}", "trace": ""}),
    ]
    assert [job["lock"] for job in memory.jobs.values()][-1] == lock_of("desk", "C1", "m1")
    assert now == ["team", "amend"]
