"""A real PostgreSQL, started once, and an archive of its own in it for every test that asks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from bot.store.engine import open_archive
from tests.servers.postgresql import Postgres, running

_numbers = count()


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


@pytest.fixture
def address(postgres: Postgres) -> Iterator[str]:
    """The address of a new, empty archive."""
    name = f"test{next(_numbers)}"
    postgres.run(f"CREATE DATABASE {name} TEMPLATE empty STRATEGY file_copy")
    yield postgres.url(name)
    postgres.run(f"DROP DATABASE {name} WITH (FORCE)")
