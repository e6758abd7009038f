"""A server with OpenAI's chat completions on loopback that can misbehave.

It runs in a thread with its own loop, so that a busy client does not slow it down. It treats each
request by the next act of its script, or else by its ``answer``. Like a real server it first
refuses a wrong key, an unknown model, an unknown format, and a request that is longer than its
context.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.servers.threaded import Streams, head_and_body, response

FORMATS = frozenset({"json_schema", "json_object"})


@dataclass(frozen=True)
class Sent:
    """What a client sent, and when by the server's clock."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    at: float

    @property
    def text(self) -> str:
        return "\n".join(m["content"] for m in self.body.get("messages", ()))

    @property
    def format(self) -> str:
        return self.body.get("response_format", {}).get("type", "")

    @property
    def tokens(self) -> int:
        return len(self.text) // 4


@dataclass(frozen=True)
class Says:
    """An answer. ``usage`` ``None`` reports none; ``cut`` is where the connection breaks."""

    text: str = ""
    finish: str | None = "stop"
    refusal: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=dict)
    latency: float | None = None
    model: str = ""
    cut: int | None = None
    piece: int = 8
    pause: float = 0.0


@dataclass(frozen=True)
class Fails:
    """An error status; ``body`` is sent unchanged if it is a text."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """An arbitrary 200."""

    body: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hangs:
    """No answer, ever."""


@dataclass(frozen=True)
class Breaks:
    """The connection is cut before the first byte of an answer."""


Act = Says | Fails | Raw | Hangs | Breaks


class ModelServer(Streams):
    """The server; use ``with ModelServer() as server:``. ``server.url`` is the base URL."""

    def __init__(
        self,
        *acts: Act,
        answer: Callable[[Sent], Act] | None = None,
        key: str = "",
        models: Iterable[str] = ("m",),
        formats: Iterable[str] = FORMATS,
        refused_fields: Iterable[str] = (),
        context: int | None = None,
        streams: bool = True,
        latency: float = 0.0,
        slots: int | None = None,
    ) -> None:
        super().__init__()
        self.script = deque(acts)
        self.answer = answer or (lambda sent: Says(text="{}"))
        self.key = key
        self.models = tuple(models)
        self.formats = frozenset(formats)
        self.refused_fields = frozenset(refused_fields)
        self.context = context
        self.streams = streams
        self.latency = latency
        self.slots = slots
        self.requests: list[Sent] = []
        self.most_at_once = 0
        self._at_once = 0
        # Awaited before each answer; a test may delay answers until other requests have arrived.
        self.gate: Callable[[Sent], Awaitable[object]] = _open_gate
        # Awaited after each piece of a stream.
        self.after_piece: Callable[[], Awaitable[object]] = _go_on

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def asked(self) -> list[Sent]:
        """The requests for a completion."""
        return [sent for sent in self.requests if sent.path.endswith("/chat/completions")]

    async def _open(self) -> None:
        self._places = asyncio.Semaphore(self.slots or 1_000_000)
        await super()._open()

    # HTTP

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (sent := await _read(reader)) is not None:
            self.requests.append(sent)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            try:
                if not await self._play(self._act(sent), sent, writer):
                    break
            finally:
                self._at_once -= 1

    def _act(self, sent: Sent) -> Act:
        if self.key and sent.headers.get("authorization") != f"Bearer {self.key}":
            given = sent.headers.get("authorization", "").removeprefix("Bearer ")
            return error(401, f"Incorrect API key provided: {given}", "invalid_api_key")
        if sent.path == "/v1/models":
            return Raw(json.dumps({"object": "list", "data": [{"id": m} for m in self.models]}))
        if sent.path != "/v1/chat/completions":
            return Fails(404, "Not Found")
        model = sent.body["model"]
        if model not in self.models:
            return error(404, f"The model `{model}` does not exist", "model_not_found")
        for name in self.refused_fields & sent.body.keys():
            return error(400, f"Unsupported parameter: '{name}'", "unsupported_parameter", name)
        if sent.body.get("stream") and not self.streams:
            return error(400, "stream is not supported by this server", "unsupported", "stream")
        if sent.format and sent.format not in self.formats:
            words = f"response_format type {sent.format} is unavailable now"
            return error(400, words, "invalid_request_error")
        if self.context and sent.tokens > self.context:
            words = (
                f"This model's maximum context length is {self.context} tokens. However, your "
                f"messages resulted in {sent.tokens} tokens."
            )
            return error(400, words, "context_length_exceeded", "messages")
        return self.script.popleft() if self.script else self.answer(sent)

    async def _play(self, act: Act, sent: Sent, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection can accept another request."""
        match act:
            case Hangs():
                await asyncio.sleep(3600)
            case Breaks():
                return False
            case Raw():
                await _write(writer, 200, act.body, {"content-type": act.content_type})
            case Fails():
                body = act.body if isinstance(act.body, str) else json.dumps(act.body)
                await _write(writer, act.status, body, act.headers)
            case Says():
                return await self._say(act, sent, writer)
        return True

    async def _say(self, act: Says, sent: Sent, writer: asyncio.StreamWriter) -> bool:
        async with self._places:
            await self.gate(sent)
            await asyncio.sleep(self.latency if act.latency is None else act.latency)
            if sent.body.get("stream"):
                return await self._stream(act, sent, writer)
            message = {"role": "assistant", "content": act.text, "refusal": act.refusal}
            choice = {"index": 0, "message": message, "finish_reason": act.finish}
            body = self._envelope(act, sent, "chat.completion", [choice])
            body["usage"] = _usage(act, sent)
            await _write(writer, 200, json.dumps(body), {}, cut=act.cut)
            return act.cut is None

    async def _stream(self, act: Says, sent: Sent, writer: asyncio.StreamWriter) -> bool:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        said = 0
        for start in range(0, len(act.text), act.piece):
            if act.cut is not None and said >= act.cut:
                await writer.drain()
                return False
            piece = act.text[start : start + act.piece]
            said += len(piece)
            await self._event(writer, act, sent, {"content": piece}, None)
            await asyncio.sleep(act.pause)
            await self.after_piece()
        if act.refusal:
            await self._event(writer, act, sent, {"refusal": act.refusal}, None)
        if act.finish:
            await self._event(writer, act, sent, {}, act.finish)
        if sent.body.get("stream_options", {}).get("include_usage"):
            body = self._envelope(act, sent, "chat.completion.chunk", [])
            _chunk(writer, {**body, "usage": _usage(act, sent)})
        _chunk(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _event(
        self,
        writer: asyncio.StreamWriter,
        act: Says,
        sent: Sent,
        delta: Mapping[str, Any],
        finish: str | None,
    ) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        _chunk(writer, self._envelope(act, sent, "chat.completion.chunk", [choice]))
        await writer.drain()

    def _envelope(self, act: Says, sent: Sent, kind: str, choices: list[Any]) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": kind,
            "created": 1_790_000_000,
            "model": act.model or sent.body["model"],
            "choices": choices,
        }


