"""Posts to Feishu, every message a card, and finds posted messages again.

Once: a message carries the part's identity twice. As ``uuid``, by which Feishu itself drops a
repeat for an hour; and in the card, where :class:`History` finds it later. Finding needs
``im:message.group_msg`` for groups, which not every organisation grants. What is known of chats and
threads is cached for a while. https://open.feishu.cn/document/server-docs/im-v1/message/create
https://open.feishu.cn/document/server-docs/im-v1/message/list
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from bot.feishu_card.card import Style, mark_of, render, with_identity
from bot.messaging.rates import Pace, Rate
from bot.messaging.receiver import Remembered
from bot.messaging.sender import Ability, Counted, Limit, Part, Receipt, SendError, SendReason, Unit
from bot.messaging.wire import late_as_send_error
from bot.platforms.feishu.open_api import NO_HISTORY, NO_THREADS, Api, FeishuRefusal, Json
from bot.util.chart_image import Picture
from digest.document import Document

_Read = TypeVar("_Read")
_MINUTES = 600.0
_DAY = 24 * 3600.0


class Chat(NamedTuple):
    """A chat: whether it is direct (with one person), and whether outsiders read it."""

    direct: bool
    external: bool


class ChatInfo:
    """Chats and threads of one app."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._asked: dict[str, asyncio.Task[Any]] = {}
        self._chats: Remembered[Chat] = Remembered(_MINUTES)
        self._ours: Remembered[bool] = Remembered(_DAY)
        self._strange: Remembered[bool] = Remembered(_MINUTES)

    def joined(self, root: str) -> None:
        """Remember that the bot has written in the thread."""
        self._ours.keep(root, value=True)

    async def chat(self, chat: str) -> Chat:
        """The properties of a chat; it counts as external if Feishu does not tell."""
        known = self._chats.get(chat)
        return known if known is not None else await self._once(chat, self._chat)

    async def _chat(self, chat: str) -> Chat:
        about = await self._data(f"/im/v1/chats/{quote(chat, safe='')}")
        if about is None:
            return Chat(direct=False, external=True)
        found = Chat(about.get("chat_mode") == "p2p", about.get("external") is not False)
        return self._chats.keep(chat, found)

    async def takes_part(self, root: str, bot: str) -> bool:
        """Whether the bot started the thread or was addressed in its root; false if unknown."""
        if self._ours.get(root):
            return True
        if self._strange.get(root):
            return False
        return await self._once(root, partial(self._part_of, bot))

    async def _part_of(self, bot: str, root: str) -> bool:
        data = await self._data(f"/im/v1/messages/{quote(root, safe='')}")
        if data is None:
            return False
        first: dict[str, Any] = next(iter(data.get("items") or ()), {})
        named = any(mention.get("id") == bot for mention in first.get("mentions") or ())
        ours = named or (first.get("sender") or {}).get("id") == self._api.app_id
        return (self._ours if ours else self._strange).keep(root, value=True) and ours

    async def _once(self, name: str, read: Callable[[str], Coroutine[Any, Any, _Read]]) -> _Read:
        """What reading a chat or a message gives, and keeps; concurrent callers share it."""
        if name not in self._asked:
            self._asked[name] = asyncio.create_task(read(name))
            self._asked[name].add_done_callback(lambda _: self._asked.pop(name))
        return await asyncio.shield(self._asked[name])

    async def _data(self, path: str) -> dict[str, Any] | None:
        try:
            return (await self._api.call("GET", path)).get("data") or {}
        except SendError:
            return None


_REACH = 8 * 24 * 3600
"""Seconds to look back for a part without a date: digests are caught up for a week."""

