"""Running tasks: counted once, waited for at a stop, and cancelled when they take too long."""

from __future__ import annotations

import asyncio

from structlog.testing import capture_logs

from bot.jobs.services import TaskTracker, traced
from bot.util.tracing import trace


async def test_settling_waits_for_every_task_and_for_no_more():
    tracker, ended = TaskTracker(), []

    async def work(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        ended.append(name)

    async def loop() -> None:
        with tracker.here():
            with tracker.here():
                await work("nested", 0)
            await work("outer", 0.03)
        await asyncio.Event().wait()

    tracker.begin(work("short", 0.001))
    tracker.begin(work("long", 0.06))
    looping = asyncio.create_task(loop())
    await asyncio.sleep(0)
    with capture_logs() as logs:
        await asyncio.wait_for(tracker.settle(120), 60)
    assert ended == ["nested", "short", "outer", "long"]
    assert (logs, looping.done()) == ([], False)
    looping.cancel()


async def test_what_takes_too_long_is_cancelled_told_and_waited_for():
    tracker, ended = TaskTracker(), []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append("work")

    for _ in range(2):
        tracker.begin(work())
    with capture_logs() as logs:
        await asyncio.wait_for(tracker.settle(0.01), 60)
    assert ended == ["work"] * 2
    assert [(line["event"], line["tasks"]) for line in logs] == [("run.cancelled", 2)]


def test_everything_inside_has_one_id():
    with traced():
        inside = [trace() for _ in range(2)]
    assert inside[0] == inside[1] != trace()
