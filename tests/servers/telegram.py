"""A Bot API server on loopback, as strict as the real one, that can misbehave.

It runs in a thread with its own loop. It keeps what a person would see in each chat, and everything
that it refused. A call is handled by the next act for its method, or else normally. Sources:
https://core.telegram.org/bots/api and the code of the official server.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.servers.pictures import size_of
from tests.servers.telegram_http import (
    Act,
    Drops,
    Fails,
    Garbled,
    Hangs,
    HttpServer,
    error,
    too_many,
)
from tests.servers.telegram_text import Entity, Refused, link, taken

TOKEN = "123456:AAsecretSECRETsecret-0123456789abcde"
BOT = {"id": 123456, "is_bot": True, "first_name": "Digest", "username": "digest_bot"}
PERSON = {"id": 42, "is_bot": False, "first_name": "Ada", "language_code": "en"}
GROUP, CHANNEL, FORUM, PRIVATE = -100200300, -100400500, -100600700, 42


@dataclass
class Shown:
    """A message as a person sees it."""

    id: int
    chat: int
    text: str
    entities: list[Entity]
    keyboard: list[list[dict[str, str]]]
    topic: int | None = None
    reply_to: int | None = None
    edits: int = 0
    at: float = 0.0
    silent: bool = False

    def of(self, kind: str) -> list[str]:
        return [entity.of for entity in self.entities if entity.type == kind]


@dataclass
class Call:
    """A call, and when it arrived by the server's clock."""

    method: str
    given: dict[str, Any]
    at: float


@dataclass(frozen=True)
class Limits:
    """Numbers of messages in any interval of some seconds. ``scale`` speeds the intervals up."""

    overall: int = 30
    chat: int = 1
    group: int = 20
    scale: float = 1.0


