"""The interface of an open archive, and how statements are run on either database.

SQLAlchemy processes a statement anew on each run, which costs two to three times the work of a
server's driver. A :class:`Prepared` statement is compiled once for each database: on PostgreSQL its
text goes straight to the driver (:mod:`bot.store.postgresql`); on SQLite, where the driver's thread
costs more than that, it runs as any other. A :class:`Batcher` serves calls that arrive during a
batch together in the next one, so a thousand channels that are due at one minute cost a few
statements, while a single call never waits. :class:`DurableWriter` writes to SQLite in one hop to
its thread and waits for the disk; a transaction through SQLAlchemy hops a dozen times, each time
behind other work of the event loop.
"""

from __future__ import annotations

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from sqlalchemy import URL, CursorResult, Delete, Insert, Select, Table, Update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementResult:
    """The result of a statement: its rows, whose columns are attributes too.

    ``count`` is the number of rows that a change touched.
    """

    rows: Sequence[Any] = ()
    count: int = 0

    @property
    def first(self) -> Any | None:
        """The first row, if any."""
        return self.rows[0] if self.rows else None

    @property
    def value(self) -> Any | None:
        """The first value of the first row, if any."""
        return self.rows[0][0] if self.rows else None


_FEW = 4
"""Up to this many rows, one statement for each is cheaper than one built for all."""


class Prepared:
    """A statement whose text never changes; only its parameters do.

    A list of varying length is one parameter (:func:`bot.store.dialect.one_of`); an insertion names
    its values as parameters.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]] | Insert | Update | Delete) -> None:
        self._statement = statement

    @property
    def changes(self) -> bool:
        """Whether it writes."""
        return not isinstance(self._statement, Select)

    async def on(
        self, connection: AsyncConnection, given: Mapping[str, Any] | None = None
    ) -> StatementResult:
        """Run it on a connection of either database, within the connection's transaction."""
        if connection.dialect.name == "postgresql":
            # Imported here, because SQLite needs no server driver.
            from bot.store.postgresql import driver_of, run

            return await run(driver_of(connection), *self.written(given or {}))
        return _found(await connection.execute(self._statement, given))

    async def on_each(
        self, connection: AsyncConnection, given: Sequence[Mapping[str, Any]]
    ) -> StatementResult:
        """Run an insertion for each of the rows, with few statements if there are many rows."""
        if len(given) > _FEW:
            return _found(await connection.execute(self._statement, list(given)))
        few = [await self.on(connection, one) for one in given]
        return StatementResult(
            rows=[row for one in few for row in one.rows], count=sum(one.count for one in few)
        )

    def written(self, given: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """Its text for psycopg, with the values of its parameters in order.

        Raises ``KeyError`` if a value is missing.
        """
        text, names, usual = self._as_text
        return text, [given[name] if name in given else usual[name] for name in names]

    @cached_property
    def _as_text(self) -> tuple[str, Sequence[str], Mapping[str, Any]]:
        dialect: Any = URL.create("postgresql+psycopg").get_dialect()
        compiled = self._statement.compile(dialect=dialect(paramstyle="format"))
        usual = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
        return compiled.string, tuple(compiled.positiontup or ()), usual


def _found(done: CursorResult[Any]) -> StatementResult:
    return StatementResult(rows=done.all() if done.returns_rows else (), count=done.rowcount)


K = TypeVar("K")
V = TypeVar("V")

_AT_ONCE = 500
"""The most calls served together, so that other work gets its turn."""


class Batcher(Generic[K, V]):
    """Serves all waiting calls in one batch. ``serve`` returns results in the order of the calls.

    If ``serve`` raises, every call of the batch raises that error.
    """

    def __init__(
        self, serve: Callable[[Sequence[K]], Awaitable[Sequence[V]]], most: int = _AT_ONCE
    ) -> None:
        self._serve = serve
        self._most = most
        self._waiting: list[tuple[K, asyncio.Future[V]]] = []
        self._serving: asyncio.Task[None] | None = None

    async def ask(self, asked: K) -> V:
        """The result for this call."""
        served: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, served))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve_all())
        # The batch is a task of its own: cancelling one caller does not affect the others.
        return await served

    async def _serve_all(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                results = await self._serve([asked for asked, _ in some])
            except Exception as error:  # noqa: BLE001  # passed on to every waiting caller
                for _, served in some:
                    if not served.done():
                        served.set_exception(error)
                continue
            for (_, served), result in zip(some, results, strict=True):
                if not served.done():
                    served.set_result(result)


_PATIENCE = 30.0
"""Seconds to wait for another process's transaction."""


class DurableWriter:
    """Opened by the first write; close it with ``aclose``. One write at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._thread: ThreadPoolExecutor | None = None

    async def write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement for each row in one transaction. Raises ``sqlite3.Error``."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "scribe")
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._write, statement, rows)

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany(statement, rows)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self._path, _PATIENCE, isolation_level=None)
            # A commit is on the disk: https://www.sqlite.org/pragma.html#pragma_synchronous
            connection.execute("PRAGMA synchronous = FULL")
            self._connection = connection
        return self._connection

    async def aclose(self) -> None:
        """Close the connection, in its own thread."""
        if self._thread is None:
            return
        if self._connection is not None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._connection.close)
            self._connection = None
        self._thread.shutdown()
        self._thread = None


class Database(ABC):
    """An open archive, returned by :func:`bot.store.sqlite.open_archive`; closed by ``async with``.

    Any number of tasks and processes may read and write. ``place`` is its name in messages: a path,
    or a URL without its password. ``dialect`` is SQLAlchemy's name of the database.
    """

    dialect: str
    place: str

    def __init__(self, engine: AsyncEngine, place: str) -> None:
        self._engine = engine
        self.place = place

    @abstractmethod
    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection on which each statement sees the archive as of that moment.

        Anything written through it is committed at once: write in :meth:`writing`. Raises
        ``BrokenArchive``, ``UnwritableFolder`` and ``UnreachableDatabase``.
        """

    @abstractmethod
    def writing(self, subject: str | None = "") -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection in a transaction that is committed at the end, or undone by an exception.

        It reads its own writes, and nobody else writes about the same subject meanwhile. Writers
        with different subjects run concurrently where the database can; ``None`` waits for nobody
        and is for writes that unique keys alone decide. Raises the same errors as :meth:`reading`.
        """

    @abstractmethod
    async def write(
        self, statement: Insert | Update | Delete, given: Mapping[str, Any] | None = None
    ) -> int:
        """Run one statement that keys alone decide and commit it; return the number of rows.

        This costs a server one round trip, without a transaction or a turn. Raises the same errors
        as :meth:`reading`.
        """

    @abstractmethod
    async def ask(
        self, statement: Prepared, given: Mapping[str, Any] | None = None
    ) -> StatementResult:
        """Run one prepared statement alone and commit it.

        Raises the same errors as :meth:`reading`.
        """

    @abstractmethod
    async def keep(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert narrow rows, values in the order of the table's columns, all or none.

        It goes ahead of other waiting writers, and the rows survive a power cut. Raises the same
        errors as :meth:`reading`.
        """

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.dispose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
