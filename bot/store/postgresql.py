"""The archive in PostgreSQL: how it is opened, transactions, turns of writers, and leases.

Connections come from SQLAlchemy's pool, each in autocommit: outside a transaction every statement
is committed by itself, and the driver never begins one. The driver is psycopg, which Procrastinate
uses too: both share connections, and a job can be deferred in the transaction of its row. Prepared
statements go straight to the driver, without SQLAlchemy.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from typing import Any

import psycopg
import structlog
from psycopg.pq import TransactionStatus
from psycopg.rows import namedtuple_row
from sqlalchemy import URL, Connection, Table, event, exc, insert, make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import PoolProxiedConnection
from typing_extensions import override

from bot.store.database import Database, Prepared, Statement, StatementResult, execute
from bot.store.dialect import insert_rows
from bot.store.migrations import HEAD, REVISIONS, upgrade
from bot.store.tables.ledger_tables import deliveries
from bot.util.sanitize import conceal, secrets_in, without_secrets
from digest import errors

log = structlog.get_logger(__name__)

Driver = psycopg.AsyncConnection[Any]
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"


def driver_of(connection: AsyncConnection) -> Driver:
    """The driver's own connection."""
    assert connection.sync_connection is not None
    driver: Driver | None = connection.sync_connection.connection.driver_connection
    assert driver is not None
    return driver


async def run(driver: Driver, text: str, values: Sequence[Any]) -> StatementResult:
    """Run a statement. Raises ``psycopg.Error``."""
    cursor = driver.cursor(row_factory=namedtuple_row)
    return await result_of(await cursor.execute(text, values))


async def result_of(cursor: psycopg.AsyncCursor[Any]) -> StatementResult:
    """The result of the statement that a cursor ran."""
    rows = await cursor.fetchall() if cursor.description is not None else ()
    return StatementResult(rows=rows, count=cursor.rowcount)


@asynccontextmanager
async def transaction(driver: Driver, turn: str = "") -> AsyncIterator[None]:
    """Commit everything done inside, or nothing; ``turn`` is a statement that takes a lock."""
    # It has no parameters, and is sent together with ``BEGIN``.
    try:
        # Without parameters, several statements are one message.
        await driver.execute(f"{_BEGIN}; {turn}" if turn else _BEGIN, prepare=False)
        yield
        await driver.commit()
    except BaseException:
        with suppress(psycopg.Error):
            await driver.rollback()
        raise
    finally:
        await settle(driver)


async def settle(driver: Driver) -> None:
    """Close a connection that is still in a transaction, so that nobody continues with it."""
    # This happens if its end was itself cancelled. The pool opens another one.
    if driver.info.transaction_status is not TransactionStatus.IDLE:
        await driver.close()


# Set here and not with the table, because it loads SQLAlchemy's whole PostgreSQL dialect.
for _index in deliveries.indexes:
    _index.dialect_options["postgresql"]["where"] = text("NOT done")

_SPACE = 0x6469_6765  # the class of this program's advisory locks: others may use the same database
_TURN = f"SELECT pg_advisory_xact_lock({_SPACE}, {{}})"
_CONNECTIONS = 8  # the most connections of one process; by default PostgreSQL allows 100 in total
_SPARE = 4  # the most connections that go from statement to statement without the pool
_IDLE = 1.0  # a pooled connection that was idle for this many seconds is tested before use
_MIGRATION = "migration"

# https://www.postgresql.org/docs/current/errcodes-appendix.html
_FULL = {"53100", "25006"}
_DAMAGED = "XX"


