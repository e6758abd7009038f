"""From an event to its acknowledgement, while everything that was asked waits for a model.

Server and bot share one process here, and so its interpreter lock: what is measured over a socket
is an upper bound for the bot alone. Over HTTP it is the time within the bot.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp
from pydantic import SecretStr

from bot.platforms.base import Receiver, Sender
from bot.platforms.feishu import Config as FeishuConfig
from bot.platforms.feishu import create as feishu
from bot.platforms.slack import Config as SlackConfig
from bot.platforms.slack import create as slack
from bot.platforms.telegram import Telegram
from bot.platforms.telegram.sender import Account
from bot.platforms.telegram.webhook import secret_of
from tests.servers.asgi import served
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET, says
from tests.servers.slack import APP_TOKEN, BOT_TOKEN, BOT_USER, CHANNEL, PERSON, TEAM, SlackServer
from tests.servers.telegram import PRIVATE, TOKEN, TelegramServer

_PATIENCE = 60.0


async def acknowledged(count: int) -> dict[str, list[float]]:
    """Milliseconds to each acknowledgement of so many events at once, by platform."""
    return {
        "slack socket": await _slack(count),
        "feishu socket": await _feishu(count),
        "telegram hook": await _telegram(count),
    }


@asynccontextmanager
async def listening(sender: Sender) -> AsyncIterator[list[str]]:
    """Hear what comes, and leave every answer waiting for a model."""
    assert isinstance(sender, Receiver)
    heard: list[str] = []
    busy: list[asyncio.Task[bool]] = []
    model = asyncio.Event()

    async def listen() -> None:
        async for incoming in sender.listen():
            heard.append(incoming.id)
            busy.append(asyncio.create_task(model.wait()))

    task = asyncio.create_task(listen())
    try:
        yield heard
    finally:
        for one in (task, *busy):
            one.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await sender.aclose()


async def _slack(count: int) -> list[float]:
    with SlackServer() as server:
        sender = slack(
            SlackConfig(
                bot_token=SecretStr(BOT_TOKEN), app_token=SecretStr(APP_TOKEN), api=server.url
            )
        )
        async with listening(sender) as heard:
            await _until(lambda: server.sockets.connections > 0)
            for number in range(count):
                server.sockets.deliver("events_api", _mention(number))
            await _until(lambda: len(server.sockets.acks) >= count and len(heard) >= count)
        return [seconds * 1000 for seconds in server.sockets.acks]


def _mention(number: int) -> dict[str, object]:
    event = {
        "type": "app_mention",
        "text": f"<@{BOT_USER}> explain #{number}",
        "user": PERSON,
        "channel": CHANNEL,
        "ts": f"1700000000.{number:06}",
    }
    return {"type": "event_callback", "team_id": TEAM, "event_id": f"Ev{number}", "event": event}


async def _feishu(count: int) -> list[float]:
    with FeishuServer() as server:
        config = FeishuConfig(app_id=APP, app_secret=SecretStr(SECRET), domain=server.url)
        async with listening(feishu(config)) as heard:
            await _until(lambda: server.connections > 0)

            async def push(number: int) -> float:
                event = says(f"explain #{number}", number=f"om_{number}")
                event["header"]["event_id"] = f"ev_{number}"
                began = time.perf_counter()
                await server._push(event, 1, _PATIENCE)  # noqa: SLF001  # in the server's own loop
                return (time.perf_counter() - began) * 1000

            async def all_of_them() -> list[float]:
                return list(await asyncio.gather(*map(push, range(count))))

            spent = await asyncio.to_thread(server.call, all_of_them())
            await _until(lambda: len(heard) >= count)
            return spent


async def _telegram(count: int) -> list[float]:
    with TelegramServer() as server:
        account = Account(token=TOKEN, api=server.url, webhook="https://bot.example/hook")
        sender = Telegram(account)
        web = sender.web
        assert web is not None
        spent: list[float] = []

        async def timed(*call: Any) -> None:
            began = time.perf_counter()
            await web(*call)
            spent.append((time.perf_counter() - began) * 1000)

        async with listening(sender) as heard, served(timed) as url:
            connector = aiohttp.TCPConnector(limit=0)
            headers = {"x-telegram-bot-api-secret-token": secret_of(TOKEN)}
            async with aiohttp.ClientSession(connector=connector, headers=headers) as session:
                await _until(lambda: bool(server.webhook))

                async def call(number: int) -> None:
                    async with session.post(url, data=_update(server, number)) as answer:
                        assert answer.status == 200

                await asyncio.gather(*map(call, range(count)))
            assert len(heard) == count
            return spent


def _update(server: TelegramServer, number: int) -> bytes:
    message = {
        "message_id": number + 1,
        "date": 1_790_000_000,
        "chat": server.chats[PRIVATE],
        "from": {"id": 7, "is_bot": False, "first_name": "Ada"},
        "text": f"explain #{number}",
    }
    return json.dumps({"update_id": number + 1, "message": message}).encode()


async def _until(condition: object) -> None:
    assert callable(condition)
    async with asyncio.timeout(_PATIENCE):
        while not condition():  # noqa: ASYNC110  # another thread makes it true
            await asyncio.sleep(0.002)
