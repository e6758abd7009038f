"""The cost of faults: ``make bench-crash``, which writes the table of ``docs/reliability.md``.

``python -m benchmarks.crash [RUNS] [--only WORD]``. Processes are killed at every step of posting
and receiving. Whole programs are killed at random moments, together with faults of git's children,
PostgreSQL, Redis, the disk, the archive's lock and the clock. A run counts if a line of a digest,
or the answer to a message, is missing or appears more than once. On Telegram and behind a webhook,
a message that was being sent when the process died is lost, as documented, and is counted
separately. Each row of the table is replaced when its runs are done.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks import crash_programs as programs
from benchmarks.crash_programs import PLATFORMS, Fault, Outcome, Programs, Service, Task, World
from tests.servers import postgresql, redis
from tests.servers.postgresql import Postgres
from tests.servers.redis import RedisServer
from tests.support import crash
from tests.support.crash import LINES
from tests.support.crash_hearing import WAYS, hearing_runs

RUNS = 200
PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the table."""

    name: str
    runs: int
    lost: int
    stated: int
    doubled: int
    trouble: Counter[str]
    seconds: float

    def __str__(self) -> str:
        told = "; ".join(f"{n} x {what}" for what, n in self.trouble.items()) or "none"
        lost = f"{self.lost}" + (
            f" (and {self.stated} in the stated window)" if self.stated else ""
        )
        return f"| {self.name} | {self.runs} | {lost} | {self.doubled} | {told} |"


def written(row: Row) -> None:
    """Write a row into the table, in place of the one with its name."""
    print(f"{row}  {row.seconds:.0f} s", flush=True)
    text = PAGE.read_text(encoding="utf-8")
    match = re.search(rf"^\| {re.escape(row.name)} \|.*$", text, re.MULTILINE)
    if match:
        text = text[: match.start()] + str(row) + text[match.end() :]
    else:
        text = text.replace("<!-- rows end -->", f"{row}\n<!-- rows end -->")
    PAGE.write_text(text, encoding="utf-8")


def counted(name: str, outcomes: Iterator[Outcome]) -> None:
    """Count the runs of a row."""
    began = time.perf_counter()
    found = list(outcomes)
    written(
        Row(
            name=name,
            runs=len(found),
            lost=sum(one.lost > 0 and not one.stated for one in found),
            stated=sum(one.lost > 0 and one.stated for one in found),
            doubled=sum(one.doubled > 0 for one in found),
            trouble=Counter(" ".join(one.trouble.split()) for one in found if one.trouble),
            seconds=time.perf_counter() - began,
        )
    )


def steps(make: Callable[[Path], list[crash.Outcome]]) -> Iterator[Outcome]:
    """Runs with two processes killed at chosen steps."""
    with tempfile.TemporaryDirectory() as folder:
        for one in make(Path(folder)):
            yield Outcome(lost=one.lost, doubled=one.twice, stated=one.stated)


class Faults:
    """Runs of whole programs in separate folders."""

    def __init__(self, started: Programs, folder: Path, runs: int) -> None:
        self._programs, self._folder, self._runs = started, folder, runs
        self._place = programs.project(folder / "project")
        self._number = 0

    def digest(self, fault: Fault) -> Iterator[Outcome]:
        """``digestbot digest`` with a fault, compared with an undisturbed run."""
        with self._world() as world:
            began = time.monotonic()
            whole, failed = programs.digest_run(world, None, "")
            _check(whole, failed)
            took = time.monotonic() - began
        for _ in range(self._runs):
            with self._world(took) as world:
                yield programs.digest_run(world, fault, whole)[1]

    def service(
        self, platform: str, fault: Fault, *, url: Callable[[str], str] = str, cache: str = ""
    ) -> Iterator[Outcome]:
        """``digestbot run`` with a fault; ``url`` creates a new database and returns its URL."""
        with self._world() as world:
            service = Service(world, platform, database=url(""), cache=cache)
            whole, failed = service.run(None, None)
            _check(whole, failed)
            took = world.took
        for _ in range(self._runs):
            with self._world(took) as world:
                service = Service(world, platform, database=url(""), cache=cache)
                yield service.run(fault, programs.lines_of(whole))[1]

    @contextmanager
    def _world(self, took: float = 1.0) -> Iterator[World]:
        self._number += 1
        with tempfile.TemporaryDirectory() as folder:
            yield World(
                folder=Path(folder),
                place=self._place,
                programs=self._programs,
                chance=random.Random(self._number),
                took=took,
            )


