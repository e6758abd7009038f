"""One request to a platform's server, with what can go wrong on the way classified.

For platforms that are spoken to over HTTP without a library of their own. Nothing is repeated, no
redirect is followed; addresses, which may hold secrets, are in no error.

Waiting for a platform's turn, with a queue that is too long told as a platform tells it.

What is alike in platforms that are no more than an address to post to.

Such an account has one chat, so that ``chat`` is not looked at for a turn, and it reads nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from bot.messaging.rates import Pace, Rate, TooBusy
from bot.messaging.sender import Part, Receipt, SendError, SendReason

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


class HttpClient:
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


@contextmanager
def queued() -> Iterator[None]:
    """Have a turn that would come too late raise ``SendError``, as a refusal does."""
    try:
        yield
    except TooBusy as error:
        raise SendError(SendReason.RATE_LIMITED, "a long queue", retry_after=error.wait) from error


class Addressed:
    """A sender that has an address, which is a secret, and connections to it."""

    cannot_read: str
    """Why nothing can be looked for there, for the logs."""

    def __init__(self, url: SecretStr, wire: HttpClient) -> None:
        self._url = url
        self._wire = wire

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:  # noqa: ARG002  # as a Sender
        """Not possible."""
        raise SendError(SendReason.UNSUPPORTED, self.cannot_read)

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._wire.aclose()


class PacedAddress(Addressed):
    """An address that takes so many messages in a time. Implements ``Paced`` and ``Bounded``."""

    rates: Sequence[Rate]
    """What the address lets pass."""

    def __init__(self, url: SecretStr, wire: HttpClient, most: Rate) -> None:
        """``most`` is what may leave together for all addresses of a kind."""
        super().__init__(url, wire)
        self._pace = Pace(most, most)

    @property
    def paces(self) -> Mapping[str, Pace]:
        """As :class:`bot.messaging.Bounded`."""
        return {"": self._pace}

    async def ready(self, chat: str, *, answer: bool = False) -> None:  # noqa: ARG002  # one chat
        """Wait for the address's turn."""
        with queued():
            await self._pace.turn("", self.rates, answer=answer)


def reason_of(status: int) -> SendReason:
    """What the status of an answer says where its body says no more; not of one that is well."""
    match status:
        case 429:
            return SendReason.RATE_LIMITED
        case 401 | 403 | 407:
            return SendReason.UNAUTHORIZED
        case 404 | 410:
            return SendReason.NO_CHANNEL
        case 408 | 502 | 504:
            # Somebody in between gave up waiting; what stands behind may have taken it.
            return SendReason.NO_ANSWER
        case _ if status >= 500:
            return SendReason.UNAVAILABLE
        case _ if status >= 400:
            return SendReason.REJECTED
        case _:
            return SendReason.BROKEN
