"""Slack, through Socket Mode and over HTTP."""

from __future__ import annotations

import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import aiohttp

from bot.messaging.rates import Rate
from bot.platforms.slack import Config, create
from tests.integration.bot.platforms.slack.slack_caller import SECRET, Caller
from tests.integration.bot.platforms.slack.test_receiver import Ears
from tests.servers.asgi import served
from tests.servers.slack import BOT_TOKEN, BOT_USER, CHANNEL, DIRECT, PERSON, TEAM, SlackServer


class _Slack(ABC):
    account, chat, presses, restates = "slack", DIRECT, True, True

    def __init__(self, server: SlackServer) -> None:
        self.server = server
        self._numbers = itertools.count(1)
        self._said: dict[str, str] = {}

    async def say(self, text: str) -> None:
        stamp = f"1700000000.{next(self._numbers):06}"
        self._said = {"type": "message", "user": PERSON, "text": text, "ts": stamp}
        await self._event(self._said | {"channel": DIRECT, "channel_type": "im"})

    async def command(self, text: str) -> None:
        """The person gives a slash command in the channel."""
        number = next(self._numbers)
        form = {
            "command": "/digest", "text": text, "team_id": TEAM, "user_id": PERSON,
            "channel_id": CHANNEL, "trigger_id": f"trigger-{number}",
            "response_url": f"{self.server.url.removesuffix('api/')}response/r{number}",
        }  # fmt: skip
        await self._command(form)

    async def ask_in_channel(self, text: str, thread: str = "") -> str:
        """The person writes in the channel, to the bot or in a thread; the message's stamp."""
        said = text if thread else f"<@{BOT_USER}> {text}"
        message = self.server.say(said, thread=thread)
        event = {"user": PERSON, "text": said, "ts": message.ts, "channel": CHANNEL}
        if thread:
            root = next(one for one in self.server.messages if one.ts == thread)
            event |= {"type": "message", "channel_type": "channel", "thread_ts": thread}
            event |= {"parent_user_id": root.user}
        else:
            event |= {"type": "app_mention"}
        await self._event(event)
        return message.ts

    async def restate(self, text: str) -> None:
        before, self._said = self._said, self._said | {"text": text}
        await self._event(
            {
                "type": "message",
                "subtype": "message_changed",
                "channel": DIRECT,
                "channel_type": "im",
                "message": self._said,
                "previous_message": before,
                "ts": f"1700000001.{next(self._numbers):06}",
            }
        )

    async def press(self, label: str) -> None:
        message, button = next(
            (message, element)
            for message in reversed(self.server.messages)
            for block in message.values.get("blocks") or ()
            if block["type"] == "actions"
            for element in block["elements"]
            if element["text"]["text"] == label
        )
        action = {key: button[key] for key in ("action_id", "value") if key in button}
        container = {"type": "message", "message_ts": message.ts}
        if message.thread:
            container["thread_ts"] = message.thread
        await self._interact(
            {
                "type": "block_actions",
                "team": {"id": TEAM},
                "user": {"id": PERSON},
                "channel": {"id": DIRECT},
                "container": container,
                "actions": [
                    {
                        "type": "button",
                        "action_ts": f"1700000002.{next(self._numbers):06}",
                        **action,
                    }
                ],
            }
        )

    def texts(self) -> list[str]:
        return self.server.seen(DIRECT)

    def edits(self) -> int:
        return sum(message.edited for message in self.server.messages)

    @abstractmethod
    async def _event(self, event: dict[str, Any]) -> None:
        """Slack tells of an event."""

    @abstractmethod
    async def _interact(self, payload: dict[str, Any]) -> None:
        """Slack tells of a press."""

    @abstractmethod
    async def _command(self, form: dict[str, Any]) -> None:
        """Slack tells of a slash command."""


class _Socket(_Slack):
    name = "slack, socket"

    def __init__(self, server: SlackServer, ears: Ears) -> None:
        super().__init__(server)
        self.sender = ears.bot

    async def _event(self, event: dict[str, Any]) -> None:
        payload = {"type": "event_callback", "team_id": TEAM, "event": event}
        self.server.sockets.deliver("events_api", payload)

    async def _interact(self, payload: dict[str, Any]) -> None:
        self.server.sockets.deliver("interactive", payload)

    async def _command(self, form: dict[str, Any]) -> None:
        self.server.sockets.deliver("slash_commands", form)

    def acknowledged(self) -> bool:
        return all(one.acked for one in self.server.sockets.envelopes)


class _Http(_Slack):
    name = "slack, http"

    def __init__(self, server: SlackServer, caller: Caller) -> None:
        super().__init__(server)
        self.sender = caller.bot
        self._caller = caller
        self._statuses: list[int] = []

    async def _event(self, event: dict[str, Any]) -> None:
        payload = {"type": "event_callback", "team_id": TEAM, "event": event}
        status, _ = await self._caller.event(payload)
        self._statuses.append(status)

    async def _interact(self, payload: dict[str, Any]) -> None:
        await self._form({"payload": json.dumps(payload)})

    async def _command(self, form: dict[str, Any]) -> None:
        await self._form(form)

    async def _form(self, form: dict[str, Any]) -> None:
        body = urlencode(form).encode()
        status, _ = await self._caller.post(body, kind="application/x-www-form-urlencoded")
        self._statuses.append(status)

    def acknowledged(self) -> bool:
        return set(self._statuses) == {200}


@asynccontextmanager
async def by_socket() -> AsyncIterator[_Socket]:
    with SlackServer() as server:
        ears = Ears(server)
        yield _Socket(server, ears)
        await ears.bot.aclose()


@asynccontextmanager
async def by_http() -> AsyncIterator[_Http]:
    with SlackServer() as server:
        bot = create(
            Config(bot_token=BOT_TOKEN, signing_secret=SECRET, events="http", api=server.url)
        )
        async with served(bot.web) as url, aiohttp.ClientSession() as session:
            yield _Http(server, Caller(url, session, bot))
        await bot.aclose()


BRISK = (Rate(count=100, seconds=1.0),)
"""Far above the platform's, for a script that is not about rates."""
