"""Incoming messages, and the receivers that yield them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.messaging.sender import Receipt
from bot.util.tracing import trace


def _kept_by_nobody() -> None:
    """The default of ``taken`` when nothing stores the message."""


class MessageEvent(StrEnum):
    """What happened to a message: it was sent, edited or deleted."""

    SAID = "said"
    EDITED = "edited"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A message to the bot.

    ``id`` is the message's own identity, the same when the platform delivers it again. ``text`` is
    hostile. ``receipt`` is what a reply refers to. ``direct`` says that only the bot and the person
    are in the chat. ``at`` is aware, in UTC.

    ``action`` is empty for text. For a button it is the name that :class:`digest.document.Button`
    gave it, with the button's value as ``text``; for an action chosen on a message (such as
    "Explain"), its name with that message as ``text``. ``addressed`` is false for text that merely
    follows in a thread the bot is in: replying to what is no question would disturb there.
    ``workspace`` is the platform's name for the organisation, if it has one; ``external`` says that
    people of other organisations read the chat. ``also`` are other names by which a configuration
    may know the chat, the narrowest first. ``fate`` is not ``SAID`` if a message of this ``id`` was
    edited, or was deleted and has no text. ``trace`` is in every log line from the platform's call
    to the reply. ``taken`` is to be called once the message is stored for good, so that nothing
    else has to keep it; see :mod:`bot.messaging.inbox`.
    """

    platform: str
    chat: str
    person: str
    text: str
    id: str
    at: datetime
    receipt: Receipt | None = None
    direct: bool = False
    action: str = ""
    addressed: bool = True
    workspace: str = ""
    external: bool = False
    also: tuple[str, ...] = ()
    fate: MessageEvent = MessageEvent.SAID
    trace: str = field(default_factory=trace, compare=False)
    taken: Callable[[], None] = field(default=_kept_by_nobody, compare=False, repr=False)


@runtime_checkable
class Receiver(Protocol):
    """Receives the messages of one account of a platform."""

    def listen(self) -> AsyncIterator[Incoming]:
        """The messages as they come. Ends when the platform closes for good."""


class Ear:
    """Whether a receiver is connected: ``trouble`` says why not, and is empty while it is.

    It is for health checks; the receiver reconnects by itself.
    """

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
