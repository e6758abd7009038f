"""What more machines give: workers side by side, a backlog, channels, memory.

``python -m benchmarks.scale REPO [ANALYSES]`` with a clone. Everything runs against a PostgreSQL of
its own, started in a temporary folder. Workers are processes that take jobs as ``digestbot run
--role worker`` does. Figures are of this machine and of what else runs on it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from datetime import time as time_of_day
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

import structlog
from rich.console import Console as Terminal
from rich.table import Table
from sqlalchemy import text

from benchmarks.once import digest_once
from bot.courier import Patience, Target
from bot.delivery import Delivery
from bot.jobs.claims import DeferringLedger
from bot.jobs.depth import depth
from bot.jobs.engine import Engine
from bot.jobs.scheduling import Scheduler
from bot.jobs.tasks import CHANNELS
from bot.jobs.working import Worker
from bot.platforms.console import Console
from bot.roster import Fixed, Post
from bot.runner import Ready, Work
from bot.schedule import Slot, Spec
from bot.store.leases import ServerLeases
from bot.store.ledger import SqlLedger
from bot.store.postgresql import PostgresDatabase, open_postgres
from digest.document import Document, Paragraph, Text
from tests.servers.postgresql import Postgres, running

DUE = datetime(2026, 1, 23, 9, 30, tzinfo=UTC)
COMMITS = 40
BACKLOG = 200


class Channel(Protocol):
    """What is done for a channel."""

    async def __call__(self, name: str, left: bool) -> None: ...  # as jobs are given


Make = Callable[[PostgresDatabase], Channel]


class _Noon:
    def now(self) -> datetime:
        return DUE


def main(clone: str, analyses: int) -> None:
    """Print every table."""
    with running() as server:
        _show_analyses(server, clone, analyses)
        _show_backlog(server)
    _show_memory(clone)


def _show_analyses(server: Postgres, clone: str, count: int) -> None:
    table = Table("workers", "seconds", "analyses a minute", "over one")
    alone = 0.0
    for workers in (1, 2, 4):
        url = _fresh(server, f"analyses{workers}")

        async def prepare(url: str = url) -> None:
            async with await open_postgres(url) as database, Engine(database) as engine:
                for number in range(count):
                    await engine.put_channel(str(number))

        asyncio.run(prepare())
        took = _worked(url, workers, "analyses", clone, str(count))
        alone = alone or took
        rate = f"{count / took * 60:.0f}"
        table.add_row(str(workers), f"{took:.1f}", rate, f"{alone / took:.2f}x")
    Terminal().print(f"{count} keyless analyses of {COMMITS} commits each", table)


def _analysing(clone: str, windows: list[tuple[str, str]], number: int) -> Channel:
    # One core for each worker: it is the workers that are compared.
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})

    async def analyse(name: str, left: bool) -> None:  # noqa: ARG001  # as jobs are given
        with tempfile.TemporaryDirectory() as data:
            await digest_once(clone, Path(data), *windows[int(name)])

    return analyse


def _show_backlog(server: Postgres) -> None:
    table = Table("workers", "claimed in s", "posted in s", "posts a second")
    for workers in (1, 2, 4):
        url = _fresh(server, f"backlog{workers}")
        claimed = asyncio.run(_claimed(url))
        took = _worked(url, workers, "posts")
        rate = f"{BACKLOG / took:.0f}"
        table.add_row(str(workers), f"{claimed:.1f}", f"{took:.1f}", rate)
    Terminal().print(f"{BACKLOG} channels due after an outage", table)
    asyncio.run(_show_channel(url))


async def _show_channel(url: str) -> None:
    async with await open_postgres(url) as database, database.reading() as connection:
        size = 0
        for name in ("slots", "deliveries", "delivery_parts"):
            found = await connection.scalar(text(f"SELECT pg_total_relation_size('{name}')"))
            size += int(found or 0)
    Terminal().print(f"a post in the ledger: {size / BACKLOG:.0f} bytes with its indexes\n")


async def _claimed(url: str) -> float:
    """Seconds in which a scheduler finds and puts down what is due."""
    async with await open_postgres(url) as database, Engine(database) as engine:
        ledger, leases = DeferringLedger(database, engine), ServerLeases(database)
        work = _work(ledger, leases)
        for post in await work.posts.current():
            await ledger.claim_slot(f"first-seen:{post.name}", "2026-01-21")
        began = time.perf_counter()
        await Scheduler(work, engine).sweep()
        took = time.perf_counter() - began
        await leases.aclose()
    return took


def _posting(database: PostgresDatabase) -> Channel:
    return Worker(_work(SqlLedger(database), ServerLeases(database)), None, {}).channel  # type: ignore[arg-type]  # nobody asks


def _work(ledger: SqlLedger, leases: ServerLeases) -> Work:
    sender = Console(Path(os.devnull).open("w"))  # noqa: SIM115  # as long as the process
    targets = [Target(name=f"c{n}", chat=f"c{n}", sender=sender) for n in range(BACKLOG)]
    spec = Spec(at=time_of_day(9), zone=ZoneInfo("UTC"))

    async def build(post: Post, slot: Slot) -> list[Ready]:
        said = Text("one change that matters " * 60)
        document = Document(title=f"{post.name} {slot.name}", blocks=(Paragraph((said,)),))
        return [Ready(digest=f"daily:r:main:{slot.name}", document=document)]

    async def finish(*_: object) -> None:
        return

    return Work(
        posts=Fixed([Post(target=target, spec=spec) for target in targets]),
        build=build,
        finish=finish,
        hearing=None,  # type: ignore[arg-type]  # nobody asks
        delivery=Delivery(ledger, leases, targets, Patience(first=0)),
        ledger=ledger,
        leases=leases,
        clock=_Noon(),
    )


def _worked(url: str, workers: int, *kind: str) -> float:
    """Seconds until so many workers have done every job; their start is not counted."""
    command = [sys.executable, "-m", "benchmarks.scale", "--worker", url]
    children = [
        subprocess.Popen(
            [*command, str(number), *kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for number in range(workers)
    ]
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    began = time.perf_counter()
    for child in children:
        assert child.stdin is not None
        child.stdin.close()
    for child in children:
        assert child.wait() == 0, "a worker died"
    return time.perf_counter() - began


def _worker(url: str, number: str, kind: str, *given: str) -> None:
    """Do every job of an archive, as soon as the parent says so."""
    if kind == "analyses":
        clone, count = given
        windows = _windows(clone, int(count))
        make: Make = lambda _d: _analysing(clone, windows, int(number))  # noqa: E731  # a choice of two
    else:
        make = _posting
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    asyncio.run(_until_done(url, make, at_once=1 if kind == "analyses" else 8))


def _windows(clone: str, count: int) -> list[tuple[str, str]]:
    tips = _git(clone, "rev-list", "--first-parent", f"--max-count={count * COMMITS + 1}", "HEAD")
    return [(tips[n + COMMITS], tips[n]) for n in range(0, count * COMMITS, COMMITS)]


class _Duties:
    """Does the jobs of channels; there are no others."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    async def none(self, **given: object) -> None:
        raise AssertionError(f"nobody put down {given}")

    answer = change = arrived = alert = amend = forges = none


