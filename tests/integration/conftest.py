"""An archive of its own for every test that asks, in a file or in a PostgreSQL started once; and Kite."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.sqlite import FILE, SqliteDatabase, open_archive, open_database
from tests.servers.postgresql import EmptyArchives, Postgres, running
from tests.support.crash_apart import Apart, apart
from tests.support.kite import Kite, opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server with an empty archive named ``empty``."""
    with running() as server:
        server.run("CREATE DATABASE empty")

        async def make() -> None:
            async with await open_archive(Path(), server.url("empty")):
                pass

        # A loop runs already where the first test asks for the server.
        with ThreadPoolExecutor() as beside:
            beside.submit(asyncio.run, make()).result()
        yield server


@pytest.fixture(scope="session")
def archives(postgres: Postgres) -> Iterator[EmptyArchives]:
    with closing(EmptyArchives(postgres, "empty")) as made:
        yield made


@pytest.fixture
def address(postgres: Postgres, archives: EmptyArchives) -> Iterator[str]:
    """The address of an empty archive."""
    name = archives.take()
    yield postgres.url(name)
    archives.give_back(name)


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive without a row: migrating one for every test would take most of the time."""
    folder = tmp_path_factory.mktemp("empty")

    async def make() -> None:
        async with await open_database(folder):
            pass

    asyncio.run(make())
    return folder / FILE


@pytest.fixture
async def file(tmp_path: Path, empty: Path) -> AsyncIterator[SqliteDatabase]:
    """An archive in a file."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(empty, folder)
    async with await open_database(folder) as database:
        yield database


@pytest.fixture(scope="session")
def kite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kite]:
    """The made-up project, whose repository the workers of a run share."""
    base = tmp_path_factory.getbasetemp()
    with opened((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kite") as made:
        yield made


@pytest.fixture(scope="session", name="apart")
def _apart() -> Iterator[Apart]:
    with apart() as program:
        yield program
