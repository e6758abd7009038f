"""Finding our own message again by the identity in its card.

Needs ``im:message.group_msg`` for groups, which not every organisation grants.
https://open.feishu.cn/document/server-docs/im-v1/message/list
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from urllib.parse import quote

from bot.feishu_card import mark_of
from bot.platforms.base import Part, Receipt, SendError, SendReason
from bot.platforms.feishu.api import Api, Json

_REACH = 8 * 24 * 3600
"""Seconds back that a part without a date is looked for: digests are caught up for a week."""

_SKEW = 120  # seconds that Feishu's clock and ours may be apart
_PAGE = 50
_MOST_PAGES = 40


class History:
    """The messages of a chat, or of a thread."""

    def __init__(self, api: Api, clock: Callable[[], float]) -> None:
        self._api = api
        self._clock = clock

    async def find(self, chat: str, part: Part, reply_to: Receipt | None) -> Receipt | None:
        """The message that carries the part's identity. Raises ``SendError``."""
        thread = reply_to.thread if reply_to else ""
        query = await self._thread(thread) if thread else self._chat(chat, part)
        if query is None:
            return None
        async for message in self._messages(query):
            if self._is(message, part):
                found = str(message["message_id"])
                return Receipt(message=found, thread=thread if reply_to else found)
        return None

    def _chat(self, chat: str, part: Part) -> dict[str, str]:
        if not chat.startswith("oc_"):
            raise SendError(SendReason.UNSUPPORTED, "a person's chat is not known by its own id")
        oldest = part.since.timestamp() - _SKEW if part.since else self._clock() - _REACH
        return {
            "container_id_type": "chat",
            "container_id": chat,
            "start_time": str(int(oldest)),
        }

    async def _thread(self, root: str) -> dict[str, str] | None:
        """A thread has an id of its own, and none before the first answer in it."""
        path = f"/im/v1/messages/{quote(root, safe='')}"
        items = ((await self._api.call("GET", path)).get("data") or {}).get("items") or [{}]
        thread = items[0].get("thread_id")
        return {"container_id_type": "thread", "container_id": str(thread)} if thread else None

    async def _messages(self, query: dict[str, str]) -> AsyncIterator[Json]:
        """The newest first."""
        asked = {
            **query,
            "sort_type": "ByCreateTimeDesc",
            "page_size": str(_PAGE),
            "card_msg_content_type": "user_card_content",
        }
        for _ in range(_MOST_PAGES):
            data = (await self._api.call("GET", "/im/v1/messages", query=asked)).get("data") or {}
            for message in data.get("items") or ():
                yield message
            if not data.get("has_more") or not data.get("page_token"):
                return
            asked["page_token"] = str(data["page_token"])
        raise SendError(SendReason.BROKEN, "more messages than can be looked through")

    def _is(self, message: Json, part: Part) -> bool:
        """Whether it is the part and stands, posted by us: anybody's app can write an id."""
        sender = message.get("sender") or {}
        if sender.get("id") != self._api.app_id or message.get("deleted"):
            return False
        try:
            card = json.loads((message.get("body") or {}).get("content") or "")
            first = card["body"]["elements"][0]["element_id"]
        except (ValueError, LookupError, TypeError):
            return False
        return bool(first == mark_of(part.identity))
