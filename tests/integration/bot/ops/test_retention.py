"""What an older version read is read again, in batches, by one process at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import update

from bot.app import open_workspace
from bot.cli.run_archive import rebuild
from bot.config.repository_section import RepositoryConfig
from bot.ops import retention
from bot.ops.retention import Reanalysis
from bot.store.tables.archive_tables import changes as table
from bot.util.locks import FileLeases
from bot.workspace.workspace import Workspace
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Repository
from handlers.digests.ingest import fill, tip_of
from handlers.ports.storage import Range
from tests.support.builders import RepositoryBuilder

REPOSITORY = Repository(name="ada/project")


@pytest.fixture
def settings(tmp_path: Path) -> RepositoryConfig:
    made = RepositoryBuilder(tmp_path / "project.git", bare=True)
    for number in range(5):
        made.commit(f"Step {number}", {"a.txt": str(number)})
    return RepositoryConfig(place=str(made.path), name="ada/project")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "bot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    return file


async def read_by_an_older_version(app: Workspace, settings: RepositoryConfig) -> Sequence[str]:
    ctx = app.context(await app.watch_configured(settings), zone=ZoneInfo("UTC"))
    tip = await tip_of(ctx)
    await fill(ctx, Range(base=None, tip=tip.sha or ""), tip)
    async with app.database.writing() as connection:
        await connection.execute(update(table).values(facts_version=FACTS_VERSION - 1))
    return await app.archive.outdated(REPOSITORY)


async def test_batches_are_read_again_until_nothing_is_left(
    settings: RepositoryConfig, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    async with open_workspace(config) as app:
        outdated = await read_by_an_older_version(app, settings)
        assert len(outdated) == 5
        refresh = Reanalysis(app, FileLeases(tmp_path / "leases"), [settings])
        for left in (outdated[2:], outdated[4:], (), ()):
            await refresh()
            assert list(await app.archive.outdated(REPOSITORY)) == list(left)


async def test_calls_at_once_read_one_batch(
    settings: RepositoryConfig, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    async with open_workspace(config) as app:
        outdated = await read_by_an_older_version(app, settings)
        refresh = Reanalysis(app, FileLeases(tmp_path / "leases"), [settings])
        await asyncio.gather(*(refresh() for _ in range(5)))
        assert await app.archive.outdated(REPOSITORY) == outdated[2:]
        while await app.archive.outdated(REPOSITORY):
            await asyncio.gather(*(refresh() for _ in range(5)))


async def test_a_repository_that_another_process_refreshes_is_left_to_it(
    settings: RepositoryConfig, config: Path, tmp_path: Path
) -> None:
    async with open_workspace(config) as app:
        outdated = await read_by_an_older_version(app, settings)
        leases = FileLeases(tmp_path / "leases")
        async with leases.hold("refresh\0ada/project"):
            await Reanalysis(app, leases, [settings])()
        assert await app.archive.outdated(REPOSITORY) == outdated


async def test_a_repository_that_is_gone_stops_no_other(
    settings: RepositoryConfig, config: Path, tmp_path: Path
) -> None:
    async with open_workspace(config) as app:
        await read_by_an_older_version(app, settings)
        gone = RepositoryConfig(place=str(tmp_path / "nowhere"), name="ada/gone")
        changes = await app.archive.load(REPOSITORY, await app.archive.outdated(REPOSITORY))
        await app.archive.save(gone.repository, list(changes.values()))
        async with app.database.writing() as connection:
            await connection.execute(update(table).values(facts_version=FACTS_VERSION - 1))
        assert len(await app.archive.outdated(gone.repository)) == 5
        await Reanalysis(app, FileLeases(tmp_path / "leases"), [gone, settings])()
        assert not await app.archive.outdated(REPOSITORY)


@pytest.mark.parametrize("name", [None, "ada/project"])
def test_rebuild_reads_again_what_an_older_version_read(
    settings: RepositoryConfig, config: Path, capsys: pytest.CaptureFixture[str], name: str | None
) -> None:
    async def aged() -> None:
        async with open_workspace(config) as app:
            await read_by_an_older_version(app, settings)

    async def outdated() -> Sequence[str]:
        async with open_workspace(config) as app:
            return await app.archive.outdated(REPOSITORY)

    asyncio.run(aged())
    rebuild(name, config)
    assert "ada/project: 5 changes read again" in capsys.readouterr().out
    assert not asyncio.run(outdated())
