"""Receives Feishu's calls over HTTP: an ASGI application behind the program's web server.

Every request is encrypted and signed with the app's Encrypt Key, except the first, which verifies
the address and is only encrypted.
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

from bot.messaging.asgi import (
    JSON,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    Replays,
    body_of,
    headers_of,
    reply,
)
from bot.messaging.inbox import Unkept

Json = dict[str, Any]
Take = Callable[[Json, str], Awaitable[Json | None]]
"""Stores an event, parsed and as received, and returns the content of its answer.

Raises ``Unkept``.
"""

WINDOW = 300
"""Seconds that a request's time may differ from ours."""

_BLOCK = 16


class Unreadable(ValueError):
    """The text cannot have been encrypted with the key."""


def verified(key: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether Feishu signed the request recently. ``headers`` have names in lower case."""
    stamp = headers.get("x-lark-request-timestamp", "")
    nonce = headers.get("x-lark-request-nonce", "")
    given = headers.get("x-lark-signature", "")
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(now - int(stamp)) > WINDOW:
        return False
    signed = hashlib.sha256(f"{stamp}{nonce}{key}".encode() + body).hexdigest()
    return hmac.compare_digest(signed.encode(), given.encode())


def decrypted(key: str, text: str) -> bytes:
    """The plain text of AES-256-CBC with the hash of the key, its first block the initial vector.

    Raises :class:`Unreadable`.
    """
    return opening(key)(text)


def opening(key: str) -> Callable[[str], bytes]:
    """A function that decrypts with a key. The key is prepared once: events come in hundreds."""
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES256
    from cryptography.hazmat.primitives.ciphers.modes import CBC

    prepared = AES256(hashlib.sha256(key.encode()).digest())

    def opened(text: str) -> bytes:
        try:
            sealed = base64.b64decode(text, validate=True)
            cipher = Cipher(prepared, CBC(sealed[:_BLOCK])).decryptor()
            return _without_padding(cipher.update(sealed[_BLOCK:]) + cipher.finalize())
        except (ValueError, binascii.Error) as error:
            raise Unreadable("not encrypted with this key") from error

    return opened


def _without_padding(padded: bytes) -> bytes:
    """PKCS#7: https://www.rfc-editor.org/rfc/rfc5652#section-6.3. Raises ``ValueError``."""
    count = padded[-1] if padded else 0
    if not 1 <= count <= _BLOCK or not padded.endswith(bytes([count]) * count):
        raise ValueError("no padding")
    return padded[:-count]


class FeishuWebEvents:
    """The ASGI application for events and button presses.

    ``take`` stores an event and returns the content of its answer; it is set before the first call.
    """

    def __init__(self, key: str, token: str = "", clock: Callable[[], float] = time.time) -> None:
        """``token`` is the Verification Token; it is compared if given."""
        self.take: Take = _refuse
        self._key = key
        self._open: Callable[[str], bytes] | None = None
        self._token = token
        self._clock = clock
        self._replays = Replays(WINDOW)

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one request: 401 and nothing else if it is unsigned or a replay."""
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
        found = self._opened(body)
        if found is None or not self._ours(found[0]):
            return 401, {}
        event, text = found
        if event.get("type") == "url_verification":
            return 200, {"challenge": event.get("challenge")}
        signature = headers.get("x-lark-signature", "")
        if not signed or not self._replays.first(signature, self._clock()):
            return 401, {}
        try:
            return 200, await self.take(event, text) or {}
        except Unkept:
            # It is delivered again after 15 seconds.
            self._replays.forget(signature)
            return 503, {}

    def _opened(self, body: bytes) -> tuple[Json, str] | None:
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


async def _refuse(_event: Json, _text: str) -> Json | None:
    raise Unkept
