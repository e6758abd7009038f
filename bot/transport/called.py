"""What every application that platforms call does with a request: headers, body and answer."""

from __future__ import annotations

from collections.abc import Sequence

from bot.platforms.base import AsgiReceive, AsgiScope, AsgiSend

LARGEST = 2**20
"""Bytes of a request; those of platforms are a few thousand."""


def headers_of(scope: AsgiScope) -> dict[str, str]:
    """The headers of a request, their names in lower case."""
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }


async def body_of(receive: AsgiReceive) -> bytes | None:
    """The whole body; ``None`` where it is larger than ``LARGEST`` or breaks off."""
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


async def reply(
    send: AsgiSend, status: int, body: bytes = b"", headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """Answer a request."""
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


JSON = ((b"content-type", b"application/json"),)
"""The header of an answer in JSON."""
