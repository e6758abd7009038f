"""How the library keeps jobs: its connections, how a job is fetched, and done again.

All are the library's own with one thing otherwise, said at each.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import QUEUEING_LOCK_CONSTRAINT, JobManager
from psycopg_pool import AsyncConnectionPool

from bot.jobs.fetching import FETCH, Turns

log = structlog.get_logger(__name__)

_IDLE = 1.0
"""Seconds after which a connection of the pool is tried before it is used."""


def app_on(address: str) -> App:
    """The library's program at a database, which is not asked yet."""
    connector = PsycopgConnector(
        pool_factory=_Connections,
        conninfo=address,
        min_size=1,
        max_size=8,
        configure=_configure,
        kwargs={"application_name": "digestbot jobs"},
    )
    app = App(connector=connector)
    app.job_manager = _Jobs(connector)
    return app


async def _configure(connection: psycopg.AsyncConnection[Any]) -> None:
    # Each of the library's statements is a function of the server, and alone.
    await connection.set_autocommit(True)


class _Connections(AsyncConnectionPool[psycopg.AsyncConnection[Any]]):
    """Tries a connection before its use where it lay idle, not at every use.

    A server that was started anew has dropped what lay idle; what was used a moment ago is found
    broken by what is done with it, and every job is done again.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "check": self._try_idle})
        self._used: WeakKeyDictionary[psycopg.AsyncConnection[Any], float] = WeakKeyDictionary()

    async def _try_idle(self, connection: psycopg.AsyncConnection[Any]) -> None:
        now = time.monotonic()
        if now - self._used.get(connection, 0.0) > _IDLE:
            await self.check_connection(connection)
        self._used[connection] = now


class _Jobs(JobManager):
    """Jobs that are found by indexes, and give way to another that waits already."""

    def __init__(self, connector: PsycopgConnector) -> None:
        super().__init__(connector)
        self._turns = Turns()

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """As the library's, by :data:`bot.jobs.fetching.FETCH`; queues are looked at in turn."""
        if queues is None:
            return await super().fetch_job(queues, worker_id)
        for queue in self._turns.next(list(queues)):
            rows = await self.connector.execute_query_all_async(
                FETCH, queue=queue, worker=worker_id
            )
            if rows:
                return Job.from_row(rows[0])
        return None

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """As the library's; of two under one queueing lock one may wait, and does the work."""
        try:
            await super().retry_job(job, retry_at, priority, queue, lock)
        except UniqueViolation as error:
            if error.constraint_name != QUEUEING_LOCK_CONSTRAINT:
                raise
            log.info("job.superseded", task=job.task_name, about=job.queueing_lock)
            await self.finish_job(job, status=Status.FAILED, delete_job=True)
