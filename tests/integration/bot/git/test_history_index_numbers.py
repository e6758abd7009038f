"""Numbers in the messages of real repositories, kept and kept up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.git import history_index
from bot.git.git_source import GitSource
from bot.git.open_source import open_source
from tests.support.builders import RepositoryBuilder


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "project")


async def opened(builder: RepositoryBuilder) -> GitSource:
    return (await open_source(str(builder.path), builder.path.parent / "data"))[1]


async def found(source: GitSource, number: int, branch: str | None = None) -> list[str]:
    return list(await source.find(await source.tip(branch), number))


def read_again(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What is listed of a history from now on, each with the revisions it is cut by."""
    cuts: list[tuple[str, ...]] = []
    told = history_index._index_lines

    async def noted(git: object, *revisions: str) -> tuple[str, str]:
        cuts.append(revisions)
        return await told(git, *revisions)

    monkeypatch.setattr(history_index, "_index_lines", noted)
    return cuts


@pytest.mark.parametrize(
    "message",
    [
        "Add a thing (#12)",
        "Add a thing (#7) (#12).",
        "Add a thing (gh-12)",
        "Add a thing (GH-12, #12)",
        "Add a thing (!12)",
        "Add a thing (PR 12)",
        "Add a thing (PR #12)",
        "Add a thing (PR12)",
        "Merge pull request #12 from ada/x\n\nAdd a thing",
        "Merge pull request 'Add a thing' (#12) from x into main",
        "Merged PR 12: Add a thing",
        "Pull request #12: Add a thing",
        "Merged in x (pull request #12)\n\nAdd a thing",
        "Auto merge of #12 - ada:x, r=bob\n\nAdd a thing",
        "Merge #12\n\n12: Add a thing r=bob a=ada",
        "Merge branch 'x' into 'main'\n\nAdd a thing\n\nSee merge request g/p!12",
        "Add a thing\n\nSee merge request https://example.org/g/p/-/merge_requests/12",
        "Add a thing (#0012)",
    ],
)
async def test_find_by_number_however_a_forge_writes_it(builder, message: str) -> None:
    wanted = builder.commit(message, {"a": "1"})
    builder.commit("Mention #12 and #120", {"a": "2"})
    assert await found(await opened(builder), 12) == [wanted]


async def test_find_after_new_commits_reads_those_alone(builder, monkeypatch) -> None:
    first = builder.commit("One (#1)", {"a": "1"})
    assert await found(await opened(builder), 1) == [first]
    again = builder.commit("One again (#1)", {"a": "2"})
    source = await opened(builder)
    cuts = read_again(monkeypatch)
    assert await found(source, 1) == [again, first]
    assert await found(source, 2) == []
    assert cuts == [(again, f"^{first}")]


async def test_find_in_another_process_reads_nothing_again(builder, monkeypatch) -> None:
    first = builder.commit("One (#1)", {"a": "1"})
    await found(await opened(builder), 1)
    cuts = read_again(monkeypatch)
    assert await found(await opened(builder), 1) == [first]
    assert cuts == []


async def test_find_after_a_rewritten_history_forgets_what_is_gone(builder) -> None:
    root = builder.commit("Start", {"a": "1"})
    builder.commit("Two (#2)", {"a": "2"})
    source = await opened(builder)
    assert await found(source, 2)
    three = builder.commit("Three (#3)", {"a": "3"}, parents=[root])
    assert await found(source, 2) == []
    assert await found(source, 3) == [three]


async def test_find_after_a_rewritten_history_was_cleaned_up(builder) -> None:
    builder.commit("Two (#2)", {"a": "2"})
    assert await found(await opened(builder), 2)
    three = builder.commit("Three (#3)", {"a": "3"}, parents=[])
    builder.git("reflog", "expire", "--expire=now", "--all")
    builder.git("gc", "--quiet", "--prune=now")
    source = await opened(builder)
    assert await found(source, 2) == []
    assert await found(source, 3) == [three]


async def test_find_on_two_branches_keeps_them_apart(builder) -> None:
    root = builder.commit("Start", {"a": "1"})
    ours = builder.commit("Add (#5)", {"a": "2"})
    theirs = builder.commit("Backport (#5)", {"a": "3"}, branch="release", parents=[root])
    source = await opened(builder)
    assert await found(source, 5) == [ours]
    assert await found(source, 5, "release") == [theirs]
    assert await found(source, 5) == [ours]


async def test_find_when_what_was_kept_is_damaged_reads_anew(builder) -> None:
    first = builder.commit("One (#1)", {"a": "1"})
    await found(await opened(builder), 1)
    (kept,) = (builder.path.parent / "data").rglob("mentions-*")
    for damage in (b"", b"\xff\x00", b"mentions-1 --all\nmore 1 \n"):
        kept.write_bytes(damage)
        assert await found(await opened(builder), 1) == [first]
