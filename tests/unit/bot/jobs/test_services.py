"""Running tasks: counted once, waited for at a stop, and cancelled when they take too long."""

from __future__ import annotations

import asyncio

from structlog.testing import capture_logs

from bot.jobs.services import TaskTracker, traced
from bot.util.tracing import trace


async def test_settling_waits_for_every_task_and_for_no_more():
    tracker, ended = TaskTracker(), []
    gates = {name: asyncio.Event() for name in ("nested", "short", "outer", "long")}

    async def work(name: str) -> None:
        await gates[name].wait()
        ended.append(name)

    async def loop() -> None:
        with tracker.here():
            with tracker.here():
                await work("nested")
            await work("outer")
        await asyncio.Event().wait()

    tracker.begin(work("short"))
    tracker.begin(work("long"))
    looping = asyncio.create_task(loop())
    await asyncio.sleep(0)
    with capture_logs() as logs:
        settling = asyncio.create_task(tracker.settle(120))
        for name, gate in gates.items():
            for _ in range(10):
                await asyncio.sleep(0)
            assert not settling.done(), name
            gate.set()
        await asyncio.wait_for(settling, 60)
    assert ended == [*gates]
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
