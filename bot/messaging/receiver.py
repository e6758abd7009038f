"""Incoming messages, and the receivers that yield them.

For receivers that their platform calls over HTTP: requests, replies and replay protection.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from bot.messaging.sender import Receipt
from bot.util.machine import Newest
from bot.util.tracing import trace
from digest.frozen import frozen


def _kept_by_nobody() -> None:
    """The default of ``taken`` when nothing stores the message."""


class MessageEvent(StrEnum):
    """What happened to a message: it was sent, edited or deleted."""

    SAID = "said"
    EDITED = "edited"
    DELETED = "deleted"


@frozen
class Incoming:
    """A message to the bot."""

    # For a button ``action`` is the name that :class:`digest.document.Button` gave it, with the
    # button's value as ``text``; for an action chosen on a message (such as "Explain"), its name
    # with that message as ``text``.

    platform: str
    chat: str
    person: str
    text: str  # hostile
    id: str  # its own identity, the same when the platform delivers it again
    at: datetime  # aware, in UTC
    receipt: Receipt | None = None  # what a reply refers to
    direct: bool = False  # only the bot and the person are in the chat
    action: str = ""  # empty for text
    addressed: bool = True  # false for text that merely follows in a thread the bot is in
    workspace: str = ""  # the platform's name for the organisation, if it has one
    external: bool = False  # people of other organisations read the chat
    also: tuple[str, ...] = ()  # other names of the chat in a configuration, the narrowest first
    fate: MessageEvent = MessageEvent.SAID  # edited, or deleted and without text
    trace: str = field(default_factory=trace, compare=False)  # in every log line up to the reply
    # To be called once the message is stored for good; see :mod:`bot.messaging.inbox`.
    taken: Callable[[], None] = field(default=_kept_by_nobody, compare=False, repr=False)


@runtime_checkable
class Receiver(Protocol):
    """Receives the messages of one account of a platform."""

    def listen(self) -> AsyncIterator[Incoming]:
        """The messages as they come. Ends when the platform closes for good."""


class Ear:
    """Whether a receiver is connected, for health checks: ``trouble`` says why not, or is empty."""

    __slots__ = ("trouble",)

    def __init__(self) -> None:
        self.trouble = "not connected yet"

    def hears(self) -> None:
        """A connection is up."""
        self.trouble = ""

    def fails(self, why: str) -> None:
        """No connection is up, for a reason that contains no secret."""
        self.trouble = why


@runtime_checkable
class Attentive(Protocol):
    """A receiver that reports whether it is connected."""

    ear: Ear


AsgiScope = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[MutableMapping[str, Any]]]
AsgiSend = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Asgi = Callable[[AsgiScope, AsgiReceive, AsgiSend], Awaitable[None]]
"""An application for a web server: https://asgi.readthedocs.io/en/latest/specs/www.html"""


@runtime_checkable
class Called(Protocol):
    """A receiver that its platform can call over HTTP."""

    # ``web`` answers the calls and refuses those that the platform did not sign; the program's web
    # server mounts it. It is ``None`` if the receiver is configured to connect by itself.

    web: Asgi | None


LARGEST = 2**20  # the most bytes of a request; those of platforms have a few thousand


def headers_of(scope: AsgiScope) -> dict[str, str]:
    """The headers of a request, their names in lower case."""
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }


async def body_of(receive: AsgiReceive, largest: int = LARGEST) -> bytes | None:
    """The whole body; ``None`` if it is larger than ``largest`` bytes or breaks off."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > largest:
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


JSON = ((b"content-type", b"application/json"),)  # the header of an answer in JSON
_MOST = 100_000  # the most signatures of one account: more than a platform sends within any window


class Replays:
    """Signatures accepted within a window, so that a recorded request cannot be replayed."""

    # A request's time is covered by its signature: nothing is remembered for longer than that time
    # is accepted. Platforms sign redeliveries anew.

    def __init__(self, window: float) -> None:
        """``window`` is how many seconds a request's time may differ from ours, either way."""
        self._kept = 2 * window
        self._seen: OrderedDict[str, float] = OrderedDict()

    def first(self, signature: str, now: float) -> bool:
        """Whether the signature is new; it is remembered from now on."""
        while self._seen and (
            next(iter(self._seen.values())) < now - self._kept or len(self._seen) > _MOST
        ):
            self._seen.popitem(last=False)
        if signature in self._seen:
            return False
        self._seen[signature] = now
        return True

    def forget(self, signature: str) -> None:
        """The request was not accepted after all, and may come again unchanged."""
        self._seen.pop(signature, None)


_T = TypeVar("_T")
_REMEMBERED_MOST = 10_000  # the most values kept at a time


class Remembered(Generic[_T]):
    """A cache of the newest values by key, each valid for some seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._kept: Newest[str, tuple[float, _T]] = Newest(_REMEMBERED_MOST)

    def get(self, key: str) -> _T | None:
        """The value, while it is valid."""
        if key not in self._kept:
            return None
        until, value = self._kept[key]
        return value if until > time.monotonic() else None

    def keep(self, key: str, value: _T) -> _T:
        """Store a value."""
        self._kept[key] = (time.monotonic() + self._seconds, value)
        return value
