"""Alembic revisions of the tables, forward only, run by the program itself.

Alembic is imported only if there is something to do; one query shows whether an archive is up to
date. A released revision is never edited; changes are new revisions.

A new SQLite archive is created from ``fresh.sql``, the schema that the revisions produce in an
empty file, because loading Alembic takes longer than reading a day's changes. A test compares the
two; after adding a revision, rewrite the file with:

    python -m bot.store.migrations
"""

from __future__ import annotations

import sqlite3

from sqlalchemy import Connection, create_engine, text

from digest.core.patterns import read_file

REVISIONS = tuple(f"{number:04}" for number in range(1, 28))
"""The revisions known to this program, oldest first; each is a file in ``versions``."""

HEAD = REVISIONS[-1]

FRESH = "fresh.sql"
_END = ";\n"  # no line within a statement ends with this
_HEADLINE = "-- What the revisions up to {} make. Written by python -m bot.store.migrations"


def upgrade(connection: Connection) -> None:
    """Migrate the tables to :data:`HEAD`, inside the connection's transaction.

    Foreign keys must be off: a batch operation rebuilds a table and drops the old one, which would
    delete the rows that refer to it (https://www.sqlite.org/lang_altertable.html, "Making Other
    Kinds Of Table Schema Changes").
    """
    from importlib.resources import as_file, files

    from alembic import command
    from alembic.config import Config

    with as_file(files(__name__)) as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    if connection.dialect.name == "postgresql":
        _order_by_bytes(connection)


def _order_by_bytes(connection: Connection) -> None:
    """Compare every text by bytes, as SQLite does, whatever the database's own collation is.

    Ranges of paths and names depend on it. Revisions need not state it for each column.
    """
    from bot.store.tables.archive_tables import metadata

    found = connection.execute(
        text("""
            SELECT table_name, column_name FROM information_schema.columns
            WHERE table_schema = current_schema() AND data_type = 'text'
            AND collation_name IS DISTINCT FROM 'C' AND table_name = ANY(:tables)
            ORDER BY table_name, ordinal_position
        """),
        {"tables": list(metadata.tables)},
    )
    altered: dict[str, list[str]] = {}
    for table, column in found:
        change = f'ALTER COLUMN "{column}" TYPE text COLLATE "C"'
        altered.setdefault(table, []).append(change)
    for table, commands in altered.items():
        connection.exec_driver_sql(f'ALTER TABLE "{table}" {", ".join(commands)}')


def create(connection: Connection) -> None:
    """Create all tables of :data:`HEAD` in an empty file, inside the connection's transaction.

    If there are revisions newer than ``fresh.sql``, all revisions are run instead.
    """
    script = read_file(__name__, FRESH)
    headline, _, statements = script.partition("\n")
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
