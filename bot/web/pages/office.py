"""What admins see: channels, deliveries, costs, and the configuration in effect without secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.store.calls import Cost, SqlCalls
from bot.store.doubts import Doubt, SqlDoubts
from bot.times.schedule import next_run
from bot.watching.logs import Redaction
from handlers.ports import Clock

if TYPE_CHECKING:
    from bot.config.reading import Config
    from bot.runner.waking import Wake
    from bot.store.deliveries import Delivered, SqlDeliveries
    from bot.subscriptions.roster import Channels, Post

_SHOWN = 50
_DAYS = 30
_PLAIN_LIST = re.compile(r"\[\n[^\[\]{}]*\]")
"""A list of JSON that holds neither lists nor objects, nor words with such brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A channel with its next slot, ``local`` as people of its zone write it."""

    name: str
    platform: str
    chat: str
    at: datetime
    zone: str
    local: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Where admins look. ``wake`` has a channel served at once; without it a sweep does so."""

    channels: Channels
    deliveries: SqlDeliveries
    doubts: SqlDoubts
    calls: SqlCalls
    clock: Clock
    config: Config | None = None
    wake: Wake | None = None

    async def due(self) -> Sequence[Due]:
        """The channels that are served, the next one first."""
        now = self.clock.now()
        found = [_due(post, now) for post in await self.channels.current()]
        return sorted(found, key=lambda due: (due.at, due.name))

    async def delivered(self) -> Sequence[Delivered]:
        """The newest deliveries."""
        return await self.deliveries.newest(_SHOWN)

    async def failed(self) -> Sequence[Doubt]:
        """The newest parts that were not sent, or of which that is not known."""
        return await self.doubts.newest(_SHOWN)

    async def again(self, delivery: int) -> int:
        """Have a delivery's parts in doubt sent again; how many there are."""
        count = await self.doubts.again(delivery)
        if count and self.wake is not None:
            await self.wake(await self.doubts.channel_of(delivery))
        return count

    async def costs(self) -> Sequence[Cost]:
        """What models cost of late, the last day first."""
        now = self.clock.now()
        costs = await self.calls.costs(now - timedelta(days=_DAYS), now + timedelta(seconds=1))
        return sorted(costs, key=lambda cost: cost.day, reverse=True)

    def configuration(self) -> str:
        """The configuration in effect as JSON text, with every secret masked."""
        if self.config is None:
            return ""
        told = json.dumps(_told(self.config), indent=2, ensure_ascii=False, default=str)
        return Redaction(self.config.secrets()).text(_PLAIN_LIST.sub(_in_a_line, told))


def _in_a_line(found: re.Match[str]) -> str:
    return re.sub(r"\n\s*", " ", found[0]).replace("[ ", "[").replace(" ]", "]")


def _due(post: Post, now: datetime) -> Due:
    at, zone = next_run(post.spec, now), post.spec.zone
    return Due(
        name=post.name,
        platform=post.target.sender.name,
        chat=post.target.chat,
        at=at,
        zone=zone.key,
        local=at.astimezone(zone).strftime("%Y-%m-%d %H:%M"),
    )


def _told(config: Config) -> dict[str, Any]:
    """The sections as they are in effect. pydantic writes asterisks for secrets."""
    sections = {
        "logs": config.logs,
        "defaults": config.defaults,
        "model": config.model,
        "access": config.access,
        "web": config.web,
    }
    return {
        "file": str(config.file),
        "data": str(config.data),
        **{name: one.model_dump(mode="json") for name, one in sections.items() if one is not None},
        "repositories": [one.model_dump(mode="json") for one in config.repositories],
        "platforms": {
            name: {"kind": one.kind, **one.settings.model_dump(mode="json")}
            for name, one in config.platforms.items()
        },
        "channels": [one.model_dump(mode="json") for one in config.channels],
    }
