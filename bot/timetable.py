"""The clock of ``digestbot run``: APScheduler, told by our own arithmetic when to call."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from bot.schedule import Spec, next_run

Call = Callable[[], Coroutine[None, None, None]]
"""A coroutine function: APScheduler runs anything else in a thread."""


class SlotTrigger(BaseTrigger):  # type: ignore[misc]  # the library is untyped
    """Makes APScheduler fire at our slots, instead of by its own reading of DST."""

    __slots__ = ("_spec",)

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """The next slot after the last firing, or, for the first, from now on."""
        return next_run(self._spec, previous_fire_time or now - timedelta(microseconds=1))


class Timetable:
    """The clock: calls back when a slot is due. Use inside a running event loop."""

    def __init__(self, grace: timedelta) -> None:
        """``grace`` is how late a call may be, after a sleep of the machine or a busy loop."""
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            job_defaults={
                "misfire_grace_time": int(grace.total_seconds()),
                "coalesce": True,
                "max_instances": 1,
            },
        )

    def add(self, name: str, spec: Spec, call: Call) -> None:
        """Call at every slot of the schedule."""
        self._scheduler.add_job(call, SlotTrigger(spec), id=name, name=name)

    def every(self, name: str, interval: timedelta, call: Call) -> None:
        """Call again and again, first after one interval."""
        self._scheduler.add_job(
            call, "interval", seconds=interval.total_seconds(), id=name, name=name
        )

    def start(self) -> None:
        """Begin to call."""
        self._scheduler.start()

    def pause(self) -> None:
        """Call no more; calls under way go on."""
        self._scheduler.pause()

    def close(self) -> None:
        """End, and cancel the calls that are still under way."""
        self._scheduler.shutdown(wait=False)
