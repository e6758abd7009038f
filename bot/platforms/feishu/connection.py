"""The long connection: Feishu delivers events through a socket that the program opens.

Each event must be answered within three seconds; an unanswered one is delivered again, up to four
times in six hours, perhaps to another process of the same app.
https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case

The protocol is documented only by the official SDKs: an address from ``/callback/ws/endpoint``,
frames both ways, and pings from the client. A frame is a protocol buffer of nine fields, numbered
as in ``pbbp2.proto`` of every SDK and encoded here, because the library for them takes ten seconds
to import: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import field
from enum import IntEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import structlog

from bot.messaging.inbox import Unkept
from bot.messaging.receiver import Ear
from bot.messaging.sender import SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.feishu.open_api import Api
from digest.frozen import frozen

if TYPE_CHECKING:
    import aiohttp

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SEQUENCE, _LOG, _SERVICE, _METHOD, _HEADERS, _PAYLOAD = 1, 2, 3, 4, 5, 8
_MASK64 = (1 << 64) - 1


class Method(IntEnum):
    """The purpose of a frame."""

    CONTROL = 0
    DATA = 1


class BadFrame(ValueError):
    """Bytes that are not a frame."""


@frozen
class SocketFrame:
    """One message of the connection, either way. Headers map names to texts, as in HTTP."""

    method: int
    service: int = 0
    sequence: int = 0
    log: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    payload: bytes = b""

    @property
    def type(self) -> str:
        """``event``, ``card``, ``ping``, ``pong``."""
        return self.headers.get("type", "")

    def dump(self) -> bytes:
        """The frame as bytes, fields in order."""
        parts = [
            _number(_SEQUENCE, self.sequence),
            _number(_LOG, self.log),
            _number(_SERVICE, self.service),
            _number(_METHOD, self.method),
        ]
        for name, value in self.headers.items():
            parts.append(_bytes(_HEADERS, _bytes(1, name.encode()) + _bytes(2, value.encode())))
        if self.payload:
            parts.append(_bytes(_PAYLOAD, self.payload))
        return b"".join(parts)

    @classmethod
    def parse(cls, data: bytes) -> SocketFrame:
        """The frame in the bytes; unknown fields are ignored. Raises ``BadFrame``."""
        numbers: dict[int, int] = {}
        headers: dict[str, str] = {}
        payload = b""
        for number, value in _fields(data):
            if isinstance(value, int):
                numbers[number] = value
            elif number == _HEADERS:
                pair = dict(_fields(value))
                headers[_text(pair.get(1))] = _text(pair.get(2))
            elif number == _PAYLOAD:
                payload = value
        return cls(
            method=numbers.get(_METHOD, 0),
            service=numbers.get(_SERVICE, 0),
            sequence=numbers.get(_SEQUENCE, 0),
            log=numbers.get(_LOG, 0),
            headers=headers,
            payload=payload,
        )


def _text(value: int | bytes | None) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else ""


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value & _MASK64)


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields in their order, only numbers and bytes."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _read_varint(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            length, at = _read_varint(data, at)
        elif kind in {_FIXED64, _FIXED32}:
            length = 8 if kind == _FIXED64 else 4
        else:
            raise BadFrame(f"field {number} is of the unknown kind {kind}")
        if at + length > len(data):
            raise BadFrame(f"field {number} is cut off")
        if kind == _BYTES:
            yield number, data[at : at + length]
        at += length


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _MASK64, at
        shift += 7
    raise BadFrame("a number is cut off")


log = structlog.get_logger(__name__)

Json = dict[str, Any]
Take = Callable[[Any, str], Awaitable[Json | None]]
"""Stores an event, parsed and as received, and returns the content of its answer. Raises
``Unkept``."""

_AGAIN = frozenset(
    {SendReason.RATE_LIMITED, SendReason.UNAVAILABLE, SendReason.NO_ANSWER, SendReason.BROKEN}
)
_MOST_PIECES = 64  # per event, and events in pieces at a time
_PIECES_LAST = 10.0


@frozen
class SocketTiming:
    """Times in seconds."""

    ping: float = 30.0  # between pings, unless the server asks for a shorter time
    connect: float = 20.0
    first: float = 1.0  # the pause after a failure, doubled each time
    longest: float = 60.0

    @property
    def silence(self) -> float:
        """How long silence is tolerated: each ping is answered, so a silent connection is dead."""
        return 2.5 * self.ping


class LongConnection:
    """Keeps one connection up, and acknowledges events once they are stored."""

    def __init__(
        self,
        api: Api,
        wire: HttpClient,
        take: Take,
        timing: SocketTiming | None = None,
        ear: Ear | None = None,
    ) -> None:
        self._ear = ear or Ear()
        self._api = api
        self._wire = wire
        self._take = take
        self._timing = timing or SocketTiming()
        self._pieces = Pieces()
        self._answering: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Listen until cancelled. Raises ``SendError`` if Feishu refuses the app."""
        failures = 0
        while True:
            began = time.monotonic()
            try:
                why = await self._live()
            except SendError as error:
                if error.reason not in _AGAIN:
                    raise
                why, after = str(error), error.retry_after or 0.0
            else:
                after = 0.0
            lasted = time.monotonic() - began > self._timing.longest
            failures = 0 if lasted else failures + 1
            most = min(self._timing.first * 2 ** max(failures - 1, 0), self._timing.longest)
            pause = max(most * random.uniform(0.5, 1), after)  # noqa: S311  # spreads load, guards nothing
            self._ear.fails(f"the connection ended: {why}")
            log.info("feishu.reconnecting", why=why, pause=round(pause, 1))
            await asyncio.sleep(pause)

    async def _live(self) -> str:
        """Run one connection to its end; return why it ended."""
        import aiohttp

        url, service, timing = await self._endpoint()
        session = self._wire.session()
        try:
            async with asyncio.timeout(timing.connect):
                socket = await session.ws_connect(
                    url, heartbeat=None, max_msg_size=0, autoping=True
                )
        except aiohttp.WSServerHandshakeError as error:
            raise _handshake(error) from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SendError(SendReason.UNAVAILABLE, type(error).__name__) from None
        self._ear.hears()
        log.info("feishu.connected", ping=timing.ping)
        pinging = asyncio.create_task(self._ping(socket, service, timing.ping))
        try:
            return await self._hear(socket, timing.silence)
        finally:
            pinging.cancel()
            await asyncio.gather(pinging, return_exceptions=True)
            # A dead peer never confirms the close; a short wait is enough for a live one.
            with_close = asyncio.wait_for(socket.close(), 1.0)
            await asyncio.gather(with_close, return_exceptions=True)

    async def _endpoint(self) -> tuple[str, int, SocketTiming]:
        """The one-time address, which holds a secret, and the server's timing."""
        data = await self._api.endpoint()
        url = data.get("URL")
        if not isinstance(url, str) or not url.startswith(("wss://", "ws://127.0.0.1:")):
            raise SendError(SendReason.BROKEN, "no address for the long connection")
        service = parse_qs(urlsplit(url).query).get("service_id", [""])[0]
        if not service.isdecimal():
            raise SendError(SendReason.BROKEN, "no service for the long connection")
        wanted = (data.get("ClientConfig") or {}).get("PingInterval")
        timing = self._timing
        if isinstance(wanted, int | float) and 0 < wanted < timing.ping:
            timing = SocketTiming(
                ping=wanted, connect=timing.connect, first=timing.first, longest=timing.longest
            )
        return url, int(service), timing

    async def _ping(
        self, socket: aiohttp.ClientWebSocketResponse, service: int, every: float
    ) -> None:
        frame = SocketFrame(method=Method.CONTROL, service=service, headers={"type": "ping"}).dump()
        while not socket.closed:
            await socket.send_bytes(frame)
            await asyncio.sleep(every)

    async def _hear(self, socket: aiohttp.ClientWebSocketResponse, silence: float) -> str:
        import aiohttp

        while True:
            try:
                message = await socket.receive(timeout=silence)
            except TimeoutError:
                return "silence"
            if message.type is not aiohttp.WSMsgType.BINARY:
                return f"closed, {socket.close_code}"
            try:
                frame = SocketFrame.parse(message.data)
            except BadFrame as error:
                log.warning("feishu.unread", error=str(error))
                continue
            payload = self._pieces.whole(frame, time.monotonic())
            if frame.method == Method.DATA and payload is not None:
                # Events stored together share one write to disk.
                task = asyncio.create_task(self._acknowledge(socket, frame, payload))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)

    async def _acknowledge(
        self, socket: aiohttp.ClientWebSocketResponse, frame: SocketFrame, payload: bytes
    ) -> None:
        """Answer an event once it is stored; with success, even if its kind is unknown."""
        import aiohttp

        began = time.monotonic()
        try:
            said = await self._event_answer(payload)
        except Unkept:
            return  # it is delivered again after 15 seconds
        took = {"biz_rt": str(round((time.monotonic() - began) * 1000))}
        answer = SocketFrame(
            method=frame.method,
            service=frame.service,
            sequence=frame.sequence,
            log=frame.log,
            headers={**frame.headers, **took},
            payload=json.dumps(said).encode(),
        )
        try:
            await socket.send_bytes(answer.dump())
        except (aiohttp.ClientError, OSError) as error:
            # The event is delivered again and recognised by its identity; the end of the connection
            # is reported elsewhere.
            log.info("feishu.unacknowledged", error=type(error).__name__)

    async def _event_answer(self, payload: bytes) -> Json:
        said: Json = {"code": 200}
        try:
            text = payload.decode()
            event = json.loads(text)
        except (ValueError, RecursionError):
            # Repeating what cannot be parsed would not help.
            log.warning("feishu.unread", error="no JSON")
            return said
        if (reply := await self._take(event, text)) is not None:
            said["data"] = base64.b64encode(json.dumps(reply).encode()).decode()
        return said


