"""Statements that are made once and run often: what is asked for every question and every digest.

SQLAlchemy looks at a statement anew each time that it runs it, which costs two to three times what
the driver of a server does about it. A prepared statement is written out once for each database;
on PostgreSQL its text goes straight to the driver (:mod:`bot.store.direct`), and on SQLite, whose
driver's thread costs more than that, it runs as any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, CursorResult, Delete, Insert, Select, Update

from bot.store.found import Found

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


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
    ) -> Found:
        """Run it on a connection of either database, in the transaction that it is in."""
        if connection.dialect.name == "postgresql":
            # Only here: who has a file needs no driver of a server.
            from bot.store.direct import driver_of, run

            return await run(driver_of(connection), *self.written(given or {}))
        return _found(await connection.execute(self._statement, given))

    async def on_each(
        self, connection: AsyncConnection, given: Sequence[Mapping[str, Any]]
    ) -> Found:
        """Run an insertion for each of the rows given, by few statements where they are many."""
        if len(given) > _FEW:
            return _found(await connection.execute(self._statement, list(given)))
        few = [await self.on(connection, one) for one in given]
        return Found(
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


def _found(done: CursorResult[Any]) -> Found:
    return Found(rows=done.all() if done.returns_rows else (), count=done.rowcount)
