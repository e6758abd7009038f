"""What is alike in platforms that are no more than an address to post to.

Such an account has one chat, so that ``chat`` is not looked at for a turn, and it reads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import SecretStr

from bot.platforms.base import Part, Receipt, SendError, SendReason
from bot.transport.rates import Pace, Rate
from bot.transport.turns import queued
from bot.transport.wire import Wire


class Addressed:
    """A sender that has an address, which is a secret, and connections to it."""

    cannot_read: str
    """Why nothing can be looked for there, for the logs."""

    def __init__(self, url: SecretStr, wire: Wire) -> None:
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

    def __init__(self, url: SecretStr, wire: Wire, most: Rate) -> None:
        """``most`` is what may leave together for all addresses of a kind."""
        super().__init__(url, wire)
        self._pace = Pace(most, most)

    @property
    def paces(self) -> Mapping[str, Pace]:
        """As :class:`bot.platforms.base.Bounded`."""
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
