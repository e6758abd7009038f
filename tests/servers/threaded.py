"""A server in a thread with its own loop, so that a busy client does not slow it down."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping
from typing import Any, Self


class Threaded(ABC):
    """A server used as ``with``; it can stop and return at the same port meanwhile."""

    def __init__(self) -> None:
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @abstractmethod
    async def _open(self) -> None:
        """Listen at ``port``, or at any port and store its number there."""

    @abstractmethod
    async def _close(self) -> None:
        """Release the port and every connection."""

    def __enter__(self) -> Self:
        self._thread.start()
        self.call(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.call(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def go(self) -> None:
        """Stop: accept no more connections, and end the open ones."""
        self.call(self._close())

    def come_back(self) -> None:
        """Listen again, at the same port."""
        self.call(self._open())

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run something in the server's thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)


class Streams(Threaded):
    """A server that reads requests and writes answers byte by byte."""

    def __init__(self) -> None:
        super().__init__()
        self.connections = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @abstractmethod
    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection until it ends."""

    async def _open(self) -> None:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self.port, backlog=2048
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is None:
            return
        await all_taken()
        self._server.close()
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in [*self._writers]:
            writer.transport.abort()
        self._writers.clear()
        self._server = None

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Record it at once: a task that is cancelled before it starts could not."""
        self.connections += 1
        self._writers.add(writer)
        task = self._loop.create_task(self._served(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.transport.abort()


async def all_taken() -> None:
    """Wait until no connection is being accepted, before a server is closed.

    Such a connection would stay open without a reader:
    https://github.com/python/cpython/issues/109564.
    """
    while taking := [task for task in asyncio.all_tasks() if "_accept_connection2" in repr(task)]:
        await asyncio.wait(taking)


async def head_and_body(
    reader: asyncio.StreamReader,
) -> tuple[str, dict[str, str], bytes] | None:
    """The path, the headers in lower case and the body of a request; nothing at the end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    pairs = (line.split(":", 1) for line in lines)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return first.split()[1], headers, body


def response(status: int, text: str, headers: Mapping[str, str], cut: int | None = None) -> bytes:
    """The bytes of an answer; ``cut`` is where its body breaks off."""
    body = text.encode()
    fields = {"content-type": "application/json", "content-length": len(body), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body[:cut]
