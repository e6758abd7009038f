"""The clock of ``digestbot run``: APScheduler, with call times from our own arithmetic."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger

from bot.scheduler.schedule import Spec, next_run

log = structlog.get_logger(__name__)

_SLOT = "slot:"  # keeps a channel's name apart from the names of duties
GLANCE = 30.0  # the most seconds until a jump of the clock, or a sleep of the machine, is noticed
Call = Callable[[], Coroutine[None, None, None]]
"""A coroutine function: APScheduler runs anything else in a thread."""


class SlotTrigger(BaseTrigger):  # type: ignore[misc]  # the library is untyped
    """Makes APScheduler fire at our slots, instead of by its own DST rules."""

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
        self._specs: dict[str, Spec] = {}
        self._duties: list[asyncio.Task[None]] = []
        self._paused = False
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            job_defaults={
                "misfire_grace_time": int(grace.total_seconds()),
                "coalesce": True,
                "max_instances": 1,
            },
        )

    def put(self, name: str, spec: Spec, call: Call) -> bool:
        """Call at every slot of the schedule; false if it is there already and unchanged."""
        if self._specs.get(name) == spec:
            return False
        self._specs[name] = spec
        trigger = SlotTrigger(spec)
        self._scheduler.add_job(call, trigger, id=_SLOT + name, name=name, replace_existing=True)
        return True

    def keep(self, names: Collection[str]) -> tuple[str, ...]:
        """Drop every schedule but these; return the names of the dropped ones."""
        gone = tuple(name for name in self._specs if name not in names)
        for name in gone:
            del self._specs[name]
            self._scheduler.remove_job(_SLOT + name)
        return gone

    def every(self, name: str, interval: timedelta, call: Call) -> None:
        """Call after every interval of elapsed time, whatever the clock does; errors are logged."""

        async def go_on() -> None:
            while True:
                await asyncio.sleep(interval.total_seconds())
                try:
                    if not self._paused:
                        await call()
                except Exception:
                    log.exception("duty.broken", duty=name)

        self._duties.append(asyncio.create_task(go_on()))

    def start(self) -> None:
        """Start calling."""
        self._scheduler.start()
        self._duties.append(asyncio.create_task(self._follow_the_clock()))

    async def _follow_the_clock(self) -> None:
        """Check the clock periodically.

        The timer of the next slot may be wrong after the clock jumped, and stops while a machine
        sleeps.
        """
        while True:
            await asyncio.sleep(GLANCE)
            self._scheduler.wakeup()

    def pause(self) -> None:
        """Stop calling; calls under way continue."""
        self._paused = True
        self._scheduler.pause()

    def close(self) -> None:
        """Stop, and cancel the calls that are still under way."""
        self._scheduler.shutdown(wait=False)
        for duty in self._duties:
            duty.cancel()
