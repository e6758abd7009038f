"""The machine's clock, its memory (dicts of limited size), and work in threads and processes.

Small pieces of processor-bound work are done in threads, many in processes.

Processes are started by ``spawn``: a fork of a process with threads (the database driver has some)
may deadlock (https://docs.python.org/3/library/multiprocessing.html, "Contexts and start methods").
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

A = TypeVar("A")
B = TypeVar("B")
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
_MOST = 8  # processes; their input, one git child, cannot keep more busy


class Processes:
    """Implements ``handlers.ports.storage.Workers``; processes start with the first large batch."""

    def __init__(self, count: int | None = None) -> None:
        self._count = min(count or len(os.sched_getaffinity(0)), _MOST)
        self._pool: ProcessPoolExecutor | None = None
        # One piece more than processes, so that none waits for the next to be read.
        self.at_once = self._count + 1

    async def few(self, work: Callable[[A], B], given: A) -> B:
        """Do it in a thread."""
        return await asyncio.to_thread(work, given)

    async def many(self, work: Callable[[A], B], given: A) -> B:
        """Do it in another process, or in a thread if there is only one processor."""
        if self._count == 1:
            return await self.few(work, given)
        # Most commands never start a process.
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool

        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._count, multiprocessing.get_context("spawn"), initializer=_quiet
            )
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, given)
        except BrokenProcessPool:
            # Killed, usually for lack of memory: slower is better than nothing.
            self._pool, self._count = None, 1
            return await self.few(work, given)

    def close(self) -> None:
        """End the processes; pieces that were not begun are dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def share_freed() -> None:
    """Let threads started later reuse what others freed; glibc keeps it apart (mallopt(3))."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def _quiet() -> None:
    """Leave Ctrl-C to the parent, which ends its workers itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def loop_time() -> float:
    """The time of the running loop, in seconds; it never goes back."""
    return asyncio.get_running_loop().time()


class SystemClock:
    """Implements ``Clock``."""

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        return datetime.now(UTC)


class FixedClock:
    """A clock that always shows one moment, to answer as of that moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The moment, aware, in UTC."""
        return self._moment


class Newest(OrderedDict[_Key, _Value]):
    """An entry that is set becomes the newest; the oldest is dropped if there are too many."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: _Key, value: _Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
