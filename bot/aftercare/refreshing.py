"""What an older version of the program read is read again, a little at a time.

Questions are answered from it meanwhile: what it found holds, though a newer version finds more.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from zoneinfo import ZoneInfo

import structlog

from bot.app import App
from bot.config.sections import RepositoryConfig
from bot.lease import Leases
from digest.errors import NotARepository, SourceUnavailable, UnknownBranch
from handlers.context import Context
from handlers.ingest import fill
from handlers.looking import tip_of

log = structlog.get_logger(__name__)

BATCH = 500
"""Changes that are read again at a time: a few seconds of one processor."""


class Refreshing:
    """Reads again what is archived of configured repositories, a batch at every call.

    One repository follows the other; processes take turns by ``leases``. What is not in its
    repository any more is passed over, and so is a repository that cannot be read, until the next
    start.
    """

    def __init__(self, app: App, leases: Leases, repositories: Sequence[RepositoryConfig]) -> None:
        self._app = app
        self._leases = leases
        self._waiting = {settings.name: settings for settings in repositories}
        self._left: tuple[str, deque[str]] = ("", deque())
        self._turn = asyncio.Lock()

    async def __call__(self) -> None:
        """Read the next batch, unless one is being read.

        Raises what the archive raises, nothing of a repository's.
        """
        if self._turn.locked():
            return
        async with self._turn:
            room = BATCH
            for settings in list(self._waiting.values()):
                if not room:
                    return
                async with self._leases.hold(f"refresh\0{settings.name}") as mine:
                    if mine:
                        room -= await self._refresh(settings, room)

    async def _refresh(self, settings: RepositoryConfig, most: int) -> int:
        """Read again up to so many changes of a repository; return how many that were."""
        name, left = self._left
        if name != settings.name:
            left = deque(await self._app.archive.outdated(settings.repository))
            self._left = settings.name, left
        batch = [left.popleft() for _ in range(min(most, len(left)))]
        if not left:
            del self._waiting[settings.name]
        if batch:
            await self._read(settings, batch, len(left))
        return len(batch)

    async def _read(self, settings: RepositoryConfig, batch: Sequence[str], left: int) -> None:
        try:
            watched = await self._app.watch_configured(settings)
            await read_again(self._app.context(watched, zone=ZoneInfo("UTC")), batch)
            log.info("archive.refreshed", repository=settings.name, left=left)
        except (SourceUnavailable, NotARepository, UnknownBranch) as error:
            self._waiting.pop(settings.name, None)
            log.warning("archive.not_refreshed", repository=settings.name, error=str(error))


async def read_again(ctx: Context, shas: Sequence[str]) -> None:
    """Read changes by today's rules. Raises ``SourceUnavailable`` and what the archive raises."""
    await fill(ctx, shas, await tip_of(ctx))
