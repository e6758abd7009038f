"""Work in a forked process, bounded by the time for which it was not waiting for a processor.

So a bound means the same on a machine that is busy with other things. Systems without ``/proc``
count all time.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

STUCK = 99  # the status of work that was ended at its bound

_GLANCE = 0.5  # seconds between two looks at what a process and its children wait for

PROCESSES = Path("/proc")


def waited(task: str | Path = "thread-self") -> float:
    """Seconds for which a thread of any process was ready to run, but another one was run."""
    with suppress(OSError, IndexError):
        return int((PROCESSES / task / "schedstat").read_text("ascii").split()[1]) / 1e9
    return 0.0


class Stopwatch:
    """Measures the time in which a process and its children run, sleep or wait for each other."""

    def __init__(self, process: int) -> None:
        self._process, self._glanced = process, time.monotonic()
        self._waits: dict[Path, float] = {}
        self.seconds = 0.0

    def glance(self) -> None:
        """Add the time since the last glance, less the longest wait for a processor in it."""
        now, waits = time.monotonic(), {task: waited(task) for task in _tasks(self._process)}
        longest = max([0.0, *(waits[task] - self._waits.get(task, 0.0) for task in waits)])
        self.seconds += max(now - self._glanced - longest, 0.0)
        self._glanced, self._waits = now, waits


def _tasks(process: int) -> Iterator[Path]:
    with suppress(OSError):
        for task in (PROCESSES / str(process) / "task").iterdir():
            yield task
            for child in (task / "children").read_text("ascii").split():
                yield from _tasks(int(child))


def forked(work: Callable[[], int], seconds: float) -> int:
    """The result of work in a forked process."""
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        try:
            status = work()
        except BaseException:  # noqa: BLE001  # the fork must end here
            status = 1
        os._exit(status)
    watch, next_glance = Stopwatch(child), time.monotonic() + _GLANCE
    ended, code = os.waitpid(child, os.WNOHANG)
    while not ended and watch.seconds < seconds:
        time.sleep(0.02)
        if time.monotonic() > next_glance:
            watch.glance()
            next_glance = time.monotonic() + _GLANCE
        ended, code = os.waitpid(child, os.WNOHANG)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not ended:
        os.waitpid(child, 0)
        return STUCK
    return STUCK if os.WIFSIGNALED(code) else os.waitstatus_to_exitcode(code)
