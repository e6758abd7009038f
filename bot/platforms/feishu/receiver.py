"""Feishu's messages to the bot, through the long connection or by calls over HTTP.

Every call is encrypted and signed with the app's Encrypt Key, except the first, which verifies the
address and is only encrypted.
https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/encrypt-key-encryption-configuration-case
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from bot.messaging import receiver
from bot.messaging.inbox import Arrival, Inbox, Unkept, hearing
from bot.messaging.sender import Part, Receipt, SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.feishu.connection import LongConnection, SocketTiming, Take
from bot.platforms.feishu.events import TOAST, FeishuMessage, is_press
from bot.platforms.feishu.events import read as read_event
from bot.platforms.feishu.open_api import Api, Json
from bot.platforms.feishu.sender import ChatInfo, FeishuSender

WINDOW = 300  # seconds that a request's time may differ from ours
_BLOCK = 16


class Unreadable(ValueError):
    """The text cannot have been encrypted with the key."""


def is_signed(key: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether Feishu signed the request recently. ``headers`` have names in lower case."""
    stamp = headers.get("x-lark-request-timestamp", "")
    nonce = headers.get("x-lark-request-nonce", "")
    given = headers.get("x-lark-signature", "")
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(now - int(stamp)) > WINDOW:
        return False
    signed = hashlib.sha256(f"{stamp}{nonce}{key}".encode() + body).hexdigest()
    return hmac.compare_digest(signed.encode(), given.encode())


def opening(key: str) -> Callable[[str], bytes]:
    """Decrypts AES-256-CBC with the hash of a key, the first block its start."""
    # The key is prepared once: events come in hundreds. May raise ``Unreadable``.
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES256
    from cryptography.hazmat.primitives.ciphers.modes import CBC
    from cryptography.hazmat.primitives.padding import PKCS7

    prepared = AES256(hashlib.sha256(key.encode()).digest())

    def opened(text: str) -> bytes:
        try:
            sealed = base64.b64decode(text, validate=True)
            cipher = Cipher(prepared, CBC(sealed[:_BLOCK])).decryptor()
            padding = PKCS7(AES256.block_size).unpadder()
            padded = cipher.update(sealed[_BLOCK:]) + cipher.finalize()
            return padding.update(padded) + padding.finalize()
        except (ValueError, binascii.Error) as error:
            raise Unreadable("not encrypted with this key") from error

    return opened


class FeishuWebEvents:
    """The ASGI application for events and button presses."""

    def __init__(self, take: Take, key: str, token: str = "") -> None:
        """``token`` is the Verification Token; it is compared if given."""
        self._take = take
        self._key = key
        self._open: Callable[[str], bytes] | None = None
        self._token = token
        self._replays = receiver.Replays(WINDOW)

    async def __call__(
        self, scope: receiver.AsgiScope, receive: receiver.AsgiReceive, send: receiver.AsgiSend
    ) -> None:
        """Answer one request: 401 and nothing else if it is unsigned or a replay."""
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":
            status, said = 405, Json()
        elif (body := await receiver.body_of(receive)) is None:
            status, said = 413, Json()
        else:
            status, said = await self.answer(receiver.headers_of(scope), body)
        await receiver.reply(send, status, json.dumps(said).encode(), receiver.JSON)

    async def answer(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Json]:
        """The status and the body of the answer to a request."""
        signed = is_signed(self._key, headers, body, time.time())
        found = self._decrypt_event(body)
        if found is None or not self._ours(found[0]):
            return 401, {}
        event, text = found
        if event.get("type") == "url_verification":
            return 200, {"challenge": event.get("challenge")}
        signature = headers.get("x-lark-signature", "")
        if not signed or not self._replays.first(signature, time.time()):
            return 401, {}
        try:
            return 200, await self._take(event, text) or {}
        except Unkept:
            # It is delivered again after 15 seconds.
            self._replays.forget(signature)
            return 503, {}

    def _decrypt_event(self, body: bytes) -> tuple[Json, str] | None:
        """The event and its text; ``None`` if it was not encrypted for us."""
        if self._open is None:
            self._open = opening(self._key)
        try:
            text = self._open(json.loads(body)["encrypt"]).decode()
            event = json.loads(text)
        except (ValueError, LookupError, TypeError, RecursionError):
            return None
        return (event, text) if isinstance(event, dict) else None

    def _ours(self, event: Json) -> bool:
        """Whether the event names the Verification Token, at the place of either version."""
        header = event.get("header")
        named = (header if isinstance(header, dict) else event).get("token")
        return not self._token or hmac.compare_digest(
            str(named).encode("utf-8", "replace"), self._token.encode()
        )


class Feishu(FeishuSender):
    """Posts and listens: through a connection of its own, or through calls of ``web``."""

    def __init__(
        self, api: Api, key: str = "", token: str = "", timing: SocketTiming | None = None
    ) -> None:
        """``key`` and ``token`` are of calls over HTTP; without, it opens a connection."""
        super().__init__(api)
        self.inbox = Inbox()
        self.web: receiver.Asgi | None = FeishuWebEvents(self.take, key, token) if key else None
        self.ear = receiver.Ear()
        self._around = ChatInfo(api)
        self._timing = timing

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post, and remember that the bot takes part in the thread."""
        receipt = await super().send(chat, part, reply_to)
        self._around.joined(receipt.thread or receipt.message)
        return receipt

    async def listen(self) -> AsyncIterator[receiver.Incoming]:
        """The messages as they arrive. Raises ``SendError`` if Feishu refuses the app."""
        bot, wire = await self._own_id(), HttpClient()
        bringing: Coroutine[None, None, None] | None = None
        if self.web is None:
            bringing = LongConnection(self._api, wire, self.take, self._timing, self.ear).run()

        async def read(arrival: Arrival) -> receiver.Incoming | None:
            heard = read_event(json.loads(arrival.content), bot, arrival.at)
            return None if heard is None else await self._completed_message(heard, bot)

        try:
            async with aclosing(hearing(self.inbox, read, bringing, self.ear)) as heard:
                async for incoming in heard:
                    yield incoming
        finally:
            await wire.aclose()

    async def take(self, event: Any, text: str) -> Json | None:
        """Store an event as received; return the content of its answer. Raises ``Unkept``."""
        await self.inbox.put(text)
        return TOAST if is_press(event) else None

    async def _completed_message(self, heard: FeishuMessage, bot: str) -> receiver.Incoming | None:
        """The message with what the event lacks, if it is for the bot. Raises ``SendError``."""
        if heard.thread and not await self._around.takes_part(heard.thread, bot):
            return None
        return heard.incoming if heard.settled else await self._complete(heard.incoming)

    async def _complete(self, incoming: receiver.Incoming) -> receiver.Incoming:
        chat = await self._around.chat(incoming.chat)
        receipt = incoming.receipt
        if chat.direct and receipt is not None:
            # In a direct chat an answer needs no thread.
            receipt = replace(receipt, thread="")
        external = incoming.external or (chat.external and not chat.direct)
        return replace(incoming, direct=chat.direct, external=external, receipt=receipt)

    async def _own_id(self) -> str:
        bot = (await self._api.call("GET", "/bot/v3/info")).get("bot") or {}
        open_id = bot.get("open_id")
        if not isinstance(open_id, str) or not open_id:
            raise SendError(
                SendReason.UNAUTHORIZED, "the app has no bot; enable the bot capability"
            )
        return open_id
