"""A real Redis beside the PostgreSQL of every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.redis import RedisServer, running


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    with running() as server:
        yield server
