"""Leases between processes, held as locks of the ledger's server."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import structlog

from bot.store.postgresql import PostgresDatabase, user_errors

log = structlog.get_logger(__name__)

# The server frees the locks of a machine that lost power after a minute, not after two hours:
# https://www.postgresql.org/docs/current/runtime-config-connection.html
_OPTIONS = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"


class ServerLeases:
    """``Leases`` as PostgreSQL's advisory locks, which end with the connection that holds them."""

    # One connection holds all leases of a process, so they are free however the process ends. If
    # the connection breaks they are freed too, and taken again before anything else is, so another
    # process can only take one in between. In that case the ledger's own keys still decide: a part
    # that two processes handle is in doubt, and its guarantee says what happens to it.

    def __init__(self, database: PostgresDatabase) -> None:
        self._place = database.place
        url = database.url.set(drivername="postgresql")
        self._address = url.render_as_string(hide_password=False)
        self._turn = asyncio.Lock()
        self._connection: psycopg.AsyncConnection | None = None
        self._held: set[int] = set()

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncIterator[bool]:
        """Hold the name, or yield false if others do. Raises ``UnreachableDatabase``."""
        # A name as a key of PostgreSQL's advisory locks: 64 bits, signed.
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        number = int.from_bytes(digest[:8], signed=True)
        if number in self._held or not await self._take(number):
            yield False
            return
        try:
            yield True
        finally:
            await self._release(number)

    async def aclose(self) -> None:
        """Release every lease."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _take(self, number: int) -> bool:
        async with self._turn:
            if number in self._held:
                return False
            with user_errors(self._place):
                taken = await _lock(await self._connected(), number)
            if taken:
                self._held.add(number)
            return taken

    async def _release(self, number: int) -> None:
        async with self._turn:
            self._held.discard(number)
            if self._connection is None or self._connection.closed:
                return
            try:
                await self._connection.execute("SELECT pg_advisory_unlock(%s)", (number,))
            except psycopg.Error as error:
                # If the connection is broken, its locks are gone too.
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


async def _lock(connection: psycopg.AsyncConnection, number: int) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (number,))
    row = await cursor.fetchone()
    return bool(row and row[0])
