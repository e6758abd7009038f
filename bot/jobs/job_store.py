"""How jobs are stored and fetched: Procrastinate's way, with indexes of our own.

The library's statement scans the jobs waiting in other queues, and with outdated statistics reads
all waiting jobs for each job. Here fetching costs the same however many jobs wait. Messages whose
jobs have all failed are deferred again while their askers may still wait.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from weakref import WeakKeyDictionary

import psycopg
import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import QUEUEING_LOCK_CONSTRAINT, JobManager
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.chat.message_service import STILL_ANSWERED
from bot.store.replies import Stage

INDEXES: Mapping[str, str] = {
    "digestbot_jobs_queue": "(queue_name, priority DESC, id) WHERE status = 'todo'",
    "digestbot_jobs_lock": "(lock) WHERE status IN ('todo', 'doing')",
}
"""Additional indexes of ``procrastinate_jobs``, by name."""

_TO_MAKE = text("""
    SELECT name FROM unnest(CAST(:names AS text[])) AS name WHERE to_regclass(name) IS NULL
""")

# OFFSET keeps the database from joining the jobs with each other: it checks the locks of the first
# job alone, and of the next one if that has to wait.
FETCH: Final = """
    WITH candidate AS (
        SELECT jobs.id FROM procrastinate_jobs AS jobs
        WHERE jobs.status = 'todo' AND jobs.queue_name = %(queue)s
        AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
        AND NOT EXISTS (
            SELECT FROM procrastinate_jobs AS other
            WHERE other.lock = jobs.lock AND other.status IN ('todo', 'doing') AND (
                other.status = 'doing'
                OR (other.priority, -other.id) > (jobs.priority, -jobs.id)
            )
            OFFSET 0
        )
        ORDER BY jobs.priority DESC, jobs.id LIMIT 1
        FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs AS job SET status = 'doing', worker_id = %(worker)s
    FROM candidate WHERE job.id = candidate.id
    RETURNING job.*
"""
"""Takes the first job of ``queue`` for ``worker``; returns a row, or none.

Of jobs that share a lock it takes the one deferred first, while none of them is running.
"""


async def make_indexes(connection: AsyncConnection) -> None:
    """Create the missing ones of :data:`INDEXES` on the library's table."""
    missing = await connection.scalars(_TO_MAKE, {"names": list(INDEXES)})
    for name in missing.all():
        await connection.exec_driver_sql(
            f"CREATE INDEX {name} ON procrastinate_jobs {INDEXES[name]}"
        )


log = structlog.get_logger(__name__)

_IDLE = 1.0  # a pooled connection that was idle for this many seconds is tested before use


def app_on(address: str) -> App:
    """The library's app on a database, which is not contacted yet."""
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
    # Each of the library's statements is a server function, and runs alone.
    await connection.set_autocommit(True)


class _Connections(AsyncConnectionPool[psycopg.AsyncConnection[Any]]):
    """Tests a connection before use if it was idle, not on every use.

    A restarted server has dropped idle connections; one used a moment ago shows the failure when it
    is next used, and every job is retried.
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
    """Jobs that are found by indexes, and that give way to an equal one already waiting."""

    def __init__(self, connector: PsycopgConnector) -> None:
        super().__init__(connector)
        self._orders: dict[tuple[str, ...], deque[str]] = {}

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """As in the library, but by :data:`FETCH`, and with the queues in turn."""
        if queues is None:
            return await super().fetch_job(queues, worker_id)
        # Each queue is first in turn: one with thousands of jobs does not hold up the others.
        names = tuple(queues)
        order = self._orders.setdefault(names, deque(names))
        order.rotate(-1)
        for queue in tuple(order):
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
        """As in the library; an equal job already waiting under the queueing lock suffices."""
        try:
            await super().retry_job(job, retry_at, priority, queue, lock)
        except UniqueViolation as error:
            if error.constraint_name != QUEUEING_LOCK_CONSTRAINT:
                raise
            log.info("job.superseded", task=job.task_name, about=job.queueing_lock)
            await self.finish_job(job, status=Status.FAILED, delete_job=True)


STILL_TOLD = timedelta(hours=2)  # older messages are given up silently
_BETWEEN = "\x1f"
_MOST = 500

_ABANDONED = text("""
    SELECT account, chat, message FROM heard
    WHERE at < extract(epoch FROM now())::bigint - :answered
        AND at > extract(epoch FROM now())::bigint - :told
        AND state <> :done
        AND NOT EXISTS (
            SELECT 1 FROM procrastinate_jobs AS job
            WHERE job.lock = account || :between || chat || :between || message
                AND job.status IN ('todo', 'doing')
        )
    ORDER BY at LIMIT :most
""")


def lock_of(account: str, chat: str, message: str) -> str:
    """The lock under which the jobs of a message run one after the other."""
    return _BETWEEN.join((account, chat, message))


async def abandoned_messages(connection: AsyncConnection) -> Sequence[tuple[str, str, str]]:
    """Messages not answered in time that no job is about, oldest first."""
    values = {
        "answered": int(STILL_ANSWERED.total_seconds()),
        "told": int(STILL_TOLD.total_seconds()),
        "done": Stage.TOLD.value,
        "between": _BETWEEN,
        "most": _MOST,
    }
    rows = await connection.execute(_ABANDONED, values)
    return [(row.account, row.chat, row.message) for row in rows]
