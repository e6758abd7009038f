"""The channels that the loop posts to; they may change at any time.

The loop reads the registry at every sweep, and at once after :meth:`ChannelRegistry.nudge`, so that
a chat that subscribes, pauses or leaves needs no restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import structlog

from bot.delivery.part_sender import Target
from bot.messaging.sender import Sender
from bot.scheduler.schedule import Spec
from bot.subscriptions.subscription import Subscription, SubscriptionSource

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A subscription as the loop sees it. Missed slots older than ``catch_up`` are dropped."""

    target: Target
    spec: Spec
    catch_up: timedelta = timedelta(hours=24)

    @property
    def name(self) -> str:
        """The subscription's name, also in the ledger."""
        return self.target.name


class Channels(Protocol):
    """The channels that the loop posts to. ``current`` is called repeatedly."""

    async def current(self) -> Sequence[Post]:
        """The channels to serve now, each name once."""

    async def changed(self) -> None:
        """Return when ``current`` should be called early."""


class Fixed:
    """Channels that never change."""

    def __init__(self, posts: Sequence[Post]) -> None:
        self._posts = tuple(posts)

    async def current(self) -> Sequence[Post]:
        """All of them."""
        return self._posts

    async def changed(self) -> None:
        """Never returns."""
        await asyncio.Event().wait()


class Configured:
    """Subscriptions of the configuration."""

    def __init__(self, subscriptions: Sequence[Subscription]) -> None:
        self._subscriptions = tuple(subscriptions)

    async def subscriptions(self) -> Sequence[Subscription]:
        """All of them, in the order of the file."""
        return self._subscriptions


class ChannelRegistry:
    """The channels of all sources, the first source first."""

    def __init__(
        self, senders: Mapping[str, Sender], sources: Sequence[SubscriptionSource]
    ) -> None:
        """``senders`` are the open accounts by their names in the configuration."""
        self._senders = senders
        self._sources = sources
        self._last: list[Sequence[Subscription]] = [() for _ in sources]
        self._served: dict[str, Subscription] = {}
        self._told: set[tuple[str, str]] = set()
        self._nudge = asyncio.Event()

    async def current(self) -> Sequence[Post]:
        """The subscriptions that can be served. A source that fails keeps its last state."""
        for place, source in enumerate(self._sources):
            try:
                self._last[place] = await source.subscriptions()
            except Exception:
                log.exception("roster.broken", source=type(source).__name__)
        served: dict[str, Subscription] = {}
        for one in (one for some in self._last for one in some):
            if one.platform not in self._senders:
                self._tell("roster.no_platform", one)
            elif one.name in served:
                self._tell("roster.name_taken", one)
            else:
                served[one.name] = one
        self._served = served
        return tuple(map(self._post, served.values()))

    def get(self, name: str) -> Subscription | None:
        """A subscription as it was last read."""
        return self._served.get(name)

    def nudge(self) -> None:
        """Something changed: wake the loop now."""
        self._nudge.set()

    async def changed(self) -> None:
        """Return after a nudge, or at once if one came since the last return."""
        await self._nudge.wait()
        self._nudge.clear()

    def _post(self, one: Subscription) -> Post:
        target = Target(
            name=one.name,
            sender=self._senders[one.platform],
            chat=one.chat,
            promise=one.promise,
            account=one.platform,
        )
        return Post(target=target, spec=one.spec, catch_up=one.catch_up)

    def _tell(self, event: str, one: Subscription) -> None:
        if (event, one.name) not in self._told:
            self._told.add((event, one.name))
            log.error(event, channel=one.name, platform=one.platform)
