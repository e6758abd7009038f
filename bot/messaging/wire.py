"""HTTP requests to a server, with errors classified, and senders to an address.

For forges, and platforms that have no library of their own. Nothing is retried but what a server
cut off while it was idle, and no redirect is followed; addresses, which may contain secrets, appear
in no error. A sender to an address has one chat and reads nothing, so ``chat`` does not matter for
its turns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from bot.messaging.rates import Pace, Rate, TooBusy
from bot.messaging.sender import Part, Receipt, SendError, SendReason
from digest.frozen import frozen

if TYPE_CHECKING:
    import aiohttp

_MOST_BYTES = 4_000_000  # the most bytes of an answer; a longer one is not what was asked for
_CONNECTING = 10.0
_IDLE = 4.0
"""Seconds that a connection is kept: one that its server is about to close would leave the next
message in doubt."""


@frozen
class Reply:
    """A server's answer; the names of ``headers`` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; ``None`` if it is not valid."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def check(self) -> None:
        """Raise ``SendError`` for a status that is no success."""
        if not 200 <= self.status < 300:
            detail = f"status {self.status}"
            raise SendError(reason_of(self.status), detail, retry_after=self.seconds("retry-after"))

    def seconds(self, header: str) -> float | None:
        """A header with a number of seconds, not below 0."""
        try:
            found = float(self.headers.get(header, ""))
        except ValueError:
            return None
        return found if found >= 0 and math.isfinite(found) else None


class HttpClient:
    """Connections to a server, opened at the first request.

    ``patience`` is in seconds of silence, ``largest`` in bytes of an answer.
    """

    def __init__(self, *, patience: float = 20.0, largest: int = _MOST_BYTES) -> None:
        self._patience = patience
        self._largest = largest
        self._session: aiohttp.ClientSession | None = None

    async def request(
        self,
        method: str,
        url: str,
        body: bytes | aiohttp.FormData | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send one request.

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
                    body=await _read(response, self._largest),
                )
        except aiohttp.InvalidURL:
            raise SendError(SendReason.UNSUPPORTED, "the address cannot be used") from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise SendError(SendReason.UNAVAILABLE, type(error).__name__) from None
        except aiohttp.ClientHttpProxyError as error:
            detail = f"the proxy refuses the connection (status {error.status})"
            raise SendError(SendReason.UNAVAILABLE, detail) from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SendError(SendReason.NO_ANSWER, type(error).__name__) from None

    def session(self) -> aiohttp.ClientSession:
        """The library's own session, for more than a single request."""
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(
                    total=None, connect=_CONNECTING, sock_read=self._patience
                ),
                headers={"user-agent": "digestbot"},
                connector=aiohttp.TCPConnector(keepalive_timeout=_IDLE),
                # Proxies from the environment.
                trust_env=True,
            )
        return self._session

    async def aclose(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _read(response: aiohttp.ClientResponse, largest: int) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > largest:
            raise SendError(SendReason.BROKEN, f"an answer of more than {largest} bytes")
    return bytes(body)


@contextmanager
def late_as_send_error() -> Iterator[None]:
    """Turn a turn that would come too late into ``SendError``, as for a refusal."""
    try:
        yield
    except TooBusy as error:
        raise SendError(SendReason.RATE_LIMITED, "a long queue", retry_after=error.wait) from error


class PostsOnly:
    """A sender that can neither edit its posts nor find them."""

    cannot_edit: str  # why, for the logs
    cannot_read: str  # why nothing can be looked up there, for the logs

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:  # noqa: ARG002  # as a Sender
        """Not possible."""
        raise SendError(SendReason.UNSUPPORTED, self.cannot_edit)

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:  # noqa: ARG002  # as a Sender
        """Not possible."""
        raise SendError(SendReason.UNSUPPORTED, self.cannot_read)


class Addressed(PostsOnly):
    """A sender with an address, which is secret, and connections to it."""

    def __init__(self, url: SecretStr, wire: HttpClient) -> None:
        self._url = url
        self._wire = wire

    async def aclose(self) -> None:
        """Close connections."""
        await self._wire.aclose()


class PacedAddress(Addressed):
    """An address with a limit of messages in a period. Implements ``Paced`` and ``Bounded``."""

    rates: Sequence[Rate]  # what the address allows
    together: Rate  # the limit for all addresses of a kind together

    def __init__(self, url: SecretStr, wire: HttpClient) -> None:
        super().__init__(url, wire)
        self._pace = Pace(self.together, self.together)

    @property
    def paces(self) -> Mapping[str, Pace]:
        """See :class:`bot.messaging.sender.Bounded`."""
        return {"": self._pace}

    async def ready(self, chat: str, *, answer: bool = False) -> None:  # noqa: ARG002  # one chat
        """Wait for the address's turn."""
        with late_as_send_error():
            await self._pace.turn("", self.rates, answer=answer)


def reason_of(status: int) -> SendReason:
    """The reason for an error status, if the body says nothing more specific."""
    match status:
        case 429:
            return SendReason.RATE_LIMITED
        case 401 | 403 | 407:
            return SendReason.UNAUTHORIZED
        case 404 | 410:
            return SendReason.NO_CHANNEL
        case 408 | 502 | 504:
            # A proxy gave up waiting; the server behind it may have accepted the message.
            return SendReason.NO_ANSWER
        case _ if status >= 500:
            return SendReason.UNAVAILABLE
        case _ if status >= 400:
            return SendReason.REJECTED
        case _:
            return SendReason.BROKEN
