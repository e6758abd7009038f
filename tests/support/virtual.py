"""An event loop whose clock stands still during work and jumps while everything waits.

Measurements on it show only the limits and pauses, whatever the machine. Also a clock for the
timetable, whose library only knows the machine's clock, which a test cannot set.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import TypeVar

import pytest
from apscheduler.executors import base as executors
from apscheduler.schedulers import base as schedulers

from bot.scheduler import timetable

T = TypeVar("T")

GLANCE = 0.005
"""Real seconds between two looks of a timetable at its clock."""

# Real seconds between checks while somebody works in another thread.
_GLANCE = 0.002


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop to use with ``with loop.working():`` around real work, such as a request."""

    def __init__(self) -> None:
        self.at = 0.0
        self.busy = 0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.at

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Ignore the time limit of Python 3.12 and later, because threads end in real time."""
        del timeout
        with self.working():
            await super().shutdown_default_executor()

    @contextmanager
    def working(self):
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1


def run_in_virtual_time(work: Callable[[VirtualLoop], Awaitable[T]]) -> T:
    """The result of the work, run on a separate loop, which it gets as its argument."""

    async def run() -> T:
        return await work(loop)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        return runner.run(run())


def timeless(loop: VirtualLoop, call: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
    """Make the call while the loop's time stands still."""

    async def called(*given, **named) -> T:
        with loop.working():
            return await call(*given, **named)

    return called


def in_virtual_time(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """The test on such a loop."""

    @wraps(test)
    def run(*given, **named) -> None:
        run_in_virtual_time(lambda _: test(*given, **named))

    return run


def timetable_clock(monkeypatch: pytest.MonkeyPatch, start: datetime) -> type:
    """What timetables take for the machine's clock from now on: it shows ``at``."""

    class Clock(datetime):
        at = start

        @classmethod
        def now(cls, tz=None) -> datetime:
            return cls.at.astimezone(tz)

    for library in (schedulers, executors):
        monkeypatch.setattr(library, "datetime", Clock)
    monkeypatch.setattr(timetable, "GLANCE", GLANCE)
    return Clock


class _Jumping(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop_of_it = loop

    def select(self, timeout=None):
        events = super().select(0)
        if events or (timeout is not None and timeout <= 0):
            return events
        if self._loop_of_it.busy or timeout is None:
            return super().select(_GLANCE)
        self._loop_of_it.at += timeout
        return []
