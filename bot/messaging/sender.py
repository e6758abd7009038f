"""Why a platform did not do what it was asked.

One message of a platform, how long it may be, and the proof that it stands.

Who posts, and what only some who post can do.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.messaging.rates import Pace
from bot.util.chart_image import Picture
from digest.document import Document
from digest.errors import DigestbotError


class SendReason(StrEnum):
    """Why a message was not sent. A closed set: metrics and tests count on it."""

    RATE_LIMITED = "rate_limited"  # too many messages for now
    UNAVAILABLE = "unavailable"  # refused before it was taken: no connection, 5xx
    NO_ANSWER = "no_answer"  # handed over, and no word whether it was taken
    UNAUTHORIZED = "unauthorized"  # token or permission
    NO_CHANNEL = "no_channel"  # no such chat, the bot was removed, the chat is closed
    REJECTED = "rejected"  # the platform does not take this content
    UNSUPPORTED = "unsupported"  # the platform cannot do this at all
    BROKEN = "broken"  # the platform's answer makes no sense


_AGAIN = frozenset({SendReason.RATE_LIMITED, SendReason.UNAVAILABLE})


class SendError(DigestbotError):
    """A platform's failure, classified by its adapter. The delivery decides what follows.

    ``retry`` says that the same call may be repeated and cannot make a second message; by default
    so for ``RATE_LIMITED`` and ``UNAVAILABLE`` alone. ``retry_after`` is in seconds, where the
    platform names a time. ``detail`` is for logs and holds no secret.
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
    """Which side of a part the limit holds for."""

    TEXT = "text"
    BODY = "body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message. Frozen in the ledger, so both sides are plain strings.

    ``text`` is what a person reads, without markup: for notifications, for a platform that refuses
    the markup, for tests. ``body`` is what is sent, in the platform's markup or as JSON text.
    ``identity`` (32 hex digits, set by the delivery) is the same at every attempt to send this
    part to this channel: an adapter puts it where the platform keeps it, and :meth:`Sender.find`
    looks for it. ``since`` is when the part was frozen, so that no attempt to send it is older;
    ``None`` for what no ledger keeps. It is aware, in UTC.
    """

    text: str
    body: str
    identity: str = ""
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The longest message: ``size`` of ``unit``, counted on one side of a part.

    ``size`` ``None`` is no limit. ``source`` is the address of the page that states it.
    """

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
"""What a thread's name begins with where a platform has chains of replies and no threads.

The rest of it is the answered message: each answer is a thread to whoever replies to it. Of a chain
that nothing is known of, such as one that goes on from the second part of an answer, the
conversation is the chat's own.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A platform's proof that a message stands: its id, and the thread that answers belong to."""

    message: str
    thread: str = ""

    def dump(self) -> str:
        """The receipt as the ledger keeps it."""
        return json.dumps([self.message, self.thread], ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> Receipt | None:
        """The receipt of a ledger entry; ``None`` where the entry has no proof."""
        if not text:
            return None
        message, thread = json.loads(text)
        return cls(message=message, thread=thread)


class Ability(StrEnum):
    """What not every platform can do; a call of what it cannot raises ``UNSUPPORTED``."""

    EDIT = "edit"
    FIND = "find"
    THREAD = "thread"


class Sender(Protocol):
    """Posts to one account of a platform. ``chat`` is a chat in the platform's own words.

    Every method but ``render`` raises :class:`SendError` and nothing else.
    """

    name: str
    limit: Limit
    abilities: frozenset[Ability]

    def render(self, document: Document) -> tuple[Part, ...]:
        """The messages that the document makes, in order, each within ``limit``; pure.

        No text is lost, and nothing in it acts: markup, mentions and escape codes are neutralised.
        """

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post once, without repeating. ``reply_to`` is ignored where there are no threads."""

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        """Put another content in the place of a message."""

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:
        """The message that stands in the chat with the part's identity.

        ``None`` says that the part may be sent: nothing stands there, or the platform itself will
        drop the repeat. ``reply_to`` is what the part was sent as an answer to: some platforms keep
        threads apart. ``UNSUPPORTED`` is raised too where this one chat cannot be looked through.
        """

    async def probe(self, chat: str) -> str:
        """Find out, without sending, whether it could be done; a few words on what is there."""

    async def aclose(self) -> None:
        """Let go of connections."""


@runtime_checkable
class Hosted(Protocol):
    """A sender whose platform gives the bot a page of its own, one for each person.

    ``page`` is set once, before listening: it makes the page for a person, or has none to show.
    """

    page: Callable[[str], Awaitable[Document | None]] | None


@runtime_checkable
class Discerning(Protocol):
    """A sender that can find out who reads a chat."""

    async def external(self, chat: str) -> bool:
        """Whether people of other organisations, or anybody at all, may read it.

        Yes, where the platform does not tell.
        """


@runtime_checkable
class Paced(Protocol):
    """A sender whose platform lets only so many messages pass in a time.

    Waiting for a turn is no part of handing a message over: the delivery waits before it writes
    down that a message is on its way. So a process that ends while it waits leaves nothing in
    doubt, and a long queue is not taken for a platform that gives no answer.
    """

    async def ready(self, chat: str, *, answer: bool = False) -> None:
        """Wait until a message may go to the chat; the next ``send`` there then goes at once.

        Answers come before posts. Raises :class:`SendError` where the turn would come too late.
        """


@runtime_checkable
class Pictured(Protocol):
    """A sender that shows pictures."""

    async def show(self, chat: str, picture: Picture, below: Receipt) -> None:
        """Post a picture that belongs to a message of ours. Raises ``SendError``.

        It is no part of what was promised: nobody repeats it or looks for it.
        """


@runtime_checkable
class Bounded(Protocol):
    """A sender that counts its messages in :class:`bot.messaging.rates.Pace`.

    What speaks by the same account in other processes may be counted with it.
    """

    @property
    def paces(self) -> Mapping[str, Pace]:
        """Every pace that it keeps, by a name that stays."""
