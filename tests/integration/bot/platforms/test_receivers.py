"""A receiver knows whether it hears: while its server is there, and after that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
from pydantic import SecretStr

from bot.messaging.receiver import Attentive, Receiver
from bot.platforms import feishu, slack, telegram
from bot.platforms.slack import Config, socket_mode
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET
from tests.servers.slack import APP_TOKEN, BOT_TOKEN, SlackServer
from tests.servers.telegram import TOKEN, TelegramServer


def of_slack(server):
    return slack.create(Config(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api=server.url))


def of_telegram(server):
    return telegram.create(telegram.Config(token=TOKEN, api=server.url))


def of_feishu(server):
    return feishu.create(feishu.Config(app_id=APP, app_secret=SecretStr(SECRET), domain=server.url))


async def until(happened: Callable[[], object]) -> None:
    async with asyncio.timeout(120):
        while not happened():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("made", "create"),
    [(SlackServer, of_slack), (TelegramServer, of_telegram), (FeishuServer, of_feishu)],
    ids=["slack", "telegram", "feishu"],
)
async def test_a_receiver_tells_whether_it_hears(made, create, monkeypatch):
    # Slack's library looks every ten seconds whether its connection is still there.
    monkeypatch.setattr(socket_mode, "Timing", partial(socket_mode.Timing, ping=0.5))
    with made() as server:
        receiver = create(server)
        assert isinstance(receiver, Receiver)
        assert isinstance(receiver, Attentive)
        assert receiver.ear.trouble == "not connected yet"

        async def listen() -> None:
            async for _ in receiver.listen():
                pass

        listening = asyncio.create_task(listen())
        await until(lambda: not receiver.ear.trouble)
    await until(lambda: receiver.ear.trouble)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    assert receiver.ear.trouble
    for secret in (BOT_TOKEN, APP_TOKEN, TOKEN, SECRET):
        assert secret not in receiver.ear.trouble
    await receiver.aclose()
