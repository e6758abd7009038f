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


def costs(answer: float, analysis: float, swept: float) -> list[Row]:
    """What 10, 1000 and 100,000 channels need at the peak, from the measured costs in ms.

    Every channel gets one digest of two messages a working day, all in one hour, and asks five
    questions a day, a third of them in the busiest hour; 25 channels share an analysis.
    """
    made = []
    for channels in (10, 1_000, 100_000):
        peak = channels * (answer + analysis / 25 + answer * 5 / 3) / 3_600_000
        sweep = channels * swept / 300_000
        messages = 2 * channels
        waits = {
            "cores": peak,
            "the scheduler's sweep": sweep,
            "one Telegram account": messages / _TELEGRAM / 3600,
            "one Feishu app": messages / _FEISHU / 3600,
        }
        first = max(waits, key=lambda name: waits[name])
        busy = ", ".join(f"{name} {share:.2g}" for name, share in waits.items())
        made.append(Row(f"{channels:,} channels", busy, "share of an hour", first, "< 1"))
    return made


_TELEGRAM, _FEISHU = 27, 1000 / 60  # messages a second that the platforms allow


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", nargs="?", help="only the costs of many channels without it")
    parser.add_argument("--analyses", type=int, default=24)
    parser.add_argument("--answer", type=float, default=28, help="ms of an answer or a digest")
    parser.add_argument("--analysis", type=float, default=700, help="ms of 40 commits")
    parser.add_argument("--sweep", type=float, default=0.45, help="ms of a channel in a sweep")
    return parser.parse_args()


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    given = _options()
    if given.clone:
        main(given.clone, given.analyses)
    many = costs(given.answer, given.analysis, given.sweep)
    show(many, Row("every day", "busy in the peak hour", "beside", "first bottleneck", "goal"))
