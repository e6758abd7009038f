"""``digestbot doctor``: what is wrong with this installation, and the way out of each thing.

``check`` asks whether the configuration would run; this looks at what it runs on as well: the
machine, the archive, the clones, the network. Nothing is sent, changed or brought up to date.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from pathlib import Path

from bot.check.finding import Weight
from bot.config.reading import Config
from bot.config.sections import RepositoryConfig
from bot.doctor.archive import archive
from bot.doctor.clones import clones
from bot.doctor.finding import Finding, guarded
from bot.doctor.machine import clock, compared, disk, git, python
from bot.doctor.network import network
from bot.doctor.setup import setup, work
from bot.folders import Environment

__all__ = ["Finding", "examine", "ill"]


async def examine(data: Path, config: Config | None) -> Sequence[Finding]:
    """Everything that was looked at, in an order to read it in; the looks go on side by side."""
    repositories: Sequence[RepositoryConfig] = config.repositories if config else ()
    looks: list[tuple[str, Awaitable[Sequence[Finding]]]] = [
        ("python", asyncio.to_thread(python)),
        ("git", git()),
        ("disk", asyncio.to_thread(disk, data)),
        ("configuration", asyncio.to_thread(setup, config)),
        ("archive", _archive(data, config)),
        ("work", asyncio.to_thread(work, data)),
        ("clones", clones(data, repositories)),
    ]
    if address := config.redis_url if config else Environment.read().redis:
        looks.append(("redis", _redis(address)))
    if config is not None:
        looks.append(("network", network(config)))
    found = await asyncio.gather(*(guarded(subject, look) for subject, look in looks))
    return [finding for some in found for finding in some]


async def _archive(data: Path, config: Config | None) -> Sequence[Finding]:
    """The archive where it is kept, in a database or a file, and the clock beside it."""
    url = config.database_url if config else Environment.read().database
    if not url:
        return [*await asyncio.to_thread(clock, data), *await asyncio.to_thread(archive, data)]
    from bot.doctor.server import server

    found = await server(url)
    return found if any(one.subject == "clock" for one in found) else [*compared(None), *found]


async def _redis(address: str) -> Sequence[Finding]:
    from bot.doctor.redis import redis

    return await redis(address)


def ill(findings: Sequence[Finding]) -> bool:
    """Whether something is broken."""
    return any(one.weight is Weight.ERROR for one in findings)
