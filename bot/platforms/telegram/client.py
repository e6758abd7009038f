"""Calls of the Bot API through python-telegram-bot, with its failures classified.

Importing the library takes half a second, so this module is imported at the first call. The library
shares our event loop: no ``run_polling``, no ``Application``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import field
from datetime import timedelta
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

import structlog
from telegram import (
    Bot,
    BotCommand,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    MessageEntity,
    ReplyParameters,
    Update,
)
from telegram.error import BadRequest, ChatMigrated
from telegram.request import HTTPXRequest, RequestData

from bot.messaging.sender import SendError, SendReason
from bot.platforms.telegram.api_errors import ServerFault, classify_errors, is_about_markup
from bot.platforms.telegram.escaping import inert_alike
from bot.platforms.telegram.menu import COMMANDS, ChatPlace
from digest.core.enums import Language
from digest.frozen import frozen

log = structlog.get_logger(__name__)

# The library raises an error of its own for each of these, from the content of the answer.
_BOT_API = frozenset({400, 401, 403, 404, 409, 429})


class Me(NamedTuple):
    """The bot's own account; ``name`` is its user name, without the @."""

    id: int
    name: str


@frozen
class Content:
    """The content of a message, as the Bot API takes it."""

    text: str
    entities: list[MessageEntity] = field(default_factory=list)
    keyboard: InlineKeyboardMarkup | None = None

    @classmethod
    def parse(cls, body: str) -> Content:
        """The content of a part's body."""
        loaded = json.loads(body)
        rows = [[_button(**key) for key in row] for row in loaded["buttons"]]
        return cls(
            text=loaded["text"],
            entities=[MessageEntity(**entity) for entity in loaded["entities"]],
            keyboard=InlineKeyboardMarkup(rows) if rows else None,
        )

    @property
    def plain(self) -> Content:
        """The text alone. Parts of it outside code and links may become active."""
        return Content(text=inert_alike(self.text))


def _button(text: str, data: str | None = None, url: str | None = None) -> InlineKeyboardButton:
    return InlineKeyboardButton(text, callback_data=data, url=url)


def update_of(content: str) -> Update | None:
    """The update in a text; ``None`` and a log entry if it is invalid."""
    try:
        return Update.de_json(json.loads(content), None)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        log.warning("telegram.not_an_update", error=type(error).__name__)
        return None


class Request(HTTPXRequest):
    """Distinguishes answers of the Bot API from those of a proxy before it."""

    @classmethod
    def patient(cls, answer: float) -> Self:
        """Requests with this timeout, in seconds, for each step."""
        return cls(
            connect_timeout=answer / 2,
            write_timeout=answer,
            read_timeout=answer,
            pool_timeout=answer,
        )

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        *args: Any,
        **more: Any,
    ) -> tuple[int, bytes]:
        """The answer, if it is the Bot API's. Raises the library's errors."""
        status, payload = await super().do_request(url, method, request_data, *args, **more)
        if not 200 <= status <= 299 and status not in _BOT_API:
            raise ServerFault(status)
        return status, payload


class _Bot(Bot):
    """The library's bot, which also reads what older servers answer."""

    async def read(self, method: str, **given: Any) -> dict[str, Any]:
        """An answer as it came: the library's types need fields that older servers lack."""
        answer: dict[str, Any] = await self._post(method, given)
        return answer


T = TypeVar("T")
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_SINCE_7_0 = "accent_color_id"  # a field of every chat since Bot API 7.0
_TOO_OLD = (
    "the Bot API server is older than Bot API 7.0, so posts would not be replies and links would "
    "have previews; update it"
)
_UPDATES = ["message", "edited_message", "callback_query"]