class TelegramServer(HttpServer):
    """The server; use ``with ... as server:``. ``server.url`` is the part before ``/bot``."""

    def __init__(self, *, token: str = TOKEN, limits: Limits | None = None) -> None:
        super().__init__()
        self.token = token
        self.limits = limits
        self.acts: dict[str, deque[Act | None]] = defaultdict(deque)
        self.calls: list[Call] = []
        self.refused: list[tuple[str, str]] = []
        self.shown: dict[tuple[int, int], Shown] = {}
        self.chats: dict[int, dict[str, Any]] = {}
        self.members: dict[int, dict[str, Any]] = {}
        self.topics: dict[int, set[int]] = {}
        self.moved: dict[int, int] = {}
        self.menus: dict[tuple[str, str], list[dict[str, str]]] = {}
        self.webhook: dict[str, str] = {}
        self.answered: list[str] = []
        self.photos: list[tuple[int, str, int | None, bytes]] = []
        self.silent = False
        self.lacks: frozenset[str] = frozenset()  # fields that an older server does not know
        self.polls = 0
        self._updates: list[dict[str, Any]] = []
        self._confirmed = 0
        self._again = False
        self._next_update = 1000
        self._next_message = 1
        self._sent: dict[Any, deque[float]] = defaultdict(deque)
        self._poll: asyncio.Future[bool] | None = None
        # The clock of the limits; a test may replace it.
        self._count_clock = self._loop.time
        self.add(GROUP, "supergroup", title="Engine room")
        self.add(FORUM, "supergroup", title="Forum", is_forum=True, topics={5, 7})
        self.add(CHANNEL, "channel", title="News", username="engine_news", posts=True)
        self.add(PRIVATE, "private", first_name="Ada")

    def add(self, chat: int, kind: str, *, topics=(), posts=False, **about: Any) -> None:
        self.chats[chat] = {"id": chat, "type": kind, **about}
        status = "administrator" if kind == "channel" else "member"
        self.members[chat] = {"status": status, "user": BOT}
        if kind == "channel":
            self.members[chat] |= dict.fromkeys(_ADMIN_RIGHTS, False) | {"can_post_messages": posts}
        self.topics[chat] = set(topics)

    # What tests do

    def will(self, method: str, *acts: Act | None) -> None:
        """Set what happens to the next calls of the method; ``None`` means the normal effect."""
        self.acts[method].extend(acts)

    def screen(self, chat: int, topic: int | None = None) -> list[Shown]:
        """What is visible in a chat, in order."""
        return [m for m in [*self.shown.values()] if m.chat == chat and m.topic == topic]

    def texts(self, chat: int) -> list[str]:
        return [m.text for m in [*self.shown.values()] if m.chat == chat]

    def called(self, method: str) -> list[Call]:
        return [call for call in [*self.calls] if call.method == method]

    def say(self, text: str, chat: int = PRIVATE, **more: Any) -> dict[str, Any]:
        """A person writes; return the message as in the update."""
        message = {
            "message_id": self._number(),
            "date": int(time.time()),
            "chat": self.chats[chat],
            "from": more.pop("sender", PERSON),
            "text": text,
            "entities": _entities(text),
            **more,
        }
        self.update(message=message)
        return message

    def press(self, shown: Shown, data: str, **more: Any) -> str:
        """A person presses a button."""
        number = str(self._number())
        message = {
            "message_id": shown.id,
            "date": int(time.time()),
            "chat": self.chats[shown.chat],
            "from": BOT,
            "text": shown.text,
            **({"message_thread_id": shown.topic, "is_topic_message": True} if shown.topic else {}),
        }
        query = {"id": number, "from": PERSON, "chat_instance": "1", "data": data}
        self.update(callback_query={**query, "message": message, **more})
        return number

    def update(self, **content: Any) -> None:
        """Something happens; the update waits for a poller."""

        def put() -> None:
            self._updates.append({"update_id": self._next_update, **content})
            self._next_update += 1
            self._wake()

        self._loop.call_soon_threadsafe(put)

    def redeliver(self) -> None:
        """Deliver everything again, as after a lost confirmation."""

        def again() -> None:
            self._again = True
            self._wake()

        self._loop.call_soon_threadsafe(again)

    # HTTP

    async def _answer(self, path: str, given: dict[str, Any]) -> tuple[int, str, dict[str, str]]:
        match = re.fullmatch(r"/bot([^/]*)/(\w+)", path)
        if not match or ":" not in match[1]:
            return error(Fails(404, "Not Found"))
        if match[1] != self.token:
            return error(Fails(401, "Unauthorized"))
        method = match[2]
        self.calls.append(Call(method, given, self._loop.time()))
        queue = self.acts[method]
        act = queue.popleft() if queue else None
        match act:
            case Fails():
                self.refused.append((method, act.description))
                return error(act)
            case Garbled():
                return 200, act.text, {"content-type": "text/html"}
            case Hangs() | Drops():
                if act.taken:
                    await self._do(method, given)
                if isinstance(act, Hangs):
                    await asyncio.sleep(3600)
                raise ConnectionResetError
        try:
            result = await self._do(method, given)
        except Refused as refused:
            return self._refuse(method, Fails(400, f"Bad Request: {refused}"))
        except _Failed as failed:
            return self._refuse(method, failed.fails)
        return 200, json.dumps({"ok": True, "result": result}), {}

    def _refuse(self, method: str, fails: Fails) -> tuple[int, str, dict[str, str]]:
        self.refused.append((method, fails.description))
        return error(fails)

    async def _do(self, method: str, given: dict[str, Any]) -> Any:
        handler: Callable[[dict[str, Any]], Any] | None = getattr(self, f"_on_{method}", None)
        if handler is None:
            raise _Failed(Fails(404, "Not Found: method not found"))
        done = handler(given)
        return await done if asyncio.iscoroutine(done) else done

    # The account and its chats

    def _on_getMe(self, given: dict[str, Any]) -> Any:
        return BOT

    def _on_getChat(self, given: dict[str, Any]) -> Any:
        chat = self._chat(given)
        return self._known(
            {**self.chats[chat], "accent_color_id": 0, "max_reaction_count": 1, **_GIFTS}
        )

    def _on_getChatMember(self, given: dict[str, Any]) -> Any:
        return self._known(self.members[self._chat(given)])

    def _known(self, answer: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in answer.items() if name not in self.lacks}

    def _chat(self, given: dict[str, Any]) -> int:
        """The chat, if the bot is in it."""
        name = str(given.get("chat_id", ""))
        chat = next(
            (c for c, about in self.chats.items() if name in {str(c), f"@{about.get('username')}"}),
            None,
        )
        if chat is None:
            raise Refused("chat not found" if name else "chat_id is empty")
        if chat in self.moved:
            raise _Failed(
                Fails(
                    400,
                    "Bad Request: group chat was upgraded to a supergroup chat",
                    {"migrate_to_chat_id": self.moved[chat]},
                )
            )
        status = self.members[chat]["status"]
        if status == "kicked":
            kind = "channel" if self.chats[chat]["type"] == "channel" else "supergroup"
            raise _Failed(Fails(403, f"Forbidden: bot was kicked from the {kind} chat"))
        if status == "blocked":
            raise _Failed(Fails(403, "Forbidden: bot was blocked by the user"))
        return chat

    # Messages

    def _on_sendMessage(self, given: dict[str, Any]) -> Any:
        chat = self._chat(given)
        topic = int(given["message_thread_id"]) if "message_thread_id" in given else None
        if topic is not None and topic not in self.topics[chat]:
            raise Refused("message thread not found")
        member = self.members[chat]
        if self.chats[chat]["type"] == "channel" and not member.get("can_post_messages"):
            raise Refused("need administrator rights in the channel chat")
        if member["status"] == "restricted" and not member.get("can_send_messages"):
            raise Refused("not enough rights to send text messages to the chat")
        shown = self._message(given, Shown(0, chat, "", [], [], topic))
        shown.reply_to = self._reply(given, chat)
        shown.silent = given.get("disable_notification") == "true"
        self._count(chat, new=True)
        shown.id, shown.at = self._number(), self._loop.time()
        self.shown[chat, shown.id] = shown
        return self._told(shown)

    def _on_sendPhoto(self, given: dict[str, Any]) -> Any:
        """https://core.telegram.org/bots/api#sendphoto"""
        chat = self._chat(given)
        topic = int(given["message_thread_id"]) if "message_thread_id" in given else None
        if topic is not None and topic not in self.topics[chat]:
            raise Refused("message thread not found")
        if self.members[chat].get("can_send_photos") is False:
            raise Refused("not enough rights to send photos to the chat")
        (photo,) = (value for value in given.values() if isinstance(value, bytes))
        if size_of(photo) is None or len(photo) > 10_000_000:
            raise Refused("IMAGE_PROCESS_FAILED")
        if len(given.get("caption", "")) > 1024:
            raise Refused("message caption is too long")
        self._count(chat, new=True)
        self.photos.append((chat, given.get("caption", ""), self._reply(given, chat), photo))
        sizes = [{"file_id": "p1", "file_unique_id": "p1", "width": 1200, "height": 600}]
        return {
            "message_id": self._number(),
            "date": int(time.time()),
            "chat": self.chats[chat],
            "photo": sizes,
        }

    def _on_editMessageText(self, given: dict[str, Any]) -> Any:
        chat = self._chat(given)
        shown = self.shown.get((chat, int(given.get("message_id", 0))))
        if shown is None:
            raise Refused("message to edit not found")
        edited = self._message(given, replace(shown))
        if (edited.text, edited.entities, edited.keyboard) == (
            shown.text,
            shown.entities,
            shown.keyboard,
        ):
            raise Refused(
                "message is not modified: specified new message content and reply markup are exactly"
                " the same as a current content and reply markup of the message"
            )
        self._count(chat, new=False)
        edited.edits += 1
        self.shown[chat, shown.id] = edited
        return self._told(edited)

    def _message(self, given: dict[str, Any], shown: Shown) -> Shown:
        if "parse_mode" in given:
            raise Refused("this server wants entities, no markup")
        preview = _json(given, "link_preview_options", {})
        if preview.get("is_disabled") is not True:
            raise Refused("this server wants no previews of links")
        shown.text, shown.entities = taken(given.get("text", ""), _json(given, "entities", []))
        shown.keyboard = _keyboard(_json(given, "reply_markup", {}))
        return shown

    def _reply(self, given: dict[str, Any], chat: int) -> int | None:
        reply = _json(given, "reply_parameters", None)
        if reply is None:
            return None
        if (chat, reply["message_id"]) in self.shown or self._heard(chat, reply["message_id"]):
            return reply["message_id"]
        if not reply.get("allow_sending_without_reply"):
            raise Refused("message to be replied not found")
        return None

    def _heard(self, chat: int, message: int) -> bool:
        messages = (update.get("message", {}) for update in self._updates)
        return any(
            one.get("message_id") == message and one["chat"]["id"] == chat
            for one in messages
            if one
        )

    def _told(self, shown: Shown) -> dict[str, Any]:
        return {
            "message_id": shown.id,
            "date": int(time.time()),
            "chat": self.chats[shown.chat],
            "from": BOT,
            "text": shown.text,
        }

    def _count(self, chat: int, *, new: bool) -> None:
        """429 if any interval would contain too many. Edits count for the chat and in total."""
        if self.limits is None:
            return
        now, scale = self._count_clock(), self.limits.scale
        group = self.chats[chat]["type"] != "private"
        windows = [(("all",), self.limits.overall, 1.0), ((chat,), self.limits.chat, 1.0)]
        if group and new:
            windows.append(((chat, "group"), self.limits.group, 60.0))
        for key, count, seconds in windows:
            sent = self._sent[key]
            while sent and sent[0] <= now - seconds / scale:
                sent.popleft()
            if len(sent) >= count:
                wait = sent[0] + seconds / scale - now
                raise _Failed(too_many(max(1, math.ceil(wait)) if scale == 1 else wait))
        for key, _, _ in windows:
            self._sent[key].append(now)

    def _number(self) -> int:
        self._next_message += 1
        return self._next_message

    # Receiving

    async def _on_getUpdates(self, given: dict[str, Any]) -> Any:
        if self.webhook:
            raise _Failed(
                Fails(
                    409,
                    "Conflict: can't use getUpdates method while webhook is active; use"
                    " deleteWebhook to delete the webhook first",
                )
            )
        self.polls += 1
        if self._poll is not None and not self._poll.done():
            self._poll.set_result(False)  # the later one wins
        self._poll = poll = self._loop.create_future()
        offset = int(given.get("offset", 0))
        self._confirmed = max(self._confirmed, offset)
        if self.silent:
            await asyncio.sleep(3600)
        deadline = self._loop.time() + float(given.get("timeout", 0))
        while not (ready := self._waiting(given)) and self._loop.time() < deadline:
            try:
                async with asyncio.timeout_at(deadline):
                    mine = await asyncio.shield(poll)
            except TimeoutError:
                break
            if not mine:
                raise _Failed(
                    Fails(
                        409,
                        "Conflict: terminated by other getUpdates request; make sure that only one"
                        " bot instance is running",
                    )
                )
            self._poll = poll = self._loop.create_future()
        return ready

    def _waiting(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        wanted = _json(given, "allowed_updates", None)
        limit = int(given.get("limit", 100))
        since, self._again = (0 if self._again else self._confirmed), False
        return [
            one
            for one in self._updates
            if one["update_id"] >= since and (not wanted or set(wanted) & one.keys())
        ][:limit]

    def _wake(self) -> None:
        if self._poll is not None and not self._poll.done():
            self._poll.set_result(True)

    def _on_answerCallbackQuery(self, given: dict[str, Any]) -> Any:
        query = given.get("callback_query_id", "")
        if query in self.answered or not any(
            one.get("callback_query", {}).get("id") == query for one in self._updates
        ):
            raise Refused("query is too old and response timeout expired or query ID is invalid")
        if len(given.get("text", "")) > 200:
            raise Refused("MESSAGE_TOO_LONG")
        self.answered.append(query)
        return True

    def _on_setMyCommands(self, given: dict[str, Any]) -> Any:
        commands = _json(given, "commands", [])
        if len(commands) > 100:
            raise Refused("BOT_COMMANDS_TOO_MUCH")
        for one in commands:
            if not re.fullmatch(r"[a-z0-9_]{1,32}", one["command"]):
                raise Refused("BOT_COMMAND_INVALID")
            if not 1 <= len(one["description"]) <= 256:
                raise Refused("BOT_COMMAND_DESCRIPTION_INVALID")
        language = given.get("language_code", "")
        if not re.fullmatch(r"[a-z]{2}|", language):
            raise Refused("LANG_CODE_INVALID")
        scope = _json(given, "scope", {"type": "default"})["type"]
        if scope not in _SCOPES:
            raise Refused("can't parse BotCommandScope: unsupported type specified")
        self.menus[scope, language] = commands
        return True

    def _on_setWebhook(self, given: dict[str, Any]) -> Any:
        if not given.get("url", "").startswith("https://"):
            raise Refused("bad webhook: An HTTPS URL must be provided for webhook")
        secret = given.get("secret_token", "")
        if secret and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret):
            raise Refused("secret token contains unallowed characters")
        self.webhook = {"url": given["url"], "secret_token": secret}
        if self._poll is not None and not self._poll.done():
            self._poll.set_result(False)
        return True

    def _on_deleteWebhook(self, given: dict[str, Any]) -> Any:
        self.webhook = {}
        return True

    def _on_getWebhookInfo(self, given: dict[str, Any]) -> Any:
        url = self.webhook.get("url", "")
        return {"url": url, "has_custom_certificate": False, "pending_update_count": 0}


