"""The files of a tree that contain words, searched by one expression or word by word."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.git import history_index
from bot.git.git_process import GitFailed, reading
from bot.git.history_index import find_lines, find_mentions
from tests.support.builders import Link, RepositoryBuilder


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
            "lib/d.rb": "def run = 1\n",
            "e.kt": "fun run() = 1\n",
            "d.txt": "run",
            "third_party/x/vendor/e.py": "run = 2\n",
            "vendor/f.py": "run = 3\n",
        },
    )
    words = ("run", "run_all", "f(x.y)")
    assert await find_mentions(reading(builder.path), sha, words) == {
        "run": {"b.py", "lib/d.rb", "e.kt"},
        "run_all": {"a.py"},
        "f(x.y)": {"a.py"},
    }


async def test_flag_is_not_found_in_a_longer_one(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "project.git", bare=True)
    sha = builder.commit("Add them", {"a.py": "'--map-size'\n", "b.py": "'--map', '--map=1'\n"})
    words = ("--map", "--map-size")
    found = await find_mentions(reading(builder.path), sha, words)
    assert found == {"--map": {"b.py"}, "--map-size": {"a.py"}}


async def test_route_is_not_found_in_a_longer_one(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "project.git", bare=True)
    texts = {"a.py": "get('/v1/run')\n", "b.py": "get('/run/all')\n", "c.py": "get('/run')\n"}
    sha = builder.commit("Add them", {**texts, "d.py": "get('/runs'), get('/run-all')\n"})
    found = await find_mentions(reading(builder.path), sha, ("/run", "/v1/run"))
    assert found == {"/run": {"c.py"}, "/v1/run": {"a.py"}}


async def test_links_and_binary_files_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_index, "_FEW", 0)
    builder = RepositoryBuilder(tmp_path / "project.git", bare=True)
    files = {"a.py": "run = 1\nrun, walk = 2\n", "b.py": b"\0run\n", "c/a.py": "run = 1"}
    sha = builder.commit("Add them", {**files, "d.py": Link("run"), "e.md": "run"})
    found = await find_mentions(reading(builder.path), sha, ("run", "walk"))
    assert found == {"run": {"a.py", "c/a.py"}, "walk": {"a.py"}}


async def test_tree_with_an_absent_file_cannot_be_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_index, "_FEW", 0)
    builder = RepositoryBuilder(tmp_path / "project.git", bare=True)
    sha = builder.commit("Add them", {"a.py": "run = 1\n", "b.py": "walk = 1\n"})
    builder.forget("main:b.py")
    with pytest.raises(GitFailed):
        await find_mentions(reading(builder.path), sha, ("run",))


async def test_lines_have_all_parts_of_words_in_any_case(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "project.git", bare=True)
    files = {
        "a.py": "x\n--enable-Prefix-caching\n\nPREFIX of a cache:1\n",
        "b/ü.go": "prefix\ncache\n",
        "c.md": "prefix cache\n",
        "vendor/d.py": "prefix_cache\n",
        "e:1.py": "prefix.cache = 2\n",
    }
    sha = builder.commit("Add them", files)
    found = await find_lines(reading(builder.path), sha, ("prefix", "cach"))
    assert found == {"a.py": [2, 4], "e:1.py": [1]}
    assert await find_lines(reading(builder.path), sha, ("prefix", "gone")) == {}
    assert await find_lines(reading(builder.path), sha, ("-e", "\n")) == {}
