"""Two minutes of a busy installation on one machine: ``make bench-load``.

``python -m benchmarks.load [--outage redis|postgresql] [--help]``. 200 repositories, 5000 channels
in 50 Slack workspaces, and 50 questions a second as signed HTTP events while 5000 digests are due,
served by processes of ``digestbot run`` with their own PostgreSQL and Redis. The load generator,
both servers and the test Slack share the processors with what is measured. It takes four to five
minutes, or until everything is answered and posted, at most as long as ``--patience`` says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psycopg

from benchmarks.load_report import COSTS, Costs, costs, drained, outcomes, sizes, spent, troubles
from benchmarks.load_statements import SETTINGS, begin, dearest
from benchmarks.load_usage import machine, usage
from benchmarks.load_world import Process, Size, World, processes, waves
from benchmarks.timing import show
from tests.servers import postgresql, redis
from tests.servers.postgresql import Postgres
from tests.servers.redis import RedisServer

_BEFORE, _START = 15.0, 45.0
"""Seconds from the first question to the first wave of digests, and the most to prepare it."""

_PATIENCE = 120.0
"""Seconds that answers and digests may take after the last question."""

_AWAY_AFTER, _AWAY = 30.0, 60.0
_DATABASE = {"max_connections": "200", "shared_buffers": "256MB", "fsync": "on"}


def main(options: argparse.Namespace) -> None:
    """Print the table of a run."""
    size = Size(
        repositories=options.repositories, channels=options.channels, workspaces=options.workspaces
    )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="digestbot-load-")))
        database = stack.enter_context(postgresql.running(**_settings(options)))
        shared = stack.enter_context(redis.running())
        world = World(folder, size, database.url(), shared.url)
        slack = stack.enter_context(_slack(world))
        at = _prepared(world, slack)
        run = stack.enter_context(processes(world, _roles(options.processes)))
        servers: dict[str, Postgres | RedisServer] = {"postgresql": database, "redis": shared}
        if options.statements:
            begin(database.url())
        if options.profile:
            stack.enter_context(_profiled(run, options))
        _measure(options, world, slack, run, at, servers)
        if options.statements:
            sys.stdout.writelines(f"{line}\n" for line in ["", *dearest(database.url())])
        if options.keep:
            for one in run:
                Path(options.keep, one.log.name).write_bytes(one.log.read_bytes())


def _settings(options: argparse.Namespace) -> dict[str, str]:
    return {**_DATABASE, **(SETTINGS if options.statements else {})}


def _prepared(world: World, slack: Platform) -> list[datetime]:
    """Everything except the processes, and when digests are due."""
    _note(f"making {world.size.repositories} repositories and reading them")
    world.make_repositories()
    world.write_config(slack.url, [time_of_day(9)])
    asyncio.run(world.fill())
    world.commit_more()
    at = waves(datetime.now(UTC) + timedelta(seconds=_START))
    times = [one.astimezone(ZoneInfo(world.zone)).time() for one in at]
    world.write_config(slack.url, times)
    asyncio.run(world.subscribe(times))
    _note(f"{world.size.channels} channels, due at " + ", ".join(f"{one:%H:%M}" for one in at))
    return at


def _measure(
    options: argparse.Namespace,
    world: World,
    slack: Platform,
    run: Sequence[Process],
    at: Sequence[datetime],
    servers: Mapping[str, Postgres | RedisServer],
) -> None:
    time.sleep(max(0.0, at[0].timestamp() - time.time() - _BEFORE))

    def used() -> Costs:
        pids = {one.name: one.pid for one in run} | {n: one.pid for n, one in servers.items()}
        found = {name: usage(pid) for name, pid in {**pids, "slack and askers": slack.pid}.items()}
        return Costs(processes=found, machine=machine())

    before = used()
    where = [f"{one.address}/events/slack" for one in run if one.role in {"web", "all"}]
    began = slack.ask(where, options.rate, options.seconds)
    _note(f"asking {options.rate:g} questions a second for {options.seconds:g} s")
    seen: list[str] = []
    if options.outage:
        seen = _outage(servers[options.outage], options.outage, run)
    time.sleep(max(0.0, began + options.seconds - time.time()))
    after = used()
    told = slack.settled(world, began, options)
    last = used()
    due = [one.timestamp() - began for one in at]
    show(outcomes(told, options.rate, world.size.channels, due))
    sys.stdout.write("\n")
    held = _held(servers["postgresql"])
    show(sizes(held, len(told["digests"]), told["asked"]))
    sys.stdout.write("\nWhile questions were asked:\n\n")
    show(costs(before, after), COSTS)
    asked = began + options.seconds
    lines = [spent(before.machine, after.machine)]
    lines += drained(before, last, told, asked, world.size.channels)
    sys.stdout.write("\nUntil the end:\n\n")
    show(costs(before, last), COSTS)
    sys.stdout.writelines(f"{line}\n" for line in ["", *lines, *troubles(run, told), *seen])


def _held(server: Postgres | RedisServer) -> dict[str, int]:
    """The bytes of every table with its indexes."""
    assert isinstance(server, Postgres)
    query = "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'"
    with psycopg.connect(server.url()) as connection:
        return {str(name): int(size) for name, size in connection.execute(query)}


def _outage(server: Postgres | RedisServer, name: str, run: Sequence[Process]) -> list[str]:
    """Stop a server for a minute; return the probes and metrics during and after it."""
    time.sleep(_AWAY_AFTER)
    _note(f"{name} is away for {_AWAY:g} s")
    server.stop(signal.SIGINT if name == "postgresql" else signal.SIGKILL)
    time.sleep(_AWAY * 0.75)
    with ThreadPoolExecutor(len(run)) as looking:
        seen = list(looking.map(partial(_condition, "away"), run))
    time.sleep(_AWAY * 0.25)
    server.start()
    _note(f"{name} is back")
    time.sleep(10)
    return [*seen, *map(partial(_condition, "back"), run)]


def _condition(when: str, one: Process) -> str:
    """What a process reports about itself to probes and Prometheus."""
    ready, body = _get(f"{one.address}/readyz")
    reasons = json.loads(body) if body.startswith("{") else {}
    shared = reasons.get("checks", {}).get("shared", "ok")
    _, figures = _get(f"{one.address}/metrics")
    up = next(
        (x.split()[1] for x in figures.splitlines() if x.startswith("digestbot_shared_up ")), "-"
    )
    told = "; ".join(reasons.get("reasons", ())) or "ready"
    return (
        f"{when}: {one.name} /readyz {ready} ({told}; shared: {shared}), digestbot_shared_up {up}"
    )


def _get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # our own address
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, type(error).__name__


class Platform:
    """The process that plays Slack."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child
        self.pid = child.pid
        self.url = str(self._line())

    def ask(self, where: Sequence[str], rate: float, seconds: float) -> float:
        """Make it ask; return when it begins."""
        return float(self._told({"do": "ask", "where": where, "rate": rate, "seconds": seconds}))

    def settled(self, world: World, began: float, options: argparse.Namespace) -> dict[str, Any]:
        """What was asked and posted, once everything has arrived or the wait is over."""
        end = time.monotonic() + options.patience
        questions = int(options.rate * options.seconds)
        while True:
            told = self._everything(began)
            done = len(told["answered"]) >= questions
            if (done and len(told["digests"]) >= world.size.channels) or time.monotonic() > end:
                # Duplicates arrive soon.
                time.sleep(3)
                return self._everything(began)
            time.sleep(2)

    def _everything(self, since: float) -> dict[str, Any]:
        told: dict[str, Any] = self._told({"do": "tell", "since": since})
        return told

    def _told(self, what: Mapping[str, object]) -> Any:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(what) + "\n")
        self._child.stdin.flush()
        return self._line()

    def _line(self) -> Any:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        assert line, "the platform died"
        return json.loads(line)


