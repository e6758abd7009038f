"""Whom the loop posts to."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import time
from zoneinfo import ZoneInfo

import structlog

from bot.config.channel_section import Quiet
from bot.scheduler.schedule import Spec
from bot.subscriptions.channel_registry import ChannelRegistry, Subscription
from tests.support.fakes_delivery import FakeSender

TEAM = Subscription(
    name="team",
    channel="team",
    platform="work",
    chat="C1",
    spec=Spec(at=time(9), zone=ZoneInfo("UTC")),
    repositories=(),
    quiet=Quiet.SILENT,
)


class Kept:
    """Subscriptions that a test changes; an error is raised instead where there is one."""

    def __init__(self, *held: Subscription) -> None:
        self.held = list(held)
        self.error: Exception | None = None

    async def subscriptions(self):
        if self.error:
            raise self.error
        return tuple(self.held)


async def test_subscriptions_are_served_each_name_once():
    sender = FakeSender()
    chats = Kept(TEAM, replace(TEAM, name="chat", chat="C2"), replace(TEAM, chat="taken"))
    registry = ChannelRegistry({"work": sender}, chats)
    with structlog.testing.capture_logs() as logs:
        posts = await registry.current()
        await registry.current()
    assert [(p.name, p.target.place) for p in posts] == [
        ("team", ("work", "C1")),
        ("chat", ("work", "C2")),
    ]
    assert [line["event"] for line in logs] == ["roster.name_taken"]
    assert posts[1] == chats.held[1]


async def test_subscription_of_an_account_that_is_not_open_is_told_and_left_out():
    registry = ChannelRegistry({}, Kept(TEAM))
    with structlog.testing.capture_logs() as logs:
        assert await registry.current() == ()
    assert [line["event"] for line in logs] == ["roster.no_platform"]


async def test_source_that_fails_stands_as_it_last_was():
    chats = Kept(TEAM)
    registry = ChannelRegistry({"work": FakeSender()}, chats)
    before = await registry.current()
    chats.error = OSError("no disk")
    assert await registry.current() == before


async def test_nudge_is_heard_once_even_when_it_comes_first():
    registry = ChannelRegistry({}, Kept())
    registry.nudge()
    await asyncio.wait_for(registry.changed(), 120)
    waiting = asyncio.create_task(registry.changed())
    await asyncio.sleep(0)
    assert not waiting.done()
    registry.nudge()
    await asyncio.wait_for(waiting, 120)
