"""Receives updates by long polling, and reads them as messages to the bot.

Telegram keeps an update until a request confirms it, for at most 24 hours. Requests here confirm
only what was stored, so a process that dies in between gets the rest again, and repeats are
recognised by the messages' own identities. One bot token has one poller.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import datetime

import structlog
from telegram import CallbackQuery, MaybeInaccessibleMessage, Message, MessageEntity, Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError, TimedOut

from bot.messaging.inbox import Keep, Unkept
from bot.messaging.receiver import Ear, Incoming, MessageEvent
from bot.messaging.sender import CHAIN, Receipt
from bot.platforms.telegram.api_errors import seconds_of, send_error
from bot.platforms.telegram.client import Client, Me
from bot.platforms.telegram.menu import ChatPlace, language_of, question, read_press
from bot.util.machine import loop_time
from digest.frozen import frozen

log = structlog.get_logger(__name__)

_CONFLICT = "telegram.conflict"


@frozen
class PollTiming:
    """The times of polling, in seconds."""

    wait: float = 50.0  # how long Telegram keeps a request open without news
    late: float = 10.0  # how late an answer may be before the connection is taken for dead
    first: float = 1.0  # the pause after a failure, doubled each time
    longest: float = 30.0
    conflict: float = 15.0  # the pause after another poller took the updates
    disputed: float = 80.0  # a whole wait, and a pause of each poller


class Poller:
    """Stores the updates of one account as they arrive."""

    def __init__(
        self, client: Client, rhythm: PollTiming, keep: Keep, ear: Ear | None = None
    ) -> None:
        self._ear = ear or Ear()
        self._client = client
        self._rhythm = rhythm
        self._keep = keep
        self._offset: int | None = None
        self._trouble = ""
        self._disputed_until = 0.0
        self._pause = rhythm.first

    async def run(self) -> None:
        """Poll until cancelled. Raises ``SendError`` if the token is not valid (any more)."""
        while True:
            updates = await self._ask()
            try:
                await asyncio.gather(*(self._keep(update.to_json()) for update in updates))
            except Unkept:
                # The offset was not advanced, so all of them come again.
                await asyncio.sleep(self._rhythm.first)
                continue
            if updates:
                self._offset = updates[-1].update_id + 1

    async def _ask(self) -> tuple[Update, ...]:
        """The result of one request; empty, after a pause, if it fails."""
        try:
            async with asyncio.timeout(self._rhythm.wait + self._rhythm.late):
                updates = await self._client.updates(self._offset, self._rhythm.wait)
        except (TimeoutError, TimedOut):
            # A connection can look open for hours after a router has forgotten it.
            self._tell("telegram.silent", "no answer in time; reconnecting")
            await self._client.rebuild()
            await self._sleep(self._pause)
        except InvalidToken as error:
            raise send_error(error) from None
        except Conflict:
            # There was no webhook when listening began, so another process polls with our token.
            self._tell(
                _CONFLICT, "another process uses this token to receive messages; stop one of them"
            )
            self._disputed_until = loop_time() + self._rhythm.disputed
            await asyncio.sleep(self._rhythm.conflict)
        except RetryAfter as error:
            self._tell("telegram.told_to_wait", f"{seconds_of(error):g} s")
            await asyncio.sleep(seconds_of(error))
        except TelegramError as error:
            self._tell("telegram.unreachable", str(send_error(error)))
            await self._sleep(self._pause)
        else:
            self._note_recovery()
            return updates
        return ()

    def _tell(self, event: str, detail: str) -> None:
        """Log a problem once, however long it lasts."""
        if self._trouble != event:
            log.warning(event, detail=detail)
        self._trouble = event
        self._ear.fails(detail)

    def _note_recovery(self) -> None:
        if self._trouble == _CONFLICT and loop_time() < self._disputed_until:
            return  # two pollers alternate in receiving updates
        if self._trouble:
            log.info("telegram.receiving_again", after=self._trouble)
        self._trouble, self._pause = "", self._rhythm.first
        self._ear.hears()

    async def _sleep(self, pause: float) -> None:
        self._pause = min(pause * 2, self._rhythm.longest)
        await asyncio.sleep(pause)


PLATFORM = "telegram"
_COMMAND = re.compile(r"/(\w{1,64})(?:@(\w{1,64}))?(?:\s+(.*))?", re.ASCII | re.DOTALL)
_MENTIONS: list[str | None] = [MessageEntity.MENTION, MessageEntity.TEXT_MENTION]


def incoming(update: Update, me: Me, now: datetime) -> Incoming | None:
    """The message, or ``None`` if it is not for the bot."""
    # In groups that is our commands, mentions of the bot and replies to it, whatever its privacy
    # mode lets it see. Messages of bots, including our own, are ignored. Telegram reports edits to
    # bots, but not deletions.
    if update.callback_query:
        return _press(update.callback_query, now)
    if edited := update.edited_message:
        heard = _words(edited, me)
        return replace(heard, fate=MessageEvent.EDITED) if heard else None
    return _words(update.message, me) if update.message else None


def _press(press: CallbackQuery, now: datetime) -> Incoming | None:
    message = press.message
    if not press.data or message is None:
        return None  # a game, or a message that was sent through another bot
    action, value = read_press(press.data)
    return Incoming(
        platform=PLATFORM,
        chat=str(_place(message) if isinstance(message, Message) else ChatPlace(message.chat.id)),
        person=str(press.from_user.id),
        text=value,
        id=f"press {press.id}",
        at=now,
        receipt=_receipt(message, str(message.message_id)),
        direct=message.chat.type == "private",
        action=action,
        external=_public(message),
        also=_also(message),
    )


def _words(message: Message, me: Me) -> Incoming | None:
    person = _person(message)
    direct = message.chat.type == "private"
    text = _question(message, me, direct=direct) if message.text and person else None
    if not text:
        return None
    return Incoming(
        platform=PLATFORM,
        chat=str(_place(message)),
        person=person,
        text=text,
        id=str(message.message_id),
        at=message.date,
        receipt=_receipt(message, _chain(message, me)),
        direct=direct,
        external=_public(message),
        also=_also(message),
    )


def _public(message: MaybeInaccessibleMessage) -> bool:
    """Whether the group has a public name, so that anybody can find and read it."""
    return message.chat.type != "private" and bool(message.chat.username)


def _person(message: Message) -> str:
    """The author, or the group for who writes as it; empty for bots and copied posts."""
    if message.is_automatic_forward or message.via_bot:
        return ""
    if message.sender_chat:
        return str(message.sender_chat.id)
    sender = message.from_user
    return "" if sender is None or sender.is_bot else str(sender.id)


def _question(message: Message, me: Me, *, direct: bool) -> str | None:
    text = message.text or ""
    if text.startswith("/"):
        return _command(message, me, direct=direct)
    named = [
        word
        for entity, word in message.parse_entities(_MENTIONS).items()
        if _is_me(entity, word, me)
    ]
    for word in named:
        text = text.replace(word, " ", 1)
    if direct or named or _replies(message, me):
        return text.strip() or "help"
    return None


def _command(message: Message, me: Me, *, direct: bool) -> str | None:
    """The question of a command; an unknown command counts only if addressed to the bot."""
    text = message.text or ""
    match = _COMMAND.fullmatch(text)
    name, whose, rest = match.groups("") if match else ("", "", "")
    if whose and whose.lower() != me.name.lower():
        return None
    code = message.from_user.language_code if message.from_user else None
    asked = question(name, rest, language_of(code))
    return asked or (text if direct or whose else None)


def _is_me(entity: MessageEntity, word: str, me: Me) -> bool:
    if entity.user:
        return entity.user.id == me.id
    return word.lower() == f"@{me.name}".lower()


def _replies(message: Message, me: Me) -> bool:
    """Whether it answers a message of ours, other than the one that opened its topic."""
    answered = message.reply_to_message
    if answered is None or answered.forum_topic_created:
        return False
    return answered.from_user is not None and answered.from_user.id == me.id


def _place(message: Message) -> ChatPlace:
    """The place of a message; outside forums the thread id, a reply chain's, is ignored."""
    topic = message.message_thread_id if message.is_topic_message else None
    return ChatPlace(message.chat.id, topic)


def _also(message: MaybeInaccessibleMessage) -> tuple[str, ...]:
    """Other names that a configuration may use for the chat: its public name, a topic's group."""
    chat = message.chat
    topic = _place(message).topic if isinstance(message, Message) else None
    names = [f"@{chat.username}"] if chat.username else []
    if topic is None:
        return tuple(names)
    return (*(str(ChatPlace(name, topic)) for name in names), str(chat.id), *names)


def _receipt(message: MaybeInaccessibleMessage, chain: str = "") -> Receipt:
    """The message that an answer replies to; ``chain`` is our message that it continues from."""
    thread = f"{CHAIN}{chain}" if chain else ""
    return Receipt(message=str(message.message_id), thread=thread)


def _chain(message: Message, me: Me) -> str:
    answered = message.reply_to_message
    return str(answered.message_id) if answered and _replies(message, me) else ""
