"""The job engine: Procrastinate with its tables beside the archive's, and its workers.

A job that belongs to a row is deferred through the connection of the row's transaction: both exist,
or neither. A job carries the log id of what it was deferred for, and runs under the same id. See
https://procrastinate.readthedocs.io/en/stable/ for the library. Its own statement scans the jobs
waiting in other queues; here fetching costs the same however many jobs wait.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Self
from weakref import WeakKeyDictionary

import psycopg
import structlog
from procrastinate import App, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import QUEUEING_LOCK_CONSTRAINT, JobManager
from procrastinate.tasks import Task
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.chat.message_service import STILL_ANSWERED
from bot.forges.hooks import Arrived
from bot.store.job_queue import PERIODIC, QUEUES, JobKind, task_of
from bot.store.postgresql import PostgresDatabase, take_turn
from bot.store.replies import Stage
from bot.util.tracing import trace
from digest.errors import UnreachableDatabase

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
"""Takes the first job of ``queue`` for ``worker``; returns a row, or none. Of jobs that share a
lock it takes the one deferred first, while none of them is running."""


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
    """Tests a connection before use if it was idle, not on every use."""

    # A restarted server has dropped idle connections; one used a moment ago shows the failure when
    # it is next used, and every job is retried.

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


_RETRY = RetryStrategy(max_attempts=6, exponential_wait=3)
PATIENCE = 20.0  # seconds that a job gets to end when its worker stops; then it is handed back
_PAUSE = 2.0
_KEPT_HOURS = 48
_TABLE = text("SELECT to_regclass('procrastinate_jobs')")

_NOW = text("""
    UPDATE procrastinate_jobs SET scheduled_at = NULL
    WHERE queueing_lock = :lock AND status = 'todo' AND scheduled_at > now()
