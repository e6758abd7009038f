"""The engine: Procrastinate with its tables beside the archive's, and its workers.

A job that belongs to a row is put down through the connection of the row's transaction: both are
there, or neither. See https://procrastinate.readthedocs.io/en/stable/ for what the library does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, Self

import structlog
from procrastinate import App, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Status
from procrastinate.tasks import Task
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.postgresql import PostgresDatabase, take_turn
from digest.errors import UnreachableDatabase

log = structlog.get_logger(__name__)

CHANNELS, ANSWERS, SWEEPS = "channels", "answers", "sweeps"
"""The queues."""

_RETRY = RetryStrategy(max_attempts=6, exponential_wait=3)
_EVERY_FIVE_MINUTES, _EVERY_MINUTE = "*/5 * * * *", "* * * * *"
_PAUSE = 2.0
_KEPT_HOURS = 48


class Channel(Protocol):
    """Brings a channel up to date; with ``left``, what is left of older deliveries first.

    Jobs name what they are given, so the names are part of it; of all three.
    """

    async def __call__(self, name: str, left: bool) -> None:  # by its name
        """Do it, or raise: the library then tries again."""


class Answer(Protocol):
    """Answers a message."""

    async def __call__(self, account: str, chat: str, message: str) -> None:
        """Do it, or raise: the library then tries again."""


class Change(Protocol):
    """Deals with a message, as text, that was edited or deleted."""

    async def __call__(self, account: str, incoming: str) -> None:
        """Do it, or raise: the library then tries again."""


class Engine:
    """Puts jobs down and does them. Opened and closed by ``async with``."""

    def __init__(self, database: PostgresDatabase, *, heartbeat: float = 10.0) -> None:
        """A worker that is silent for three heartbeats, in seconds, is taken for dead."""
        self._database = database
        self._heartbeat = heartbeat
        url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
        connector = PsycopgConnector(
            conninfo=url, min_size=1, max_size=6, kwargs={"application_name": "digestbot jobs"}
        )
        self._app = App(connector=connector)
        self._duties: dict[str, Callable[..., Awaitable[None]]] = {}
        self._channel = self._task("channel", CHANNELS)
        self._answer = self._task("answer", ANSWERS)
        self._change = self._task("change", ANSWERS)
        self._app.periodic(cron=_EVERY_FIVE_MINUTES)(self._task("sweep", SWEEPS, alone="sweep"))
        self._app.periodic(cron=_EVERY_MINUTE)(self._task("rescue", SWEEPS, alone="rescue"))
        self._duties["rescue"] = self._rescue
        # It tells of every job what the log tells already, at a level that people read.
        logging.getLogger("procrastinate").setLevel(logging.WARNING)

    async def __aenter__(self) -> Self:
        """Make the tables where they are missing. Raises ``UnreachableDatabase``."""
        try:
            await self._app.open_async()
            async with self._database.writing("jobs") as connection:
                if await connection.scalar(text("SELECT to_regclass('procrastinate_jobs')")):
                    return self
                await take_turn(connection, "migration")
                raw = await connection.get_raw_connection()
                driver: Any = raw.driver_connection
                await driver.execute(self._app.schema_manager.get_schema())
        except ConnectorException as error:
            raise UnreachableDatabase(self._database.place, str(error.__cause__)) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._app.close_async()

    async def put_channel(
        self, name: str, connection: AsyncConnection | None = None, *, left: bool = False
    ) -> None:
        """Let a channel be brought up to date; once, however often it is said beforehand.

        With a ``connection`` it is said with its transaction.
        """
        options: dict[str, Any] = {"queueing_lock": name}
        given: dict[str, Any] = {"name": name, "left": left}
        try:
            if connection is None:
                await self._channel.configure(**options).defer_async(**given)
                return
            # What is waiting already does this as well, and must not undo the transaction.
            async with connection.begin_nested():
                options["connection"] = await _driver(connection)
                await self._channel.configure(**options).defer_async(**given)
        except AlreadyEnqueued:
            log.debug("job.waiting", channel=name)

    async def put_answers(
        self, keys: Sequence[tuple[str, str, str]], connection: AsyncConnection
    ) -> None:
        """Let messages be answered, with the transaction of a connection."""
        driver = await _driver(connection)
        for account, chat, message in keys:
            lock = _lock(account, chat, message)
            await self._answer.configure(lock=lock, connection=driver).defer_async(
                account=account, chat=chat, message=message
            )

    async def put_change(self, key: tuple[str, str, str], incoming: str) -> None:
        """Let the answer follow a message that was changed, after what is done about it now."""
        change = self._change.configure(lock=_lock(*key))
        await change.defer_async(account=key[0], incoming=incoming)

    def serve(self, channel: Channel, answer: Answer, change: Change) -> None:
        """Say who does the jobs of channels and answers."""
        self._duties |= {"channel": channel, "answer": answer, "change": change}

    def sweeping(self, sweep: Callable[[], Awaitable[None]]) -> None:
        """Say who sweeps."""
        self._duties["sweep"] = sweep

    async def work(self, queues: Sequence[str], at_once: int) -> None:
        """Do the jobs of these queues until cancelled; then let those under way end."""
        while True:
            try:
                await self._app.run_worker_async(
                    queues=queues,
                    concurrency=at_once,
                    install_signal_handlers=False,
                    delete_jobs="successful",
                    shutdown_graceful_timeout=20.0,
                    update_heartbeat_interval=self._heartbeat,
                    stalled_worker_timeout=3 * self._heartbeat,
                )
            except Exception as error:  # noqa: BLE001  # the database is away, for a while
                log.warning("jobs.broken", error=str(error), pause=_PAUSE)
            await asyncio.sleep(_PAUSE)

    async def waiting(self) -> int:
        """How many channels and messages wait to be worked on."""
        query = text(
            "SELECT count(*) FROM procrastinate_jobs"
            " WHERE status = 'todo' AND queue_name <> :sweeps"
        )
        async with self._database.reading() as connection:
            return int(await connection.scalar(query, {"sweeps": SWEEPS}) or 0)

    async def rescue(self) -> int:
        """Put down again what workers had that died; how many there were."""
        manager = self._app.job_manager
        found = await manager.get_stalled_jobs(seconds_since_heartbeat=3 * self._heartbeat)
        stalled = list(found)
        for job in stalled:
            try:
                await manager.retry_job(job)
            except ConnectorException as error:
                # Another of its channel waits already, and does its work.
                log.info("job.superseded", task=job.task_name, error=str(error.__cause__))
                await manager.finish_job(job, status=Status.FAILED, delete_job=True)
        return len(stalled)

    async def _rescue(self) -> None:
        if count := await self.rescue():
            log.warning("jobs.rescued", count=count)
        await self._app.job_manager.delete_old_jobs(nb_hours=_KEPT_HOURS, include_failed=True)

    def _task(self, name: str, queue: str, alone: str | None = None) -> Task[Any, Any, Any]:
        async def do(**given: Any) -> None:
            given.pop("timestamp", None)
            await self._duties[name](**given)

        # Without a scheduler sweeps do not pile up: one waits for the next that comes.
        made = self._app.task(
            name=f"digestbot.{name}", queue=queue, retry=_RETRY, queueing_lock=alone
        )
        return made(do)


def _lock(account: str, chat: str, message: str) -> str:
    return f"{account}\x1f{chat}\x1f{message}"


async def _driver(connection: AsyncConnection) -> Any:
    return (await connection.get_raw_connection()).driver_connection
