"""One request to a forge over HTTP, bounded in size and time.

Redirects are followed on the forge's own origin alone, so that nothing that holds a secret goes to
another host. Bodies are bounded before and after they are unpacked.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from digest.errors import ForgeDown

if TYPE_CHECKING:
    import httpx

LARGEST = 20 * 2**20
"""Bytes of an answer: a page of 100 files with patches takes a few million at most."""

_PATIENCE = {"connect": 5.0, "read": 15.0, "write": 10.0, "pool": 15.0}
"""Seconds for a connection, and for each silence of a server."""

_WHOLE = 40.0
"""Seconds for one answer, redirects included, however slowly it drips."""

_AT_ONCE = 4
_MOST_REDIRECTS = 3
_REDIRECTS = {301, 302, 307, 308}


class Cut(Exception):
    """No answer came, which may be otherwise the next time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came over the wire; names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def start(self) -> str:
        """The begin of the body, where a refusal says why."""
        return self.body[:2000].decode("utf-8", "replace")


class Transport:
    """The connections to one forge. ``base`` is the API's address.

    The library is imported at the first request.
    """

    def __init__(self, base: str, headers: Mapping[str, str]) -> None:
        """``headers`` go with every request."""
        self.host = urlsplit(base).netloc
        self._base = base
        self._headers = {"user-agent": "digestbot", "accept-encoding": "gzip", **headers}
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._client: httpx.AsyncClient | None = None

    def full(self, path: str) -> str:
        """An address on the forge's own origin, whatever a forge says of where to go on."""
        if path.startswith("/"):
            return self._base + path
        if _origin(path) != _origin(self._base):
            raise ForgeDown(self.host, "it leads to another host")
        return path

    async def ask(self, method: str, address: str, headers: Mapping[str, str]) -> Answer:
        """An answer that is no redirect. Raises ``Cut`` where none came, and ``ForgeDown``."""
        import httpx

        try:
            async with asyncio.timeout(_WHOLE), self._places:
                for _ in range(_MOST_REDIRECTS + 1):
                    answer = await self._once(method, address, headers)
                    if answer.status not in _REDIRECTS:
                        return answer
                    address = self.full(urljoin(address, answer.headers.get("location", "")))
        except (TimeoutError, httpx.TimeoutException) as error:
            raise Cut("no answer in time") from error
        except httpx.HTTPError as error:
            raise Cut(type(error).__name__) from error
        except httpx.InvalidURL as error:
            raise odd(self.host, "an address that cannot be used") from error
        raise ForgeDown(self.host, "it redirects without end")

    async def _once(self, method: str, address: str, headers: Mapping[str, str]) -> Answer:
        given = {**self._headers, **headers}
        async with self._opened().stream(method, address, headers=given) as response:
            lowered = {name.lower(): value for name, value in response.headers.items()}
            try:
                body = await _bounded(response)
            except zlib.error as error:
                raise odd(self.host, "it cannot be unpacked") from error
            if len(body) > LARGEST:
                raise odd(self.host, f"more than {LARGEST} bytes")
            return Answer(status=response.status_code, headers=lowered, body=body)

    def _opened(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            timeout = httpx.Timeout(**_PATIENCE)
            self._client = httpx.AsyncClient(timeout=timeout, follow_redirects=False)
        return self._client

    async def aclose(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def odd(host: str, why: str) -> ForgeDown:
    """The error for an answer that makes no sense."""
    return ForgeDown(host, f"an answer that makes no sense: {why}")


async def _bounded(response: httpx.Response) -> bytes:
    """The body, unpacked, and cut one byte above what is allowed."""
    packed = response.headers.get("content-encoding", "").strip().lower() in {"gzip", "x-gzip"}
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS) if packed else None
    body = bytearray()
    async for piece in response.aiter_raw():
        room = LARGEST + 1 - len(body)
        body += unpacking.decompress(piece, room) if unpacking else piece[:room]
        if len(body) > LARGEST:
            break
    return bytes(body)


def _origin(address: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", "", None
    standard = {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port or standard
