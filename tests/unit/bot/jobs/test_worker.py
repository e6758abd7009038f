"""A worker whose places for questions are all taken lets few channels go on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.chat.message_service import Conversation
from bot.delivery.part_sender import Target
from bot.jobs.job_engine import Engine
from bot.jobs.services import LoopServices
from bot.jobs.worker import Worker, run_worker
from bot.messaging.sender import Sender
from bot.scheduler.rest import Rest, parse_hours
from bot.store.job_queue import ANSWERS, CHANNELS, REPOSITORIES
from bot.store.replies import MessageKey
from bot.subscriptions.channel_registry import Fixed, Post
from tests.unit.bot.jobs.test_loop import NINE, World


class Slow:
    """Channels that are looked at, and questions that are answered, until ``end``."""

    def __init__(self) -> None:
        self.looked = 0
        self.end = asyncio.Event()

    async def current(self) -> Sequence[Post]:
        self.looked += 1
        await self.end.wait()
        return ()

    async def take_up(self, _sender: Sender, _key: MessageKey) -> bool:
        await self.end.wait()
        return True


@pytest.mark.parametrize(
    ("questions", "asks_model", "under_way"),
    [(5, False, 8), (6, False, 2), (16, True, 8)],
    ids=["one place is free", "all want the processor", "all may wait for a model"],
)
async def test_channels_beside_questions_are_so_many(
    questions: int, asks_model: bool, under_way: int
) -> None:
    slow = Slow()
    nothing: dict[str, Any] = dict.fromkeys(_NEEDED)
    work = LoopServices(**nothing | {"posts": slow})
    conversation = cast("Conversation", slow)
    accounts = {"desk": cast("Sender", object())}
    worker = Worker(work, conversation, accounts, asks_model=asks_model)
    async with asyncio.TaskGroup() as duties:
        for number in range(questions):
            duties.create_task(worker.answer("desk", "chat", str(number)))
        await asyncio.sleep(0)
        for number in range(8):
            duties.create_task(worker.channel(f"channel {number}", left=False))
        for _ in range(20):
            await asyncio.sleep(0)
        assert slow.looked == under_way
        slow.end.set()
    assert slow.looked == 8


_NEEDED = (
    "build",
    "finish",
    "hearing",
    "delivery",
    "ledger",
    "leases",
    "clock",
)


class Lingering:
    """An engine whose jobs take a moment to end, and say so."""

    def __init__(self, seconds: float) -> None:
        self.said: list[str] = []
        self._seconds = seconds
        self.queues: list[str] = []

    def serve(self, _duties: object) -> None:
        self.said.append("served")

    async def work(self, queues: Sequence[str], _at_once: int) -> None:
        self.queues += queues
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(self._seconds)
            self.said.append("ended")


@pytest.mark.parametrize("seconds", [0.01, 0.1])
async def test_worker_ends_once_its_tasks_and_duties_have_ended(seconds: float):
    slow, engine = Slow(), Lingering(seconds)
    slow.end.set()
    worker = Worker(
        cast("LoopServices", SimpleNamespace(posts=slow)), cast("Conversation", slow), {}
    )

    async def task() -> None:
        await asyncio.sleep(0.05)
        engine.said.append("posted")

    worker.under_way.begin(task())
    stop = asyncio.Event()
    running = asyncio.create_task(run_worker(worker, cast("Engine", engine), stop))
    await asyncio.sleep(0.01)
    assert sorted(engine.queues) == sorted([ANSWERS, CHANNELS, REPOSITORIES])
    stop.set()
    await running
    assert sorted(engine.said) == ["ended", "ended", "posted", "served"]


async def test_amendments_are_for_channels_that_do_not_rest():
    amended: list[str] = []

    async def amend(posts: Mapping[str, Post]) -> None:
        amended.extend(posts)

    world = World()
    rests = Rest(hours=parse_hours(["11:00-13:00"]))
    posts = [
        replace(
            world.post(),
            target=Target(name=name, sender=world.sender),
            spec=replace(NINE, rest=rest),
        )
        for name, rest in (("awake", Rest()), ("rests", rests))
    ]
    conversation = cast("Conversation", None)
    await Worker(world.work(), conversation, {}).amend()
    assert not amended, "nothing amends here"
    work = replace(world.work(), posts=Fixed(posts), amend=amend)
    await Worker(work, conversation, {}).amend()
    assert amended == ["awake"]
