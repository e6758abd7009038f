"""Socket Mode: a connection that is watched, replaced before it closes, and rebuilt when dead.

The library's client reconnects by itself, but can stay deaf: it retries the same used-up address
forever, and considers a connection alive on which nothing arrives. So each client here serves one
connection and only reports when that ends. https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import structlog
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.messaging.inbox import Keep, Unkept
from bot.messaging.receiver import Ear
from bot.messaging.sender import SendError, SendReason
from bot.platforms.slack.web_api import SlackWebApi, quiet
from bot.platforms.slack.web_events import SAYS
from bot.util.machine import loop_time
from digest.frozen import frozen

log = structlog.get_logger(__name__)

Json = dict[str, Any]
_AGAIN = frozenset(
    {SendReason.RATE_LIMITED, SendReason.UNAVAILABLE, SendReason.NO_ANSWER, SendReason.BROKEN}
)


@frozen
class Timing:
    """Times in seconds."""

    ping: float = 10.0  # without a pong for about one and a half, a connection is given up
    connect: float = 10.0  # for the handshake and the greeting
    quiet: float = 900.0  # after this long without a delivery the connection is replaced
    first: float = 1.0  # the pause after a failure, doubled each time
    longest: float = 60.0


class _Connection(SocketModeClient):
    """One connection; it reports its end and does not reconnect."""

    def __init__(self, app_token: str, web: AsyncWebClient, ping: float) -> None:
        super().__init__(app_token, logger=quiet, web_client=web, ping_interval=ping)
        self.ended = asyncio.Event()
        self.greeted = asyncio.Event()
        self.reason = ""
        self.planned = False
        self.heard_at = loop_time()
        self.message_listeners.append(self._note)

    async def _note(self, _: AsyncBaseSocketModeClient, message: Json, __: str | None) -> None:
        self.heard_at = loop_time()
        if message.get("type") == "hello":
            self.greeted.set()

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        """Called by the library to reconnect; ``force`` if Slack asks for it."""
        if not self.ended.is_set():
            self.planned = force
            self.reason = "refresh" if force else "lost"
            self.ended.set()

    async def end(self) -> None:
        """Close, without waiting long for the other side; whoever is cancelled meanwhile waits."""
        closing = asyncio.create_task(self._close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await closing  # sockets that nobody closes would stay open; this takes a second at most
            raise

    async def _close(self) -> None:
        self.closed = True
        if self.current_session is not None:
            with contextlib.suppress(TimeoutError, OSError):
                async with asyncio.timeout(1):
                    await self.current_session.close()
        tasks = [self.message_processor, self.current_session_monitor, self.message_receiver]
        running = [task for task in tasks if task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.aiohttp_client_session.close()


def _proxy_of(address: str) -> str | None:
    """The environment's proxy for an address; the library ignores NO_PROXY."""
    parts = urlsplit(address)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get("http" if parts.scheme == "ws" else "https")


class SocketMode:
    """Keeps one connection up, and acknowledges deliveries once they are stored."""

    def __init__(
        self,
        calls: SlackWebApi,
        app_token: str,
        keep: Keep,
        timing: Timing | None = None,
        *,
        ear: Ear | None = None,
    ) -> None:
        self._ear = ear or Ear()
        self._calls = calls
        self._token = app_token
        self._keep = keep
        self._timing = timing or Timing()
        self._failures = 0

    async def run(self) -> None:
        """Listen until cancelled. Raises ``SendError`` if Slack refuses the token."""
        connection: _Connection | None = None
        try:
            while True:
                before, connection = connection, await self._connect_until_greeted()
                if before is not None:
                    await before.end()
                reason = await self._watch(connection)
                log.info("slack.reconnecting", reason=reason)
                if not connection.planned:
                    self._ear.fails(f"the connection ended: {reason}")
                if not connection.planned:
                    await connection.end()
                    connection = None
        finally:
            if connection is not None:
                await connection.end()

    async def _connect_until_greeted(self) -> _Connection:
        """A greeted connection, after as many attempts as it takes."""
        while True:
            pause = min(self._timing.first * 2**self._failures, self._timing.longest)
            try:
                connection = await self._connect()
            except SendError as error:
                if error.reason not in _AGAIN:
                    raise
                self._failures += 1
                self._ear.fails(str(error))
                pause = max(pause * random.uniform(0.5, 1), error.retry_after or 0)  # noqa: S311  # spreads load, guards nothing
                log.warning("slack.unreachable", error=str(error), pause=round(pause, 1))
                await asyncio.sleep(pause)
            else:
                self._failures = 0
                self._ear.hears()
                log.info("slack.connected")
                return connection

    async def _connect(self) -> _Connection:
        # The address is valid for one attempt, and its ticket is a secret.
        opened = await self._calls.post("apps.connections.open", self._token)
        connection = _Connection(self._token, self._calls.client, self._timing.ping)
        connection.wss_uri = str(opened.get("url", ""))
        connection.proxy = _proxy_of(connection.wss_uri)
        connection.socket_mode_request_listeners.append(self._take)
        try:
            async with asyncio.timeout(self._timing.connect):
                await connection.connect()  # type: ignore[no-untyped-call]  # the library's own
                await connection.greeted.wait()
        except BaseException as error:
            await connection.end()
            if isinstance(error, TimeoutError):
                raise SendError(SendReason.UNAVAILABLE, "Socket Mode: no greeting") from None
            raise
        return connection

    async def _watch(self, connection: _Connection) -> str:
        """Wait until the connection must be replaced; return why."""
        while True:
            try:
                async with asyncio.timeout_at(connection.heard_at + self._timing.quiet):
                    await connection.ended.wait()
            except TimeoutError:
                if loop_time() - connection.heard_at >= self._timing.quiet:
                    connection.planned = True
                    return "quiet"
            else:
                return connection.reason

    async def _take(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        """Store and acknowledge it: Slack waits three seconds before it sends again."""
        try:
            await self._keep(json.dumps(request.payload))
        except Unkept:
            return
        said = SocketModeResponse(request.envelope_id, SAYS.get(request.type))
        try:
            await client.send_socket_mode_response(said)
        except (OSError, RuntimeError) as error:
            # It will be delivered again, and recognised by its identity.
            log.info("slack.unacknowledged", error=type(error).__name__)
