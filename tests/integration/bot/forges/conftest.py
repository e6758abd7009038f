"""A GitHub on loopback with a client of ours, and an archive of their own, for every test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime

import pytest

from bot.forges import forge_client
from bot.forges.forge_client import Token
from bot.forges.github import HEADERS, GitHub
from bot.store.database import Database
from bot.store.forge_records import SqlPages
from bot.store.sqlite import SqliteDatabase
from bot.util.machine import SystemClock
from tests.servers.github import TOKEN, GitHubServer


class ServerClock(SystemClock):
    """The time of this machine, turned on with the server's."""

    def __init__(self, server: GitHubServer) -> None:
        self.server = server

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.server.now(), super().now().tzinfo)


@pytest.fixture
def database(file: SqliteDatabase) -> Database:
    return file


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as opened:
        yield opened


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause before a repetition."""
    monkeypatch.setattr(forge_client, "_PAUSE", 0.0)


@pytest.fixture
async def connection(
    server: GitHubServer, database: Database
) -> AsyncIterator[forge_client.ForgeClient]:
    clock = ServerClock(server)
    account = Token(TOKEN, scheme="Bearer")
    opened = forge_client.ForgeClient(
        server.url, account, clock, pages=SqlPages(database, clock), headers=HEADERS
    )
    yield opened
    await opened.aclose()


@pytest.fixture
def forge(connection: forge_client.ForgeClient) -> GitHub:
    return GitHub(connection, "octo/engine")
