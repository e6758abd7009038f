"""What judging costs beside the model: a server of fixed latency on loopback.

    python -m benchmarks.model CLONE [DAY ...]

Three tables. *Days*: the time of a digest whose calls each take ``L`` on a server with ``C`` slots,
without the same digest's time without a model, over the shortest that a server can make it:
``L`` for each round of ``C`` calls, and at least for each of those that wait for one another (notes
of the parts of a large diff, the analysis made of them, the day's lead). *Calls*: the processor's
time of our side for one call: reading, fitting, masking, sending, checking, keeping. *Tokens*: what
was sent, beside the whole diffs of the same changes. Days are those of UTC; without any, the last
three with commits. The clone is only read.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.model_client import GOAL_MAKESPAN, GOAL_OVERHEAD
from bot.app import open_workspace
from bot.config.model_section import ModelConfig
from bot.llm.calls import Estimator
from bot.llm.redaction import Secrets
from bot.llm.runtime import ModelRuntime, open_runtime
from bot.workspace.workspace import Workspace
from digest.window import Window, day_window
from handlers.context import Context
from handlers.digests.daily import Daily, digest_of_window
from tests.servers.model import ModelServer
from tests.support import model_replies

UTC = ZoneInfo("UTC")

LOADS = ((1.0, 8), (2.0, 8), (1.0, 16))
"""Seconds of latency, and slots of the server."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A day on a server: the digest, its calls, and seconds with and without a model."""

    daily: Daily
    calls: int
    steps: int
    tokens: int
    took: float
    busy: float
    keyless: float

    def ideal(self, latency: float, slots: int) -> float:
        """The least seconds for the calls: in rounds of all slots, or one after another."""
        return max(math.ceil(self.calls / slots), self.steps) * latency

    def over(self, latency: float, slots: int) -> float:
        """The time of the calls compared with the ideal one."""
        return (self.took - self.keyless) / self.ideal(latency, slots)


async def judged(clone: str, window: Window, latency: float, slots: int, rules: Path) -> Judged:
    """One day; each digest has a separate data folder."""
    async with _app() as (app, _):
        keyless, _, _ = await _timed(await _context(app, clone, None), window)
    with ModelServer(answer=model_replies.mixed, latency=latency, slots=slots) as server:
        async with _app() as (app, data):
            config = ModelConfig(name="m", base_url=server.url, concurrency=slots, context=131_072)
            runtime = open_runtime(config, app.database, app.clock, data)
            runtime = replace(runtime, redactor=Secrets(rules))
            await runtime.warm()
            took, busy, daily = await _timed(await _context(app, clone, runtime), window)
            await runtime.aclose()
        tokens = sum(sent.tokens for sent in server.asked)
        kinds = {model_replies.kind(sent) for sent in server.asked}
        steps = 1 + len(kinds & {"notes", "day"})
        return Judged(daily, len(server.asked), steps, tokens, took, busy, keyless)


@asynccontextmanager
async def _app() -> AsyncIterator[tuple[Workspace, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIGESTBOT_DATA"] = folder
        async with open_workspace() as app:
            yield app, Path(folder)


async def _context(app: Workspace, clone: str, runtime: ModelRuntime | None) -> Context:
    watched = await app.watch(clone)
    return app.context(watched, zone=UTC, judging=runtime.judging("bench") if runtime else None)


async def _timed(ctx: Context, window: Window) -> tuple[float, float, Daily]:
    """Seconds of wall clock and of processor time, without children."""
    began, busy = time.perf_counter(), time.process_time()
    daily = await digest_of_window(ctx, window)
    return time.perf_counter() - began, time.process_time() - busy, daily


def whole(clone: str, daily: Daily) -> int:
    """Tokens of the message and diff of every analysed change, as ``git show`` prints them."""
    assert daily.judgement is not None
    count = Estimator().count
    return sum(
        count(_git(clone, "show", "--no-color", "--format=%B", sha))
        for sha in daily.judgement.analyses
    )


def every(clone: str, daily: Daily) -> int:
    """The same for all changes of the day."""
    count = Estimator().count
    shas = [entry.graded.sha for entry in daily.report.entries]
    return sum(count(_git(clone, "show", "--no-color", "--format=%B", sha)) for sha in shas)


def _git(clone: str, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def last_days(clone: str, count: int = 3) -> list[date]:
    """The last days in UTC with commits, newest first."""
    told = _git(clone, "log", "--first-parent", "-5000", "--format=%cd", "--date=format-local:%F")
    return [date.fromisoformat(day) for day in list(dict.fromkeys(told.split()))[:count]]


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", nargs="?", default=".")
    parser.add_argument("days", nargs="*", type=date.fromisoformat)
    args = parser.parse_args()
    os.environ["TZ"] = "UTC"
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    clone = str(Path(args.clone).resolve())
    with tempfile.TemporaryDirectory() as rules:
        Secrets(Path(rules)).load()
        show(clone, args.days or last_days(clone), Path(rules))


def show(clone: str, days: Sequence[date], rules: Path) -> None:
    """Print the three tables."""
    times = _table(f"days (goal {GOAL_MAKESPAN})", "day calls L C took keyless ideal ratio")
    ours = _table(f"our side of a call (goal {GOAL_OVERHEAD * 1000:.0f} ms)", "day calls busy each")
    tokens = _table("tokens", "day sent judged-diffs saved all-diffs saved")
    for day in days:
        window = day_window(day, UTC)
        for latency, slots in LOADS:
            done = asyncio.run(judged(clone, window, latency, slots, rules))
            ideal = done.ideal(latency, slots)
            figures = (latency, slots, f"{done.took:.2f}", f"{done.keyless:.2f}", f"{ideal:.1f}")
            _row(times, day, done.calls, *figures, f"{done.over(latency, slots):.3f}")
        busy = done.busy - done.keyless
        _row(ours, day, done.calls, f"{busy:.2f} s", f"{busy / done.calls * 1000:.1f} ms")
        diffs, all_ = whole(clone, done.daily), every(clone, done.daily)
        saved, of_all = (f"{1 - done.tokens / size:.0%}" for size in (diffs, all_))
        _row(tokens, day, f"{done.tokens:,}", f"{diffs:,}", saved, f"{all_:,}", of_all)
    console = Console()
    for table in (times, ours, tokens):
        console.print(table)


def _table(title: str, columns: str) -> Table:
    table = Table(title=title)
    for name in columns.split():
        table.add_column(name, justify="right")
    return table


def _row(table: Table, *cells: object) -> None:
    table.add_row(*map(str, cells))


if __name__ == "__main__":
    main()
