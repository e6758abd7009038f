"""Values as columns of a row, and SQL that SQLite and PostgreSQL write differently.

A moment is whole seconds since 1970 in UTC, 0 for none where a field may be ``None``; a member of
an enumeration is its value; a text has a question mark for what a database cannot store. The fields
of a value are the columns of its row, by name. Constructs are compiled for the database at hand
when a statement is run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite.dml import OnConflictClause, OnConflictDoNothing, OnConflictDoUpdate
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
compact_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
"""A value of dicts, lists, texts and numbers as JSON in ASCII."""


def seconds(moment: datetime) -> int:
    """A moment as it is stored: whole seconds since 1970 in UTC."""
    return int(moment.timestamp())


def moment(stored: int) -> datetime:
    """The aware moment, in UTC, that :func:`seconds` stored."""
    return datetime.fromtimestamp(stored, UTC)


def storable(text: str) -> str:
    """The text with a question mark for what a database cannot store: NUL and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", "?")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def columns(value: DataclassInstance, *names: str) -> dict[str, Any]:
    """The fields of a value, or the named ones of them, as columns by name."""
    given = names or tuple(field.name for field in fields(value))
    optional = _optional_moments(type(value))
    stored = {name: _column(getattr(value, name)) for name in given}
    return {name: 0 if name in optional and c is None else c for name, c in stored.items()}


