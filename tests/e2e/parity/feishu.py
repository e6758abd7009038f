"""Feishu, through the long connection and over HTTP."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from pydantic import SecretStr

from bot.messaging.wire import HttpClient
from bot.platforms.feishu import Config, create
from bot.platforms.feishu.open_api import Api
from bot.platforms.feishu.receiver import Feishu
from tests.e2e.parity.stage import until
from tests.integration.bot.platforms.feishu.test_receiver import QUICK
from tests.integration.bot.platforms.feishu.test_web_events import KEY, TOKEN, request
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_cards import Seen
from tests.servers.feishu_events import APP, BOT, SECRET, presses, says

GROUP = "oc_team"

Deliver = Callable[[dict[str, Any]], Awaitable[bool]]
"""Delivers an event; whether it was acknowledged."""


class _Feishu:
    account, chat, presses, restates = "feishu", "oc_p2p", True, False

    def __init__(self, server: FeishuServer, sender: Feishu, deliver: Deliver, name: str) -> None:
        self.name = name
        self.server = server
        self.sender = sender
        self._deliver = deliver
        self._numbers = itertools.count(1)
        self._acknowledged: list[bool] = []

    async def say(self, text: str) -> None:
        number = next(self._numbers)
        # A question that is answered must stand in the chat.
        self.server.post(self.chat, {"body": {"elements": []}}, sender="ou_ann")
        standing = [*self.server.messages][-1]
        event = says(text, number=standing, direct=True)
        event["header"]["event_id"] = f"ev_said_{number}"
        self._acknowledged.append(await self._deliver(event))

    async def ask_in_group(self, text: str, root: str = "") -> None:
        """The person mentions the bot in a group, or goes on in the thread below a message."""
        number = next(self._numbers)
        asked = self.server.post(GROUP, {"body": {"elements": []}}, sender="ou_ann", root=root)
        message = {"mentions": [], "thread_id": f"omt_{root}", "root_id": root} if root else {}
        said = text if root else f"@_user_1 {text}"
        event = says(said, number=asked.id, message=message)
        if not root:
            asked.mentions.append({"id": BOT, "key": "@_user_1"})
        event["header"]["event_id"] = f"ev_said_{number}"
        self._acknowledged.append(await self._deliver(event))

    async def restate(self, text: str) -> None:
        raise AssertionError("Feishu does not tell of edits")

    async def press(self, label: str) -> None:
        message, value = next(
            (message, button["value"])
            for message in reversed(self.server.stands)
            for button in message.seen.buttons
            if button["label"] == label
        )
        event = presses(
            value["action"],
            value["value"],
            card=message.id,
            number=f"ev_pressed_{next(self._numbers)}",
            context={"open_message_id": message.id, "open_chat_id": self.chat},
        )
        self._acknowledged.append(await self._deliver(event))

    def texts(self) -> list[str]:
        return [_without_buttons(message.seen) for message in self.server.stands]

    def edits(self) -> int:
        return sum(message.edits for message in self.server.stands)

    def acknowledged(self) -> bool:
        return all(self._acknowledged)


def _without_buttons(seen: Seen) -> str:
    """What is read of a card, but for what can be pressed."""
    labels = {button["label"] for button in seen.buttons}
    return "\n".join(line for line in seen.text.split("\n") if line not in labels)


@asynccontextmanager
async def by_connection() -> AsyncIterator[_Feishu]:
    with FeishuServer() as server:
        sender = Feishu(
            Api(server.url, APP, SecretStr(SECRET), HttpClient(patience=2)), timing=QUICK
        )

        async def deliver(event: dict[str, Any]) -> bool:
            await until(lambda: server.connections)
            answer = await asyncio.to_thread(server.push, event)
            return answer is not None and answer["code"] == 200

        yield _Feishu(server, sender, deliver, "feishu, long connection")
        await sender.aclose()


@asynccontextmanager
async def by_http() -> AsyncIterator[_Feishu]:
    with FeishuServer() as server:
        sender = create(
            Config(
                app_id=APP,
                app_secret=SecretStr(SECRET),
                domain=server.url,
                events="http",
                encrypt_key=SecretStr(KEY),
                verification_token=SecretStr(TOKEN),
            )
        )
        transport = httpx.ASGITransport(app=sender.web)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:

            async def deliver(event: dict[str, Any]) -> bool:
                await until(lambda: not sender.ear.trouble)
                body, headers = request(event)
                answer = await client.post("/", content=body, headers=headers)
                return answer.status_code == 200

            yield _Feishu(server, sender, deliver, "feishu, http")
        await sender.aclose()
