"""Profiles made of real repositories: a plug-in's, at its tip."""

from __future__ import annotations

import pytest

from bot.workspace.workspace import Usages
from digest.core.profile import EntryKind, ProfileEntry
from digest.errors import UserError
from tests.support.builders import RepositoryBuilder

PACKAGES = frozenset({"engine"})


@pytest.fixture
def plugin(tmp_path):
    builder = RepositoryBuilder(tmp_path / "plugin")
    files = {
        "plugin/main.py": "from engine.core import Worker\n",
        "Dockerfile": "CMD engine serve --max-len 10\n",
        "notes.bin": b"\0from engine import Secret\n",
        "photo.png": "from engine import Photo\n",
        "配置.yaml": "env:\n  ENGINE_PORT: 80\n",
    }
    builder.commit("Begin", files)
    return builder.path


async def test_code_at_the_tip_is_read_and_nothing_else(plugin, tmp_path):
    found = await Usages(tmp_path, {"plug": str(plugin)})("plug", PACKAGES)
    assert found == {
        ProfileEntry(kind=EntryKind.SYMBOL, name="engine.core.Worker"),
        ProfileEntry(kind=EntryKind.FLAG, name="--max-len"),
        ProfileEntry(kind=EntryKind.VARIABLE, name="ENGINE_PORT"),
    }


async def test_a_place_that_is_not_configured_is_read_for_the_terminal_alone(plugin, tmp_path):
    with pytest.raises(UserError, match="not configured"):
        await Usages(tmp_path, {})(str(plugin), PACKAGES)
    assert await Usages(tmp_path, {}, anywhere=True)(str(plugin), PACKAGES)