_SKEW = 120  # seconds that Feishu's clock and ours may differ
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
                message_id = str(message["message_id"])
                return Receipt(message=message_id, thread=thread if reply_to else message_id)
        return None

    def _chat(self, chat: str, part: Part) -> dict[str, str]:
        if not chat.startswith("oc_"):
            raise SendError(SendReason.UNSUPPORTED, "a direct chat cannot be found by its id")
        oldest = part.since.timestamp() - _SKEW if part.since else self._clock() - _REACH
        return {"container_id_type": "chat", "container_id": chat, "start_time": str(int(oldest))}

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
        raise SendError(SendReason.BROKEN, "too many messages to search")

    def _is(self, message: Json, part: Part) -> bool:
        """Whether it is the part, not deleted, and posted by us: any app can write an id."""
        sender = message.get("sender") or {}
        if sender.get("id") != self._api.app_id or message.get("deleted"):
            return False
        try:
            card = json.loads((message.get("body") or {}).get("content") or "")
            first = card["body"]["elements"][0]["element_id"]
        except (ValueError, LookupError, TypeError):
            return False
        return bool(first == mark_of(part.identity))


_SIZE = 28_000  # of 30 KB for a request: the rest is its frame, and what Feishu adds for styles
DROPS_REPEATS = timedelta(minutes=55)
"""Feishu says an hour; this allows for clock differences and transmission."""

# 50 messages a second and 1000 a minute for an app; 5 a second for a group, shared by all its bots.
# They are sent at even intervals, because a burst arrives unevenly.
_SECOND, _SECOND_SPARE = Rate(count=1, seconds=1 / 45.5), Rate(count=1, seconds=1 / 3)

# Posts may use up a whole minute; an answer in such a minute is sent anyway, and again when Feishu
# allows if it was refused.
_MINUTE, _MINUTE_SPARE = Rate(count=1000, seconds=60.0), Rate(count=20, seconds=60.0)
_IN_A_CHAT = (Rate(count=1, seconds=1 / 4),)
_ID_TYPES = {"oc_": "chat_id", "ou_": "open_id", "on_": "union_id"}


