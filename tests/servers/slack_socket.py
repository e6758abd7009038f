"""Socket Mode on loopback: envelopes, acknowledgements, redelivery, refreshes and silence."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web


@dataclass
class Envelope:
    """A delivery; ``acked`` are the answers to it, with the seconds since it was sent."""

    id: str
    kind: str
    payload: dict[str, Any]
    attempt: int = 0
    sent: float = 0.0
    acked: list[tuple[float, Any]] = field(default_factory=list)


class Sockets:
    """The connections of one app; each envelope goes to one of them, the newest."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.port = 0
        self.patience = 3.0
        self.greets = True
        self.silent = False
        self.opened = 0
        self.pings = 0
        self.envelopes: list[Envelope] = []
        self._loop = loop
        self._tickets = (f"ticket-secret-{n}" for n in itertools.count())
        self._valid: set[str] = set()
        self._open: list[web.WebSocketResponse] = []
        self._numbers = itertools.count()
        self._heard: dict[str, tuple[Envelope, asyncio.Event]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        return len(self._open)

    def ticket(self) -> str:
        """A URL that is valid for one connection."""
        ticket = next(self._tickets)
        self._valid.add(ticket)
        return f"ws://127.0.0.1:{self.port}/link?ticket={ticket}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._valid:
            return web.Response(status=403)
        self._valid.discard(ticket)
        socket = web.WebSocketResponse(autoping=False, timeout=0.1)
        await socket.prepare(request)
        self.opened += 1
        if self.greets:
            await socket.send_json({"type": "hello", "num_connections": len(self._open) + 1})
        self._open.append(socket)
        silent_from = self.opened
        try:
            async for message in socket:
                if self.silent and silent_from <= self._silent_until:
                    continue
                if message.type is WSMsgType.PING:
                    self.pings += 1
                    await socket.pong(message.data)
                elif message.type is WSMsgType.TEXT:
                    self._acknowledged(json.loads(message.data))
        finally:
            if socket in self._open:
                self._open.remove(socket)
        return socket

    _silent_until = 0

    def fall_silent(self) -> None:
        """Keep the open connections, but send nothing through them any more."""
        self.silent, self._silent_until = True, self.opened

    # Called from a test's thread

    def deliver(self, kind: str, payload: dict[str, Any], *, attempts: int = 3) -> None:
        """Send, and repeat as long as no acknowledgement arrives within ``patience`` seconds."""
        self._call(self._start(kind, payload, attempts))

    def disconnect(self, reason: str = "refresh_requested", after: float = 0.3) -> None:
        """Request a refresh, and close the open connections some seconds later."""
        self._call(self._refresh(reason, after))

    def cut(self) -> None:
        """Cut every connection without a closing frame."""
        self._call(self._cut())

    def wait_for(self, what: Any, seconds: float = 120.0) -> None:
        """Wait until a condition holds."""
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, "it did not come to that"
            time.sleep(0.01)

    @property
    def acks(self) -> list[float]:
        """Seconds to each envelope's first acknowledgement."""
        return [envelope.acked[0][0] for envelope in self.envelopes if envelope.acked]

    def _call(self, what: Any) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(10)

    # In the server's loop

    async def _start(self, kind: str, payload: dict[str, Any], attempts: int) -> None:
        task = asyncio.create_task(self._deliver(kind, payload, attempts))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, kind: str, payload: dict[str, Any], attempts: int) -> None:
        for attempt in range(attempts):
            while not self._open:
                await asyncio.sleep(0.01)
            envelope = Envelope(f"envelope-{next(self._numbers)}", kind, payload, attempt)
            self.envelopes.append(envelope)
            message = {"envelope_id": envelope.id, "type": kind, "payload": payload}
            message["accepts_response_payload"] = kind != "events_api"
            if attempt:
                message |= {"retry_attempt": attempt, "retry_reason": "timeout"}
            self._heard[envelope.id] = (envelope, heard := asyncio.Event())
            envelope.sent = time.monotonic()
            try:
                await self._open[-1].send_json(message)
            except ConnectionError:
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), self.patience)
                return

    def _acknowledged(self, message: dict[str, Any]) -> None:
        envelope, heard = self._heard[message["envelope_id"]]
        envelope.acked.append((time.monotonic() - envelope.sent, message.get("payload")))
        heard.set()

    async def _refresh(self, reason: str, after: float) -> None:
        leaving = list(self._open)
        for socket in leaving:
            await socket.send_json({"type": "disconnect", "reason": reason})

        async def end() -> None:
            await asyncio.sleep(after)
            for socket in leaving:
                await socket.close()

        task = asyncio.create_task(end())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _cut(self) -> None:
        for socket in list(self._open):
            transport = socket._req.transport if socket._req else None
            if transport is not None:
                transport.abort()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self._cut()
