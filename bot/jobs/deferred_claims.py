"""Claims that defer a job in their own transaction: whatever is claimed will also be done."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.forges.hooks import Arrived
from bot.jobs.channel_worker import NOTES
from bot.jobs.job_engine import Engine
from bot.store.database import Database
from bot.store.ledger import HOOK, SqlLedger
from bot.store.replies import SqlReplies


class DeferringLedger(SqlLedger):
    """The ledger of a process that claims slots for others to work on."""

    def __init__(self, database: Database, engine: Engine) -> None:
        super().__init__(database)
        self._engine = engine

    async def _claimed(
        self, connection: AsyncConnection, claims: Sequence[tuple[str, str]]
    ) -> None:
        # The loop's own notes are among the slots.
        names = [name for name, _ in claims if not name.startswith(NOTES)]
        if names:
            await self._engine.put_channels(names, connection)


class DeferringArrivals(SqlLedger):
    """Accepts forge events for other processes; implements ``bot.forges.hooks.Taking``."""

    def __init__(self, database: Database, engine: Engine) -> None:
        super().__init__(database)
        self._engine = engine

    async def take(self, forge: str, delivery: str, arrived: Arrived) -> bool:
        """Claim the delivery together with its job."""
        async with self._database.writing() as connection:
            if delivery and not await self._claim(connection, f"{HOOK}{forge}", delivery):
                return False
            await self._engine.put_arrival(arrived, connection)
            return True

    async def settle(self) -> None:
        """Nothing is started here."""


class DeferringReplies(SqlReplies):
    """The message records of a process that receives for others to answer."""

    def __init__(self, database: Database, engine: Engine) -> None:
        super().__init__(database)
        self._engine = engine

    async def _recorded(
        self, connection: AsyncConnection, made: Collection[tuple[str, ...]]
    ) -> None:
        keys = [(account, chat, message) for account, chat, message in made]
        await self._engine.put_answers(keys, connection)