@contextmanager
def _slack(world: World) -> Iterator[Platform]:
    command = [sys.executable, "-m", "benchmarks.load_slack", str(world.plan)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Platform(child)
    finally:
        assert child.stdin is not None
        child.stdin.close()
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextmanager
def _profiled(run: Sequence[Process], options: argparse.Namespace) -> Iterator[None]:
    """Sample every process with py-spy, which must be installed, into a folder."""
    command = [
        str(Path(sys.executable).with_name("py-spy")),
        "record",
        "--nonblocking",
        "--rate",
        "50",
        "--format",
        "raw",
    ]
    watching = [
        subprocess.Popen(
            [*command, "--pid", str(one.pid), "--output", f"{options.profile}/{one.name}.txt"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for one in run
    ]
    yield
    # They would run as long as the processes they watch, which end after this.
    for one in watching:
        one.send_signal(signal.SIGINT)
    for one in watching:
        one.wait(60)


def _roles(text: str) -> list[tuple[str, int]]:
    pairs = (one.partition(":") for one in text.split(","))
    return [(role, int(count or 1)) for role, _, count in pairs]


def _note(text: str) -> None:
    sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {text}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=200)
    parser.add_argument("--channels", type=int, default=5000)
    parser.add_argument("--workspaces", type=int, default=50)
    parser.add_argument("--rate", type=float, default=50.0, help="questions per second")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument(
        "--patience", type=float, default=_PATIENCE, help="seconds to wait at the end"
    )
    parser.add_argument("--processes", default="web,scheduler,worker:2", help="roles and numbers")
    parser.add_argument("--outage", choices=("redis", "postgresql"), help="stop it for a minute")
    parser.add_argument("--statements", action="store_true", help="list the most expensive")
    parser.add_argument("--profile", metavar="FOLDER", help="for samples of py-spy")
    parser.add_argument("--keep", metavar="FOLDER", help="for the logs of processes")
    return parser.parse_args()


if __name__ == "__main__":
    main(_options())
