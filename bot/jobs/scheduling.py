"""The scheduler: finds what is due, claims it and puts it down as jobs; does none of it.

Any number of schedulers may run: a slot's claim is had by one, and of the periodic sweep the
library's unique key lets one be put down at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from datetime import timedelta

import structlog

from bot.jobs.engine import Engine
from bot.jobs.tasks import SWEEPS
from bot.posting.delivery import Left
from bot.runner import GRACE, Alerts, Runner, Work
from bot.subscriptions.roster import Post
from bot.times.timetable import Timetable

log = structlog.get_logger(__name__)


class Scheduler(Runner):
    """A loop that claims. Its work's ledger is a ``DeferringLedger``."""

    def __init__(self, work: Work, engine: Engine, timetable: Timetable | None = None) -> None:
        super().__init__(work, timetable)
        self._engine = engine

    async def take_up(self, post: Post, left: Left) -> None:
        """Put down what is left of the channel's deliveries, and what is due."""
        if self._attendance.left_alone(post):
            return
        if left:
            await self._engine.put_channel(post.name, left=True)
        await self.attend(post)

    async def _attend(self, post: Post) -> None:
        """Claim what is due, if nobody did, and its job comes with the claim.

        What was claimed before is put down again, unless somebody is at it.
        """
        due = await self._attendance.due(post)
        if due is not None and due.again:
            async with self._work.leases.hold(f"slot\0{post.name}") as free:
                pass
            if free:
                await self._engine.put_channel(post.name)

    async def _amend(self, posts: Sequence[Post]) -> None:
        if self._work.amend is not None and posts:
            await self._tell("amend.broken", self._engine.put_amendments())

    async def _alert(self) -> None:
        if self._work.alerts is not None:
            await self._tell("alert.failed", self._put_alerts(self._work.alerts))

    async def _put_alerts(self, alerts: Alerts) -> None:
        for repository in await alerts.wanted():
            await self._engine.put_alert(repository)

    async def _tell(self, event: str, work: Awaitable[None]) -> None:
        """Do it; what goes wrong is logged under the event, and done at the next sweep."""
        try:
            await work
        except Exception:
            log.exception(event)


async def schedule(work: Work, engine: Engine, stop: asyncio.Event) -> None:
    """Schedule until ``stop`` is set."""
    timetable = Timetable(timedelta(days=1))
    scheduler = Scheduler(work, engine, timetable)
    await scheduler.channels.look()
    timetable.start()
    engine.sweeping(scheduler.sweep)
    duties = [
        asyncio.create_task(scheduler.sweep()),
        asyncio.create_task(scheduler.follow()),
        asyncio.create_task(engine.work([SWEEPS], 1)),
    ]
    log.info("run.started", role="scheduler", channels=len(scheduler.channels.posts))
    try:
        await stop.wait()
    finally:
        timetable.pause()
        await scheduler.under_way.settle(GRACE)
        timetable.close()
        for task in duties:
            task.cancel()
        await asyncio.gather(*duties, return_exceptions=True)
        log.info("run.stopped")
