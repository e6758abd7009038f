"""Who posts, and what only some who post can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.platforms.base.parts import Limit, Part, Receipt
from bot.showing.pictures import Picture
from bot.transport.rates import Pace
from digest.document import Document


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
    """A sender that counts its messages in :class:`bot.transport.rates.Pace`.

    What speaks by the same account in other processes may be counted with it.
    """

    @property
    def paces(self) -> Mapping[str, Pace]:
        """Every pace that it keeps, by a name that stays."""
