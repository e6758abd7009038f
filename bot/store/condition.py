"""Whether the archive can be worked with right now, found out without leaving a trace in it."""

from __future__ import annotations

import asyncio

from sqlalchemy import func, select, text

from bot.store.database import Database
from bot.store.migrations import HEAD
from bot.store.tables import deliveries
from digest.errors import DigestbotError


class Fitness:
    """Tries whether something can be kept: takes a writer's turn, and writes nothing.

    ``patience`` is in seconds: a batch of changes, for which a writer waits, takes less than one.
    """

    def __init__(self, database: Database, patience: float = 5.0) -> None:
        self._database = database
        self._patience = patience
        self._trying: asyncio.Task[str] | None = None

    async def trouble(self) -> str:
        """Why nothing can be kept in the archive; empty where it can be."""
        # A statement that waits for its turn cannot be called back: the next to ask waits for the
        # same one, so that probes do not queue up behind a writer that hangs.
        if self._trying is None or self._trying.done():
            self._trying = asyncio.create_task(self._try())
        done, _ = await asyncio.wait({self._trying}, timeout=self._patience)
        return self._trying.result() if done else f"no turn to write within {self._patience:g} s"

    async def _try(self) -> str:
        try:
            async with self._database.writing():
                pass
            revision = await revision_of(self._database)
        except DigestbotError as error:
            return str(error)
        if revision == HEAD:
            return ""
        return f"its tables are of revision {revision}, and this program's of {HEAD}"


async def revision_of(database: Database) -> str:
    """The revision of the tables."""
    query = text("SELECT version_num FROM alembic_version")
    async with database.reading() as connection:
        return str(await connection.scalar(query))


async def pending(database: Database) -> int:
    """How many deliveries were claimed and are not done."""
    query = select(func.count()).select_from(deliveries).where(~deliveries.c.done)
    async with database.reading() as connection:
        return int(await connection.scalar(query) or 0)
