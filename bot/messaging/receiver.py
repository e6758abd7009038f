"""What is said to the bot, and who hears it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.messaging.sender import Receipt
from bot.util.tracing import trace


def _kept_by_nobody() -> None:
    """What is done where nothing keeps a message."""


class MessageEvent(StrEnum):
    """What became of a message: it came, its words were changed, it was taken back."""

    SAID = "said"
    EDITED = "edited"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A message to the bot.

    ``id`` is the message's own identity, the same when the platform delivers it again. ``text`` is
    hostile. ``receipt`` is what an answer replies to. ``direct`` says that only the bot and the
    person are in the chat. ``at`` is aware, in UTC.

    ``action`` is empty for words. For a button it is the name that :class:`digest.document.Button`
    gave it, with the button's value as ``text``; for something chosen on a message (such as
    "Explain"), its name with that message as ``text``. ``addressed`` is false for words that merely
    follow in a thread the bot is in: an answer to what is no question would disturb there.
    ``workspace`` is the platform's name for the organisation, where it has such; ``external`` says
    that people of other organisations read the chat. ``also`` are other names of the chat by which
    a configuration may know it, the narrowest first. ``fate`` is not ``SAID`` where a message of
    this ``id`` has other words now, or was deleted and has none. ``trace`` is in every log line
    from the platform's call to the answer. ``taken`` is to be called once the message is known for
    good, so that nothing has to keep it any more; see :mod:`bot.messaging.inbox`.
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
    """Hears one account of a platform."""

    def listen(self) -> AsyncIterator[Incoming]:
        """The messages as they come. Ends when the platform closes for good."""


class Ear:
    """Whether a receiver hears at the moment: ``trouble`` says why not, and is empty while it does.

    It is for whoever asks whether all is well; the receiver mends itself.
    """

    __slots__ = ("trouble",)

    def __init__(self) -> None:
        self.trouble = "does not listen yet"

    def hears(self) -> None:
        """A connection stands."""
        self.trouble = ""

    def fails(self, why: str) -> None:
        """None does, for a reason that holds no secret."""
        self.trouble = why


@runtime_checkable
class Attentive(Protocol):
    """A receiver that can tell whether it hears."""

    ear: Ear
