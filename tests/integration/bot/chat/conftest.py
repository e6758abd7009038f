"""An archive in a folder of its own for every test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.database import Database
from bot.store.sqlite import open_database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    folder = tmp_path / "data"
    folder.mkdir()
    async with await open_database(folder) as opened:
        yield opened