class Pieces:
    """Collects events that arrive in several frames, until they are complete or too old."""

    def __init__(self) -> None:
        # By name and number of pieces: one name with two numbers is two events, or none.
        self._parts: dict[tuple[str, int], tuple[float, dict[int, bytes]]] = {}

    def whole(self, frame: SocketFrame, now: float) -> bytes | None:
        """The payload, if the frame completes one."""
        total, place = (
            _header_number(frame.headers.get("sum")),
            _header_number(frame.headers.get("seq")),
        )
        if total <= 1:
            return frame.payload
        name = frame.headers.get("message_id", ""), total
        self._parts = {
            key: kept for key, kept in self._parts.items() if now - kept[0] < _PIECES_LAST
        }
        if total > _MOST_PIECES or place >= total or len(self._parts) > _MOST_PIECES:
            return None
        _, parts = self._parts.setdefault(name, (now, {}))
        parts[place] = frame.payload
        if len(parts) < total:
            return None
        del self._parts[name]
        return b"".join(parts[place] for place in range(total))


def _header_number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 6 else 0


def _handshake(error: aiohttp.WSServerHandshakeError) -> SendError:
    """Why the server refused the connection; its headers hold status and error code."""
    headers: Mapping[str, str] = error.headers or {}
    status, code = headers.get("handshake-status", ""), headers.get("handshake-autherrcode", "")
    detail = f"no long connection: status {error.status}, {status[:20]} {code[:20]}".rstrip(" ,")
    # 403 forbids it, 514 is a stale ticket unless it says that there are too many connections.
    lasting = status == "403" or (status == "514" and code == "1000040350")
    reason = SendReason.UNAUTHORIZED if lasting else SendReason.UNAVAILABLE
    return SendError(reason, detail)
