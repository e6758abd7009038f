"""One request to a platform's server, with what can go wrong on the way classified.

For platforms that are spoken to over HTTP without a library of their own. Nothing is repeated, no
redirect is followed; addresses, which may hold secrets, are in no error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.platforms.base import SendError, SendReason

if TYPE_CHECKING:
    import aiohttp

_MOST_BYTES = 4_000_000
"""Of an answer; what is longer is none that we asked for."""

_CONNECTING = 10.0
_IDLE = 4.0
"""Seconds that a connection is kept: one that its server is about to close would leave the next
message in doubt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server answered; the names of ``headers`` are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; ``None`` where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def seconds(self, header: str) -> float | None:
        """A header that holds a number of seconds, not below 0."""
        try:
            found = float(self.headers.get(header, ""))
        except ValueError:
            return None
        return found if found >= 0 and math.isfinite(found) else None


class Wire:
    """Connections to a platform's servers. The library is imported at the first request.

    ``patience`` is the longest silence of a server, in seconds.
    """

    def __init__(self, *, patience: float = 20.0) -> None:
        self._patience = patience
        self._session: aiohttp.ClientSession | None = None

    async def request(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Ask once.

        Raises ``SendError``: ``UNAVAILABLE`` before the request was handed over, ``NO_ANSWER`` when
        it may have been, ``UNSUPPORTED`` for an address that cannot be used.
        """
        import aiohttp

        session = self.session()
        try:
            async with session.request(
                method, url, data=body, headers=headers, allow_redirects=False
            ) as response:
                return Reply(
                    status=response.status,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=await _read(response),
                )
        except aiohttp.InvalidURL:
            raise SendError(SendReason.UNSUPPORTED, "the address cannot be used") from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise SendError(SendReason.UNAVAILABLE, type(error).__name__) from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SendError(SendReason.NO_ANSWER, type(error).__name__) from None

    def session(self) -> aiohttp.ClientSession:
        """The library's own session, for what is more than a request."""
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(
                    total=None, connect=_CONNECTING, sock_read=self._patience
                ),
                headers={"user-agent": "digestbot"},
                connector=aiohttp.TCPConnector(keepalive_timeout=_IDLE),
                # Proxies as the environment names them.
                trust_env=True,
            )
        return self._session

    async def aclose(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _read(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise SendError(SendReason.BROKEN, f"an answer of more than {_MOST_BYTES} bytes")
    return bytes(body)