class FeishuSender:
    """Posts as the app. A chat is the id of a chat or person, or a person's email address."""

    name = "feishu"
    limit = Limit(
        size=_SIZE,
        unit=Unit.BYTES,
        source="https://open.feishu.cn/document/server-docs/im-v1/message/create",
        counts=Counted.BODY,
    )
    abilities = frozenset({Ability.EDIT, Ability.FIND, Ability.THREAD})

    def __init__(self, api: Api, clock: Callable[[], float] = time.time) -> None:
        self._api = api
        self._clock = clock
        self._history = History(api, clock)
        self._minute = Pace(_MINUTE, _MINUTE_SPARE)
        self._second = Pace(_SECOND, _SECOND_SPARE)

    @property
    def paces(self) -> Mapping[str, Pace]:
        """As :class:`bot.messaging.Bounded`."""
        return {"minute": self._minute, "second": self._second}

    def render(self, document: Document) -> tuple[Part, ...]:
        """Cards with a header, Markdown and buttons."""
        return render(document, Style(size=_SIZE, interactive=True))

    async def ready(self, chat: str, *, answer: bool = False) -> None:
        """Wait for a token, and for the rate limits of the chat and the app."""
        await self._api.ready()
        with late_as_send_error():
            await self._second.turn(chat, _IN_A_CHAT, answer=answer)
            await self._minute.turn(chat, (), answer=answer)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post a card, in a thread if ``reply_to`` has one."""
        body: Json = {"msg_type": "interactive", "content": with_identity(part.body, part.identity)}
        if part.identity:
            body["uuid"] = part.identity
        try:
            if reply_to is None:
                return await self._post(chat, body)
            return await self._reply(reply_to, body)
        except SendError as error:
            if error.reason is SendReason.RATE_LIMITED and error.retry_after:
                self._second.hold(chat, error.retry_after)
            raise

    async def _post(self, chat: str, body: Json) -> Receipt:
        query = {"receive_id_type": _id_type(chat)}
        message = await self._create_message("/im/v1/messages", {"receive_id": chat, **body}, query)
        return Receipt(message=message, thread=message)

    async def _reply(self, reply_to: Receipt, body: Json) -> Receipt:
        path = f"/im/v1/messages/{quote(reply_to.thread or reply_to.message, safe='')}/reply"
        try:
            message = await self._create_message(
                path, {**body, "reply_in_thread": bool(reply_to.thread)}
            )
        except FeishuRefusal as error:
            if error.code not in NO_THREADS:
                raise
            message = await self._create_message(path, body)
        return Receipt(message=message, thread=reply_to.thread)

    async def _create_message(self, path: str, body: Json, query: Json | None = None) -> str:
        """The id of the message that the call made; a repeat with its uuid makes no second."""
        answer = await self._api.call(
            "POST", path, body=body, query=query, repeatable="uuid" in body
        )
        message = (answer.get("data") or {}).get("message_id")
        if not isinstance(message, str) or not message:
            raise SendError(SendReason.NO_ANSWER, "an answer without a message id")
        return message

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:  # noqa: ARG002  # ids are unique
        """Replace a card that is at most 14 days old."""
        path = f"/im/v1/messages/{quote(receipt.message, safe='')}"
        body = {"content": with_identity(part.body, part.identity)}
        await self._api.call("PATCH", path, body=body, repeatable=True)
        return receipt

    async def show(self, chat: str, picture: Picture, below: Receipt) -> None:  # noqa: ARG002  # ids are unique
        """As :class:`bot.messaging.Pictured`: an image that answers the message."""
        uploaded = await self._api.upload("/im/v1/images", {"image_type": "message"}, picture.png)
        key = (uploaded.get("data") or {}).get("image_key")
        if not isinstance(key, str) or not key:
            raise SendError(SendReason.BROKEN, "an answer without an image key")
        body = {"msg_type": "image", "content": json.dumps({"image_key": key})}
        await self._reply(below, body)

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:
        """Find the card, if Feishu does not drop repeats. Raises ``UNSUPPORTED`` without rights."""
        if not part.identity:
            return None
        try:
            return await self._history.find(chat, part, reply_to)
        except FeishuRefusal as error:
            if error.code not in NO_HISTORY:
                raise
            why = "the app may not read the chat; it lacks im:message.group_msg"
        except SendError as error:
            if error.reason is not SendReason.UNSUPPORTED:
                raise
            why = error.detail
        if part.since and self._clock() - part.since.timestamp() < DROPS_REPEATS.total_seconds():
            return None
        raise SendError(SendReason.UNSUPPORTED, why)

    async def probe(self, chat: str) -> str:
        """The names of the bot and of the group, as far as it may read them."""
        bot = (await self._api.call("GET", "/bot/v3/info")).get("bot") or {}
        description = f"bot {bot.get('app_name') or self._api.app_id!r}"
        if (kind := _id_type(chat)) != "chat_id":
            return f"{description}, direct messages to the {kind} {chat!r}, which is not checked"
        try:
            path = f"/im/v1/chats/{quote(chat, safe='')}"
            about = (await self._api.call("GET", path)).get("data") or {}
        except FeishuRefusal as error:
            if error.code not in NO_HISTORY:
                raise
            return f"{description}; without im:chat:readonly the chat cannot be checked"
        if str(about.get("chat_status", "normal")) != "normal":
            raise SendError(SendReason.NO_CHANNEL, "the group is dissolved")
        external = ", with people from outside" if about.get("external") else ""
        return f"{description}, group {about.get('name') or chat!r}{external}"

    async def external(self, chat: str) -> bool:
        """Whether outsiders are in the group; true if Feishu does not tell."""
        return _id_type(chat) == "chat_id" and (await ChatInfo(self._api).chat(chat)).external

    async def aclose(self) -> None:
        """Close the connections."""
        await self._api.aclose()


def _id_type(chat: str) -> str:
    """The type of an id by its form: chats oc_, people ou_ and on_, or an email address."""
    if not chat or any(char.isspace() for char in chat):
        raise SendError(
            SendReason.NO_CHANNEL, "write a chat as an id such as oc_..., not as its name"
        )
    return _ID_TYPES.get(chat[:3], "email" if "@" in chat else "user_id")
