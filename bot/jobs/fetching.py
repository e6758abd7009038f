"""How the next job of a queue is found: by the library's rule, through two indexes of our own.

The library's statement walks over whatever waits in other queues, and it compares locks by an index
that does not begin with the lock; where statistics are older than what waits it reads all that
waits for each job. Here a job costs the same however many wait, by any statistics.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

INDEXES: Mapping[str, str] = {
    "digestbot_jobs_queue": "(queue_name, priority DESC, id) WHERE status = 'todo'",
    "digestbot_jobs_lock": "(lock) WHERE status IN ('todo', 'doing')",
}
"""What is indexed of ``procrastinate_jobs`` besides what the library does, by name."""

_TO_MAKE = text("""
    SELECT name FROM unnest(CAST(:names AS text[])) AS name WHERE to_regclass(name) IS NULL
""")

# OFFSET keeps the database from joining the jobs with each other: it looks at the locks of the
# first job alone, and of the next where that one has to wait.
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
"""Takes the first job of ``queue`` for ``worker``: of those that share a lock the first put down,
while none of them is being done. A row, or none."""


async def make_indexes(connection: AsyncConnection) -> None:
    """Make what is missing of :data:`INDEXES`, beside the library's table."""
    missing = await connection.scalars(_TO_MAKE, {"names": list(INDEXES)})
    for name in missing.all():
        await connection.exec_driver_sql(
            f"CREATE INDEX {name} ON procrastinate_jobs {INDEXES[name]}"
        )


class Turns:
    """In which order a worker looks at its queues: each is the first in its turn.

    So a queue with thousands of jobs holds up none of the others.
    """

    def __init__(self) -> None:
        self._orders: dict[tuple[str, ...], deque[str]] = {}

    def next(self, queues: Sequence[str]) -> Sequence[str]:
        """The queues of a worker, in the order of this time."""
        order = self._orders.setdefault(tuple(queues), deque(queues))
        order.rotate(-1)
        return tuple(order)
