"""A process that builds a slot for many channels, for ``test_editions_shared``.

Run as a program, with a configuration that names an archive and a model, the place of a repository,
and the number of the process. It begins when it is told to, and tells how many digests it made.
"""

from __future__ import annotations

import asyncio
import io
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog

from bot.app import open_workspace
from bot.config.channel_section import ChannelConfig
from bot.config.repository_section import RepositoryConfig
from bot.delivery.part_sender import Target
from bot.platforms.console import Console
from bot.publishing.slots import Slots
from bot.scheduler.schedule import Slot
from bot.store.postgresql import ServerLeases
from bot.subscriptions.channel_registry import subscriptions_of
from bot.util.machine import FixedClock
from digest.core.grade import Level
from tests.integration.handlers.llm.day import DAY, EVENING
from tests.support.channels import at_target

CHANNELS = 3


async def main(config: Path, place: str, number: str) -> None:
    repository = RepositoryConfig(place=place, name="octo/project")
    configs = [
        ChannelConfig(
            name=f"c{number}-{n}", platform="console", zone=ZoneInfo("UTC"), least=Level.LOW
        )
        for n in range(CHANNELS)
    ]
    served = {c.name: subscriptions_of(c, [repository])[0] for c in configs}
    async with (
        open_workspace(config, FixedClock(EVENING), logging=True) as app,
        AsyncExitStack() as stack,
    ):
        leases = ServerLeases(app.database)
        stack.push_async_callback(leases.aclose)
        slots = Slots(app, leases=leases)
        slot = Slot(day=DAY.until.date(), at=DAY.until)
        targets = [Target(name=name, sender=Console(io.StringIO())) for name in served]
        posts = [at_target(one, served[one.name]) for one in targets]
        print("ready", flush=True)
        sys.stdin.readline()
        made = await asyncio.gather(*(slots.build(post, slot) for post in posts))
        print(sum(map(len, made)), flush=True)


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
