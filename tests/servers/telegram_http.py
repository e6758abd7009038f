"""The HTTP side of the Bot API on loopback: connections, and the ways to misbehave."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs


@dataclass(frozen=True)
class Fails:
    """An error, of the server or of what stands before it."""

    code: int
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    html: bool = False


@dataclass(frozen=True)
class Hangs:
    """Takes the call (``taken``) or not, and says nothing."""

    taken: bool = False


@dataclass(frozen=True)
class Drops:
    """Takes the call or not, and closes the connection without a word."""

    taken: bool = True


@dataclass(frozen=True)
class Garbled:
    """200 with something that is no answer."""

    text: str = "<html>welcome to the hotel</html>"


Act = Fails | Hangs | Drops | Garbled


def too_many(seconds: float) -> Fails:
    return Fails(429, f"Too Many Requests: retry after {seconds:g}", {"retry_after": seconds})


class HttpServer:
    """``with ... as server:``; a thread with a loop of its own, so that a busy client is no matter."""

    def __init__(self) -> None:
        self.connections = 0
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Every connection breaks."""
        self._loop.call_soon_threadsafe(lambda: [w.transport.abort() for w in [*self._writers]])

    async def _answer(self, path: str, given: dict[str, Any]) -> tuple[int, str, dict[str, str]]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self._open())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def go(self) -> None:
        """Be gone: no connection is taken, those that are there end."""
        self._run(self._close())

    def come_back(self) -> None:
        """Listen again at the same port."""
        self._run(self._open())

    def _run(self, what: Any) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(10)

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=2048)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for writer in [*self._writers]:
            writer.transport.abort()
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        self.connections += 1
        try:
            while (request := await _read(reader)) is not None:
                status, body, headers = await self._answer(*request)
                writer.write(_response(status, body, headers))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            self._tasks.discard(task)
            writer.transport.abort()


def error(fails: Fails) -> tuple[int, str, dict[str, str]]:
    if fails.html:
        page = f"<html><head><title>{fails.code}</title></head></html>"
        return fails.code, page, {"content-type": "text/html"}
    body: dict[str, Any] = {
        "ok": False,
        "error_code": fails.code,
        "description": fails.description,
    }
    if fails.parameters:
        body["parameters"] = fails.parameters
    return fails.code, json.dumps(body), {}


async def _read(reader: asyncio.StreamReader) -> tuple[str, dict[str, Any]] | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    headers = {k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    if headers.get("content-type", "").startswith("application/json"):
        return first.split()[1], json.loads(body)
    if headers.get("content-type", "").startswith("multipart/form-data"):
        return first.split()[1], _multipart(headers["content-type"], body)
    form = parse_qs(body.decode(), keep_blank_values=True, strict_parsing=bool(body))
    return first.split()[1], {name: values[-1] for name, values in form.items()}


def _multipart(kind: str, body: bytes) -> dict[str, Any]:
    """The fields of a form, files as bytes."""
    parsed = message_from_bytes(f"content-type: {kind}\r\n\r\n".encode() + body)
    fields: dict[str, Any] = {}
    for part in parsed.get_payload():
        content = part.get_payload(decode=True)
        name = part.get_param("name", header="content-disposition")
        is_file = part.get_param("filename", header="content-disposition") is not None
        fields[name] = content if is_file else content.decode()
    return fields


def _response(status: int, text: str, headers: Mapping[str, str]) -> bytes:
    body = text.encode()
    fields = {"content-type": "application/json", "content-length": len(body), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body
