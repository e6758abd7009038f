"""Which channels are served now, and when the clock calls for each."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial

import structlog

from bot.subscriptions.roster import Channels, Post
from bot.times.schedule import next_slot
from bot.times.timetable import Timetable
from handlers.ports import Clock

log = structlog.get_logger(__name__)


class Served:
    """The channels as they were last read; ``posts`` are by name."""

    def __init__(self, channels: Channels) -> None:
        self.posts: Mapping[str, Post] = {}
        self._channels = channels

    async def look(self) -> Sequence[Post]:
        """Read the channels again; those that are new or changed."""
        posts = {post.name: post for post in await self._channels.current()}
        fresh = [post for name, post in posts.items() if self.posts.get(name) != post]
        self.posts = posts
        return fresh

    async def changed(self) -> None:
        """Return as soon as the channels are told to have changed."""
        await self._channels.changed()

    async def watch(self) -> None:
        """Read the channels as soon as they are told to have changed, and do no more."""
        while True:
            await self.changed()
            await self.look()


class Timetabled(Served):
    """Channels that the clock calls for: ``attend`` gets the name of one whose slot is due."""

    def __init__(
        self,
        channels: Channels,
        timetable: Timetable,
        clock: Clock,
        attend: Callable[[str], Coroutine[None, None, None]],
    ) -> None:
        super().__init__(channels)
        self._timetable = timetable
        self._clock = clock
        self._attend = attend

    async def look(self) -> Sequence[Post]:
        """Read the channels again, and keep the timetable as they are."""
        fresh = await super().look()
        for post in fresh:
            self._timetable.put(post.name, post.spec, partial(self._attend, post.name))
            log.info("channel.scheduled", channel=post.name, next=self._next(post))
        for name in self._timetable.keep(self.posts):
            log.info("channel.dropped", channel=name)
        return fresh

    def _next(self, post: Post) -> str:
        return next_slot(post.spec, self._clock.now()).at.astimezone(post.spec.zone).isoformat()
