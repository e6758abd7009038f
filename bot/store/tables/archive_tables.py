"""The shapes that columns have, and where tables are registered.

A column of ours is never empty unless a table says so itself: what is not known is an empty text
or 0, so that a comparison means the same on every database.

Repositories, their changes, and what changes are searched by.

What a query compares is in narrow tables (``changes`` and the indexes over it); what is only read
back is in ``contents``, so that a search does not page through messages and facts. The full-text
index over ``change_texts`` is no table of SQLAlchemy's; :mod:`bot.store.query_plan` says what it
is.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

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


repositories = Table(
    "repositories",
    metadata,
    row_id(),
    Column("name", Text, nullable=False, unique=True),
    *texts("web", "forge"),
    # What the indexes of this repository were made by; see bot.store.change_terms.
    *texts("indexed_by"),
    # How often was written what is kept of it; see bot.store.rows.
    Column("revision", BigInteger, nullable=False, server_default=text("0")),
)

changes = Table(
    "changes",
    metadata,
    row_id(),
    belongs_to("repositories"),
    *texts("sha"),
    *moments("committed_at"),
    Column("number", BigInteger),
    # A rank: 0 is high.
    Column("level", SmallInteger, nullable=False),
    Column("score", Float, nullable=False),
    # Which weights and thresholds the grade was made by.
    *texts("graded_by"),
    *numbers("facts_version"),
    # How many files of the change could not be read when its facts were made.
    *numbers("omitted"),
    # The author's name without case, to be searched.
    *texts("author_key"),
    # What most changed lines are in: made with the indexes, and nothing until they are.
    Column("area", Text),
    UniqueConstraint("repository_id", "sha"),
    # The changes from the newest on, with all that a walk along them tests.
    Index("ix_changes_walk", "repository_id", "committed_at", "sha", "level", "author_key"),
    # The weightiest levels first, with all that a survey counts by.
    Index("ix_changes_weight", "repository_id", "level", "area"),
    Index(None, "repository_id", "number"),
)

contents = Table(
    "contents",
    metadata,
    belongs_to("changes", primary=True),
    *moments("authored_at"),
    *texts("author", "email", "parents"),
    # Before the long ones, so that they are read without those pages.
    *texts("reasons"),
    *texts("subject", "message", "facts"),
)

change_texts = Table(
    "change_texts",
    metadata,
    belongs_to("changes", primary=True),
    *texts("subject", "body", "paths", "names"),
)

# What is told of a change in a line, as spans in JSON; nothing of a low one. Not in ``contents``,
# where it would be read behind the facts.
change_lines = Table(
    "change_lines",
    metadata,
    belongs_to("changes", primary=True),
    Column("language", Text, primary_key=True),
    *texts("spans"),
    sqlite_with_rowid=False,
)

# Both indexes repeat the moment, and the first the repository, so that a week of one topic is one
# range. Its change is no foreign key: that would need a further index, only to be cleared by.
change_topics = Table(
    "change_topics",
    metadata,
    belongs_to("repositories"),
    *texts("topic"),
    *moments("committed_at"),
    Column("change_id", Integer, nullable=False),
    PrimaryKeyConstraint("repository_id", "topic", "committed_at", "change_id"),
    sqlite_with_rowid=False,
)

# Every topic that a change ever bore, once: those that none bears any more do no harm.
known_topics = Table(
    "known_topics",
    metadata,
    row_id(),
    belongs_to("repositories"),
    *texts("topic"),
    UniqueConstraint("repository_id", "topic"),
)

change_paths = Table(
    "change_paths",
    metadata,
    belongs_to("changes"),
    *texts("path"),
    belongs_to("repositories"),
    *moments("committed_at"),
    PrimaryKeyConstraint("change_id", "path"),
    Index(None, "repository_id", "path", "committed_at"),
    sqlite_with_rowid=False,
)
