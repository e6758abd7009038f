"""Idle processes of ``digestbot run``: their memory, and what a channel adds."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.load_usage import Usage, usage
from benchmarks.load_world import Process, Size, World, processes

_REPOSITORIES = 50
_ROLES = (("all", 1), ("web", 1), ("scheduler", 1), ("worker", 1))
_NOWHERE = "http://127.0.0.1:9/api/"
"""An address that is never called: nothing is due, and nobody asks."""

_PATIENCE, _STILL, _LOOK = 60.0, 0.5, 5.0
"""Seconds in which a process settles; megabytes of change between two looks; their interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Processes with a number of channels: the memory of each, and the seconds of its sweep."""

    channels: int
    usages: Mapping[str, Usage]
    sweeps: Mapping[str, float]


def idle(database: str, redis: str, channels: int) -> Idle:
    """Processes of every role, once settled; half of the channels are in the file."""
    size = Size(repositories=_REPOSITORIES, channels=channels, workspaces=5)
    with tempfile.TemporaryDirectory(prefix="digestbot-idle-") as folder:
        world = World(Path(folder), size, database, redis, level="debug")
        world.make_repositories()
        # Six hours from now, so not during the measurement.
        late = (datetime.now(UTC) + timedelta(hours=6)).time().replace(second=0, microsecond=0)
        world.write_config(_NOWHERE, [late])
        asyncio.run(world.subscribe([late]))
        with processes(world, _ROLES) as run:
            usages = {one.role: _settled(one.pid) for one in run}
            sweeps = {one.role: _sweep(one) for one in run if one.role in {"all", "scheduler"}}
    return Idle(channels=channels, usages=usages, sweeps=sweeps)


def alone(clone: str) -> Usage:
    """The whole program in one process, with its archive in a file and fifty repositories."""
    with tempfile.TemporaryDirectory(prefix="digestbot-idle-") as folder, ExitStack() as stack:
        lines = [f"data = '{folder}/data'", "[platforms.console]"]
        for number in range(_REPOSITORIES):
            lines += ["[[repositories]]", f'name = "ada/r{number}"', f"place = '{clone}'"]
            lines += ["[[channels]]", f'name = "c{number}"', 'platform = "console"']
            lines += [f'repositories = ["ada/r{number}"]', 'time = "03:00"']
        config = Path(folder) / "digestbot.toml"
        config.write_text("\n".join(lines))
        child = subprocess.Popen(
            [sys.executable, "-m", "bot.cli", "run", "--config", str(config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(child.wait, 60)
        stack.callback(child.terminate)
        time.sleep(_LOOK)
        assert child.poll() is None, "it does not run"
        return _settled(child.pid)


def _settled(pid: int) -> Usage:
    """The usage once it no longer changes."""
    until, before = time.monotonic() + _PATIENCE, usage(pid)
    while time.monotonic() < until:
        time.sleep(_LOOK)
        now = usage(pid)
        if abs(now.resident - before.resident) < _STILL:
            return now
        before = now
    return before


def _sweep(one: Process) -> float:
    """Seconds of the last logged sweep, in which nothing is due."""
    told: Sequence[float] = ()
    until = time.monotonic() + _PATIENCE
    while not told and time.monotonic() < until:
        time.sleep(0.5)
        told = [float(str(e["seconds"])) for e in one.logged() if e["event"] == "sweep.done"]
    return told[-1] if told else 0.0