def _check(whole: str, failed: Outcome) -> None:
    """Raises ``RuntimeError`` if the undisturbed run is not usable."""
    if failed.trouble or not all(programs.lines_of(whole).values()):
        raise RuntimeError(f"an undisturbed run failed: {failed.trouble or whole}")


def server_killed(server: Postgres | RedisServer, how: signal.Signals) -> Fault:
    """Kill a server at a random moment and restart it; then kill the program."""

    def fault(world: World, task: Task) -> None:
        process = world.programs.start(task)
        time.sleep(world.moment())
        server.stop(how)
        time.sleep(world.chance.uniform(0.0, 1.0))
        server.start()
        time.sleep(world.moment())
        world.programs.end(process)

    return fault


def databases(server: Postgres) -> Callable[[str], str]:
    """A function that creates a new database with each call."""
    numbers = count()

    def url(_name: str) -> str:
        name = f"run{next(numbers)}"
        server.run(f"CREATE DATABASE {name}")
        return server.url(name)

    return url


def with_redis(faults: Faults) -> Iterator[Outcome]:
    """``digestbot run`` with a Redis that dies."""
    with redis.running() as server:
        fault = server_killed(server, signal.SIGKILL)
        yield from faults.service("slack", fault, cache=server.url)


def with_postgresql(faults: Faults) -> Iterator[Outcome]:
    """``digestbot run`` with a PostgreSQL that crashes."""
    with postgresql.running(fsync="on") as server:
        fault = server_killed(server, signal.SIGQUIT)
        yield from faults.service("slack", fault, url=databases(server))


def table(faults: Faults, runs: int) -> dict[str, Iterator[Outcome]]:
    """All rows by name; their runs are made when they are counted."""
    found: dict[str, Iterator[Outcome]] = {
        "`digest`, killed": faults.digest(programs.killed),
        **{
            f"`run` to {platform}, killed": faults.service(platform, programs.killed)
            for platform in PLATFORMS
        },
        "`digest`, git's children killed": faults.digest(programs.git_killed),
        "`run`, git's children killed": faults.service("webhook", programs.git_killed),
        "`run`, PostgreSQL killed": with_postgresql(faults),
        "`run`, Redis killed": with_redis(faults),
        "`digest`, full disk": faults.digest(programs.full),
        "`run`, full disk": faults.service("slack", programs.full),
        "`digest`, read-only folder": faults.digest(programs.read_only),
        "`digest`, locked archive": faults.digest(programs.locked),
        "`run`, locked archive": faults.service("slack", programs.locked),
        "`run`, clock that jumps by hours, killed": faults.service("webhook", programs.jumping),
    }
    for platform in LINES:
        made = partial(crash.crash_runs, platform, runs)
        found[f"posting to {platform}, killed at every step"] = steps(made)
    for way in WAYS:
        found[f"hearing by {way}, killed at every step"] = steps(partial(hearing_runs, way, runs))
    return found


def main(options: argparse.Namespace) -> None:
    """Count the chosen rows."""
    print("| what happened | runs | lost | doubled | trouble |", flush=True)
    # Fork before the servers start threads.
    started = Programs()
    try:
        with tempfile.TemporaryDirectory() as folder:
            faults = Faults(started, Path(folder), options.runs)
            for name, outcomes in table(faults, options.runs).items():
                if options.only in name:
                    counted(name, outcomes)
    finally:
        started.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.crash")
    parser.add_argument("runs", type=int, nargs="?", default=RUNS, help="runs of each row")
    parser.add_argument("--only", default="", help="only rows whose name contains this")
    return parser.parse_args()


if __name__ == "__main__":
    main(_options())
