"""Fetching jobs from queues in turn, giving way to waiting ones, and testing idle connections."""

from __future__ import annotations

from typing import Any

import pytest
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import QUEUEING_LOCK_CONSTRAINT, JobManager
from structlog.testing import capture_logs

from bot.jobs import job_engine
from bot.jobs.job_engine import _Connections, _Jobs, lock_of

ROW = {
    "id": 7, "status": "doing", "queue_name": "b", "priority": 0, "lock": None,
    "queueing_lock": "team", "task_name": "digestbot.channel", "args": {}, "scheduled_at": None,
    "attempts": 1, "abort_requested": False, "worker_id": 3,
}  # fmt: skip


class Rows:
    """A database in which one queue has a job."""

    def __init__(self, full: str) -> None:
        self.full = full
        self.asked: list[str] = []

    async def execute_query_all_async(self, _query: str, **given: Any) -> list[dict[str, Any]]:
        self.asked.append(given["queue"])
        return [ROW, {**ROW, "id": 8}] if given["queue"] == self.full else []


@pytest.mark.parametrize(
    ("full", "asked", "found"), [("b", "bcab", [7, 7]), ("", "bcacababc", [None] * 3)]
)
async def test_each_queue_is_the_first_in_turn(full: str, asked: str, found: list[int | None]):
    rows = Rows(full)
    jobs = _Jobs(rows)  # type: ignore[arg-type]
    fetched = [await jobs.fetch_job("abc", 3) for _ in found]
    assert [job and job.id for job in fetched] == found
    assert "".join(rows.asked) == asked


async def test_job_that_is_tried_again_gives_way_to_an_equal_one_that_waits(monkeypatch):
    finished: list[object] = []

    async def refused(self, *_: object) -> None:
        raise UniqueViolation(constraint_name=self.constraint, queueing_lock="team")

    async def finish(_self, job: Job, **given: object) -> None:
        finished.append((job.id, given))

    monkeypatch.setattr(JobManager, "retry_job", refused)
    monkeypatch.setattr(_Jobs, "finish_job", finish)
    jobs, job = _Jobs(Rows("")), Job.from_row(ROW)  # type: ignore[arg-type]
    jobs.constraint = QUEUEING_LOCK_CONSTRAINT
    with capture_logs() as logs:
        await jobs.retry_job(job)
    assert finished == [(7, {"status": Status.FAILED, "delete_job": True})]
    assert [(line["event"], line["task"], line["about"]) for line in logs] == [
        ("job.superseded", "digestbot.channel", "team")
    ]
    jobs.constraint = "another"
    with pytest.raises(UniqueViolation):
        await jobs.retry_job(job)


class FakeClock:
    seconds = 0.0


async def test_connection_is_tested_once_it_was_idle_for_a_second(monkeypatch):
    tested: list[float] = []
    clock = FakeClock()
    pool = _Connections(conninfo="", open=False)

    async def check(_connection: object) -> None:
        tested.append(clock.seconds)

    monkeypatch.setattr(pool, "check_connection", check)
    monkeypatch.setattr(job_engine.time, "monotonic", lambda: clock.seconds)
    for clock.seconds in (100.0, 100.9, 101.8, 102.9, 103.0):
        await pool._try_idle(clock)  # type: ignore[arg-type]
    assert tested == [100.0, 102.9]


def test_locks_of_messages_differ_by_everything_that_names_one():
    assert len({lock_of("a", "b", "c"), lock_of("ab", "", "c"), lock_of("a", "bc", "")}) == 3
