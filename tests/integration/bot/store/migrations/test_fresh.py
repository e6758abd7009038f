"""A new file is made at once, and is what all revisions make."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib.resources import files

import pytest

from bot.store import migrations
from bot.store.sqlite import FILE, open_database


def test_what_is_written_down_is_what_the_revisions_make() -> None:
    """Where this fails, a revision is new: ``python -m bot.store.migrations``."""
    kept = files(migrations).joinpath("fresh.sql").read_text(encoding="utf-8")
    assert kept == migrations.by_revisions()


async def test_a_new_file_holds_what_is_written_down(tmp_path) -> None:
    async with await open_database(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        assert migrations.written(connection) == migrations.by_revisions()


async def test_a_new_file_is_made_by_the_revisions_where_these_are_ahead(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As it is between writing a revision and writing down what it makes.
    monkeypatch.setattr(migrations, "_HEADLINE", "-- what an earlier program made, up to {}")
    async with await open_database(tmp_path):
        pass
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    assert found == [(migrations.HEAD,)]
