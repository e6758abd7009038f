"""What a statement came to, of whichever driver.

Statements that are made once and run often: what is asked for every question and every digest.

SQLAlchemy looks at a statement anew each time that it runs it, which costs two to three times what
the driver of a server does about it. A prepared statement is written out once for each database;
on PostgreSQL its text goes straight to the driver (:mod:`bot.store.postgresql`), and on SQLite,
whose driver's thread costs more than that, it runs as any other.

Calls that go together: whoever comes while others are served is served with whoever else came.

A thousand channels that are due at one minute cost the database a few statements then, and one that
is alone waits for nobody.

A connection to an archive in a file that writes in one go, and waits for the disk.

Through SQLAlchemy a transaction hops between the loop and the driver's thread a dozen times, each
time behind whatever else the loop has to do. Here it is one hop.

An open archive, whichever database keeps it.
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
    """What a statement came to: its rows, which have their columns as attributes as well.

    ``count`` is how many rows a change touched.
    """

    rows: Sequence[Any] = ()
    count: int = 0

    @property
    def first(self) -> Any | None:
        """The first row, where there is one."""
        return self.rows[0] if self.rows else None

    @property
    def value(self) -> Any | None:
        """The first value of the first row, where there is one."""
        return self.rows[0][0] if self.rows else None


_FEW = 4
"""Rows for which one statement each costs less than one that is made for so many."""


class Prepared:
    """A statement whose text is always the same: what varies are its parameters.

    A list of a varying length is one parameter (:func:`bot.store.dialect.one_of`); an insertion
    names its values as parameters.
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
        """Run it on a connection of either database, in the transaction that it is in."""
        if connection.dialect.name == "postgresql":
            # Only here: who has a file needs no driver of a server.
            from bot.store.postgresql import driver_of, run

            return await run(driver_of(connection), *self.written(given or {}))
        return _found(await connection.execute(self._statement, given))

    async def on_each(
        self, connection: AsyncConnection, given: Sequence[Mapping[str, Any]]
    ) -> StatementResult:
        """Run an insertion for each of the rows given, by few statements where they are many."""
        if len(given) > _FEW:
            return _found(await connection.execute(self._statement, list(given)))
        few = [await self.on(connection, one) for one in given]
        return StatementResult(
            rows=[row for one in few for row in one.rows], count=sum(one.count for one in few)
        )

    def written(self, given: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """Its text for psycopg, with the values of its parameters in their order.

        Raises ``KeyError`` where one is missing.
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
"""Calls that are served together at most, so that others get their turn."""


class Batcher(Generic[K, V]):
    """Serves calls, those that wait in one go. ``serve`` gives results in the order of the calls.

    What it raises reaches everybody whose call it was for.
    """

    def __init__(
        self, serve: Callable[[Sequence[K]], Awaitable[Sequence[V]]], most: int = _AT_ONCE
    ) -> None:
        self._serve = serve
        self._most = most
        self._waiting: list[tuple[K, asyncio.Future[V]]] = []
        self._serving: asyncio.Task[None] | None = None

    async def ask(self, asked: K) -> V:
        """What is served to this call."""
        served: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, served))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve_all())
        # The serving is nobody's own: who is cancelled takes nothing from the others.
        return await served

    async def _serve_all(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                results = await self._serve([asked for asked, _ in some])
            except Exception as error:  # noqa: BLE001  # each of those who wait is told
                for _, served in some:
                    if not served.done():
                        served.set_exception(error)
                continue
            for (_, served), result in zip(some, results, strict=True):
                if not served.done():
                    served.set_result(result)


_PATIENCE = 30.0
"""Seconds that it waits for another process's transaction."""


class DurableWriter:
    """Opened at the first writing; closed with ``aclose``. One writing at a time."""

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
            # What is committed is on the disk: https://www.sqlite.org/pragma.html#pragma_synchronous
            connection.execute("PRAGMA synchronous = FULL")
            self._connection = connection
        return self._connection

    async def aclose(self) -> None:
        """Close the connection, in the thread that it belongs to."""
        if self._thread is None:
            return
        if self._connection is not None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._connection.close)
            self._connection = None
        self._thread.shutdown()
        self._thread = None


class Database(ABC):
    """An open archive. Made by :func:`bot.store.sqlite.open_database`; closed by ``async with``.

    Any number of tasks and processes may read and write. ``place`` is what messages call it: a
    path, or an address without its password. ``dialect`` is SQLAlchemy's name of what keeps it.
    """

    dialect: str
    place: str

    def __init__(self, engine: AsyncEngine, place: str) -> None:
        self._engine = engine
        self.place = place

    @abstractmethod
    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection of which each statement sees the archive as it is at that moment.

        What runs through it is kept at once: write in :meth:`writing`. Raises ``BrokenArchive``,
        ``UnwritableFolder`` and ``UnreachableDatabase``.
        """

    @abstractmethod
    def writing(self, subject: str | None = "") -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection in a transaction that is kept at the end, or undone by an exception.

        It reads what it wrote, and nobody else writes of the same subject meanwhile. Who names
        a subject of its own lets others write of theirs where the database can do two things at
        once; ``None`` waits for nobody, which is for what unique keys alone decide. Raises as
        :meth:`reading`.
        """

    @abstractmethod
    async def write(
        self, statement: Insert | Update | Delete, given: Mapping[str, Any] | None = None
    ) -> int:
        """Run one statement that its keys alone decide, kept at once; how many rows it touched.

        A server is asked once for it, not for a transaction and a turn as well. Raises as
        :meth:`reading`.
        """

    @abstractmethod
    async def ask(
        self, statement: Prepared, given: Mapping[str, Any] | None = None
    ) -> StatementResult:
        """Run one prepared statement alone, kept at once. Raises as :meth:`reading`."""

    @abstractmethod
    async def keep(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert narrow rows, their values in the order of the table's columns, all or none.

        It comes before others who wait to write, and what it wrote outlives a power cut. Raises as
        :meth:`reading`.
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
