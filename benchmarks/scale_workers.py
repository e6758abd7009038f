"""Workers of ``benchmarks.scale``: processes that take jobs like those with the role ``worker``.

``python -m benchmarks.scale_workers URL NUMBER KIND ...`` reports when it is ready, and starts when
its input ends. The archives are in the PostgreSQL at the URL.
"""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.git.open_source import open_source
from bot.jobs.job_engine import Engine
from bot.jobs.role_duties import DeferringLedger, Scheduler, Worker
from bot.jobs.services import LoopServices
from bot.messaging.sender import Part, Receipt
from bot.platforms.console import Console
from bot.scheduler.schedule import Slot, Spec
from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.job_queue import CHANNELS, JobKind, depth
from bot.store.ledger import SqlLedger
from bot.store.postgresql import PostgresDatabase, ServerLeases, open_postgres
from bot.subscriptions.channel_registry import Subscription
from bot.util.machine import Processes, SystemClock
from digest.core.enums import Language
from digest.core.grade import Repository
from digest.document import Document, Paragraph, Text
from digest.markdown import markdown
from digest.report.assembly import assemble
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from digest.window import Window, zone_of
from handlers.context import Context
from handlers.digests.ingest import ingest
from handlers.ports.storage import Range, Tip, Watched
from tests.support.channels import Fixed, at_target

DUE = datetime(2026, 1, 23, 9, 30, tzinfo=UTC)
"""When the scheduler returns: everything of the hour before is due."""

OUTAGE = timedelta(hours=1)

COMMITS = 40

_Make = Callable[[str, bool], Awaitable[None]]


