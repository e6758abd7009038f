"""An open archive, whichever database keeps it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Delete, Insert, Table, Update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.store.found import Found
from bot.store.prepared import Prepared


class Database(ABC):
    """An open archive. Made by :func:`bot.store.engine.open_database`; closed by ``async with``.

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
    async def ask(self, statement: Prepared, given: Mapping[str, Any] | None = None) -> Found:
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
