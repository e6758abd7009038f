"""The most expensive statements of a PostgreSQL server, by ``pg_stat_statements``.

https://www.postgresql.org/docs/current/pgstatstatements.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import psycopg

SETTINGS = {
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track_planning": "on",
}
"""Settings of a server that counts statements."""

_SHOWN = 40
_LONGEST = 110

_DEAREST = """
SELECT calls, total_plan_time / 1000, total_exec_time / 1000, rows, query
FROM pg_stat_statements ORDER BY total_plan_time + total_exec_time DESC LIMIT %s
"""


def begin(url: str) -> None:
    """Start counting. ``url`` is the database's."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        connection.execute("SELECT pg_stat_statements_reset()")


def dearest(url: str) -> Iterator[str]:
    """A line for each of the most expensive statements: calls, seconds, milliseconds per call."""
    with psycopg.connect(url) as connection:
        found: Sequence[tuple[int, float, float, int, str]] = connection.execute(
            _DEAREST, (_SHOWN,)
        ).fetchall()
    yield f"{'calls':>8} {'plan s':>7} {'run s':>7} {'ms each':>8} {'rows':>8}  statement"
    for calls, plan, run, rows, query in found:
        words = " ".join(query.split())[:_LONGEST]
        each = (plan + run) / calls * 1000
        yield f"{calls:>8} {plan:>7.2f} {run:>7.2f} {each:>8.2f} {rows:>8}  {words}"
