"""Deletes data that is too old, and reanalyses what older versions of the program read.

Both do a little at a time. Meanwhile questions are answered from the old facts: they are correct,
though a newer version finds more.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import structlog

from bot.config.repository_section import RepositoryConfig
from bot.store.database import Database
from bot.store.digests import drop_digests, empty_deliveries
from bot.store.ledger import remove_claims
from bot.util.locks import Leases
from bot.workspace.workspace import Workspace
from digest.errors import NotARepository, SourceUnavailable, UnknownBranch
from handlers.context import Context
from handlers.digests.ingest import fill, tip_of
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)

_EVERY = timedelta(hours=1)
POSTED = timedelta(days=90)
"""How long the content of a completed post is kept: posts are amended for 56 days."""


class Retention:
    """Deletes what is too old. Called often, it acts once an hour."""

    # Claims are kept for ``kept``, the content of posts for :data:`POSTED`, and digests with their
    # reports for ``digests`` if that is given.

    def __init__(
        self, database: Database, clock: Clock, kept: timedelta, digests: timedelta | None = None
    ) -> None:
        self._database = database
        self._clock = clock
        self._kept = kept
        self._digests = digests
        self._last: datetime | None = None

    async def __call__(self) -> None:
        """Delete now if it is time. Raises ``UnwritableFolder`` and ``BrokenArchive``."""
        now = self._clock.now()
        if self._last is not None and now - self._last < _EVERY:
            return
        self._last = now
        found = {
            "claims": await remove_claims(self._database, now - self._kept),
            "posts": await empty_deliveries(self._database, now - POSTED),
        }
        if self._digests is not None:
            found["digests"] = await drop_digests(self._database, now - self._digests)
        if any(found.values()):
            log.info("archive.tidied", **found)


BATCH = 500  # changes that are read again at a time: a few seconds of one processor


class Reanalysis:
    """Reads archived changes of configured repositories again, a batch per call."""

    # One repository follows the other; processes take turns by ``leases``. Commits that are gone
    # from their repository are skipped, and an unreadable repository is skipped until the next
    # start.

    def __init__(
        self, app: Workspace, leases: Leases, repositories: Sequence[RepositoryConfig]
    ) -> None:
        self._app = app
        self._leases = leases
        self._waiting = {settings.name: settings for settings in repositories}
        self._left: tuple[str, deque[str]] = ("", deque())
        self._turn = asyncio.Lock()

    async def __call__(self) -> None:
        """Read the next batch, unless one is being read. Raises the archive's errors."""
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
        """Read at most ``most`` changes of a repository again; return their number."""
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
    """Read changes by the current rules. Raises ``SourceUnavailable`` and the archive's errors."""
    await fill(ctx, shas, await tip_of(ctx))
