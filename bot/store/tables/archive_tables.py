"""Column types, the metadata, and the tables of repositories, changes and their indexes.

Columns are never null unless a table says so: an unknown value is an empty text or 0, so that
comparisons mean the same on every database. Columns that queries compare are in narrow tables
(``changes`` and the indexes over it); what is only read back is in ``contents``, so that a search
does not page through messages and facts. The full-text index over ``change_texts`` is not a
SQLAlchemy table; see :mod:`bot.store.text_index`.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Every constraint has a name, because a migration can only change what it can name."""


def table(name: str, *parts: Any, **options: Any) -> sa.Table:
    """A table of these columns, constraints and indexes."""
    return sa.Table(name, metadata, *parts, **options)


def row_id() -> sa.Column[int]:
    """The number of a row, assigned by the database."""
    return sa.Column("id", sa.Integer, primary_key=True)


def belongs_to(table: str, *, primary: bool = False) -> sa.Column[int]:
    """A reference to a row of ``table``, deleted together with it."""
    return sa.Column(
        "repository_id" if table == "repositories" else f"{table.removesuffix('s')}_id",
        sa.ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=False,
        primary_key=primary,
    )


def texts(*names: str) -> list[sa.Column[str]]:
    """Columns of texts."""
    return [_filled(name, sa.Text) for name in names]


def moments(*names: str) -> list[sa.Column[int]]:
    """Columns of moments: whole seconds since 1970 in UTC."""
    return large_numbers(*names)


def numbers(*names: str) -> list[sa.Column[int]]:
    """Columns of integers that stay below two thousand million."""
    return [_filled(name, sa.Integer) for name in names]


def large_numbers(*names: str) -> list[sa.Column[int]]:
    """Columns of integers that strangers choose or that are summed up."""
    return [_filled(name, sa.BigInteger) for name in names]


def _filled(name: str, kind: type[Any]) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=False)


repositories = table(
    "repositories",
    row_id(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    *texts("web", "forge"),
    # The versions this repository's indexes were built by; see bot.store.rows.
    *texts("indexed_by"),
    # How often anything stored about it was written; see bot.store.rows.
    sa.Column("revision", sa.BigInteger, nullable=False, server_default=sa.text("0")),
)

changes = table(
    "changes",
    row_id(),
    belongs_to("repositories"),
    *texts("sha"),
    *moments("committed_at"),
    sa.Column("number", sa.BigInteger),
    # A rank: 0 is high.
    sa.Column("level", sa.SmallInteger, nullable=False),
    sa.Column("score", sa.Float, nullable=False),
    # The weights and thresholds that the grade was made by.
    *texts("graded_by"),
    *numbers("facts_version"),
    # How many files of the change could not be read when its facts were made.
    *numbers("omitted"),
    # The author's name without case, for searching.
    *texts("author_key"),
    # The area of most changed lines; filled with the indexes, null before.
    sa.Column("area", sa.Text),
    sa.UniqueConstraint("repository_id", "sha"),
    # The changes from the newest on, with all columns that a walk tests.
    sa.Index("ix_changes_walk", "repository_id", "committed_at", "sha", "level", "author_key"),
    # The highest levels first, with all columns that a survey counts by.
    sa.Index("ix_changes_weight", "repository_id", "level", "area"),
    sa.Index(None, "repository_id", "number"),
    # The first and the last change of a repository.
    sa.Index("ix_changes_reach", "repository_id", "id"),
)

contents = table(
    "contents",
    belongs_to("changes", primary=True),
    *moments("authored_at"),
    *texts("author", "email", "parents"),
    # Before the long columns, so that it can be read without their pages.
    *texts("reasons", "subject", "message", "facts"),
)

change_texts = table(
    "change_texts", belongs_to("changes", primary=True), *texts("subject", "body", "paths", "names")
)

# The one-line description of a change, as spans in JSON; low changes have none. Not in
# ``contents``, where reading it would page through the facts.
change_lines = table(
    "change_lines",
    belongs_to("changes", primary=True),
    sa.Column("language", sa.Text, primary_key=True),
    *texts("spans"),
    sqlite_with_rowid=False,
)

# Both indexes repeat the date, and the first one the repository, so that a week of one topic is one
# range. The change is not a foreign key: that would need another index just for deletions.
change_topics = table(
    "change_topics",
    belongs_to("repositories"),
    *texts("topic"),
    *moments("committed_at"),
    sa.Column("change_id", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("repository_id", "topic", "committed_at", "change_id"),
    sqlite_with_rowid=False,
)

# Every topic that a change ever had, once; topics that no change has any more do no harm.
known_topics = table(
    "known_topics",
    row_id(),
    belongs_to("repositories"),
    *texts("topic"),
    sa.UniqueConstraint("repository_id", "topic"),
    # The first and the last topic of a repository.
    sa.Index("ix_known_topics_reach", "repository_id", "id"),
)

change_paths = table(
    "change_paths",
    belongs_to("changes"),
    *texts("path"),
    belongs_to("repositories"),
    *moments("committed_at"),
    sa.PrimaryKeyConstraint("change_id", "path"),
    sa.Index(None, "repository_id", "path", "committed_at"),
    sqlite_with_rowid=False,
)

# Weights of importance that the past of a repository taught: those for the changes since a release,
# with the version of the shipped weights that they rest on; see bot.store.feedback.
local_weights = table(
    "local_weights",
    belongs_to("repositories"),
    *texts("shipped", "release"),
    *moments("since"),
    *texts("content"),
    sa.PrimaryKeyConstraint("repository_id", "shipped", "release"),
)
