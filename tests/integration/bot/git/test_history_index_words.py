"""The files of a tree that contain words, searched by one expression or word by word."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.git import history_index
from bot.git.git_process import reading
from bot.git.history_index import find_mentions
from tests.support.builders import RepositoryBuilder


@pytest.mark.parametrize("few", [0, 30])
async def test_words_that_contain_each_other_are_found_apart(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_index, "_FEW", few)
    builder = RepositoryBuilder(tmp_path / "project.git", bare=True)
    sha = builder.commit(
        "Add them",
        {
            "a.py": "run_all = f(x.y)\n",
            "b.py": "run = 1\n",
            "c.py": "rerun = xay\n",
            "d.txt": "run",
            "third_party/x/vendor/e.py": "run = 2\n",
            "vendor/f.py": "run = 3\n",
        },
    )
    words = ("run", "run_all", "f(x.y)")
    assert await find_mentions(reading(builder.path), sha, words) == {
        "run": {"b.py"},
        "run_all": {"a.py"},
        "f(x.y)": {"a.py"},
    }


async def test_flag_is_not_found_in_a_longer_one(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "project.git", bare=True)
    sha = builder.commit("Add them", {"a.py": "'--map-size'\n", "b.py": "'--map', '--map=1'\n"})
    words = ("--map", "--map-size")
    found = await find_mentions(reading(builder.path), sha, words)
    assert found == {"--map": {"b.py"}, "--map-size": {"a.py"}}