class PostgresDatabase(Database):
    """An archive in PostgreSQL."""

    dialect = "postgresql"

    def __init__(self, url: URL, engine: AsyncEngine) -> None:
        super().__init__(engine, place_of(url))
        self.url = url
        self._spare: list[tuple[PoolProxiedConnection, float]] = []

    @override
    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        with user_errors(self.place):
            async with self._engine.connect() as connection:
                yield connection

    @override
    @asynccontextmanager
    async def writing(self, subject: str | None = "") -> AsyncIterator[AsyncConnection]:
        # The turn of a subject is a lock of the server.
        turn = "" if subject is None else _TURN.format(lock_number(subject))
        async with self.reading() as connection, transaction(driver_of(connection), turn):
            yield connection

    @override
    async def run(
        self, statement: Statement | Prepared, values: Mapping[str, Any] | None = None
    ) -> StatementResult:
        if not isinstance(statement, Prepared):
            async with self.reading() as sqlalchemy:
                return await execute(sqlalchemy, statement, values)
        async with self._driver() as driver:
            return await run(driver, *statement.bound(values or {}))

    @override
    async def run_all(
        self, *steps: tuple[Prepared, Mapping[str, Any]], subject: str | None = None
    ) -> Sequence[StatementResult]:
        cursors = []
        async with self._driver() as driver:
            # What is sent together is one transaction, which ends where the pipeline does.
            async with driver.pipeline():
                if subject is not None:
                    await driver.execute(_TURN.format(lock_number(subject)), prepare=False)
                for prepared, values in steps:
                    cursor = driver.cursor(row_factory=namedtuple_row)
                    cursors.append(await cursor.execute(*prepared.bound(values)))
            return [await result_of(cursor) for cursor in cursors]

    @asynccontextmanager
    async def _driver(self) -> AsyncIterator[Driver]:
        """The driver's connection, without SQLAlchemy's work on each statement."""
        with user_errors(self.place):
            connection = await self._taken()
            driver = connection.driver_connection
            assert isinstance(driver, psycopg.AsyncConnection)
            try:
                yield driver
            finally:
                await settle(driver)
                if driver.closed:
                    self._put_back()  # the server may have closed them, too
                if driver.closed or len(self._spare) == _SPARE:
                    connection.close()
                else:
                    self._spare.append((connection, time.monotonic()))

    async def _taken(self) -> PoolProxiedConnection:
        """A connection used a moment ago, else one of the pool, which costs as much as its use."""
        if self._spare and time.monotonic() - self._spare[-1][1] < _IDLE:
            return self._spare.pop()[0]
        self._put_back()
        return await self._engine.raw_connection()

    def _put_back(self) -> None:
        """Return the spare connections to the pool, which tests them before they are used."""
        while self._spare:
            self._spare.pop()[0].close()

    @override
    async def aclose(self) -> None:
        self._put_back()
        await super().aclose()

    @override
    async def append(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        # A server's commits are durable, and it needs no turns here. Rows by COPY are one
        # statement, so all are kept or none; a single row takes one round trip, not two.
        if len(rows) == 1:
            await self.run(_insertion(table), dict(zip(table.columns.keys(), *rows, strict=True)))
            return
        async with self.reading() as connection:
            await insert_rows(connection, table, rows)


@lru_cache(maxsize=8)
def _insertion(table: Table) -> Prepared:
    return Prepared(insert(table))


async def take_turn(connection: AsyncConnection, subject: str) -> None:
    """Wait for the turn of a subject; it ends with the transaction."""
    await driver_of(connection).execute(_TURN.format(lock_number(subject)))


def lock_number(name: str) -> int:
    """A name as a key of PostgreSQL's advisory locks: 32 bits, signed."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], signed=True)


def database_url(written: str) -> URL:
    """The parsed database URL. Raises ``InvalidConfig``, which does not show the password."""
    # Secrets in the URL are masked in all output from then on, wherever the URL came from.
    conceal(secrets_in(written))
    try:
        url = make_url(written)
    except exc.ArgumentError:
        raise errors.InvalidConfig(
            "invalid database address; write postgresql://user@host/database"
        ) from None
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        raise errors.InvalidConfig(
            f"{url.get_backend_name()!r} is not supported; "
            "use a postgresql:// address, or none for SQLite in the data folder"
        )
    return url.set(drivername="postgresql+psycopg")


def place_of(url: URL) -> str:
    """The URL to display: user, host and database, without passwords."""
    written = url.set(drivername="postgresql").render_as_string(hide_password=False)
    return without_secrets(written)


async def open_postgres(written: str) -> PostgresDatabase:
    """Open the archive in a database, creating or migrating its tables if necessary.

    Raises ``InvalidConfig``, ``UnreachableDatabase``, ``NewerArchive`` and ``BrokenArchive``.
    """
    url = database_url(written)
    engine = create_async_engine(
        url,
        # All connections are kept: one beyond the pool's size would be closed on return, and
        # opening another, with nothing prepared or cached, costs the server more than most
        # statements.
        pool_size=_CONNECTIONS,
        max_overflow=0,
        # Few connections in steady use, which have their statements prepared.
        pool_use_lifo=True,
        # Most statements run alone, without a transaction to end.
        isolation_level="AUTOCOMMIT",
        skip_autocommit_rollback=True,
        connect_args={"connect_timeout": 10, "application_name": "digestbot"},
    )
    _probe_idle(engine)
    database = PostgresDatabase(url, engine)
    try:
        await _bring_up_to_date(database)
    except BaseException:
        await database.aclose()
        raise
    return database


def _probe_idle(engine: AsyncEngine) -> None:
    """Test connections that were idle before they are used, but not those in steady use.

    A restarted server has dropped the pool's connections; testing prevents that work is lost. The
    pool's own option tests on every use, and each use is only a statement or two. Once one
    connection is found broken, all others are tested too.
    """
    pool = engine.sync_engine
    broken = 0.0

    @event.listens_for(pool, "checkin")
    def put_back(connection: Any, record: Any) -> None:
        nonlocal broken
        record.info["idle_since"] = time.monotonic()
        if connection is None or connection.driver_connection.closed:
            broken = time.monotonic()

    @event.listens_for(pool, "checkout")
    def taken(connection: Any, record: Any, _proxy: object) -> None:
        if connection.driver_connection.closed:
            raise exc.DisconnectionError("the connection was lost")
        since = record.info.get("idle_since", 0.0)
        if since <= broken or time.monotonic() - since > _IDLE:
            try:
                pool.dialect.do_ping(connection)
            except pool.dialect.loaded_dbapi.Error as error:
                raise exc.DisconnectionError("the server closed the connection") from error


@contextmanager
def user_errors(place: str) -> Iterator[None]:
    """Turn errors of the database as a whole into errors that a user can act on."""
    try:
        yield
    except (exc.DBAPIError, psycopg.Error) as error:
        cause = error.orig if isinstance(error, exc.DBAPIError) else error
        why = str(cause).strip().partition("\n")[0]
        state = getattr(cause, "sqlstate", None) or ""
        if state in _FULL:
            raise errors.UnwritableFolder(place, why) from error
        if state.startswith(_DAMAGED):
            raise errors.BrokenArchive(place, why) from error
        lost = isinstance(error, exc.DBAPIError) and error.connection_invalidated
        if lost or isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
            raise errors.UnreachableDatabase(place, why) from error
        raise
    except exc.TimeoutError as error:
        raise errors.UnreachableDatabase(place, "no free connections") from error


async def _bring_up_to_date(database: PostgresDatabase) -> None:
    async with database.reading() as connection:
        if await connection.run_sync(_revision, database.place) == HEAD:
            return
    async with database.writing(_MIGRATION) as connection:
        # Another process may have migrated meanwhile.
        if await connection.run_sync(_revision, database.place) != HEAD:
            await connection.run_sync(upgrade)


def _revision(connection: Connection, place: str) -> str | None:
    """The revision of the tables; ``None`` if there are none."""
    if connection.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        if connection.scalar(text("SELECT to_regclass('changes')")) is not None:
            raise errors.BrokenArchive(place, "the database belongs to another program")
        return None
    revision = str(connection.scalar(text("SELECT version_num FROM alembic_version")))
    if revision not in REVISIONS:
        raise errors.NewerArchive(place, revision)
    return revision


# The server frees the locks of a machine that lost power after a minute, not after two hours:
# https://www.postgresql.org/docs/current/runtime-config-connection.html
_LEASE_OPTIONS = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"


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
        if not await self._take(number):
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
                taken = await _try_lock(await self._connected(), number)
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
            options=_LEASE_OPTIONS,
        )
        self._connection = made
        for number in self._held:
            if not await _try_lock(made, number):
                log.error("lease.lost", number=number)
        return made


async def _try_lock(connection: psycopg.AsyncConnection, number: int) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (number,))
    row = await cursor.fetchone()
    return bool(row and row[0])
