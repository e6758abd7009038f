"""Receives Telegram's webhook calls: an ASGI application behind the program's web server.

A call without the secret that the webhook was set with is not read. A call is acknowledged once it
is stored; Telegram repeats a call that was not answered with 2xx.
https://core.telegram.org/bots/api#setwebhook
"""

from __future__ import annotations

import hashlib
import hmac
import json
from http import HTTPStatus

from bot.messaging.inbox import Keep, Unkept
from bot.messaging.receiver import AsgiReceive, AsgiScope, AsgiSend, body_of, reply

_HEADER = b"x-telegram-bot-api-secret-token"


def secret_of(token: str) -> str:
    """64 letters that only Telegram knows, the same in every process of the account."""
    return hmac.new(token.encode(), b"digestbot webhook", hashlib.sha256).hexdigest()


class TelegramWebhook:
    """Receives calls and stores their updates."""

    def __init__(self, secret: str, keep: Keep) -> None:
        self._secret = secret.encode()
        self._keep = keep

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one call: 401 and nothing else if Telegram did not send it."""
        if scope["type"] == "http":
            await reply(send, await self._status(scope, receive))

    async def _status(self, scope: AsgiScope, receive: AsgiReceive) -> HTTPStatus:
        given = [value for name, value in scope["headers"] if name.lower() == _HEADER]
        if len(given) != 1 or not hmac.compare_digest(given[0], self._secret):
            return HTTPStatus.UNAUTHORIZED
        if scope["method"] != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED
        body = await body_of(receive)
        if body is None:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        try:
            text = body.decode()
            json.loads(text)
        except ValueError:
            return HTTPStatus.BAD_REQUEST
        try:
            await self._keep(text)
        except Unkept:
            return HTTPStatus.SERVICE_UNAVAILABLE
        return HTTPStatus.OK
