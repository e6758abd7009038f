"""What events do not tell: who reads a chat, and whether a thread is one the bot is in.

All of it is remembered for a while and can be forgotten: it is asked for again.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple
from urllib.parse import quote

from bot.platforms.base import SendError
from bot.platforms.feishu.api import Api
from bot.transport.remembered import Remembered

_MINUTES = 600.0
_DAY = 24 * 3600.0


class Chat(NamedTuple):
    """A chat: with one person alone, and with people from outside."""

    direct: bool
    external: bool


class Surroundings:
    """Chats and threads of one app."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._asked: dict[str, asyncio.Task[dict[str, Any] | None]] = {}
        self._chats: Remembered[Chat] = Remembered(_MINUTES)
        self._ours: Remembered[bool] = Remembered(_DAY)
        self._strange: Remembered[bool] = Remembered(_MINUTES)

    def joined(self, root: str) -> None:
        """The bot has written in the thread."""
        self._ours.keep(root, value=True)

    async def chat(self, chat: str) -> Chat:
        """About a chat; as one with outsiders where Feishu does not tell."""
        if known := self._chats.get(chat):
            return known
        about = await self._data(f"/im/v1/chats/{quote(chat, safe='')}")
        if about is None:
            return Chat(direct=False, external=True)
        found = Chat(about.get("chat_mode") == "p2p", about.get("external") is not False)
        return self._chats.keep(chat, found)

    async def takes_part(self, root: str, bot: str) -> bool:
        """Whether the thread began with the bot, or with a word to it; not, where nobody tells."""
        if self._ours.get(root):
            return True
        if self._strange.get(root):
            return False
        data = await self._data(f"/im/v1/messages/{quote(root, safe='')}")
        if data is None:
            return False
        first: dict[str, Any] = next(iter(data.get("items") or ()), {})
        named = any(one.get("id") == bot for one in first.get("mentions") or ())
        ours = named or (first.get("sender") or {}).get("id") == self._api.app_id
        return (self._ours if ours else self._strange).keep(root, value=True) and ours

    async def _data(self, path: str) -> dict[str, Any] | None:
        """What Feishu tells; those who ask for the same at the same time share the call."""
        if path not in self._asked:
            self._asked[path] = asyncio.create_task(self._ask(path))
            self._asked[path].add_done_callback(lambda _: self._asked.pop(path))
        return await asyncio.shield(self._asked[path])

    async def _ask(self, path: str) -> dict[str, Any] | None:
        try:
            return (await self._api.call("GET", path)).get("data") or {}
        except SendError:
            return None
