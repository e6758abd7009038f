"""Feishu's messages to the bot, and its answers to them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from bot.messaging.asgi import Asgi
from bot.messaging.inbox import Arrival, Inbox, hearing
from bot.messaging.receiver import Ear, Incoming
from bot.messaging.sender import Part, Receipt, SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.feishu.connection import LongConnection, SocketTiming
from bot.platforms.feishu.events import TOAST, FeishuMessage, is_press
from bot.platforms.feishu.events import read as read_event
from bot.platforms.feishu.open_api import Api, Json
from bot.platforms.feishu.sender import ChatInfo, FeishuSender
from bot.platforms.feishu.web_events import FeishuWebEvents


class Feishu(FeishuSender):
    """Posts and listens: through a connection of its own, or through calls of ``web``."""

    def __init__(
        self, api: Api, web: FeishuWebEvents | None = None, timing: SocketTiming | None = None
    ) -> None:
        super().__init__(api)
        self.inbox = Inbox()
        self.web: Asgi | None = web
        self.ear = Ear()
        if web is not None:
            web.take = self.take
        self._around = ChatInfo(api)
        self._timing = timing

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post, and remember that the bot takes part in the thread."""
        receipt = await super().send(chat, part, reply_to)
        self._around.joined(receipt.thread or receipt.message)
        return receipt

    async def listen(self) -> AsyncIterator[Incoming]:
        """The messages as they arrive. Raises ``SendError`` if Feishu refuses the app."""
        bot, wire = await self._own_id(), HttpClient()
        bringing: Coroutine[None, None, None] | None = None
        if self.web is None:
            bringing = LongConnection(self._api, wire, self.take, self._timing, self.ear).run()
        else:
            self.ear.hears()

        async def read(arrival: Arrival) -> Incoming | None:
            heard = read_event(json.loads(arrival.content), bot, arrival.at)
            return None if heard is None else await self._weighed(heard, bot)

        try:
            async with aclosing(hearing(self.inbox, read, bringing)) as heard:
                async for incoming in heard:
                    yield incoming
        finally:
            self.ear.fails("does not listen any more")
            await wire.aclose()

    async def take(self, event: Any, text: str) -> Json | None:
        """Store an event as received; return the content of its answer. Raises ``Unkept``."""
        await self.inbox.put(text)
        return TOAST if is_press(event) else None

    async def _weighed(self, heard: FeishuMessage, bot: str) -> Incoming | None:
        """The message, completed with what the event lacks, if it is for the bot.

        Raises ``SendError``.
        """
        if heard.thread and not await self._around.takes_part(heard.thread, bot):
            return None
        return heard.incoming if heard.settled else await self._complete(heard.incoming)

    async def _complete(self, incoming: Incoming) -> Incoming:
        chat = await self._around.chat(incoming.chat)
        receipt = incoming.receipt
        if chat.direct and receipt is not None:
            # In a direct chat an answer needs no thread.
            receipt = replace(receipt, thread="")
        external = incoming.external or (chat.external and not chat.direct)
        return replace(incoming, direct=chat.direct, external=external, receipt=receipt)

    async def _own_id(self) -> str:
        bot = (await self._api.call("GET", "/bot/v3/info")).get("bot") or {}
        found = bot.get("open_id")
        if not isinstance(found, str) or not found:
            raise SendError(SendReason.UNAUTHORIZED, "the app has no bot; enable the bot ability")
        return found
