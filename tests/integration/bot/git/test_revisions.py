"""The head as git tells it at that moment, however it moved since it was last asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.git.git_process import Git
from bot.git.revisions import References
from tests.support.builders import RepositoryBuilder


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    made = RepositoryBuilder(tmp_path / "project.git", bare=True)
    for name in ("first", "second"):
        made.commit(name, {f"{name}.txt": name})
    made.git("branch", "other", "main~1")
    return made


def move(builder: RepositoryBuilder) -> None:
    builder.git("update-ref", "refs/heads/main", "main~1")


def pack(builder: RepositoryBuilder) -> None:
    builder.git("pack-refs", "--all")


def move_packed(builder: RepositoryBuilder) -> None:
    pack(builder)
    move(builder)
    pack(builder)


def switch(builder: RepositoryBuilder) -> None:
    builder.git("symbolic-ref", "HEAD", "refs/heads/other")


def detach(builder: RepositoryBuilder) -> None:
    builder.git("update-ref", "--no-deref", "HEAD", "main~1")


def lead_on(builder: RepositoryBuilder) -> None:
    builder.git("symbolic-ref", "refs/heads/main", "refs/heads/other")


@pytest.mark.parametrize("happened", [move, pack, move_packed, switch, detach, lead_on])
async def test_a_head_that_moved_is_told_anew(
    builder: RepositoryBuilder, happened: Callable[[RepositoryBuilder], None]
) -> None:
    asked = References(builder.path)
    before = await asked.head()
    happened(builder)
    after = await asked.head()
    assert after == await References(builder.path).head()
    assert (after == before) is (happened is pack)


async def test_a_branch_that_stands_for_another_moves_with_it(builder: RepositoryBuilder) -> None:
    newest = builder.git("rev-parse", "main").strip()
    lead_on(builder)
    asked = References(builder.path)
    assert (await asked.head())[1] != newest
    builder.git("update-ref", "refs/heads/other", newest)
    assert (await asked.head())[1] == newest


async def test_a_head_that_stays_is_asked_for_once(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = References(builder.path)
    before = await asked.head()

    # A real git cannot tell how often it was started.
    async def run(*_: object, **__: object) -> bytes:
        raise AssertionError("git was asked again")

    monkeypatch.setattr(Git, "run", run)
    assert await asked.head() == before