""")

_Made = Task[Any, Any, Any]
Duty = Callable[..., Awaitable[object]]


class Engine:
    """Defers jobs and runs them. Opened and closed by ``async with``."""

    def __init__(self, database: PostgresDatabase, *, heartbeat: float = 10.0) -> None:
        """A worker that is silent for three heartbeats, in seconds, counts as dead."""
        self._database = database
        self._heartbeat = heartbeat
        url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._app = app_on(url)
        self._duties: dict[JobKind, Duty] = {JobKind.RESCUE: self._rescue}
        self._tasks = {kind: self._task(kind) for kind in JobKind}
        for kind, cron in PERIODIC.items():
            self._app.periodic(cron=cron)(self._tasks[kind])
        # At info level it logs every job again.
        logging.getLogger("procrastinate").setLevel(logging.WARNING)

    async def __aenter__(self) -> Self:
        """Create missing tables and indexes. Raises ``UnreachableDatabase``."""
        try:
            await self._app.open_async()
            async with self._database.writing("jobs") as connection:
                if await connection.scalar(_TABLE) is None:
                    await take_turn(connection, "migration")
                    driver = await _driver(connection)
                    await driver.execute(self._app.schema_manager.get_schema())
                await make_indexes(connection)
        except ConnectorException as error:
            raise UnreachableDatabase(self._database.place, str(error.__cause__)) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._app.close_async()

    async def put_channel(self, name: str, *, left: bool = False) -> None:
        """Defer bringing a channel up to date; with ``left``, pending deliveries first."""
        await self._put_once(JobKind.CHANNEL, name, name=name, left=left)

    async def put_channels(self, names: Sequence[str], connection: AsyncConnection) -> None:
        """Defer bringing channels up to date, in the transaction of a connection."""
        task = self._tasks[JobKind.CHANNEL]
        jobs = [
            task.configure(queueing_lock=name).make_new_job(name=name, left=False, trace=trace())
            for name in names
        ]
        try:
            async with connection.begin_nested():
                await self._defer_many(jobs, connection)
        except AlreadyEnqueued:
            # Some are waiting already; they are found one by one.
            for name in names:
                await self._put_once(JobKind.CHANNEL, name, connection, name=name, left=False)

    async def put_left(self, name: str) -> None:
        """Defer sending a channel's deliveries; implements ``bot.delivery.delivery.Wake``."""
        # A job that is already waiting may not include them.
        await self._put_once(JobKind.CHANNEL, f"left {name}", name=name, left=True)

    async def put_arrival(self, arrived: Arrived, connection: AsyncConnection) -> None:
        """Defer handling an event of a forge, in the transaction of a connection."""
        # A waiting job also covers further events of the same kind: it reads what is there by then.
        name = f"{arrived.host}/{arrived.repository} {arrived.moved}"
        await self._put_once(
            JobKind.ARRIVED,
            name,
            connection,
            host=arrived.host,
            repository=arrived.repository,
            moved=arrived.moved,
        )

    async def put_alert(self, repository: str) -> None:
        """Defer checking a repository for alerts."""
        await self._put_once(JobKind.ALERT, f"alert {repository}", repository=repository)

    async def put_amendments(self) -> None:
        """Defer carrying out the planned amendments."""
        await self._put_once(JobKind.AMEND, str(JobKind.AMEND))

    async def put_answers(
        self, keys: Sequence[tuple[str, str, str]], connection: AsyncConnection
    ) -> None:
        """Defer answering messages, in the transaction of a connection."""
        answer = self._tasks[JobKind.ANSWER]
        # Each runs under the log id of its own record, although they are deferred together.
        jobs = [
            answer.configure(lock=lock_of(account, chat, message)).make_new_job(
                account=account, chat=chat, message=message
            )
            for account, chat, message in keys
        ]
        if jobs:
            await self._defer_many(jobs, connection)

    async def put_change(self, key: tuple[str, str, str], incoming: str) -> None:
        """Defer updating the reply to an edited message, after its current job."""
        change = self._tasks[JobKind.CHANGE].configure(lock=lock_of(*key))
        await change.defer_async(account=key[0], incoming=incoming, trace=trace())

    def serve(self, duties: Mapping[JobKind, Duty]) -> None:
        """Set what handles jobs of these kinds by their arguments; if it raises, it is retried."""
        self._duties |= duties

    async def work(self, queues: Sequence[str], at_once: int) -> None:
        """Run the jobs of these queues until cancelled, then let the running ones end."""
        while True:
            try:
                await self._app.run_worker_async(
                    queues=list(queues),  # a tuple would not become an array
                    concurrency=at_once,
                    install_signal_handlers=False,
                    delete_jobs="successful",
                    shutdown_graceful_timeout=PATIENCE,
                    update_heartbeat_interval=self._heartbeat,
                    stalled_worker_timeout=3 * self._heartbeat,
                )
            except Exception as error:  # the database is unavailable for a while
                # Its own message is just "Database error"; the driver's says more.
                reason = " ".join(str(error.__cause__ or error).split())
                log.warning("jobs.broken", error=reason, pause=_PAUSE)
                task = asyncio.current_task()
                if task is not None and task.cancelling() > 0:
                    # Its last error from the database replaced the cancellation.
                    raise asyncio.CancelledError from error
            await asyncio.sleep(_PAUSE)

    async def rescue(self) -> int:
        """Defer the jobs of dead workers again; return how many there were."""
        manager = self._app.job_manager
        jobs = await manager.get_stalled_jobs(seconds_since_heartbeat=3 * self._heartbeat)
        stalled = list(jobs)
        for job in stalled:
            await manager.retry_job(job)
        return len(stalled)

    async def put_abandoned(self) -> int:
        """Defer abandoned messages again; return how many there were."""
        # The library has used up its retries for each. They are old by now: their askers are told
        # that no answer will come.
        async with self._database.writing("abandoned") as connection:
            keys = await abandoned_messages(connection)
            await self.put_answers(keys, connection)
        return len(keys)

    async def _rescue(self) -> None:
        if count := await self.rescue():
            log.warning("jobs.rescued", count=count)
        if count := await self.put_abandoned():
            log.warning("answers.abandoned", count=count)
        await self._app.job_manager.delete_old_jobs(nb_hours=_KEPT_HOURS, include_failed=True)

    async def _defer_many(self, jobs: list[Job], connection: AsyncConnection) -> None:
        driver = await _driver(connection)
        await self._app.job_manager.batch_defer_jobs_async(jobs, connection=driver)

    async def _put_once(
        self, kind: JobKind, lock: str, connection: AsyncConnection | None = None, **given: Any
    ) -> None:
        """Defer something once, however often this is called; a waiting retry is run now."""
        options: dict[str, Any] = {"queueing_lock": lock}
        given["trace"] = trace()
        try:
            if connection is None:
                await self._tasks[kind].configure(**options).defer_async(**given)
                return
            # A waiting job does this as well, and must not undo the transaction.
            async with connection.begin_nested():
                options["connection"] = await _driver(connection)
                await self._tasks[kind].configure(**options).defer_async(**given)
        except AlreadyEnqueued:
            log.debug("job.waiting", kind=kind, about=lock)
            if connection is not None:
                await connection.execute(_NOW, {"lock": lock})
                return
            async with self._database.reading() as own:
                await own.execute(_NOW, {"lock": lock})

    def _task(self, kind: JobKind) -> _Made:
        async def do(**given: Any) -> None:
            given.pop("timestamp", None)
            with structlog.contextvars.bound_contextvars(trace=given.pop("trace", "") or trace()):
                await self._duties[kind](**given)

        # If no process runs periodic jobs, they must not pile up.
        alone = str(kind) if kind in PERIODIC else None
        made = self._app.task(
            name=task_of(kind), queue=QUEUES[kind], retry=_RETRY, queueing_lock=alone
        )
        return made(do)


async def _driver(connection: AsyncConnection) -> Any:
    return (await connection.get_raw_connection()).driver_connection
