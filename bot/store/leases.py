"""Leases among the processes of any number of machines: locks of the ledger's server."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import psycopg
import structlog

from bot.store.postgresql import PostgresDatabase
from digest.errors import UnreachableDatabase

log = structlog.get_logger(__name__)

# The server lets go of what a machine without power held after a minute, not after two hours:
# https://www.postgresql.org/docs/current/runtime-config-connection.html
_OPTIONS = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"


class ServerLeases:
    """``Leases`` by PostgreSQL's advisory locks, which end with the connection that holds them.

    One connection holds all of a process, so the process ends and they are free, however it ends.
    A connection that breaks lets them go as well: they are taken again before anything else is,
    which leaves a gap only where another process comes first. The ledger's own keys stand then:
    a part that two processes meet is in doubt, and its promise says what becomes of it.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._place = database.place
        url = database.url.set(drivername="postgresql")
        self._address = url.render_as_string(hide_password=False)
        self._turn = asyncio.Lock()
        self._connection: psycopg.AsyncConnection | None = None
        self._held: set[int] = set()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[bool]:
        """Hold the name while inside; yields false at once where another holds it.

        Raises ``UnreachableDatabase``.
        """
        number = _number(name)
        if number in self._held or not await self._take(number):
            yield False
            return
        try:
            yield True
        finally:
            await self._let_go(number)

    async def aclose(self) -> None:
        """Let go of every lease."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _take(self, number: int) -> bool:
        async with self._turn:
            if number in self._held:
                return False
            with self._told():
                taken = await _lock(await self._connected(), number)
            if taken:
                self._held.add(number)
            return taken

    async def _let_go(self, number: int) -> None:
        async with self._turn:
            self._held.discard(number)
            if self._connection is None or self._connection.closed:
                return
            try:
                await self._connection.execute("SELECT pg_advisory_unlock(%s)", (number,))
            except psycopg.Error as error:
                # With a broken connection the lock has gone as well.
                log.warning("lease.connection", error=str(error).strip())

    async def _connected(self) -> psycopg.AsyncConnection:
        if self._connection is not None and not self._connection.closed:
            return self._connection
        made = await psycopg.AsyncConnection.connect(
            self._address,
            autocommit=True,
            connect_timeout=10,
            application_name="digestbot leases",
            options=_OPTIONS,
        )
        self._connection = made
        for number in self._held:
            if not await _lock(made, number):
                log.error("lease.lost", number=number)
        return made

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            why = str(error).strip().partition("\n")[0]
            raise UnreachableDatabase(self._place, why) from error


async def _lock(connection: psycopg.AsyncConnection, number: int) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (number,))
    row = await cursor.fetchone()
    return bool(row and row[0])


def _number(name: str) -> int:
    """A name as PostgreSQL's advisory locks are named: 64 bits with a sign."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)
