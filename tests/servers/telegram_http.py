"""The HTTP side of the Bot API on loopback: connections, and the ways to misbehave."""

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any
from urllib.parse import parse_qs

from tests.servers.threaded import Streams, head_and_body, response


@dataclass(frozen=True)
class Fails:
    """An error of the server, or of a gateway in front of it."""

    code: int
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    html: bool = False


@dataclass(frozen=True)
class Hangs:
    """Accepts the call if ``taken``, and does not answer."""

    taken: bool = False


@dataclass(frozen=True)
class Drops:
    """Accepts the call or not, and closes the connection without an answer."""

    taken: bool = True


@dataclass(frozen=True)
class Garbled:
    """200 with something that is not an answer."""

    text: str = "<html>welcome to the hotel</html>"


Act = Fails | Hangs | Drops | Garbled


def too_many(seconds: float) -> Fails:
    return Fails(429, f"Too Many Requests: retry after {seconds:g}", {"retry_after": seconds})


class HttpServer(Streams):
    """A server used as ``with ... as server:``; ``_answer`` answers calls."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Break every connection."""
        self._loop.call_soon_threadsafe(lambda: [w.transport.abort() for w in [*self._writers]])

    @abstractmethod
    async def _answer(self, path: str, given: dict[str, Any]) -> tuple[int, str, dict[str, str]]:
        """Handle a call of ``path``: the status, body and headers of the answer."""

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (request := await _read(reader)) is not None:
            status, body, headers = await self._answer(*request)
            writer.write(response(status, body, headers))
            await writer.drain()


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
    if (found := await head_and_body(reader)) is None:
        return None
    path, headers, body = found
    if headers.get("content-type", "").startswith("application/json"):
        return path, json.loads(body)
    if headers.get("content-type", "").startswith("multipart/form-data"):
        return path, _multipart(headers["content-type"], body)
    form = parse_qs(body.decode(), keep_blank_values=True, strict_parsing=bool(body))
    return path, {name: values[-1] for name, values in form.items()}


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
