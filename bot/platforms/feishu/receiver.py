"""Feishu as a place to be asked in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import structlog

from bot.platforms.base import Asgi, Ear, Incoming, Part, Receipt, SendError, SendReason
from bot.platforms.feishu.api import Api, Json
from bot.platforms.feishu.connection import Connection, Timing
from bot.platforms.feishu.heard import TOAST, Heard, is_press, read
from bot.platforms.feishu.sender import FeishuSender
from bot.platforms.feishu.surroundings import Surroundings
from bot.platforms.feishu.web_events import WebEvents
from bot.wire import Wire

log = structlog.get_logger(__name__)

_MOST_WAITING = 1000
"""Messages heard and not yet taken. More come only from a flood, and can be asked again."""


class Feishu(FeishuSender):
    """Posts and listens: through a connection of its own, or to what calls ``web``."""

    def __init__(
        self, api: Api, web: WebEvents | None = None, timing: Timing | None = None
    ) -> None:
        super().__init__(api)
        self.web: Asgi | None = web
        self.ear = Ear()
        self._events = web
        self._around = Surroundings(api)
        self._heard: asyncio.Queue[Incoming] = asyncio.Queue()
        self._weighing: set[asyncio.Task[None]] = set()
        self._timing = timing
        self._bot = ""

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post, and remember that the thread is one of ours."""
        receipt = await super().send(chat, part, reply_to)
        self._around.joined(receipt.thread or receipt.message)
        return receipt

    async def listen(self) -> AsyncIterator[Incoming]:
        """The messages as they come. Raises ``SendError`` where Feishu refuses the app."""
        self._bot = await self._own_id()
        wire = Wire()
        connecting = asyncio.create_task(self._connected(wire))
        try:
            while True:
                yield await self._next(connecting)
        finally:
            self.ear.fails("does not listen any more")
            for task in (connecting, *self._weighing):
                task.cancel()
            await asyncio.gather(connecting, *self._weighing, return_exceptions=True)
            await wire.aclose()

    async def _connected(self, wire: Wire) -> None:
        """Let events come in until cancelled."""
        if self._events is None:
            await Connection(self._api, wire, self.take, self._timing, self.ear).run()
            return
        self._events.take = self.take
        self.ear.hears()
        try:
            await asyncio.Event().wait()
        finally:
            self._events.take = None

    def take(self, event: Any) -> Json | None:
        """Take an event in; what its answer says. What else it takes goes on behind."""
        heard = read(event, self._bot, datetime.now(UTC))
        if heard is None:
            return None
        if len(self._weighing) + self._heard.qsize() >= _MOST_WAITING:
            log.warning("feishu.flooded", id=heard.incoming.id)
            return None
        task = asyncio.create_task(self._weigh(heard))
        self._weighing.add(task)
        task.add_done_callback(self._weighing.discard)
        return TOAST if is_press(event) else None

    async def _next(self, connecting: asyncio.Task[None]) -> Incoming:
        """The next message, or the error that ended the connection."""
        getting = asyncio.create_task(self._heard.get())
        try:
            await asyncio.wait({getting, connecting}, return_when=asyncio.FIRST_COMPLETED)
            if not getting.done():
                await connecting
            return await getting
        finally:
            getting.cancel()

    async def _weigh(self, heard: Heard) -> None:
        """Hand on what is to be answered, with what the event did not tell."""
        try:
            if heard.thread and not await self._around.takes_part(heard.thread, self._bot):
                return
            incoming = heard.incoming if heard.settled else await self._complete(heard.incoming)
            self._heard.put_nowait(incoming)
        except Exception:
            log.exception("feishu.unread", id=heard.incoming.id)

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
