"""Feishu calling over HTTP: an ASGI application behind the program's web server.

Every request is encrypted and signed with the app's Encrypt Key, but for the first, which asks
whether the address is ours and is only encrypted.
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
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bot.platforms.base import AsgiReceive, AsgiScope, AsgiSend
from bot.transport.called import JSON, body_of, headers_of, reply
from bot.transport.inbox import Unkept
from bot.transport.replays import Replays

Json = dict[str, Any]

Take = Callable[[Json], Awaitable[Json | None]]
"""Writes an event down and gives what its answer says. Raises ``Unkept``."""

WINDOW = 300
"""Seconds that a request's time may lie from ours."""

_BLOCK = 16


class Unreadable(ValueError):
    """What cannot have been encrypted with the key."""


def verified(key: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether Feishu signed the request, lately. ``headers`` have names in lower case."""
    stamp = headers.get("x-lark-request-timestamp", "")
    nonce = headers.get("x-lark-request-nonce", "")
    given = headers.get("x-lark-signature", "")
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(now - int(stamp)) > WINDOW:
        return False
    signed = hashlib.sha256(f"{stamp}{nonce}{key}".encode() + body).hexdigest()
    return hmac.compare_digest(signed.encode(), given.encode())


def decrypted(key: str, text: str) -> bytes:
    """The plain text of AES-256-CBC with the hash of the key, its first block the start value.

    Raises :class:`Unreadable`.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES256
    from cryptography.hazmat.primitives.ciphers.modes import CBC
    from cryptography.hazmat.primitives.padding import PKCS7

    try:
        sealed = base64.b64decode(text, validate=True)
        start, sealed = sealed[:_BLOCK], sealed[_BLOCK:]
        cipher = Cipher(AES256(hashlib.sha256(key.encode()).digest()), CBC(start)).decryptor()
        padded = cipher.update(sealed) + cipher.finalize()
        unpadder = PKCS7(8 * _BLOCK).unpadder()
        return unpadder.update(padded) + unpadder.finalize()
    except (ValueError, binascii.Error) as error:
        raise Unreadable("not encrypted with this key") from error


class WebEvents:
    """The ASGI application for events and for what is pressed.

    ``take`` writes an event down and gives what the answer says; it is set before anybody calls.
    """

    def __init__(self, key: str, token: str = "", clock: Callable[[], float] = time.time) -> None:
        """``token`` is the Verification Token, compared where it is given."""
        self.take: Take = _refuse
        self._key = key
        self._token = token
        self._clock = clock
        self._replays = Replays(WINDOW)

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one request: 401 and nothing else to what Feishu did not sign, or signed once."""
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":
            status, said = 405, Json()
        elif (body := await body_of(receive)) is None:
            status, said = 413, Json()
        else:
            status, said = await self.answer(headers_of(scope), body)
        await reply(send, status, json.dumps(said).encode(), JSON)

    async def answer(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Json]:
        """The status and the body of the answer to a request."""
        signed = verified(self._key, headers, body, self._clock())
        event = self._opened(body)
        if event is None or not self._ours(event):
            return 401, {}
        if event.get("type") == "url_verification":
            return 200, {"challenge": event.get("challenge")}
        signature = headers.get("x-lark-signature", "")
        if not signed or not self._replays.first(signature, self._clock()):
            return 401, {}
        try:
            return 200, await self.take(event) or {}
        except Unkept:
            # Delivered again in a quarter of a minute.
            self._replays.forget(signature)
            return 503, {}

    def _opened(self, body: bytes) -> Json | None:
        try:
            event = json.loads(decrypted(self._key, json.loads(body)["encrypt"]))
        except (ValueError, LookupError, TypeError):
            return None
        return event if isinstance(event, dict) else None

    def _ours(self, event: Json) -> bool:
        """Whether the event names the Verification Token, in the place of either version."""
        header = event.get("header")
        named = (header if isinstance(header, dict) else event).get("token")
        return not self._token or hmac.compare_digest(
            str(named).encode("utf-8", "replace"), self._token.encode()
        )


async def _refuse(_event: Json) -> Json | None:
    raise Unkept
