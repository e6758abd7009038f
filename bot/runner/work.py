"""What the loop is given, and what it asks of those who build, answer and alert."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.aftercare.parking import Parking
from bot.lease import Leases
from bot.platforms.base import Incoming, Sender
from bot.posting.delivery import Delivered, Delivery
from bot.runner.waking import Waking
from bot.subscriptions.roster import Channels, Post
from bot.times.schedule import Slot
from digest.document import Document
from handlers.ports import Clock, Ledger
from handlers.watched import Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A document to post; ``digest`` is its stable name, as in ``DeliveryKey``.

    ``details`` follow in its thread, where the platform has threads. ``repository`` is the one that
    it tells of.
    """

    digest: str
    document: Document
    details: Document | None = None
    repository: str = ""


Build = Callable[[Post, Slot], Awaitable[Sequence[Ready]]]
"""Makes the digests of a slot, none for a quiet one; repeatable until the slot is finished."""

Finish = Callable[[Post, Slot, Sequence[Delivered]], Awaitable[None]]
"""Called when the slot's content is frozen, and again if the process dies in it."""


class Alerts(Protocol):
    """Tells what cannot wait for a slot. Nothing but cancellation leaves it."""

    async def look(self) -> None:
        """Look at everything; called often."""

    async def wanted(self) -> Sequence[str]:
        """The names of the repositories that :meth:`look` looks at."""

    async def look_at(self, repository: str) -> None:
        """Look at one repository, by its name."""

    async def moved(self, watched: Watched) -> None:
        """Look at a repository whose newest changes were just fetched."""


class Hearing(Protocol):
    """Deals with what platforms hear. Nothing but cancellation leaves it."""

    async def hear(self, sender: Sender, incoming: Incoming) -> None:
        """Answer a message, unless it was heard before."""

    async def recover(self, sender: Sender) -> None:
        """Bring to an end what a process that died left half answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the loop is given. ``receivers`` are senders that listen as well."""

    posts: Channels
    build: Build
    finish: Finish
    hearing: Hearing
    delivery: Delivery
    ledger: Ledger
    leases: Leases
    clock: Clock
    receivers: Sequence[Sender] = ()
    elected: Mapping[str, Sender] = field(default_factory=dict)
    """The receivers, by account, that one process at a time may have a connection of."""
    parking: Parking | None = None
    """Knows dead chats; without it one is left alone until the next start."""
    amend: Callable[[Mapping[str, Post]], Awaitable[None]] | None = None
    """Tells, in what was posted to the channels given, what became of it since."""
    alerts: Alerts | None = None
    """Tells at once what cannot wait for a slot."""
    waking: Waking = field(default_factory=Waking)
    """Told of channels that something is to be sent to again."""
    tidy: Callable[[], Awaitable[None]] | None = None
    """Lets go what nobody can ask for any more; called at every sweep."""
    refresh: Callable[[], Awaitable[None]] | None = None
    """Reads again some of what an older version read; called at every sweep, nobody waits."""
