"""What nobody can ask for any more is let go, a little at every hour."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from bot.store.claims import let_go
from bot.store.database import Database
from bot.store.retention import drop_digests, empty_deliveries
from handlers.ports import Clock

log = structlog.get_logger(__name__)

_EVERY = timedelta(hours=1)

POSTED = timedelta(days=90)
"""How long the content of a post that stands is kept: posts are amended for 56 days."""


class Tidying:
    """Lets go what is too old. Called often, it does something once an hour.

    Claims are kept for ``kept``, the content of posts for :data:`POSTED`, and digests with their
    reports for ``digests``, where that is given.
    """

    def __init__(
        self, database: Database, clock: Clock, kept: timedelta, digests: timedelta | None = None
    ) -> None:
        self._database = database
        self._clock = clock
        self._kept = kept
        self._digests = digests
        self._last: datetime | None = None

    async def __call__(self) -> None:
        """Look now, if it is time. Raises ``UnwritableFolder`` and ``BrokenArchive``."""
        now = self._clock.now()
        if self._last is not None and now - self._last < _EVERY:
            return
        self._last = now
        found = {
            "claims": await let_go(self._database, now - self._kept),
            "posts": await empty_deliveries(self._database, now - POSTED),
        }
        if self._digests is not None:
            found["digests"] = await drop_digests(self._database, now - self._digests)
        if any(found.values()):
            log.info("archive.tidied", **found)
