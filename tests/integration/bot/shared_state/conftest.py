"""A real Redis, empty for every test, and processes' connections to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from bot.shared_state.redis_state import RedisConnection
from tests.servers.redis import RedisServer, running


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    with running() as server:
        yield server


@pytest.fixture
def server(redis_server: RedisServer) -> Iterator[RedisServer]:
    redis_server.client.flushall()
    yield redis_server
    redis_server.stop()
    redis_server.start()


@pytest.fixture
async def pair(server: RedisServer) -> AsyncIterator[tuple[RedisConnection, RedisConnection]]:
    """The connections of two processes."""
    one, other = RedisConnection(server.url), RedisConnection(server.url)
    yield one, other
    await one.aclose()
    await other.aclose()