class Board(Console):
    """A file to which all workers append which channel got something, and when."""

    def __init__(self, file: Path) -> None:
        super().__init__(io.StringIO())
        self._descriptor = os.open(file, os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Append a line in one write."""
        del reply_to
        os.write(self._descriptor, f"{time.time()} {chat} {part.identity}\n".encode())
        return Receipt(message=part.identity)


class _Then:
    def now(self) -> datetime:
        return DUE


def backlog(channels: int, ledger: SqlLedger, leases: ServerLeases, board: Path) -> LoopServices:
    """Channels that fell due one after the other during the outage, with a small digest each."""
    sender = Board(board)

    def post(number: int) -> Subscription:
        # The order of names differs from the order of due times.
        minutes = (number * 7919 % channels) * OUTAGE / channels
        at = (DUE - OUTAGE + minutes).time().replace(second=0, microsecond=0)
        spec = Spec(at=time_of_day(at.hour, at.minute), zone=ZoneInfo("UTC"))
        target = Target(name=f"c{number}", chat=f"{at:%H:%M}/c{number}", sender=sender)
        return at_target(target, spec)

    async def build(made: Subscription, slot: Slot) -> list[Posting]:
        said = Text("one change that matters " * 60)
        document = Document(title=f"{made.name} {slot.name}", blocks=(Paragraph((said,)),))
        name = f"daily:r:main:{slot.name}"
        return [Posting(target=made.target, digest=name, document=document)]

    async def finish(*_: object) -> None:
        return

    return LoopServices(
        posts=Fixed([post(n) for n in range(channels)]),  # type: ignore[arg-type]  # stay the same
        build=build,
        finish=finish,
        hearing=None,  # type: ignore[arg-type]  # nobody asks
        delivery=Delivery(ledger, leases, patience=Patience(first=0)),
        ledger=ledger,
        leases=leases,
        clock=_Then(),
    )


async def claimed(url: str, channels: int, board: Path) -> float:
    """Seconds in which a scheduler finds what is due and creates its jobs."""
    async with await open_postgres(url) as database, Engine(database) as engine:
        ledger, leases = DeferringLedger(database, engine), ServerLeases(database)
        work = backlog(channels, ledger, leases, board)
        seen = [
            ledger.claim_slot(f"first-seen:{post.name}", "2026-01-21")
            for post in await work.posts.current()
        ]
        await asyncio.gather(*seen)
        began = time.perf_counter()
        await Scheduler(work, engine).sweep()
        took = time.perf_counter() - began
        await leases.aclose()
    return took


class Analyses:
    """Analyses windows of a clone into the archive, each as a separate repository."""

    def __init__(self, clone: str, count: int, database: PostgresDatabase, data: Path) -> None:
        self._clone, self._database, self._data = clone, database, data
        self._windows = _windows(clone, count)
        self._workers = Processes()

    async def __call__(self, name: str, left: bool) -> None:  # as jobs are given
        """Do everything that a digest of the window needs without a model, up to its pages."""
        del left
        base, tip = self._windows[int(name) % len(self._windows)]
        _, source = await open_source(self._clone, self._data)
        repository = Repository(name=f"made/r{name}")
        zone = zone_of("UTC")
        ctx = Context(
            watched=Watched(repository=repository, source=source),
            archive=SqlArchive(self._database),
            coverage=SqlCoverage(self._database),
            clock=SystemClock(),
            zone=zone,
            workers=self._workers,
        )
        read = await ingest(ctx, Range(base=base, tip=tip), Tip(branch="HEAD", sha=tip))
        assert len(read.changes) >= COMMITS
        until = datetime.now(UTC)
        window = Window(since=until - timedelta(days=1), until=until, zone=zone)
        report = assemble(repository, "HEAD", window, read.changes, Language.EN)
        Console(io.StringIO()).render(digest_document(report, Language.EN))
        markdown(report_document(report, Language.EN))


async def _work(url: str, number: int, kind: str, *given: str) -> None:
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_postgres(url))
        engine = await stack.enter_async_context(Engine(database))
        if kind == "analyses":
            # One core per worker, because the question is what another one adds.
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {cores[number % len(cores)]})
            data = stack.enter_context(tempfile.TemporaryDirectory())
            channel: _Make = Analyses(given[0], int(given[1]), database, Path(data))
            # What a worker does once, such as imports, is not part of its daily work.
            await channel(str(-1 - number), False)  # as jobs are given
        else:
            leases = ServerLeases(database)
            stack.push_async_callback(leases.aclose)
            ledger = SqlLedger(database)
            work = backlog(int(given[0]), ledger, leases, Path(given[1]))
            channel = Worker(work, None, {}).channel  # type: ignore[arg-type]  # nobody asks
        engine.serve({JobKind.CHANNEL: channel})
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)
        working = asyncio.create_task(engine.work([CHANNELS], 1 if kind == "analyses" else 8))
        while await _waiting(database):  # noqa: ASYNC110  # others do the jobs as well
            await asyncio.sleep(0.1)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def _waiting(database: PostgresDatabase) -> int:
    found = (await depth(database)).get(str(JobKind.CHANNEL))
    return found.waiting if found else 0


def worked(url: str, workers: int, *kind: str) -> float:
    """Seconds until a number of workers have done every job, without their start."""
    command = [sys.executable, "-m", "benchmarks.scale_workers", url]
    children = [
        subprocess.Popen(
            [*command, str(number), *kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for number in range(workers)
    ]
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n", "a worker died"
        began = time.perf_counter()
        for child in children:
            assert child.stdin is not None
            child.stdin.close()
        for child in children:
            assert child.wait() == 0, "a worker died"
        return time.perf_counter() - began
    finally:
        for child in children:
            child.kill()
            child.wait()


def _windows(clone: str, count: int) -> Sequence[tuple[str, str]]:
    most = f"--max-count={count * COMMITS + 1}"
    command = ["git", "-C", clone, "rev-list", "--first-parent", most, "HEAD"]
    tips = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    count = min(count, (len(tips) - 1) // COMMITS)
    return [(tips[n + COMMITS], tips[n]) for n in range(0, count * COMMITS, COMMITS)]


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    asyncio.run(_work(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
