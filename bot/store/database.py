"""The interface of an open archive, and how statements are run on either database.

Two mechanisms are here because they were measured to pay:

- On PostgreSQL a :class:`Prepared` statement is compiled once and its text goes straight to the
  driver: SQLAlchemy would take as long again for each run (1.4 and 0.7 ms for a small query).
- A :class:`Batcher` serves calls that arrive during a batch together in the next one: a thousand
  channels that are due in the same minute cost a few statements, and a single call never waits.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cached_property
from itertools import islice
from typing import Any, Generic, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from digest.frozen import frozen

K = TypeVar("K")
V = TypeVar("V")
Statement = sa.Select[*tuple[Any, ...]] | sa.Insert | sa.Update | sa.Delete


@frozen
class StatementResult:
    """The rows of a statement, with columns as attributes; ``count`` is how many it changed."""

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


_FEW = 4  # up to this many rows, one statement for each is cheaper than one built for all


class Prepared:
    """A statement whose text never changes; only its parameters do."""

    # A list of varying length is one parameter (:func:`bot.store.dialect.one_of`); an insertion
    # names its values as parameters.

    def __init__(self, statement: Statement) -> None:
        self.statement = statement

    async def on(
        self, connection: AsyncConnection, values: Mapping[str, Any] | None = None
    ) -> StatementResult:
        """Run it on a connection of either database, within the connection's transaction."""
        if connection.dialect.name == "postgresql":
            # Imported here, because SQLite needs no server driver.
            from bot.store.postgresql import driver_of, run

            return await run(driver_of(connection), *self.bound(values or {}))
        return await execute(connection, self.statement, values)

    async def on_each(
        self, connection: AsyncConnection, rows: Sequence[Mapping[str, Any]]
    ) -> StatementResult:
        """Run an insertion for each of the rows, with few statements if there are many rows."""
        if len(rows) > _FEW:
            return await execute(connection, self.statement, list(rows))
        results = [await self.on(connection, row) for row in rows]
        return StatementResult(
            rows=[row for result in results for row in result.rows],
            count=sum(result.count for result in results),
        )

    def bound(self, values: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """Its text for psycopg, with its parameters in order. Raises ``KeyError``."""
        text, names, defaults = self._compiled
        return text, [values[name] if name in values else defaults[name] for name in names]

    @cached_property
    def _compiled(self) -> tuple[str, Sequence[str], Mapping[str, Any]]:
        dialect: Any = sa.URL.create("postgresql+psycopg").get_dialect()
        compiled = self.statement.compile(dialect=dialect(paramstyle="format"))
        defaults = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
        return compiled.string, tuple(compiled.positiontup or ()), defaults


async def execute(
    connection: AsyncConnection,
    statement: Statement,
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
) -> StatementResult:
    """Run a statement on a connection through SQLAlchemy."""
    done: sa.CursorResult[Any] = await connection.execute(statement, values)
    return StatementResult(rows=done.all() if done.returns_rows else (), count=done.rowcount)


CHUNK = 500  # values in one statement; SQLite accepts 32,766 parameters, PostgreSQL 65,535


def chunks(values: Iterable[V]) -> Iterator[list[V]]:
    """The values in lists of up to :data:`CHUNK`."""
    rest = iter(values)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


async def select_in(
    connection: AsyncConnection,
    selection: sa.Select[*tuple[Any, ...]],
    column: sa.ColumnElement[Any],
    values: Iterable[Any],
) -> list[sa.Row[*tuple[Any, ...]]]:
    """The rows of a selection whose column has one of the values, however many there are."""
    rows: list[sa.Row[*tuple[Any, ...]]] = []
    for chunk in chunks(dict.fromkeys(values)):
        rows += (await connection.execute(selection.where(column.in_(chunk)))).all()
    return rows


async def delete_in(
    connection: AsyncConnection, column: sa.ColumnElement[Any], values: Iterable[Any]
) -> None:
    """Delete the rows of a table whose column has one of the values, however many there are."""
    assert isinstance(column, sa.Column)
    for chunk in chunks(values):
        await connection.execute(sa.delete(column.table).where(column.in_(chunk)))


_AT_ONCE = 500  # the most calls served together, so that other work gets its turn


class Batcher(Generic[K, V]):
    """Serves all waiting calls in one batch; an error of ``serve`` is raised by every call."""

    def __init__(
        self, serve: Callable[[Sequence[K]], Awaitable[Sequence[V]]], most: int = _AT_ONCE
    ) -> None:
        self._serve = serve
        self._most = most
        self._waiting: list[tuple[K, asyncio.Future[V]]] = []
        self._serving: asyncio.Task[None] | None = None

    async def call(self, argument: K) -> V:
        """The result for this call."""
        result: asyncio.Future[V] = asyncio.get_running_loop().create_future()
        self._waiting.append((argument, result))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve_all())
        # The batch is a task of its own: cancelling one caller does not affect the others.
        return await result

    async def _serve_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            waiting = [result for _, result in batch]
            try:
                results = await self._serve([argument for argument, _ in batch])
            except Exception as error:  # noqa: BLE001  # passed on to every waiting caller
                for result in waiting:
                    if not result.done():
                        result.set_exception(error)
                continue
            for result, value in zip(waiting, results, strict=True):
                if not result.done():
                    result.set_result(value)


class Database(ABC):
    """An open archive, returned by :func:`bot.store.sqlite.open_archive`; any number may write."""

    dialect: str  # SQLAlchemy's name of the database
    place: str  # its name in messages: a path, or a URL without its password

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
    async def run(
        self, statement: Statement | Prepared, values: Mapping[str, Any] | None = None
    ) -> StatementResult:
        """Run one statement alone and commit it: one round trip to a server."""

    @abstractmethod
    async def run_all(
        self, *steps: tuple[Prepared, Mapping[str, Any]], subject: str | None = None
    ) -> Sequence[StatementResult]:
        """Run statements in one transaction and round trip; their results in order."""

    @abstractmethod
    async def append(self, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert narrow rows, values in the order of the table's columns, all or none.

        It goes ahead of other waiting writers, and the rows survive a power cut. Raises the same
        errors as :meth:`reading`.
        """

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.dispose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class SqlStore:
    """Stores something in a database. All methods raise the errors of :meth:`Database.reading`."""

    def __init__(self, database: Database) -> None:
        self._database = database
