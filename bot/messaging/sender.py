"""Senders: what posts to a platform, its messages and limits, receipts and errors.

What only some platforms can do is in protocols of their own.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.messaging.rates import Pace
from bot.util.chart_image import Picture
from digest.document import Document
from digest.errors import DigestbotError
from digest.frozen import frozen

compact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A value as JSON: compact, with every script unescaped."""


class SendReason(StrEnum):
    """Why a message was not sent. A closed set: metrics and tests depend on it."""

    RATE_LIMITED = "rate_limited"  # too many messages for now
    UNAVAILABLE = "unavailable"  # refused before it was accepted: no connection, 5xx
    NO_ANSWER = "no_answer"  # handed over, but unknown whether it was accepted
    UNAUTHORIZED = "unauthorized"  # token or permission
    NO_CHANNEL = "no_channel"  # no such chat, the bot was removed, the chat is closed
    REJECTED = "rejected"  # the platform does not accept this content
    UNSUPPORTED = "unsupported"  # the platform cannot do this at all
    BROKEN = "broken"  # the platform's answer makes no sense


_AGAIN = frozenset({SendReason.RATE_LIMITED, SendReason.UNAVAILABLE})


class SendError(DigestbotError):
    """A platform's failure, classified by its adapter. The delivery decides what follows.

    ``retry`` says that the same call may be repeated without causing a second message; by default
    only for ``RATE_LIMITED`` and ``UNAVAILABLE``. ``retry_after`` is in seconds, if the platform
    gives a time. ``detail`` is for logs and contains no secret.
    """

    def __init__(
        self,
        reason: SendReason,
        detail: str = "",
        *,
        retry: bool | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
        self.retry = reason in _AGAIN if retry is None else retry
        self.retry_after = retry_after


class Unit(StrEnum):
    """What a platform counts when it says "too long"."""

    CODE_POINTS = "code points"
    UTF16 = "UTF-16 code units"
    BYTES = "bytes of UTF-8"


class Counted(StrEnum):
    """Which side of a part the limit applies to."""

    TEXT = "text"
    BODY = "body"


@frozen
class Part:
    """One message. It is frozen in the ledger, so both sides are plain strings."""

    # ``identity`` (32 hex digits, set by the delivery) is the same at every attempt to send this
    # part to this channel: an adapter puts it where the platform keeps it, and :meth:`Sender.find`
    # looks for it.

    text: str  # what a person reads, without markup: for notifications, refused markup, tests
    body: str  # what is sent, in the platform's markup or as JSON text
    identity: str = ""
    since: datetime | None = None  # when it was frozen, aware, in UTC; ``None`` in no ledger
    silent: bool = False  # asks the platform to notify nobody


@frozen
class Limit:
    """The longest message: ``size`` of ``unit``, ``None`` for no limit, as ``source`` states."""

    size: int | None
    unit: Unit
    source: str
    counts: Counted = Counted.BODY

    def measure(self, part: Part) -> int:
        """The length of a part, in ``unit``."""
        counted = part.text if self.counts is Counted.TEXT else part.body
        match self.unit:
            case Unit.CODE_POINTS:
                return len(counted)
            case Unit.UTF16:
                return len(counted.encode("utf-16-le", "surrogatepass")) // 2
            case Unit.BYTES:
                return len(counted.encode("utf-8", "surrogatepass"))

    def holds(self, part: Part) -> bool:
        """Whether the part is short enough."""
        return self.size is None or self.measure(part) <= self.size


CHAIN = "re:"
"""Prefix of thread names on platforms that have chains of replies instead of threads. The rest of
the name is the answered message: each reply of the bot is a thread to whoever replies to it. If
nothing is known of a chain, such as one that continues from the second part of a reply, the
conversation is that of the whole chat."""


@frozen
class Receipt:
    """A platform's proof that a message was posted: its id, and the thread for replies to it."""

    message: str
    thread: str = ""

    def dump(self) -> str:
        """The receipt as the ledger stores it."""
        return json.dumps([self.message, self.thread], ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> Receipt | None:
        """The receipt in a ledger entry; ``None`` if the entry has no proof."""
        if not text:
            return None
        message, thread = json.loads(text)
        return cls(message=message, thread=thread)


class Ability(StrEnum):
    """What not every platform can do; calling an unsupported one raises ``UNSUPPORTED``."""

    EDIT = "edit"
    FIND = "find"
    THREAD = "thread"


class Sender(Protocol):
    """Posts to one account of a platform. ``chat`` is the platform's own id of a chat.

    Every method but ``render`` raises only :class:`SendError`.
    """

    name: str
    limit: Limit
    abilities: frozenset[Ability]

    def render(self, document: Document) -> tuple[Part, ...]:
        """The messages for the document, in order, each within ``limit``; pure.

        No text is lost, and nothing in it has an effect: markup, mentions and escape codes are
        neutralised.
        """

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post once, without retries. ``reply_to`` is ignored if there are no threads."""

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        """Replace the content of a message."""

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:
        """The message in the chat that has the part's identity.

        ``None`` says that the part may be sent: there is no such message, or the platform itself
        will drop the repeat. ``reply_to`` is what the part was sent as a reply to: some platforms
        keep threads apart. Raises ``UNSUPPORTED`` also if this one chat cannot be searched.
        """

    async def probe(self, chat: str) -> str:
        """Check without sending whether sending would work; return what was found."""

    async def aclose(self) -> None:
        """Close connections."""


@runtime_checkable
class Hosted(Protocol):
    """A sender with a page for each person, which ``page``, set before listening, returns."""

    page: Callable[[str], Awaitable[Document | None]] | None


@runtime_checkable
class Discerning(Protocol):
    """A sender that can find out who reads a chat."""

    async def external(self, chat: str) -> bool:
        """Whether people of other organisations, or anybody, may read it; true if unknown."""


@runtime_checkable
class Paced(Protocol):
    """A sender whose platform limits the number of messages in a period."""

    # The delivery waits for a turn before it records that a message is on its way. So a process
    # that ends while it waits leaves nothing in doubt, and a long queue is not taken for a platform
    # that does not answer.

    async def ready(self, chat: str, *, answer: bool = False) -> None:
        """Wait for a turn in the chat; answers go first. May raise :class:`SendError`."""


@runtime_checkable
class Pictured(Protocol):
    """A sender that shows pictures."""

    async def show(self, chat: str, picture: Picture, below: Receipt) -> None:
        """Post a picture once below a message of the bot. Raises ``SendError``."""


@runtime_checkable
class Bounded(Protocol):
    """A sender that counts messages in a :class:`bot.messaging.rates.Pace`, maybe shared."""

    @property
    def paces(self) -> Mapping[str, Pace]:
        """Every pace it keeps, by a stable name."""
