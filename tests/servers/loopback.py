"""A platform's test server on loopback: a real HTTP server in a thread that can misbehave.

A test server derives from :class:`Loopback`, answers in ``handle``, and keeps what a person would
see. An act of its script happens before (:class:`Fails`, :class:`Breaks`, :class:`Hangs`) or after
(:class:`DropsAfter`, :class:`HangsAfter`) the request has its effect; without an act, the request
just has its effect. Acts are used up only by requests that ``counts`` accepts, not by tokens and
look-ups.
"""

from __future__ import annotations

import asyncio
import json
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.threaded import Threaded, all_taken


@dataclass(frozen=True)
class Fails:
    """A given answer; ``body`` is JSON, or sent unchanged if it is a text."""

    status: int
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Breaks:
    """The connection is cut before the request is read."""


@dataclass(frozen=True)
class Hangs:
    """No answer, and no effect."""


@dataclass(frozen=True)
class DropsAfter:
    """The request has its effect, and the connection is cut before the answer."""


@dataclass(frozen=True)
class HangsAfter:
    """The request has its effect, but there is no answer."""


Act = Fails | Breaks | Hangs | DropsAfter | HangsAfter


@dataclass(frozen=True)
class Sent:
    """What a client sent, and when by the server's clock."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    at: float

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Loopback(Threaded):
    """A server; a subclass defines ``handle`` and is used as ``with ... as server:``.

    ``server.url`` is its address.
    """

    def __init__(self, *acts: Act) -> None:
        super().__init__()
        self.script = deque(acts)
        self.sent: list[Sent] = []
        self.skew = 0.0
        self.clock = time.time
        self._runner: web.AppRunner | None = None

    @abstractmethod
    async def handle(self, sent: Sent, request: web.Request) -> web.StreamResponse:
        """Carry out a request, and answer."""

    def counts(self, sent: Sent) -> bool:
        """Whether the next act of the script applies to this request."""
        return True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def now(self) -> float:
        """The server's time, in seconds; a test may set another ``clock`` or add a ``skew``."""
        return self.clock() + self.skew

    async def _open(self) -> None:
        app = web.Application(client_max_size=10_000_000)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._runner is not None:
            await all_taken()
            await self._runner.cleanup()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        sent = Sent(
            method=request.method,
            path=request.path,
            query=dict(request.query),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=await request.read(),
            at=self.now(),
        )
        self.sent.append(sent)
        act = self.script.popleft() if self.script and self.counts(sent) else None
        match act:
            case Fails():
                return answer(act.body, act.status, act.headers)
            case Hangs():
                await asyncio.sleep(3600)
            case Breaks():
                return self._cut(request)
        response = await self.handle(sent, request)
        match act:
            case HangsAfter():
                await asyncio.sleep(3600)
            case DropsAfter():
                return self._cut(request)
        return response

    def _cut(self, request: web.Request) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()


def answer(
    body: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.StreamResponse:
    """A response: a text unchanged, anything else as JSON."""
    if isinstance(body, str):
        return web.Response(text=body, status=status, headers=headers)
    text = json.dumps(body, ensure_ascii=False)
    return web.Response(text=text, status=status, headers=headers, content_type="application/json")


class Quota:
    """At most ``count`` in any ``seconds``, as platforms count."""

    def __init__(self, count: int, seconds: float) -> None:
        self.count, self.seconds = count, seconds
        self._taken: deque[float] = deque()

    def take(self, now: float) -> bool:
        while self._taken and now - self._taken[0] >= self.seconds:
            self._taken.popleft()
        if len(self._taken) >= self.count:
            return False
        self._taken.append(now)
        return True
