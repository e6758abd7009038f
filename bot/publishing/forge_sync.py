"""Keeps up with forges during ``digestbot run``: every few minutes, and at once on a webhook.

Correctness rests on polling: a webhook only makes it faster. No digest waits for this, and failures
are retried the next time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from urllib.parse import urlsplit

import structlog

from bot.config.reader import Config
from bot.config.repository_section import RepositoryConfig
from bot.forges.hooks import Arrived
from bot.git.address import identify, read_address
from bot.workspace.workspace import Workspace
from digest.core.grade import Repository
from digest.errors import UserError
from digest.window import Window
from handlers.digests.ingest import enrich, fill
from handlers.ports.storage import Tip, Watched

log = structlog.get_logger(__name__)

EVERY = timedelta(minutes=5)
"""Between two checks of a forge's lists; an unchanged list costs nothing."""

_BACK = timedelta(days=1)
"""How much of a branch is read as soon as it moved; a digest reads the rest."""

Follow = Callable[[Watched], Awaitable[None]]
"""Called with a repository whose newest changes were just read."""


class ForgeSync:
    """Reads what is new in the configured repositories. ``follow`` is called when one has moved."""

    def __init__(self, app: Workspace, config: Config, follow: Sequence[Follow] = ()) -> None:
        self._app = app
        self._config = config
        self._follow = tuple(follow)
        self._turns: dict[str, asyncio.Lock] = {}
        self._tips: dict[str, Tip] = {}

    @asynccontextmanager
    async def running(self, every: timedelta = EVERY) -> AsyncIterator[None]:
        """Check the forges periodically inside the context."""
        task = asyncio.create_task(self._again_and_again(every))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def arrived(self, arrived: Arrived) -> None:
        """Read what a forge's event is about; does nothing if nobody watches the repository."""
        for settings in self._config.repositories:
            watched = await self._app.watch_configured(settings)
            if place_of(watched.repository.web) != (arrived.host, arrived.repository.casefold()):
                continue
            if arrived.moved:
                await self._read(watched)
            await self._enrich(watched)

    async def enrich_all(self) -> None:
        """Read the lists of all repositories; where requests changed, check the branch too."""
        for settings in self._config.repositories:
            try:
                watched = await self._app.watch_configured(settings)
                if await self._enrich(watched):
                    await self._read(watched)
            except UserError as error:
                log.warning("forge.unread", repository=settings.name, error=str(error))
            except Exception:
                log.exception("forge.unread", repository=settings.name)

    async def _again_and_again(self, every: timedelta) -> None:
        if not self._config.forges:
            return
        while True:
            await self.enrich_all()
            await asyncio.sleep(every.total_seconds())

    async def _read(self, watched: Watched) -> None:
        """Fetch; if the branch moved, grade the changes of the last day and call ``follow``."""
        async with self._turns.setdefault(watched.repository.name, asyncio.Lock()):
            await watched.source.sync()
            zone = self._config.defaults.zone
            ctx = self._app.context(watched, zone=zone)
            now = ctx.clock.now().replace(microsecond=0)
            tip = await watched.source.tip(watched.branch)
            if self._tips.get(watched.repository.name) == tip:
                return
            window = Window(since=now - _BACK, until=now + timedelta(seconds=1), zone=zone)
            names, _ = await fill(ctx, window, tip)
            self._tips[watched.repository.name] = tip
        log.info("repository.moved", repository=watched.repository.name, recent=len(names))
        for follow in self._follow:
            await follow(watched)

    async def _enrich(self, watched: Watched) -> int:
        count = await enrich(self._app.context(watched, zone=self._config.defaults.zone))
        if count:
            log.info("forge.read", repository=watched.repository.name, requests=count)
        return count


def home_of(settings: RepositoryConfig) -> tuple[str, str]:
    """Host and path of a configured repository if the file alone states them, else empty."""
    web = settings.web
    if not web:
        address = read_address(settings.place)
        repository = identify(address, folder="") if address else Repository(name="")
        web = repository.web
    return place_of(web)


def place_of(web: str) -> tuple[str, str]:
    """Host and path of a repository's pages, in lower case."""
    parts = urlsplit(web)
    return parts.netloc.lower(), parts.path.strip("/").casefold()
