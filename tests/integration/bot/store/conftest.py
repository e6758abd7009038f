"""An archive of its own for every test, in a file and in PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.archive import SqlArchive
from bot.store.database import Database
from bot.store.sqlite import open_archive, open_database


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(
    request: pytest.FixtureRequest, tmp_path: Path, empty: Path
) -> AsyncIterator[Database]:
    """An archive in each database in turn."""
    if request.param == "postgresql":
        address = request.getfixturevalue("address")
        async with await open_archive(tmp_path, address) as opened:
            yield opened
        return
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(empty, folder)
    async with await open_database(folder) as opened:
        yield opened


@pytest.fixture
def archive(database: Database) -> SqlArchive:
    return SqlArchive(database)