_SCOPES = frozenset(
    {"default", "all_private_chats", "all_group_chats", "all_chat_administrators"}
    | {"chat", "chat_administrators", "chat_member"}
)
_ADMIN_RIGHTS = [
    "can_be_edited",
    "is_anonymous",
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
]
_GIFTS = {
    "accepted_gift_types": dict.fromkeys(
        (
            "unlimited_gifts",
            "limited_gifts",
            "unique_gifts",
            "premium_subscription",
            "gifts_from_channels",
        ),
        False,
    )
}


class _Failed(Exception):
    def __init__(self, fails: Fails) -> None:
        self.fails = fails


def _keyboard(markup: dict[str, Any]) -> list[list[dict[str, str]]]:
    rows = markup.get("inline_keyboard", [])
    for key in (key for row in rows for key in row):
        if not key["text"]:
            raise Refused("inline keyboard button text must be non-empty")
        if "url" in key:
            link(key["url"], "inline keyboard button")
        elif not 1 <= len(key.get("callback_data", "").encode()) <= 64:
            raise Refused("BUTTON_DATA_INVALID")
    if sum(map(len, rows)) > 100 or any(len(row) > 8 for row in rows):
        raise Refused("reply markup is too long")
    return [row for row in rows if row]


def _entities(text: str) -> list[dict[str, Any]]:
    """What the server finds in a person's text, in the form of an update."""
    _, entities = taken(text, [])
    return [{"type": e.type, "offset": e.offset, "length": e.length} for e in entities]


def _json(given: dict[str, Any], name: str, default: Any) -> Any:
    value = given.get(name, default)
    return json.loads(value) if isinstance(value, str) else value
