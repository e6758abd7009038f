"""The archive in a SQLite file: opening it, the settings of its connections, and its health.

Transactions begin and end where the code says so: the driver's implicit ``BEGIN`` leaves migrations
half done and makes a reader that becomes a writer fail at once instead of waiting for its turn
(https://www.sqlite.org/lang_transaction.html, "DEFERRED, IMMEDIATE, and EXCLUSIVE").
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import URL, Connection, Select, Table, Text, column, event, exc, func, select, table
from sqlalchemy.dialects.sqlite import aiosqlite as driver
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from typing_extensions import override

from bot.store.database import Database, Prepared, Statement, StatementResult, execute
from bot.store.dialect import insertion
from bot.store.migrations import HEAD, REVISIONS, create, upgrade
from bot.store.tables.ledger_tables import deliveries
from digest.errors import BrokenArchive, DigestbotError, NewerArchive, UnwritableFolder

FILE = "archive.sqlite3"  # the name of the archive in the data folder
_PATIENCE = 30.0
"""Seconds that a writer waits for another process's transaction; a batch takes under one."""

_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    # A power cut may lose the last transactions, never the file: https://www.sqlite.org/wal.html
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -8192",  # KiB; the default of 2 MiB is too small for a busy week
    "PRAGMA temp_store = MEMORY",
)

_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_UNWRITABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


class SqliteDatabase(Database):
    """An archive in a file."""

    dialect = "sqlite"

    def __init__(self, path: Path, engine: AsyncEngine) -> None:
        super().__init__(engine, str(path))
        self.path = path
        self._turn = asyncio.Lock()
        # Ordinary writers queue here: only one waits for the turn itself, so an urgent one is next.
        self._ordinary = asyncio.Lock()
        self._urgent = ThreadPoolExecutor(1, "append")

    @override
    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        with user_errors(self.path):
            async with self._engine.connect() as connection:
                yield connection

    @override
    @asynccontextmanager
    async def writing(self, subject: str | None = "") -> AsyncIterator[AsyncConnection]:
        del subject  # SQLite has one writer, whatever the subject
        async with (
            self._ordinary,
            self._turn,
            self.reading() as connection,
            transaction(connection),
        ):
            yield connection

    @override
    async def run(
        self, statement: Statement | Prepared, values: Mapping[str, Any] | None = None
    ) -> StatementResult:
        plain = statement.statement if isinstance(statement, Prepared) else statement
        async with self.reading() if isinstance(plain, Select) else self.writing() as connection:
            return await execute(connection, plain, values)

    @override
    async def run_all(
        self, *steps: tuple[Prepared, Mapping[str, Any]], subject: str | None = None
    ) -> Sequence[StatementResult]:
        async with self.writing(subject) as connection:
            return [await prepared.on(connection, values) for prepared, values in steps]

    @override
    async def append(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        with user_errors(self.path):
            async with self._turn:
                statement = insertion(table, self._engine.dialect)
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._urgent, _append, self.path, statement, rows)

    @override
    async def aclose(self) -> None:
        self._urgent.shutdown()
        await super().aclose()


def _append(path: Path, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows in one hop to a thread: SQLAlchemy makes a dozen, each waiting for the loop."""
    with closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
        # A commit is on the disk: https://www.sqlite.org/pragma.html#pragma_synchronous
        connection.execute("PRAGMA synchronous = FULL")
        with connection:
            connection.executemany(statement, rows)


async def open_archive(folder: Path, url: str = "") -> Database:
    """Open the archive at a database URL, or in a data folder, with the errors of either."""
    if url:
        # Imported only if used, because it loads the driver.
        from bot.store.postgresql import open_postgres

        return await open_postgres(url)
    return await open_database(folder)


async def open_database(folder: Path) -> SqliteDatabase:
    """Open the archive in a data folder, creating or migrating it if necessary.

    A new folder is readable by its owner only. Raises ``UnwritableFolder``, ``NewerArchive`` and
    ``BrokenArchive``.
    """
    path = folder / FILE
    # Create the folder and the file if they are missing, and check that they can be written.
    # SQLite's own errors are less clear, and its driver leaves a thread behind.
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise UnwritableFolder(str(error.filename or path), error.strerror or str(error)) from error
    database = SqliteDatabase(path, _engine(path))
    try:
        await _bring_up_to_date(database)
    except BaseException:
        await database.aclose()
        raise
    return database


@contextmanager
def user_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file as a whole into errors that a user can act on."""
    try:
        yield
    except (exc.DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, exc.DBAPIError) else error
        # The low byte is the primary code: https://www.sqlite.org/rescode.html
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if code in _BROKEN:
            raise BrokenArchive(str(path), str(cause)) from error
        if code in _UNWRITABLE:
            raise UnwritableFolder(str(path), str(cause)) from error
        raise


def _engine(path: Path) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        connect_args={"timeout": _PATIENCE},
        isolation_level="AUTOCOMMIT",
        # Each statement costs a hop to the driver's thread: reads need no rollback.
        skip_autocommit_rollback=True,
        pool_size=4,
        module=_Driver(aiosqlite, sqlite3),
    )
    event.listen(engine.sync_engine, "connect", _set_up)
    return engine


