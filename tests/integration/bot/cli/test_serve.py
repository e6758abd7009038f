"""``digestbot serve`` reads new commits by itself, of every configured repository."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from bot.app import open_workspace
from bot.cli import run_setup
from bot.cli.run_setup import ServeOptions
from bot.util.machine import FixedClock
from tests.servers.pages import MONDAY, write_config
from tests.support.builders import RepositoryBuilder

OPTIONS = ServeOptions(place=None, days=7, port=0, zone="UTC")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RepositoryBuilder:
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(run_setup, "_FOLLOWED", 0.02)
    builder = RepositoryBuilder(tmp_path / "project")
    builder.commit("First (#1)", {"a.py": "a = 1\n"}, at=MONDAY)
    return builder


async def test_new_commits_are_read_as_they_come(made, tmp_path):
    file = write_config(tmp_path, made.path)
    async with open_workspace(file, FixedClock(MONDAY + timedelta(hours=5))) as app:
        watched = await run_setup._chosen_repositories(app, OPTIONS)
        for one in watched:
            await run_setup._read(app, one, OPTIONS)
        following = asyncio.create_task(run_setup._follow(app, watched, OPTIONS))
        await asyncio.sleep(0.05)
        # A branch that was begun days ago and is merged now.
        new = made.commit("Second (#2)", {"a.py": "a = 2\n"}, at=MONDAY - timedelta(days=1))
        repository = watched[0].repository
        async with asyncio.timeout(120):
            while new not in await app.archive.load(repository, [new]):
                await asyncio.sleep(0.05)
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def test_every_configured_repository_is_served(made, tmp_path):
    file = write_config(tmp_path, made.path)
    async with open_workspace(file) as app:
        watched = await run_setup._chosen_repositories(app, OPTIONS)
        assert [one.repository.name for one in watched] == ["owner/open", "owner/closed"]
        named = ServeOptions(place="owner/closed", days=7, port=0)
        (one,) = await run_setup._chosen_repositories(app, named)
        assert one.repository.name == "owner/closed"
