"""Leases between processes, held as locks of the ledger's server, and removal of old claims.

A claim in ``slots`` is removed once nobody can claim the same name again. The part of its name
before the colon gives its kind:

- passing events (:data:`PASSING`): the delivery of a forge's webhook, a day's line for the admin,
  the range of an alert. They are removed when they are old, except for the alert that a profile
  has reached: it is looked up again, however much later.
- channels, with the scheduler's notes on them, one claim a day. The newest says how far the
  channel is and is kept forever; older ones are never looked up again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime

import psycopg
import structlog
from sqlalchemy import ColumnElement, and_, delete, exists, func, literal, not_, or_

from bot.store.database import Database
from bot.store.postgresql import PostgresDatabase
from bot.store.rows import seconds
from bot.store.tables.chat_tables import profiles
from bot.store.tables.ledger_tables import slots
from digest.errors import UnreachableDatabase

HOOK, NOTICE, ALERT = PASSING = "hook:", "notice:", "alert:"
"""Prefixes of claims of passing events."""


def stretch(repository: str, owner: str, tip: str) -> str:
    """The claim of an alert: whom it is for, and the commit its range starts from."""
    return f"{ALERT}{repository}:{owner}:{tip}"


async def let_go(database: Database, before: datetime) -> int:
    """Remove claims made before a moment that are no longer needed; return how many there were.

    Raises ``UnwritableFolder`` and ``BrokenArchive``.
    """
    # Earlier versions of the program stored no time: the age of such a claim is unknown.
    old = and_(slots.c.at > 0, slots.c.at < seconds(before))
    passed = and_(_passing(), not_(_stood_at()))
    async with database.writing() as connection:
        done = await connection.execute(delete(slots).where(old, or_(passed, _overtaken())))
        return int(done.rowcount)


def _passing() -> ColumnElement[bool]:
    named = slots.c.subscription
    return or_(*(func.substr(named, 1, len(kind)) == kind for kind in PASSING))


def _stood_at() -> ColumnElement[bool]:
    """Whether a profile has reached the start of the alert."""
    of = profiles.c
    named = literal(ALERT) + of.repository + ":" + of.owner + ":" + of.tip
    return exists().where(named == slots.c.subscription)


def _overtaken() -> ColumnElement[bool]:
    """Whether a newer slot of a channel was claimed; passing events have no order."""
    newer = slots.alias()
    overtaken = exists().where(
        newer.c.subscription == slots.c.subscription, newer.c.slot > slots.c.slot
    )
    return and_(not_(_passing()), overtaken)


log = structlog.get_logger(__name__)

# The server frees the locks of a machine that lost power after a minute, not after two hours:
# https://www.postgresql.org/docs/current/runtime-config-connection.html
_OPTIONS = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"


class ServerLeases:
    """``Leases`` as PostgreSQL's advisory locks, which end with the connection that holds them.

    One connection holds all leases of a process, so they are free however the process ends. If the
    connection breaks they are freed too, and taken again before anything else is, so another
    process can only take one in between. In that case the ledger's own keys still decide: a part
    that two processes handle is in doubt, and its guarantee says what happens to it.
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
        """Hold the name inside the context; yields false at once if another process holds it.

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
        """Release every lease."""
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
    """A name as a key of PostgreSQL's advisory locks: 64 bits, signed."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)
