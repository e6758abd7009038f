"""Alembic revisions of the tables, forward only, run by the program itself.

Alembic is imported only if there is something to do; one query shows whether an archive is up to
date. A released revision is never edited; changes are new revisions.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from sqlalchemy import Connection, text

REVISIONS = tuple(f"{number:04}" for number in range(1, 27))
"""The revisions known to this program, oldest first; each is a file in ``versions``."""

HEAD = REVISIONS[-1]


def upgrade(connection: Connection) -> None:
    """Migrate the tables to :data:`HEAD`, inside the connection's transaction.

    Foreign keys must be off: a batch operation rebuilds a table and drops the old one, which would
    delete the rows that refer to it (https://www.sqlite.org/lang_altertable.html, "Making Other
    Kinds Of Table Schema Changes").
    """
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
