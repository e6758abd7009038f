"""Values of the program as columns of a row, and back.

A moment is whole seconds since 1970 in UTC, 0 for none where a field may be ``None``; a member of
an enumeration is its value; a text has a question mark for what a database cannot store. The fields
of a value are the columns of its row, by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Table, and_, bindparam

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


def matches(table: Table, values: Mapping[str, Any]) -> ColumnElement[bool]:
    """Whether the columns of a row have these values, by name."""
    return and_(*(table.c[name] == value for name, value in values.items()))


def equals_parameters(table: Table, *names: str, prefix: str = "") -> ColumnElement[bool]:
    """Whether columns have the values of the parameters that are named after them."""
    return matches(table, {name: bindparam(f"{prefix}{name}") for name in names})
