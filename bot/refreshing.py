"""What an older version of the program read is read again, a little at a time.

Questions are answered from it meanwhile: what it found holds, though a newer version finds more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from zoneinfo import ZoneInfo

import structlog

from bot.app import App
from bot.lease import Leases
from bot.sections import RepositoryConfig
from digest.errors import UserError
from handlers.context import Context
from handlers.ingest import fill
from handlers.looking import tip_of

log = structlog.get_logger(__name__)

BATCH = 500
"""Changes that are read again at a time: a few seconds of one processor."""


class Refreshing:
    """Reads again what is archived of configured repositories, a batch of each at every call.

    Processes take turns by ``leases``. What is not in its repository any more is passed over.
    """

    def __init__(self, app: App, leases: Leases, repositories: Sequence[RepositoryConfig]) -> None:
        self._app = app
        self._leases = leases
        self._repositories = repositories
        self._left: dict[str, deque[str]] = {}

    async def __call__(self) -> None:
        """Read the next batches. Raises nothing that a repository alone is to blame for."""
        for settings in self._repositories:
            if self._left.get(settings.name, True):
                async with self._leases.hold(f"refresh\0{settings.name}") as mine:
                    if mine:
                        await self._refresh(settings)

    async def _refresh(self, settings: RepositoryConfig) -> None:
        try:
            watched = await self._app.watch_configured(settings)
            repository = watched.repository
            if settings.name not in self._left:
                self._left[settings.name] = deque(await self._app.archive.outdated(repository))
            left = self._left[settings.name]
            if not left:
                return
            ctx = self._app.context(watched, zone=ZoneInfo("UTC"))
            await read_again(ctx, [left.popleft() for _ in range(min(BATCH, len(left)))])
            log.info("archive.refreshed", repository=settings.name, left=len(left))
        except UserError as error:
            log.warning("archive.not_refreshed", repository=settings.name, error=str(error))


async def read_again(ctx: Context, shas: Sequence[str]) -> None:
    """Read changes by today's rules. Raises ``SourceUnavailable`` and what the archive raises."""
    await fill(ctx, shas, await tip_of(ctx))
