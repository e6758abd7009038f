"""Sources kept open: one for all who ask at once, looked at again after a while."""

from __future__ import annotations

import asyncio
import shutil
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.app import open_workspace
from bot.git.open_source import FRESH, Sources, open_source
from digest.core.grade import Repository
from digest.errors import NotARepository
from digest.window import Window
from tests.support.builders import START, RepositoryBuilder


async def test_a_place_is_opened_once_for_all_and_looked_at_again_when_it_is_old(tmp_path):
    builder = RepositoryBuilder(tmp_path / "engine")
    sha = builder.commit("Begin", {"a": "1\n"})
    now = [0.0]
    sources = Sources(tmp_path, lambda: now[0])
    place = str(builder.path)
    (_, first), (_, second) = await asyncio.gather(sources.open(place), sources.open(place))
    assert first is second
    assert (await first.tip(None)).sha == sha
    # What is kept is how to read it, not what was read.
    newer = builder.commit("Go on", {"a": "2\n"})
    assert (await first.tip(None)).sha == newer
    # What stands there after a while as it stood is read as before, whatever its remote is called.
    now[0] = FRESH + 1
    builder.git("remote", "add", "origin", "https://github.com/ada/motor")
    repository, source = await sources.open(place)
    assert (repository.name, source) == ("ada/motor", first)


async def test_a_place_that_was_cut_off_elsewhere_is_read_anew(tmp_path):
    builder = RepositoryBuilder(tmp_path / "engine")
    shas = [builder.commit(str(number), {"a": str(number)}) for number in range(3)]
    now = [0.0]
    sources = Sources(tmp_path, lambda: now[0])
    builder.git("clone", "--quiet", "--depth=1", f"file://{builder.path}", str(tmp_path / "part"))
    window = Window(since=START, until=START + timedelta(hours=1), zone=ZoneInfo("UTC"))
    _, first = await sources.open(str(tmp_path / "part"))
    assert list(await first.names(await first.tip(), window)) == shas[-1:]
    builder.git("-C", str(tmp_path / "part"), "fetch", "--quiet", "--unshallow")
    now[0] = FRESH + 1
    _, second = await sources.open(str(tmp_path / "part"))
    assert list(await second.names(await second.tip(), window)) == shas[::-1]


async def test_another_repository_in_the_place_of_one_is_read_anew(tmp_path):
    place = tmp_path / "engine"
    RepositoryBuilder(place).commit("Begin", {"a": "1\n"})
    now = [0.0]
    sources = Sources(tmp_path, lambda: now[0])
    _, first = await sources.open(str(place))
    await first.tip()
    shutil.rmtree(place)
    now[0] = FRESH + 1
    with pytest.raises(NotARepository):
        await sources.open(str(place))
    newest = RepositoryBuilder(place).commit("Another one", {"b": "2\n"})
    _, second = await sources.open(str(place))
    assert (await second.tip()).sha == newest
    assert [c.sha async for some in second.changes(await second.tip(), [newest]) for c in some] == [
        newest
    ]


async def test_a_folder_whose_name_says_nothing_is_called_after_the_one_around_it(tmp_path):
    builder = RepositoryBuilder(tmp_path / "engine" / "repo")
    builder.commit("Begin", {"a": "1\n"})
    place = str(builder.path)
    assert (await open_source(place, tmp_path))[0].name == "engine"
    async with open_workspace(None) as app:
        assert (await app.watch(place)).repository.name == "engine"
        # What an archive was made under stays.
        app.places.enter(place, Repository(name="repo"))
        assert (await app.watch(place)).repository.name == "repo"
        builder.git("remote", "add", "origin", "https://github.com/ada/motor")
        assert (await app.watch(place)).repository.name == "ada/motor"


async def test_a_place_that_was_not_there_is_tried_again(tmp_path):
    sources = Sources(tmp_path)
    place = tmp_path / "engine"
    with pytest.raises(NotARepository):
        await sources.open(str(place))
    RepositoryBuilder(place).commit("Begin", {"a": "1\n"})
    assert (await sources.open(str(place)))[0].name == "engine"
