"""A repository, its archive, and its pages."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from bot.web.pages.routes import routes
from bot.web.server import application
from tests.servers.pages import build, fill_archive, shelved, write_config


@pytest.fixture(scope="session")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a repository, a configuration and a filled archive."""
    folder = tmp_path_factory.mktemp("pages")
    made = build(folder / "project")
    file = write_config(folder, made.path)
    before = os.environ.get("DIGESTBOT_DATA")
    os.environ["DIGESTBOT_DATA"] = str(folder / "data")
    try:
        asyncio.run(fill_archive(file))
    finally:
        os.environ.pop("DIGESTBOT_DATA")
        if before is not None:
            os.environ["DIGESTBOT_DATA"] = before
    return folder


@pytest.fixture
def configuration(archived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration over a copy of the archive, which a test may change."""
    shutil.copytree(archived / "data", tmp_path / "copied")
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "copied"))
    return archived / "digestbot.toml"


@pytest.fixture
async def client(configuration: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A reader of the pages, who is nobody."""
    async with shelved(configuration) as (app, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            reader.app = app
            yield reader
