"""The migrations make what the tables say, and the program knows them all."""

from __future__ import annotations

import re
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from bot.store import migrations
from bot.store.database import Database
from bot.store.sqlite import SqliteDatabase
from bot.store.tables.archive_tables import metadata


def test_revisions_known_are_the_files_in_their_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    scripts = ScriptDirectory.from_config(config)
    assert [s.revision for s in scripts.walk_revisions()][::-1] == list(migrations.REVISIONS)
    assert scripts.get_heads() == [migrations.HEAD]


def _differences(connection: Connection) -> list[object]:
    def ours(_object: object, name: str | None, kind: str, *_: object) -> bool:
        # The virtual tables of the full-text index, and those that SQLite keeps them in.
        return not (
            kind == "table"
            and str(name).startswith(
                ("change_search", "change_pairs", "topic_search", "change_grams", "topic_grams")
            )
        )

    context = MigrationContext.configure(
        connection,
        opts={"include_object": ours, "compare_type": True, "compare_server_default": True},
    )
    return compare_metadata(context, metadata)


async def test_tables_are_those_of_all_migrations(database: Database) -> None:
    async with database.reading() as connection:
        assert await connection.run_sync(_differences) == []


async def test_tables_agree_in_what_the_comparison_does_not_see(file: SqliteDatabase) -> None:
    """Keys, checks and storage: SQLite's own text of every table, but for spaces and order."""
    from sqlalchemy.dialects import sqlite
    from sqlalchemy.schema import CreateIndex, CreateTable

    wanted = {}
    for table in metadata.sorted_tables:
        wanted[table.name] = str(CreateTable(table).compile(dialect=sqlite.dialect()))
        for index in table.indexes:
            wanted[index.name] = str(CreateIndex(index).compile(dialect=sqlite.dialect()))
    async with file.reading() as connection:
        rows = (await connection.exec_driver_sql("SELECT name, sql FROM sqlite_master")).all()
    there = {name: sql for name, sql in rows if name in wanted}
    assert {n: _clauses(s) for n, s in there.items()} == {n: _clauses(s) for n, s in wanted.items()}


def _clauses(sql: str) -> list[str]:
    # A column that was added later stands on the line of the one before it.
    parts = re.split(r"\n|,(?![^()]*\))", sql)
    return sorted(filter(None, (" ".join(part.strip(" ,\t").split()) for part in parts)))
