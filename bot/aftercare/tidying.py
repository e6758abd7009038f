"""What nobody can ask for any more is let go, a little at every hour."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from bot.store.claims import let_go
from bot.store.database import Database
from handlers.ports import Clock

log = structlog.get_logger(__name__)

_EVERY = timedelta(hours=1)


class Tidying:
    """Lets go claims that are older than ``kept``. Called often, it does something once an hour."""

    def __init__(self, database: Database, clock: Clock, kept: timedelta) -> None:
        self._database = database
        self._clock = clock
        self._kept = kept
        self._last: datetime | None = None

    async def __call__(self) -> None:
        """Look now, if it is time. Raises ``UnwritableFolder`` and ``BrokenArchive``."""
        now = self._clock.now()
        if self._last is not None and now - self._last < _EVERY:
            return
        self._last = now
        if count := await let_go(self._database, now - self._kept):
            log.info("archive.tidied", claims=count)