async def _until_done(url: str, make: Make, at_once: int) -> None:
    async with await open_postgres(url) as database, Engine(database) as engine:
        engine.serve(_Duties(make(database)))
        working = asyncio.create_task(engine.work([CHANNELS], at_once))
        while (await depth(database))["channel"].waiting:  # noqa: ASYNC110  # others do the jobs as well
            await asyncio.sleep(0.1)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


def _show_memory(clone: str) -> None:
    """The memory of an idle process that watches fifty repositories."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"data = '{folder}'", "[platforms.console]"]
        for number in range(50):
            lines += ["[[repositories]]", f'name = "ada/r{number}"', f"place = '{clone}'"]
            lines += ["[[channels]]", f'name = "c{number}"', 'platform = "console"']
            lines += [f'repositories = ["ada/r{number}"]', 'time = "03:00"']
        config = Path(folder) / "digestbot.toml"
        config.write_text("\n".join(lines))
        child = subprocess.Popen(
            [sys.executable, "-m", "bot.cli", "run", "--config", str(config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        time.sleep(12)
        status = Path(f"/proc/{child.pid}/status")
        assert child.poll() is None, child.stderr and child.stderr.read().decode()
        resident = next(ln for ln in status.read_text().splitlines() if ln.startswith("VmRSS"))
        child.terminate()
        child.wait(60)
    Terminal().print(f"idle with 50 repositories: {int(resident.split()[1]) / 1024:.0f} MB")


def _fresh(server: Postgres, name: str) -> str:
    server.run(f"CREATE DATABASE {name}")
    url = server.url(name)

    async def make() -> None:
        async with await open_postgres(url) as database, Engine(database):
            pass

    asyncio.run(make())
    return url


def _git(clone: str, *words: str) -> list[str]:
    done = subprocess.run(["git", "-C", clone, *words], check=True, capture_output=True, text=True)
    return done.stdout.split()


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    if sys.argv[1] == "--worker":
        _worker(*sys.argv[2:])
        sys.exit()
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 24)