class Client:
    """One account. Every method is one call and raises ``SendError`` and nothing else."""

    # The exception is :meth:`updates`, whose errors :mod:`bot.platforms.telegram.receiver` handles.

    def __init__(self, token: str, api: str, answer: float) -> None:
        """``answer`` is the wait for the answer to a call, in seconds."""
        # The library's switch to its next version's types, without warnings.
        os.environ.setdefault("PTB_TIMEDELTA", "true")
        self._calling = Request.patient(answer)
        self._polling = Request.patient(answer)
        self._bot = _Bot(
            token,
            base_url=f"{api}/bot",
            base_file_url=f"{api}/file/bot",
            request=self._calling,
            get_updates_request=self._polling,
        )
        self._moved: dict[int | str, int] = {}

    async def post(
        self, place: ChatPlace, content: Content, reply_to: int | None, *, silent: bool
    ) -> int:
        """Post a message; return its id. A silent one makes no sound."""
        reply = _reply_to(reply_to)

        async def call(place: ChatPlace, content: Content) -> int:
            message = await self._bot.send_message(
                place.chat,
                content.text,
                entities=content.entities,
                reply_markup=content.keyboard,
                message_thread_id=place.topic,
                reply_parameters=reply,
                link_preview_options=_NO_PREVIEW,
                disable_notification=silent or None,
            )
            return message.message_id

        return await self._insist(call, place, content)

    async def post_photo(
        self, place: ChatPlace, png: bytes, caption: str, reply_to: int | None
    ) -> None:
        """Post a photo as a silent reply to a message."""
        reply = _reply_to(reply_to)
        place = self._current_place(place)
        with classify_errors():
            await self._bot.send_photo(
                place.chat,
                InputFile(png, filename="chart.png"),
                caption=caption,
                message_thread_id=place.topic,
                reply_parameters=reply,
                disable_notification=True,
            )

    async def edit(self, place: ChatPlace, message: int, content: Content) -> None:
        """Replace the content of a message."""

        async def call(place: ChatPlace, content: Content) -> None:
            try:
                await self._bot.edit_message_text(
                    content.text,
                    place.chat,
                    message,
                    entities=content.entities,
                    reply_markup=content.keyboard,
                    link_preview_options=_NO_PREVIEW,
                )
            except BadRequest as error:
                if "message is not modified" not in error.message.lower():
                    raise

        await self._insist(call, place, content)

    async def _insist(
        self, call: Callable[[ChatPlace, Content], Awaitable[T]], place: ChatPlace, content: Content
    ) -> T:
        """Call a second time if the first call was refused for a reason that can be fixed."""
        with classify_errors():
            try:
                return await call(self._current_place(place), content)
            except ChatMigrated as moved:
                self.follow(place.chat, moved.new_chat_id)
                return await call(self._current_place(place), content)
            except BadRequest as refused:
                if not (is_about_markup(refused) and (content.entities or content.keyboard)):
                    raise
                log.warning("telegram.markup_refused", chat=str(place), said=refused.message[:200])
                return await call(self._current_place(place), content.plain)

    def follow(self, old: int | str, new: int) -> None:
        """Remember that a group has become a supergroup, which has another id."""
        if self._moved.get(old) != new:
            self._moved[old] = new
            log.warning("telegram.chat_moved", chat=str(old), now=str(new), todo="write the new id")

    def _current_place(self, place: ChatPlace) -> ChatPlace:
        return place._replace(chat=self._moved.get(place.chat, place.chat))

    async def me(self) -> Me:
        """The bot's own account."""
        with classify_errors():
            user = await self._bot.get_me()
            return Me(user.id, user.username or "")

    async def look(self, place: ChatPlace) -> str:
        """A chat's name and kind. Raises ``SendError`` also if the bot may not post there."""
        me = await self.me()
        chat = await self._chat(place)
        if _SINCE_7_0 not in chat:
            raise SendError(SendReason.UNSUPPORTED, _TOO_OLD)
        if chat["type"] != "private":
            with classify_errors():
                member = {"chat_id": chat["id"], "user_id": me.id}
                _check_rights(await self._bot.read("getChatMember", **member), chat["type"])
        own = " ".join(filter(None, (chat.get("first_name"), chat.get("last_name"))))
        name = chat.get("title") or own or chat.get("username") or str(chat["id"])
        topic = f", topic {place.topic} not checked" if place.topic else ""
        return f"@{me.name} in {name!r} ({chat['type']}{topic})"

    async def _chat(self, place: ChatPlace) -> dict[str, Any]:
        """https://core.telegram.org/bots/api#chatfullinfo, as far as the server knows it."""
        with classify_errors():
            chat = await self._bot.read("getChat", chat_id=self._current_place(place).chat)
            return {**chat, "id": chat["id"], "type": chat["type"]}

    async def is_public(self, place: ChatPlace) -> bool:
        """Whether a group or channel has a public name, so that anybody can find and read it."""
        chat = await self._chat(place)
        names = chat.get("username") or chat.get("active_usernames")
        return chat["type"] != "private" and bool(names)

    async def updates(self, offset: int | None, wait: float) -> tuple[Update, ...]:
        """The updates from ``offset`` on, earlier ones confirmed. Raises the library's errors."""
        return await self._bot.get_updates(
            offset=offset, timeout=timedelta(seconds=wait), allowed_updates=_UPDATES
        )

    async def rebuild(self) -> None:
        """Replace the connection that updates come through."""
        await self._polling.shutdown()
        await self._polling.initialize()

    async def drop_webhook(self) -> str:
        """Remove a webhook, which would block polling; return its host, without its path."""
        with classify_errors():
            url = (await self._bot.get_webhook_info()).url
            if url:
                await self._bot.delete_webhook()
            return urlsplit(url).hostname or ""

    async def set_webhook(self, url: str, secret: str) -> None:
        """Have Telegram call the address, with the secret in each call."""
        with classify_errors():
            await self._bot.set_webhook(url, secret_token=secret, allowed_updates=_UPDATES)

    async def set_menus(self) -> None:
        """Show the commands in private chats and groups, in every language."""
        scopes = (BotCommandScopeAllPrivateChats(), BotCommandScopeAllGroupChats())
        with classify_errors():
            for language, commands in COMMANDS.items():
                menu = [BotCommand(command.name, command.description) for command in commands]
                # The menu without a language is for all that have none of their own.
                code = None if language is Language.EN else str(language)
                for scope in scopes:
                    await self._bot.set_my_commands(menu, scope=scope, language_code=code)

    async def acknowledge(self, press: str) -> None:
        """Tell the app that a button press was received; one that is too old needs no answer."""
        with classify_errors():
            try:
                await self._bot.answer_callback_query(press)
            except BadRequest as error:
                if "query is too old" not in error.message.lower():
                    raise

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calling.shutdown()
        await self._polling.shutdown()


def _reply_to(message: int | None) -> ReplyParameters | None:
    return None if message is None else ReplyParameters(message, allow_sending_without_reply=True)


def _check_rights(member: dict[str, Any], kind: str) -> None:
    """Refuse if a member may not post, by https://core.telegram.org/bots/api#chatmember."""
    status = member["status"]
    if status in {"left", "kicked"}:
        raise SendError(SendReason.NO_CHANNEL, f"the bot is not a member of the {kind}; add it")
    mute = status == "restricted" and not member.get("can_send_messages", True)
    below = kind == "channel" and not member.get("can_post_messages", status == "creator")
    if mute or below:
        remedy = "make it an administrator who may post" if below else "let it send messages"
        detail = f"the bot may not post in the {kind}; {remedy}"
        raise SendError(SendReason.UNAUTHORIZED, detail)