async def _open_gate(sent: Sent) -> None:
    """Delay nothing."""


async def _go_on() -> None:
    """Delay nothing."""


def error(status: int, message: str, code: str = "", param: str | None = None) -> Fails:
    """An error in OpenAI's form."""
    return Fails(status, {"error": {"message": message, "code": code, "param": param}})


def _usage(act: Says, sent: Sent) -> Mapping[str, Any] | None:
    if act.usage is None:
        return None
    return {
        "prompt_tokens": sent.tokens,
        "completion_tokens": len(act.text) // 4 + 1,
        "total_tokens": sent.tokens + len(act.text) // 4 + 1,
        **act.usage,
    }


def _chunk(writer: asyncio.StreamWriter, data: Any) -> None:
    text = data if isinstance(data, str) else json.dumps(data)
    event = f"data: {text}\n\n".encode()
    writer.write(b"%x\r\n%s\r\n" % (len(event), event))


async def _read(reader: asyncio.StreamReader) -> Sent | None:
    if (found := await head_and_body(reader)) is None:
        return None
    path, headers, body = found
    return Sent(
        path=path,
        headers=headers,
        body=json.loads(body) if body else {},
        at=asyncio.get_running_loop().time(),
    )


async def _write(
    writer: asyncio.StreamWriter,
    status: int,
    text: str,
    headers: Mapping[str, str],
    cut: int | None = None,
) -> None:
    writer.write(response(status, text, headers, cut))
    await writer.drain()
