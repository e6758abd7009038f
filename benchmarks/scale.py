"""Scaling: parallel workers, a backlog, channels, memory.

``python -m benchmarks.scale CLONE [--analyses N]``, or ``make bench-scale REPO=path``. Everything
runs with its own PostgreSQL and Redis, started in temporary folders. The figures depend on this
machine and its other load. It takes about six minutes. ``python -m benchmarks.pages CLONE``
measures pages, and ``make bench-load`` a busy installation.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sqlalchemy import text

from benchmarks.load_usage import Usage
from benchmarks.scale_memory import Idle, alone, idle
from benchmarks.scale_workers import COMMITS, claimed, worked
from benchmarks.timing import Row, milliseconds, show
from bot.jobs.job_engine import Engine
from bot.store.postgresql import open_postgres
from tests.servers import postgresql, redis
from tests.servers.postgresql import Postgres

WORKERS = (1, 2, 4)
ROUNDS = 3
"""How often each number of workers is measured, in turn; the results are medians."""

BACKLOG = 1000

FEW, MANY = 50, 2050
"""Channels of the processes that are compared to find the cost of one more."""

_SETTINGS = {"max_connections": "200", "shared_buffers": "128MB"}


def main(clone: str, analyses: int) -> None:
    """Print the table."""
    with postgresql.running(**_SETTINGS) as server, redis.running() as shared:
        _note(f"{analyses} analyses of {COMMITS} commits by {WORKERS} workers, {ROUNDS} times")
        rows = _analyses(server, clone, analyses)
        _note(f"a backlog of {BACKLOG}")
        for workers in (1, 2):
            rows += _backlog(server, workers)
        _note(f"idle processes with {FEW} and with {MANY} channels")
        few, many = (idle(_fresh(server, f"idle{n}"), shared.url, n) for n in (FEW, MANY))
        size = asyncio.run(_size_of_channel(server.url(f"idle{MANY}")))
        rows += [*_channel(few, many, size), *_memory(few, alone(clone))]
    show(rows)


def _analyses(server: Postgres, clone: str, count: int) -> list[Row]:
    took: dict[int, list[float]] = {workers: [] for workers in WORKERS}
    for turn in range(ROUNDS):
        for workers in WORKERS:
            url = _fresh(server, f"analyses{turn}_{workers}")
            asyncio.run(_put(url, count))
            took[workers].append(worked(url, workers, "analyses", clone, str(count)))
    seconds = {workers: statistics.median(times) for workers, times in took.items()}
    goals = {2: ">= 1.8x on two cores"}
    return [
        Row(
            f"{workers} worker{'s' * (workers > 1)}, {count} keyless analyses of {COMMITS} commits",
            f"{count / seconds[workers] * 60:.0f} a minute",
            f"{seconds[workers]:.1f} s",
            f"{seconds[1] / seconds[workers]:.2f}x",
            goals.get(workers, ""),
        )
        for workers in WORKERS
    ]


async def _put(url: str, count: int) -> None:
    async with await open_postgres(url) as database, Engine(database) as engine:
        for number in range(count):
            await engine.put_channel(str(number))


def _backlog(server: Postgres, workers: int) -> list[Row]:
    url = _fresh(server, f"backlog{workers}")
    with tempfile.TemporaryDirectory() as folder:
        board = Path(folder) / "posts"
        board.touch()
        found = asyncio.run(claimed(url, BACKLOG, board))
        took = worked(url, workers, "posts", str(BACKLOG), str(board))
        posts = [line.split() for line in board.read_text().splitlines()]
    twice = sum(count > 1 for count in Counter(chat for _, chat, _ in posts).values())
    lost = BACKLOG - len({chat for _, chat, _ in posts})
    many = "s" * (workers > 1)
    return [
        Row(
            f"{BACKLOG} digests due after an hour's outage: found and claimed",
            f"{found:.1f} s", f"{milliseconds(found / BACKLOG)} each", "", "",
        ),
        Row(
            f"the same posted by {workers} worker{many}",
            f"{took:.1f} s", f"{BACKLOG / took:.0f} a second",
            f"lost {lost}, twice {twice}, most places out of order {_displaced(posts)}",
            "0 lost, 0 twice",
        ),
    ]  # fmt: skip


def _displaced(posts: list[list[str]]) -> int:
    """The largest distance of a post from its place in the order of due times."""
    posted = [chat.partition("/")[0] for _, chat, _ in sorted(posts, key=lambda one: float(one[0]))]
    due = sorted(posted)
    first = {at: due.index(at) for at in set(due)}
    last = {at: first[at] + due.count(at) - 1 for at in first}
    return max(max(first[at] - n, n - last[at], 0) for n, at in enumerate(posted))


def _channel(few: Idle, many: Idle, size: float) -> list[Row]:
    more = many.channels - few.channels

    def memory(role: str) -> str:
        grown = many.usages[role].proportional - few.usages[role].proportional
        return f"{grown * 1024 / more:.1f} kB"

    def sweep(role: str) -> str:
        return f"{(many.sweeps[role] - few.sweeps[role]) * 1000 / more:.2f} ms"

    held = ", ".join(f"{role} {memory(role)}" for role in many.usages)
    swept = ", ".join(f"{role} {sweep(role)}" for role in many.sweeps)
    return [
        Row("one more channel: in the database", f"{size:.0f} bytes", "and a digest a day", "", ""),
        Row("one more channel: memory of a process", held, "", "", ""),
        Row("one more channel: of a sweep", swept, "", "", ""),
    ]


def _memory(few: Idle, single: Usage) -> list[Row]:
    named = {"all, archive in a file": single, **few.usages}
    return [
        Row(
            f"idle with 50 repositories: {role}",
            f"{one.resident:.0f} MB resident",
            f"{one.proportional:.0f} MB proportional",
            "",
            "<= 150 MB",
        )
        for role, one in named.items()
    ]


async def _size_of_channel(url: str) -> float:
    """Bytes of a channel's rows with their indexes: its settings and its position."""
    async with await open_postgres(url) as database, database.reading() as connection:
        sizes = {}
        for name in ("chat_subscriptions", "slots"):
            sized = await connection.scalar(text(f"SELECT pg_total_relation_size('{name}')"))
            counted = await connection.scalar(text(f"SELECT count(*) FROM {name}"))
            sizes[name] = int(sized or 0) / max(1, int(counted or 0))
    return sum(sizes.values())


def _fresh(server: Postgres, name: str) -> str:
    server.run(f"CREATE DATABASE {name}")
    url = server.url(name)

    async def make() -> None:
        async with await open_postgres(url) as database, Engine(database):
            pass

    asyncio.run(make())
    return url


def _note(said: str) -> None:
    sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {said}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("--analyses", type=int, default=24)
    return parser.parse_args()


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    given = _options()
    main(given.clone, given.analyses)
