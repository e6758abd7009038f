"""A worker whose places for questions are all taken lets few channels go on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from bot.conversation import Conversation
from bot.conversation.record import Key
from bot.jobs.working import Worker
from bot.platforms.base import Sender
from bot.runner import Work
from bot.subscriptions.roster import Post


class Slow:
    """Channels that are looked at, and questions that are answered, until ``end``."""

    def __init__(self) -> None:
        self.looked = 0
        self.end = asyncio.Event()

    async def current(self) -> Sequence[Post]:
        self.looked += 1
        await self.end.wait()
        return ()

    async def take_up(self, _sender: Sender, _key: Key) -> bool:
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
    work = Work(**nothing | {"posts": slow})
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
