"""What kinds of jobs there are, in which queues they wait, and what those who do them promise.

How much waits to be done, as any process with the database can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database


class JobKind(StrEnum):
    """What is to be done. The values stand in the database, and in figures as labels."""

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
"""The queues."""

WORKED = (CHANNELS, ANSWERS, REPOSITORIES)
"""The queues that workers take from; schedulers have the other."""

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
"""What the library puts down by itself, as cron writes it. Where nobody does it, one waits."""

_PREFIX = "digestbot."


def task_of(kind: JobKind) -> str:
    """The name under which the library knows a kind."""
    return f"{_PREFIX}{kind}"


def kind_of(task: str) -> str:
    """The kind of a task by its name, also of one that this program does not know."""
    return task.removeprefix(_PREFIX)


class Duties(Protocol):
    """What workers do. Each does it or raises, and then the library tries again.

    Jobs name what they are given, so the names are part of the promise.
    """

    async def channel(self, name: str, left: bool) -> None:  # by its name
        """Bring a channel up to date; with ``left``, what is left of older deliveries first."""

    async def answer(self, account: str, chat: str, message: str) -> None:
        """Answer a message."""

    async def change(self, account: str, incoming: str) -> None:
        """Deal with a message, as text, that was edited or deleted."""

    async def arrived(self, host: str, repository: str, moved: bool) -> None:  # by its name
        """Read what a forge told of; see :class:`bot.forges.hooks.Arrived`."""

    async def alert(self, repository: str) -> None:
        """Tell those who want to know what may break them in a repository."""

    async def amend(self) -> None:
        """Carry out the amendments that are planned."""

    async def forges(self) -> None:
        """Read what forges say of the repositories that are watched."""


_TABLE = text("SELECT to_regclass('procrastinate_jobs')")

# A job is as old as its first event; those of a retry follow it.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """Jobs of a kind. ``oldest`` is how long, in seconds, the oldest that waits is there."""

    waiting: int = 0
    doing: int = 0
    oldest: float = 0.0


async def depth(database: Database) -> Mapping[str, Depth]:
    """The jobs of every kind; nothing where no process was ever given a role.

    Raises ``UnreachableDatabase`` and ``BrokenArchive``.
    """
    if database.dialect != "postgresql":
        return {}
    async with database.reading() as connection:
        return await depth_on(connection)


async def depth_on(connection: AsyncConnection) -> Mapping[str, Depth]:
    """The same by a connection to a PostgreSQL."""
    if await connection.scalar(_TABLE) is None:
        return {}
    found = {
        kind_of(row.task): Depth(
            waiting=row.waiting, doing=row.doing, oldest=max(0.0, float(row.oldest))
        )
        for row in await connection.execute(_DEPTH)
    }
    return {**{str(kind): Depth() for kind in JobKind}, **found}
