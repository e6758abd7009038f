"""How much waits to be done, as any process with the database can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.jobs.tasks import Kind, kind_of
from bot.store.database import Database

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
    return {**{str(kind): Depth() for kind in Kind}, **found}