class _Cursor(driver.AsyncAdapt_aiosqlite_cursor):
    """Runs a statement, reads its rows and closes it in one hop to the driver's thread."""

    # SQLAlchemy's own makes four, and each costs as much time as a small query.

    __slots__ = ()
    _cursor: Any  # sqlite3's, closed, once a statement was run

    def _aenter_cursor(self, cursor: Any) -> Any:
        return cursor

    def _make_new_cursor(self, connection: Any) -> Any:
        del connection

    @override
    async def _execute_async(self, operation: Any, parameters: Any) -> None:
        await self._run(sqlite3.Cursor.execute, operation, parameters or ())

    @override
    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> None:
        await self._run(sqlite3.Cursor.executemany, operation, seq_of_parameters)

    async def _run(self, execute: Callable[..., object], *given: Any) -> None:
        async with self._adapt_connection._execute_mutex:  # noqa: SLF001
            connection = self._connection
            one_hop = partial(_run_at_once, connection._conn, execute, given)  # noqa: SLF001
            # aiosqlite has no public way to run several calls in one hop.
            self._cursor, self._rows = await connection._execute(one_hop)  # noqa: SLF001

    @override
    async def _async_soft_close(self) -> None:
        """Nothing is left open."""

    @override
    def close(self) -> None:
        self._rows.clear()


def _run_at_once(
    connection: sqlite3.Connection, execute: Callable[..., object], given: Sequence[Any]
) -> tuple[sqlite3.Cursor, deque[Any]]:
    with closing(connection.cursor()) as cursor:
        execute(cursor, *given)
        return cursor, deque(cursor.fetchall() if cursor.description else ())


class _Connection(driver.AsyncAdapt_aiosqlite_connection):
    __slots__ = ()
    _cursor_cls = _Cursor


class _Driver(driver.AsyncAdapt_aiosqlite_dbapi):
    """The driver with cursors of one hop."""

    @override
    def connect(self, *arg: Any, **kw: Any) -> _Connection:
        return _Connection(self, super().connect(*arg, **kw)._connection)  # noqa: SLF001


def _set_up(connection: Any, _record: object) -> None:
    try:
        cursor = connection.cursor()
        for setting in _SETTINGS:
            cursor.execute(setting)
        cursor.close()
    except BaseException:
        # The pool does not know the connection yet, and its thread would stay.
        connection.close()
        raise


@asynccontextmanager
async def transaction(connection: AsyncConnection) -> AsyncIterator[None]:
    """Take the writer's turn among all processes; commit everything done inside, or nothing."""
    await connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield
        await connection.exec_driver_sql("COMMIT")
    except BaseException:
        # Cancelling a statement has already closed the connection, which rolls back too.
        with suppress(exc.SQLAlchemyError):
            await connection.exec_driver_sql("ROLLBACK")
        raise


async def _bring_up_to_date(database: SqliteDatabase) -> None:
    async with database.reading() as connection:
        if await connection.run_sync(_revision, database.path) == HEAD:
            return
        await _use_log(connection)
        await connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        async with transaction(connection):
            # Another process may have migrated meanwhile.
            revision = await connection.run_sync(_revision, database.path)
            if revision != HEAD:
                await connection.run_sync(create if revision is None else upgrade)
        await connection.exec_driver_sql("PRAGMA foreign_keys = ON")


async def _use_log(connection: AsyncConnection) -> None:
    """Switch to write-ahead logging, which needs exclusive access; the file remembers it."""
    for _ in range(int(_PATIENCE / 0.05)):
        try:
            await connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except exc.OperationalError as error:
            if getattr(error.orig, "sqlite_errorcode", 0) != sqlite3.SQLITE_BUSY:
                raise
            await asyncio.sleep(0.05)
        else:
            return


def _revision(connection: Connection, path: Path, *, again: bool = False) -> str | None:
    """The revision of the tables; ``None`` for an empty file."""
    try:
        value = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    except exc.OperationalError as error:
        if getattr(error.orig, "sqlite_errorcode", 0) != sqlite3.SQLITE_ERROR:
            raise
        tables = connection.exec_driver_sql("SELECT name FROM sqlite_master").scalars().all()
        if "alembic_version" in tables and not again:
            # Another process made the archive since the first look.
            return _revision(connection, path, again=True)
        if tables:
            raise BrokenArchive(str(path), "the database belongs to another program") from error
        return None
    revision = str(value)
    if revision not in REVISIONS:
        raise NewerArchive(str(path), revision)
    return revision


class DatabaseHealth:
    """Checks whether the archive can be written: takes the writer's turn and writes nothing."""

    # ``patience`` is in seconds; a batch of changes, for which a writer waits, takes less than one.

    def __init__(self, database: Database, patience: float = 5.0) -> None:
        self._database = database
        self._patience = patience
        self._trying: asyncio.Task[str] | None = None

    async def trouble(self) -> str:
        """The reason why the archive cannot be written; empty if it can."""
        # A statement waiting for its turn cannot be cancelled: the next caller waits for the same
        # one, so that probes do not queue up behind a writer that hangs.
        if self._trying is None or self._trying.done():
            self._trying = asyncio.create_task(self._try())
        done, _ = await asyncio.wait({self._trying}, timeout=self._patience)
        return self._trying.result() if done else f"no write lock within {self._patience:g} s"

    async def _try(self) -> str:
        try:
            async with self._database.writing():
                pass
            revision = await revision_of(self._database)
        except DigestbotError as error:
            return str(error)
        if revision == HEAD:
            return ""
        return f"its schema is revision {revision}; this program needs {HEAD}"


async def revision_of(database: Database) -> str:
    """The revision of the tables."""
    return str((await database.run(_VERSION)).value)


async def pending(database: Database) -> int:
    """The number of deliveries that were claimed and are not done."""
    undone = select(func.count()).select_from(deliveries).where(~deliveries.c.done)
    return int((await database.run(undone)).value or 0)


_VERSION = select(table("alembic_version", column("version_num", Text)))