def _column(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case str():
            return storable(value)
        case datetime():
            return seconds(value)
        case _:
            return value


def from_row(kind: type[T], row: Any, **others: Any) -> T:
    """The value with the columns of a row as its fields; ``others`` are given as they are."""
    values = {**row._asdict(), **others}
    for name in _optional_moments(kind) & values.keys():
        values[name] = values[name] or None
    return value_from(kind, values)


def value_from(kind: type[T], values: Mapping[str, Any]) -> T:
    """The value with these fields; those not named have defaults. Raises ``ValueError``."""
    known = dict(values)
    for name in (_moments(kind) | _optional_moments(kind)) & known.keys():
        if isinstance(known[name], int):
            known[name] = moment(known[name])
    value: T = adapter(kind).validate_python(known)
    return value


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """What converts values of a type from and to JSON; built when it is first used."""
    return TypeAdapter(kind)


@cache
def _moments(kind: Any) -> frozenset[str]:
    return frozenset(name for name, hint in get_type_hints(kind).items() if hint is datetime)


@cache
def _optional_moments(kind: Any) -> frozenset[str]:
    hints = get_type_hints(kind).items()
    return frozenset(name for name, hint in hints if hint == datetime | None)


def matches(table: sa.Table, values: Mapping[str, Any]) -> sa.ColumnElement[bool]:
    """Whether the columns of a row have these values, by name."""
    return sa.and_(*(table.c[name] == value for name, value in values.items()))


def equals_parameters(table: sa.Table, *names: str, prefix: str = "") -> sa.ColumnElement[bool]:
    """Whether columns have the values of the parameters that are named after them."""
    return matches(table, {name: sa.bindparam(f"{prefix}{name}") for name in names})


Insert = sqlite.Insert
"""An insertion that can say what happens if the key of a row is taken. Both databases share the
syntax: ``on_conflict_do_nothing`` and ``on_conflict_do_update``."""


def insert_into(table: sa.Table) -> Insert:
    """An insertion of the type :data:`Insert`."""
    return sqlite.insert(table)


def upsert(
    table: sa.Table,
    *changed: str,
    keys: Sequence[str] = (),
    where: Callable[[Any], sa.ColumnElement[bool]] | None = None,
) -> Insert:
    """An insertion that changes the row whose key is taken.

    ``keys`` are the columns of the primary key if none are named, ``changed`` all others. ``where``
    gets the new values by column, and says whether an existing row is changed.
    """
    insertion = insert_into(table)
    keys = keys or [column.name for column in table.primary_key]
    names = changed or [column.name for column in table.columns if column.name not in keys]
    return insertion.on_conflict_do_update(
        index_elements=keys,
        set_={name: insertion.excluded[name] for name in names},
        where=where and where(insertion.excluded),
    )


@compiles(OnConflictDoNothing, "postgresql")
def _do_nothing(clause: OnConflictClause, compiler: Any, **how: Any) -> str:
    return str(compiler.visit_on_conflict_do_nothing(_by_columns(clause), **how))


@compiles(OnConflictDoUpdate, "postgresql")
def _do_update(clause: OnConflictClause, compiler: Any, **how: Any) -> str:
    return str(compiler.visit_on_conflict_do_update(_by_columns(clause), **how))


def _by_columns(clause: Any) -> Any:
    """The clause with the attribute that PostgreSQL's compiler expects: no constraint is named."""
    clause.constraint_target = None
    return clause


class _Construct(FunctionElement[Any]):
    """A construct that each database writes in its own way, with its arguments in place of {}."""

    sqlite: str
    postgresql: str


@compiles(_Construct)
def _compiled(element: _Construct, compiler: SQLCompiler, **how: Any) -> str:
    written: str = getattr(element, compiler.dialect.name)
    return written.format(*(compiler.process(clause, **how) for clause in element.clauses))


class _Contains(_Construct):
    """Whether the first text contains the second."""

    type = sa.Boolean()
    inherit_cache = True
    sqlite = "(instr({}, {}) > 0)"
    postgresql = "(strpos({}, {}) > 0)"


def contains(text: sa.ColumnElement[str], part: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether a text contains another, character by character: LIKE has wildcards."""
    return _Contains(text, part)


class _Words(_Construct):
    """The words of a JSON array, one row each."""

    inherit_cache = True
    sqlite = "json_each({})"
    postgresql = "json_array_elements_text(CAST({} AS JSON))"


class _Rows(_Construct):
    """The elements of a JSON array, one row each."""

    inherit_cache = True
    sqlite = "json_each({})"
    postgresql = "json_array_elements(CAST({} AS JSON))"


class _Element(_Construct):
    """The element of a JSON array at a literal position, as text."""

    type = sa.Text()
    inherit_cache = True
    sqlite = "json_extract({}, '$[{}]')"
    postgresql = "({} ->> {})"


def given_rows(name: str, columns: Sequence[str]) -> sa.Select[*tuple[Any, ...]]:
    """Rows of texts from the parameter ``name``, a JSON array of arrays; for one statement."""
    given = _Rows(sa.bindparam(name, type_=sa.Text)).table_valued("value")
    places = (_Element(given.c.value, sa.literal_column(str(n))) for n in range(len(columns)))
    values = (place.label(column) for place, column in zip(places, columns, strict=True))
    # Without a condition SQLite would parse what follows the rows as part of a join:
    # https://www.sqlite.org/lang_upsert.html, "Parsing Ambiguity".
    return sa.select(*values).where(sa.true())


def one_of(column: sa.ColumnElement[str], name: str) -> sa.ColumnElement[bool]:
    """Whether a column holds one of the words of the parameter ``name``, by :func:`words`."""
    given = _Words(sa.bindparam(name, type_=sa.Text)).table_valued("value")
    return column.in_(sa.select(given.c.value))


def words(given: Iterable[str]) -> str:
    """The value of a parameter of :func:`one_of`; words that cannot be stored are left out."""
    return json.dumps([word for word in given if holdable(word)], ensure_ascii=False)


def holdable(text: str) -> bool:
    """Whether a column can store a text: PostgreSQL accepts no NUL and no lone surrogate."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def total(column: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    """The sum of integers as an integer, 0 if there are none: PostgreSQL would return a decimal."""
    return sa.func.coalesce(sa.cast(sa.func.sum(column), sa.BigInteger), 0)


async def insert_rows(
    connection: AsyncConnection, table: sa.Table, rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert many narrow rows, values in the order of the table's columns."""
    # The rows go to the driver as they are: naming every value would cost more than writing it.
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        await copy_rows(connection, table.name, table.columns.keys(), rows)
    else:
        await connection.exec_driver_sql(insertion(table, connection.dialect), list(rows))


async def copy_rows(
    connection: AsyncConnection, table: str, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Insert rows by COPY in the connection's transaction; PostgreSQL only."""
    driver: Any = (await connection.get_raw_connection()).driver_connection
    async with (
        driver.cursor() as cursor,
        cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy,
    ):
        for row in rows:
            await copy.write_row(row)


@lru_cache(maxsize=32)
def insertion(table: sa.Table, dialect: sa.Dialect) -> str:
    """The text that inserts a row into a table, values in the order of the columns."""
    return str(sa.insert(table).compile(dialect=dialect))
