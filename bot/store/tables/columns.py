"""The shapes that columns have, and where tables are registered.

A column of ours is never empty unless a table says so itself: what is not known is an empty text
or 0, so that a comparison means the same on every database.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, Text

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Every constraint has a name, since a migration can only change what it can name."""


def row_id() -> Column[int]:
    """The number of a row, which the database gives."""
    return Column("id", Integer, primary_key=True)


def belongs_to(table: str, *, primary: bool = False) -> Column[int]:
    """A column that refers to a row of ``table`` and goes with it."""
    return Column(
        "repository_id" if table == "repositories" else f"{table.removesuffix('s')}_id",
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=False,
        primary_key=primary,
    )


def texts(*names: str) -> list[Column[str]]:
    """Columns of texts."""
    return [_filled(name, Text) for name in names]


def moments(*names: str) -> list[Column[int]]:
    """Columns of moments: whole seconds since 1970 in UTC."""
    return large_numbers(*names)


def numbers(*names: str) -> list[Column[int]]:
    """Columns of whole numbers that stay below two thousand million."""
    return [_filled(name, Integer) for name in names]


def large_numbers(*names: str) -> list[Column[int]]:
    """Columns of whole numbers that strangers choose or that are added up."""
    return [_filled(name, BigInteger) for name in names]


def _filled(name: str, kind: type[Any]) -> Column[Any]:
    return Column(name, kind, nullable=False)
