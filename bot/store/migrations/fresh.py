"""Creates a new SQLite archive directly instead of by running every revision.

``fresh.sql`` is the schema that the revisions produce in an empty file, as SQLite writes it; a test
compares the two. Loading Alembic alone would take longer than reading a day's changes. Rewrite it
with:

    python -m bot.store.migrations.fresh
"""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from pathlib import Path

from sqlalchemy import Connection, create_engine

from bot.store.migrations import HEAD, upgrade

_FILE = "fresh.sql"
_END = ";\n"  # no line within a statement ends with this
_HEADLINE = "-- What the revisions up to {} make. Written by python -m bot.store.migrations.fresh"


def make(connection: Connection) -> None:
    """Create all tables of :data:`HEAD` in an empty file, inside the connection's transaction.

    If there are revisions newer than ``fresh.sql``, all revisions are run instead.
    """
    headline, _, statements = _script().partition("\n")
    if headline != _HEADLINE.format(HEAD):
        upgrade(connection)
        return
    for statement in statements.split(_END)[:-1]:
        connection.exec_driver_sql(statement)


def written(connection: sqlite3.Connection) -> str:
    """The SQL that creates an empty archive with the tables of this one."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY rowid").fetchall()
    indexes = [name for name, sql in rows if sql and sql.startswith("CREATE VIRTUAL TABLE")]
    # A full-text index creates further tables for itself.
    inner = tuple(f"{name}_" for name in indexes)
    statements = [sql for name, sql in rows if sql and not name.startswith(inner)]
    for index in indexes:
        options = f"SELECT k, v FROM {index}_config WHERE k <> 'version'"  # noqa: S608 - our own name
        statements += [
            f"INSERT INTO {index}({index}, rank) VALUES ('{key}', {value})"  # noqa: S608 - as above
            for key, value in connection.execute(options)
        ]
    (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    statements.append(f"INSERT INTO alembic_version VALUES ('{revision}')")  # noqa: S608 - as above
    lines = "".join(f"{statement}{_END}" for statement in statements).split("\n")
    return "\n".join([_HEADLINE.format(revision), *map(str.rstrip, lines)])


def by_revisions() -> str:
    """The result of :func:`written` for an archive that all revisions made in turn."""
    engine = create_engine("sqlite://")
    try:
        with engine.begin() as connection:
            upgrade(connection)
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            return written(driver)
    finally:
        engine.dispose()


def _script() -> str:
    return files(__package__).joinpath(_FILE).read_text(encoding="utf-8")


if __name__ == "__main__":
    Path(__file__).with_name(_FILE).write_text(by_revisions(), encoding="utf-8")
