"""Checks around every request: an id for the logs, limits on its body, safe response headers."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import MutableMapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import structlog

from bot.messaging.receiver import Asgi, AsgiReceive, AsgiScope, AsgiSend

log = structlog.get_logger(__name__)

_DEFAULTS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
"""Headers added unless the response sets them.
https://cheatsheetseries.owasp.org/cheatsheets/HTTP_Headers_Cheat_Sheet.html"""

_BROKEN = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>500</title>
<h1>Something went wrong</h1>
<p>This page could not be rendered. The log has the cause under trace <code>{trace}</code>.</p>
<p lang="zh">页面生成失败，原因见日志，编号 <code>{trace}</code>。</p>
<p><a href="/">digestbot</a></p>
</html>
"""

_LINGER = 1.0
_AT_ONCE = 4
"""How many bodies of the largest size may be held at a time. Bodies are held before their signature
is checked, so anybody could otherwise fill the memory."""
_SMALL = 256 * 1024
"""Bytes of a body that is always accepted: events are smaller, and connections are limited."""


class Refused(Exception):
    """A body that is rejected; ``status`` is the HTTP status of the response."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Guard:
    """An application in front of another.

    ``largest`` is the most bytes of a body, ``seconds`` the time from the request's headers to the
    end of its body: slower requests get 408, larger ones 413. The total of all bodies is limited
    too: a large one beyond it gets 503, after which platforms send again. Errors inside the
    application are answered with 500 and an id that the log has as well.
    """

    def __init__(self, inner: Asgi, largest: int, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds
        self.largest = largest
        self.held = 0
        """Bytes of the bodies held by all requests together."""

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        # Each request has a context of its own, so nothing has to be restored.
        trace = os.urandom(6).hex()
        structlog.contextvars.bind_contextvars(trace=trace)
        exchange = _Exchange(scope, receive, send, self, trace)
        await exchange.run(self._inner, self._seconds)


class _Exchange:
    """One request with its response."""

    def __init__(
        self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend, guard: Guard, trace: str
    ) -> None:
        self._guard = guard
        self._trace = trace
        self._taken = 0
        self._scope = scope
        self._receive = receive
        self._send = send
        self._began = time.perf_counter()
        self._status = 0

    async def run(self, inner: Asgi, seconds: float) -> None:
        try:
            await inner(self._scope, self._bounded(seconds), self._pass_on)
        except Refused as refused:
            await self._refuse(refused.status)
        except Exception:
            log.exception("web.broken", path=self._scope["path"])
            await self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR)
        finally:
            self._guard.held -= self._taken
        took = time.perf_counter() - self._began
        log.debug(
            "web.answered",
            method=self._scope["method"],
            path=self._scope["path"],
            status=self._status,
            seconds=round(took, 4),
        )

    def _bounded(self, seconds: float) -> AsgiReceive:
        guard, largest = self._guard, self._guard.largest
        until, whole = asyncio.get_running_loop().time() + seconds, False
        said = dict(self._scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > largest:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)

        async def receive() -> MutableMapping[str, Any]:
            nonlocal whole
            if whole:  # the next message is the client's disconnect, which may take long
                return await self._receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await self._receive()
            except TimeoutError:
                raise Refused(HTTPStatus.REQUEST_TIMEOUT) from None
            size = len(message.get("body", b""))
            self._taken += size
            guard.held += size
            if guard.held > _AT_ONCE * largest and self._taken > _SMALL:
                raise Refused(HTTPStatus.SERVICE_UNAVAILABLE)
            whole = not message.get("more_body", False)
            if self._taken > largest:
                raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return message

        return receive

    async def _discard(self) -> None:
        """Read on for a moment: closing while the client still sends would lose the response."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER):
                while (await self._receive()).get("more_body"):
                    pass

    async def _pass_on(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = list(message.get("headers", ()))
            said = {name.lower() for name, _ in headers}
            message["headers"] = headers + [one for one in _DEFAULTS if one[0] not in said]
        await self._send(message)

    async def _refuse(self, status: int) -> None:
        """Reject the request unless the response has begun, and close the half-read connection."""
        if self._status:
            return
        if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            await self._discard()
        body = (
            _BROKEN.format(trace=self._trace).encode()
            if status == HTTPStatus.INTERNAL_SERVER_ERROR
            else b""
        )
        length = str(len(body)).encode()
        headers = [(b"content-length", length), (b"connection", b"close")]
        if body:
            headers += [
                (b"content-type", b"text/html; charset=utf-8"),
                (b"cache-control", b"no-store"),
            ]
        await self._pass_on({"type": "http.response.start", "status": status, "headers": headers})
        await self._pass_on({"type": "http.response.body", "body": body})
