"""Sources kept open: one for all who ask at once, looked at again after a while."""

from __future__ import annotations

import asyncio

import pytest

from bot.sources.pool import FRESH, Sources
from digest.errors import NotARepository
from tests.builders import RepositoryBuilder


async def test_a_place_is_opened_once_for_all_and_again_when_it_is_old(tmp_path):
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
    now[0] = FRESH + 1
    assert (await sources.open(place))[1] is not first


async def test_a_place_that_was_not_there_is_tried_again(tmp_path):
    sources = Sources(tmp_path)
    place = tmp_path / "engine"
    with pytest.raises(NotARepository):
        await sources.open(str(place))
    RepositoryBuilder(place).commit("Begin", {"a": "1\n"})
    assert (await sources.open(str(place)))[0].name == "engine"
