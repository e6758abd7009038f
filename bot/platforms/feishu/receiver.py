"""Feishu as a place to be asked in."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from bot.platforms.base import Asgi, Ear, Incoming, Part, Receipt, SendError, SendReason
from bot.platforms.feishu.api import Api, Json
from bot.platforms.feishu.connection import Connection, Timing
from bot.platforms.feishu.heard import TOAST, Heard, is_press
from bot.platforms.feishu.heard import read as read_event
from bot.platforms.feishu.sender import FeishuSender
from bot.platforms.feishu.surroundings import Surroundings
from bot.platforms.feishu.web_events import WebEvents
from bot.transport.inbox import Arrival, Inbox, hearing
from bot.transport.wire import Wire


class Feishu(FeishuSender):
    """Posts and listens: through a connection of its own, or to what calls ``web``."""

    def __init__(
        self, api: Api, web: WebEvents | None = None, timing: Timing | None = None
    ) -> None:
        super().__init__(api)
        self.inbox = Inbox()
        self.web: Asgi | None = web
        self.ear = Ear()
        if web is not None:
            web.take = self.take
        self._around = Surroundings(api)
        self._timing = timing

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post, and remember that the thread is one of ours."""
        receipt = await super().send(chat, part, reply_to)
        self._around.joined(receipt.thread or receipt.message)
        return receipt

    async def listen(self) -> AsyncIterator[Incoming]:
        """The messages as they come. Raises ``SendError`` where Feishu refuses the app."""
        bot, wire = await self._own_id(), Wire()
        bringing: Coroutine[None, None, None] | None = None
        if self.web is None:
            bringing = Connection(self._api, wire, self.take, self._timing, self.ear).run()
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
        """Write an event down as it was written; what its answer says. Raises ``Unkept``."""
        await self.inbox.put(text)
        return TOAST if is_press(event) else None

    async def _weighed(self, heard: Heard, bot: str) -> Incoming | None:
        """What is to be answered, with what the event did not tell. Raises ``SendError``."""
        if heard.thread and not await self._around.takes_part(heard.thread, bot):
            return None
        return heard.incoming if heard.settled else await self._complete(heard.incoming)

    async def _complete(self, incoming: Incoming) -> Incoming:
        chat = await self._around.chat(incoming.chat)
        receipt = incoming.receipt
        if chat.direct and receipt is not None:
            # Between two people an answer needs no thread.
            receipt = replace(receipt, thread="")
        external = incoming.external or (chat.external and not chat.direct)
        return replace(incoming, direct=chat.direct, external=external, receipt=receipt)

    async def _own_id(self) -> str:
        bot = (await self._api.call("GET", "/bot/v3/info")).get("bot") or {}
        found = bot.get("open_id")
        if not isinstance(found, str) or not found:
            raise SendError(SendReason.UNAUTHORIZED, "the app has no bot; enable the bot ability")
        return found
