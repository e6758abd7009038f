"""Telegram calling over HTTP: an ASGI application behind the program's web server.

Every call bears the secret that the webhook was set with; without it nothing of a call is read. A
call is answered when its update was handed on, so that one which was not comes again: Telegram
repeats what is not answered with 2xx. https://core.telegram.org/bots/api#setwebhook
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import structlog

from bot.platforms.base import AsgiReceive, AsgiScope, AsgiSend, trace

if TYPE_CHECKING:
    from telegram import Update

log = structlog.get_logger(__name__)

LARGEST = 2**20
"""Bytes of a call; Telegram's are a few thousand."""

_HEADER = b"x-telegram-bot-api-secret-token"
# Calls that wait to be handed on, and for how many seconds; the rest is told to come again.
_MOST, _PATIENCE = 1000, 10.0


def secret_of(token: str) -> str:
    """64 letters that Telegram and nobody else knows, the same in every process of the account."""
    return hmac.new(token.encode(), b"digestbot webhook", hashlib.sha256).hexdigest()


class Webhook:
    """Takes calls, and hands on what they bring to whoever listens."""

    def __init__(self, secret: str, patience: float = _PATIENCE) -> None:
        self._secret = secret.encode()
        self._patience = patience
        self._waiting: asyncio.Queue[tuple[Any, asyncio.Event, str]] = asyncio.Queue(_MOST)

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one call: 401 and nothing else to what Telegram did not send."""
        if scope["type"] != "http":
            return
        status = await self._status(scope, receive)
        await send({"type": "http.response.start", "status": int(status), "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def updates(self) -> AsyncIterator[Update]:
        """What the calls bring, without an end."""
        while True:
            content, taken, call = await self._waiting.get()
            # What is yielded is dealt with in the listener's context, which then has the call's id.
            structlog.contextvars.bind_contextvars(trace=call)
            if (update := _read(content)) is not None:
                yield update
            structlog.contextvars.unbind_contextvars("trace")
            taken.set()

    async def _status(self, scope: AsgiScope, receive: AsgiReceive) -> HTTPStatus:
        given = [value for name, value in scope["headers"] if name.lower() == _HEADER]
        if len(given) != 1 or not hmac.compare_digest(given[0], self._secret):
            return HTTPStatus.UNAUTHORIZED
        if scope["method"] != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED
        body = await _body(receive)
        if body is None:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        try:
            content = json.loads(body)
        except ValueError:
            return HTTPStatus.BAD_REQUEST
        return await self._hand_on(content)

    async def _hand_on(self, content: Any) -> HTTPStatus:
        taken = asyncio.Event()
        try:
            self._waiting.put_nowait((content, taken, trace()))
            async with asyncio.timeout(self._patience):
                await taken.wait()
        except (asyncio.QueueFull, TimeoutError):
            return HTTPStatus.SERVICE_UNAVAILABLE
        return HTTPStatus.OK


def _read(content: Any) -> Update | None:
    """The update; ``None``, with a word in the log, for what is none."""
    from telegram import Update

    try:
        return Update.de_json(content, None)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        log.warning("telegram.not_an_update", error=type(error).__name__)
        return None


async def _body(receive: AsgiReceive) -> bytes | None:
    """The whole body; ``None`` where it is too large or breaks off."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > LARGEST:
            return None
        if not message.get("more_body"):
            return bytes(body)
