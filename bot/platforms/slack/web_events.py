"""Slack calling over HTTP: an ASGI application behind the program's web server.

A request is verified before anything of it is read, and answered once it is written down:
https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from bot.platforms.base import AsgiReceive, AsgiScope, AsgiSend
from bot.platforms.slack.acknowledging import challenge, is_check, said_to
from bot.platforms.slack.installing import Installing
from bot.transport.called import JSON, body_of, headers_of, reply
from bot.transport.inbox import Keep, Unkept
from bot.transport.replays import Replays

if TYPE_CHECKING:
    from slack_bolt.response import BoltResponse

WINDOW = 300
"""Seconds that a request's time may lie from ours, by Slack's own page."""


def verified(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether Slack signed the request, lately. ``headers`` have names in lower case."""
    stamp = headers.get("x-slack-request-timestamp", "")
    given = headers.get("x-slack-signature", "")
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(now - int(stamp)) > WINDOW:
        return False
    signed = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256)
    return hmac.compare_digest(f"v0={signed.hexdigest()}".encode(), given.encode())


class WebEvents:
    """The ASGI application for events, commands and everything that is pressed."""

    def __init__(
        self,
        keep: Keep,
        secret: str,
        installing: Installing | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._keep = keep
        self._installing = installing
        self._secret = secret
        self._clock = clock
        self._replays = Replays(WINDOW)

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one request: 401 and nothing else to what Slack did not sign, or signed once."""
        if scope["type"] != "http":
            return
        headers = headers_of(scope)
        if scope["method"] == "POST":
            await self._called(headers, receive, send)
            return
        if scope["method"] == "GET" and self._installing is not None:
            query = scope.get("query_string", b"").decode("latin-1")
            visited = await self._installing.answer(scope["path"], query, headers)
            if visited is not None:
                await _pass_on(send, visited)
                return
        await reply(send, 405)

    async def _called(
        self, headers: Mapping[str, str], receive: AsgiReceive, send: AsgiSend
    ) -> None:
        body = await body_of(receive)
        if body is None:
            await reply(send, 413)
            return
        if not verified(self._secret, headers, body, self._clock()):
            await reply(send, 401)
            return
        try:
            text = body.decode()
        except UnicodeDecodeError:
            await reply(send, 400)
            return
        signature = headers["x-slack-signature"]
        if not self._replays.first(signature, self._clock()):
            await reply(send, 401)
            return
        try:
            said = await self._taken(text)
        except Unkept:
            self._replays.forget(signature)
            await reply(send, 503)
            return
        if said is None:
            await reply(send, 200)
        else:
            await reply(send, 200, json.dumps(said).encode(), JSON)

    async def _taken(self, text: str) -> dict[str, str] | None:
        """Write the body down, unless it only asks; what its answer says."""
        if (asked := challenge(text)) is not None:
            return {"challenge": asked}
        if not is_check(text):
            await self._keep(text)
        return said_to(text)


async def _pass_on(send: AsgiSend, answer: BoltResponse) -> None:
    headers = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, values in answer.headers.items()
        for value in values
    ]
    await reply(send, answer.status, answer.body.encode(), headers)
