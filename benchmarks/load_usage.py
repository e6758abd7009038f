"""Memory and processor time of processes, from ``/proc``, and how the machine spent its time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """The memory and processor time of a process and its descendants so far."""

    resident: float
    """Megabytes."""
    proportional: float
    """Megabytes, with shared memory divided among those who share it."""
    seconds: float
    """Seconds of processor time, including children that have ended."""
    children: float
    """The part of it that was used by children."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Seconds of all processors since the start, by activity (proc_stat(5))."""

    user: float
    system: float
    interrupts: float
    idle: float
    waiting: float
    """Idle while waiting for I/O, such as a commit of PostgreSQL."""
    stolen: float
    """Given to other machines by the hypervisor."""

    def since(self, before: Machine) -> Mapping[str, float]:
        """The difference from an earlier moment."""
        names = [field.name for field in fields(self)]
        return {name: getattr(self, name) - getattr(before, name) for name in names}


def usage(pid: int) -> Usage:
    """The usage of a process with its children, including those that have ended."""
    resident = proportional = 0
    ticks = own = 0
    for one in (pid, *_below(pid)):
        try:
            rolled = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            fields_ = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # a child that has just ended
        sizes = {line.split(":")[0]: line.split()[1] for line in rolled[1:]}
        resident += int(sizes["Rss"])
        proportional += int(sizes["Pss"])
        itself, ended = sum(map(int, fields_[11:13])), sum(map(int, fields_[13:15]))
        own += itself if one == pid else 0
        ticks += itself + ended
    seconds = ticks / _TICKS
    return Usage(resident / 1024, proportional / 1024, seconds, seconds - own / _TICKS)


def machine() -> Machine:
    """The activity of the processors so far."""
    line = Path("/proc/stat").read_text().partition("\n")[0]
    user, nice, system, idle, waiting, hard, soft, stolen = (
        int(word) / _TICKS for word in line.split()[1:9]
    )
    return Machine(
        user=user + nice,
        system=system,
        interrupts=hard + soft,
        idle=idle,
        waiting=waiting,
        stolen=stolen,
    )


def _below(pid: int) -> Iterator[int]:
    try:
        tasks = [task / "children" for task in Path(f"/proc/{pid}/task").iterdir()]
        children = [int(child) for task in tasks for child in task.read_text().split()]
    except OSError:
        return  # it has just ended
    for child in children:
        yield child
        yield from _below(child)
