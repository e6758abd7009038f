"""Slack calling over HTTP: an ASGI application behind the program's web server.

A request is verified before anything of it is read: https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Callable, Mapping, Sequence

from slack_bolt.response import BoltResponse

from bot.platforms.base import AsgiReceive, AsgiScope, AsgiSend
from bot.platforms.slack.installing import Installing
from bot.platforms.slack.intake import Intake
from bot.replays import Replays

WINDOW = 300
"""Seconds that a request's time may lie from ours, by Slack's own page."""

LARGEST = 2**20
"""Bytes of a request; Slack's are a few thousand."""


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
        intake: Intake,
        secret: str,
        installing: Installing | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._intake = intake
        self._installing = installing
        self._secret = secret
        self._clock = clock
        self._replays = Replays(WINDOW)

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one request: 401 and nothing else to what Slack did not sign, or signed once."""
        if scope["type"] != "http":
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        if scope["method"] == "GET" and self._installing is not None:
            query = scope.get("query_string", b"").decode("latin-1")
            visited = await self._installing.answer(scope["path"], query, headers)
            if visited is not None:
                await _pass_on(send, visited)
                return
        if scope["method"] != "POST":
            await _reply(send, 405)
            return
        body = await _body(receive)
        if body is None:
            await _reply(send, 413)
            return
        if not verified(self._secret, headers, body, self._clock()):
            await _reply(send, 401)
            return
        try:
            text = body.decode()
        except UnicodeDecodeError:
            await _reply(send, 400)
            return
        signature = headers["x-slack-signature"]
        if not self._replays.first(signature, self._clock()):
            await _reply(send, 401)
            return
        answer = await self._intake.dispatch(text, headers, mode="http")
        if answer.status >= 500:
            self._replays.forget(signature)
        await _pass_on(send, answer)


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


async def _pass_on(send: AsgiSend, answer: BoltResponse) -> None:
    # Slack takes anything but 2xx as a failure and delivers again; what nobody listens to is not
    # wanted again.
    status = 200 if answer.status == 404 else answer.status
    body = "" if answer.status == 404 else answer.body
    headers = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, values in answer.headers.items()
        for value in values
    ]
    await _reply(send, status, body.encode(), headers)


async def _reply(
    send: AsgiSend, status: int, body: bytes = b"", headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
