"""Receives Slack's calls over HTTP: an ASGI application behind the program's web server.

A request is verified before it is parsed, and answered once it is stored:
https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from bot.messaging import receiver
from bot.messaging.inbox import Keep, Unkept

if TYPE_CHECKING:
    from slack_bolt.response import BoltResponse

    from bot.platforms.slack.oauth import Installing

Json = dict[str, Any]
SAYS: dict[str, Json] = {"slash_commands": {"response_type": "in_channel"}}
"""The content of the acknowledgement by kind of delivery: without it only the asker sees the
command that is being answered."""


def challenge(text: str) -> str | None:
    """The text to send back if the body only verifies our address."""
    # https://docs.slack.dev/reference/events/url_verification
    # Searching for the word avoids parsing events.
    if not text.startswith("{") or '"url_verification"' not in text:
        return None
    try:
        body = json.loads(text)
    except ValueError:
        return None
    asked = body.get("type") == "url_verification"
    return str(body.get("challenge", "")) if asked else None


def is_check(text: str) -> bool:
    """Whether the body only checks our certificate."""
    # https://docs.slack.dev/interactivity/implementing-slash-commands
    return "ssl_check=1" in text and parse_qs(text).get("ssl_check") == ["1"]


def said_to(text: str) -> Json | None:
    """The content of the acknowledgement of a body, if any."""
    if text.startswith(("{", "payload=")):
        return None
    return SAYS["slash_commands"] if "command" in parse_qs(text) else None


WINDOW = 300  # seconds that a request's time may differ from ours, from Slack's documentation


def is_signed(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether Slack signed the request recently. ``headers`` have names in lower case."""
    stamp = headers.get("x-slack-request-timestamp", "")
    given = headers.get("x-slack-signature", "")
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(now - int(stamp)) > WINDOW:
        return False
    signed = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256)
    return hmac.compare_digest(f"v0={signed.hexdigest()}".encode(), given.encode())


class SlackWebEvents:
    """The ASGI application for events, commands and interactions."""

    def __init__(self, keep: Keep, secret: str, installing: Installing | None = None) -> None:
        self._keep = keep
        self._installing = installing
        self._secret = secret
        self._replays = receiver.Replays(WINDOW)

    async def __call__(
        self, scope: receiver.AsgiScope, receive: receiver.AsgiReceive, send: receiver.AsgiSend
    ) -> None:
        """Answer one request: 401 and nothing else if it is unsigned or a replay."""
        if scope["type"] != "http":
            return
        headers = receiver.headers_of(scope)
        if scope["method"] == "POST":
            await self._handle_call(headers, receive, send)
            return
        if scope["method"] == "GET" and self._installing is not None:
            query = scope.get("query_string", b"").decode("latin-1")
            visited = await self._installing.answer(scope["path"], query, headers)
            if visited is not None:
                await _pass_on(send, visited)
                return
        await receiver.reply(send, 405)

    async def _handle_call(
        self, headers: Mapping[str, str], receive: receiver.AsgiReceive, send: receiver.AsgiSend
    ) -> None:
        body = await receiver.body_of(receive)
        if body is None:
            await receiver.reply(send, 413)
            return
        if not is_signed(self._secret, headers, body, time.time()):
            await receiver.reply(send, 401)
            return
        try:
            text = body.decode()
        except UnicodeDecodeError:
            await receiver.reply(send, 400)
            return
        signature = headers["x-slack-signature"]
        if not self._replays.first(signature, time.time()):
            await receiver.reply(send, 401)
            return
        try:
            said = await self._store_call(text)
        except Unkept:
            self._replays.forget(signature)
            await receiver.reply(send, 503)
            return
        if said is None:
            await receiver.reply(send, 200)
        else:
            await receiver.reply(send, 200, json.dumps(said).encode(), receiver.JSON)

    async def _store_call(self, text: str) -> dict[str, str] | None:
        """Store the body, unless it is only a check; return the content of its answer."""
        if (asked := challenge(text)) is not None:
            return {"challenge": asked}
        if not is_check(text):
            await self._keep(text)
        return said_to(text)


async def _pass_on(send: receiver.AsgiSend, answer: BoltResponse) -> None:
    headers = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, values in answer.headers.items()
        for value in values
    ]
    await receiver.reply(send, answer.status, answer.body.encode(), headers)
