"""Timing of two things in turn, so that drift of the machine affects both, and their tables."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """One finished child: its wall-clock and processor time in seconds, and its peak memory in MB.

    The processor time includes its children; the memory is that of the largest process.
    """

    seconds: float
    processor: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: what was measured, what it is compared with, and the goal in words."""

    what: str
    ours: str
    beside: str
    ratio: str
    goal: str


_WATCH = """
import resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
seconds = time.perf_counter() - began
sys.stderr.buffer.write(done.stderr[-400:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(done.returncode)
"""


def child(command: Sequence[str], environment: dict[str, str] | None = None) -> Run:
    """Run a command to its end and discard its output. Raises if it fails.

    A small process is in between, because a child's peak includes the memory of the process that it
    was forked from (getrusage(2)). Compiled modules may be cached, as for an installed program.
    """
    given = os.environ if environment is None else environment
    kept = {name: value for name, value in given.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-S", "-c", _WATCH, *command],
        capture_output=True,
        env=kept,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')}")
    seconds, processor, kilobytes = map(float, done.stdout.split())
    return Run(seconds, processor, kilobytes / 1024)


def timed(work: Callable[[], object]) -> float:
    """Seconds of wall-clock time of a call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turn(
    ours: Callable[[], float], beside: Callable[[], float], times: int
) -> tuple[float, float, float]:
    """Medians of both and of the pairwise ratio, after one round that is not counted."""
    ours(), beside()
    pairs = [(ours(), beside()) for _ in range(times)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )


def milliseconds(seconds: float) -> str:
    """A duration in readable form."""
    return f"{seconds * 1000:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"


def peak_megabytes() -> float:
    """The peak of this process's resident memory so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


_SLOWER = 1.1
"""A row counts as slower if its ratio is this many times that of another run."""


def keep(rows: Sequence[Row], file: Path) -> None:
    """Write the table as JSON, one object per row."""
    file.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


def kept(file: Path) -> list[Row]:
    """The table of an earlier run; empty if there is none."""
    if not file.exists():
        return []
    return [Row(**fields) for fields in json.loads(file.read_text(encoding="utf-8"))]


def slower(rows: Sequence[Row], earlier: Sequence[Row]) -> list[str]:
    """The rows that take over a tenth longer than in an earlier run, relative to the same thing.

    Ratios are compared, because the same machine is not always equally fast.
    """
    before = {row.what: _number(row.ratio) for row in earlier}
    return [
        f"{row.what}: {was:g}x before, {now:g}x now"
        for row in rows
        if (was := before.get(row.what)) and (now := _number(row.ratio)) and now > _SLOWER * was
    ]


def _number(ratio: str) -> float | None:
    try:
        return float(ratio.removesuffix("x"))
    except ValueError:
        return None


_HEAD = Row("what", "ours", "beside", "ratio", "goal")


def show(rows: Sequence[Row], head: Row = _HEAD) -> None:
    """Print the table as Markdown."""
    cells = [[r.what, r.ours, r.beside, r.ratio, r.goal] for r in (head, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(5)]
    for number, row in enumerate(cells):
        print("| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (w + 2) for w in widths) + "|")
    sys.stdout.flush()
