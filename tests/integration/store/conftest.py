"""An archive in a folder of its own for every test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.archive import SqlArchive
from bot.store.engine import Database, open_database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with await open_database(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def archive(database: Database) -> SqlArchive:
    return SqlArchive(database)
