"""Kinds of jobs, their queues, and how many jobs are waiting.

Any process with the database can read the queue's depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from digest.frozen import frozen


class JobKind(StrEnum):
    """A kind of job. The values are stored in the database and used as metric labels."""

    CHANNEL = "channel"
    ANSWER = "answer"
    CHANGE = "change"
    ARRIVED = "arrived"
    ALERT = "alert"
    AMEND = "amend"
    FORGES = "forges"
    SWEEP = "sweep"
    RESCUE = "rescue"


CHANNELS, ANSWERS, REPOSITORIES, SWEEPS = "channels", "answers", "repositories", "sweeps"
"""The names of the queues. Schedulers take from the last one, workers from the others."""

QUEUES: Mapping[JobKind, str] = {
    JobKind.CHANNEL: CHANNELS,
    JobKind.ANSWER: ANSWERS,
    JobKind.CHANGE: ANSWERS,
    JobKind.ARRIVED: REPOSITORIES,
    JobKind.ALERT: REPOSITORIES,
    JobKind.AMEND: CHANNELS,
    JobKind.FORGES: REPOSITORIES,
    JobKind.SWEEP: SWEEPS,
    JobKind.RESCUE: SWEEPS,
}

PERIODIC: Mapping[JobKind, str] = {
    JobKind.SWEEP: "*/5 * * * *",
    JobKind.RESCUE: "* * * * *",
    JobKind.FORGES: "*/5 * * * *",
}
"""Jobs that Procrastinate defers periodically, as cron expressions. If nobody runs them, one waits.
"""

_PREFIX = "digestbot."


def task_of(kind: JobKind) -> str:
    """The name of a kind's task in Procrastinate."""
    return f"{_PREFIX}{kind}"


def kind_of(task: str) -> str:
    """The kind of a task by its name, even for one that this program does not know."""
    return task.removeprefix(_PREFIX)


_TABLE = text("SELECT to_regclass('procrastinate_jobs')")

# A job's age counts from its first event; retries add later events.
_DEPTH = text("""
    SELECT job.task_name AS task,
           count(*) FILTER (WHERE job.status = 'todo') AS waiting,
           count(*) FILTER (WHERE job.status = 'doing') AS doing,
           coalesce(extract(epoch FROM now() - min(event.at)
                            FILTER (WHERE job.status = 'todo')), 0) AS oldest
    FROM procrastinate_jobs AS job
    LEFT JOIN procrastinate_events AS event ON event.job_id = job.id AND event.type = 'deferred'
    WHERE job.status IN ('todo', 'doing')
    GROUP BY job.task_name
""")


@frozen
class Depth:
    """The jobs of a kind. ``oldest`` is the age in seconds of the oldest waiting job."""

    waiting: int = 0
    doing: int = 0
    oldest: float = 0.0


async def depth(database: Database) -> Mapping[str, Depth]:
    """The number of jobs of every kind; empty if no process was ever given a role."""
    if database.dialect != "postgresql":
        return {}
    async with database.reading() as connection:
        return await depth_on(connection)


async def depth_on(connection: AsyncConnection) -> Mapping[str, Depth]:
    """The same, on a connection to PostgreSQL."""
    if await connection.scalar(_TABLE) is None:
        return {}
    depths = {
        kind_of(row.task): Depth(
            waiting=row.waiting, doing=row.doing, oldest=max(0.0, float(row.oldest))
        )
        for row in await connection.execute(_DEPTH)
    }
    return {**{str(kind): Depth() for kind in JobKind}, **depths}
