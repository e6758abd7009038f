"""The release before a tag, in real repositories."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.git.git_process import reading
from bot.git.revisions import (
    newest_releases,
    read_backports,
    read_release,
    read_release_index,
    read_released,
)
from digest.core.release import TaggedRelease
from tests.support.builders import RepositoryBuilder


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    """Tags on main, among them a candidate of the same commit; one of a branch of its own."""
    made = RepositoryBuilder(tmp_path / "project.git", bare=True)
    for number, tags in enumerate(
        (("v0.1.0",), ("v0.2.0rc1",), ("v0.2.0", "v0.2.0rc2"), ("nightly",), ("v0.3.0",)), 1
    ):
        made.commit(f"Step {number}", {"a.txt": str(number)})
        for tag in tags:
            made.git("tag", "-a", "-m", tag, tag, "main")
    made.git(
        "tag", "v0.2.1", made.git("commit-tree", "-p", "v0.2.0^{}", "-m", "Pick", "main^{tree}")
    )
    return made


@pytest.mark.parametrize(
    ("asked", "release"),
    [
        ("v0.2.0", TaggedRelease(tag="v0.2.0", before="v0.1.0")),
        ("0.2.0", TaggedRelease(tag="v0.2.0", before="v0.1.0")),
        ("v0.2.0rc2", TaggedRelease(tag="v0.2.0rc2", before="v0.2.0rc1")),
        ("v0.3.0", TaggedRelease(tag="v0.3.0", before="v0.2.0")),
        ("v0.2.1", TaggedRelease(tag="v0.2.1", before="v0.2.0")),
        ("v0.1.0", TaggedRelease(tag="v0.1.0")),
        ("v9.9.9", None),
        ("--all", None),
        ("*", None),
    ],
)
async def test_a_release_is_told_with_the_one_before_it(
    builder: RepositoryBuilder, asked: str, release: TaggedRelease | None
) -> None:
    assert await read_release(reading(builder.path), asked) == release


async def test_a_release_has_the_time_of_its_tag(builder: RepositoryBuilder) -> None:
    asked = await read_release(reading(builder.path), "v0.3.0")
    assert asked is not None
    assert asked.at is not None
    assert asked.at.timestamp() == int(
        builder.git("for-each-ref", "--format=%(creatordate:unix)", "refs/tags/v0.3.0")
    )


async def test_releases_are_the_final_ones(builder: RepositoryBuilder) -> None:
    found = await newest_releases(reading(builder.path))
    assert sorted(found) == ["v0.1.0", "v0.2.0", "v0.2.1", "v0.3.0"]


async def test_libraries_tagged_beside_the_program_are_not_its_releases(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "project.git", bare=True)
    for tags in (("v3.13.0", "v0.313.0"), ("v3.14.0", "v0.314.0")):
        made.commit(f"Release {tags[0]}", {"a.txt": tags[0]})
        for tag in tags:
            made.git("tag", "-a", "-m", tag, tag, "main")
    git = reading(made.path)
    found = [await read_release(git, tag) for tag in ("v3.14.0", "v0.314.0")]
    assert [one.before for one in found if one] == ["v3.13.0", "v0.313.0"]


@pytest.mark.parametrize(
    ("step", "release", "copies"),
    [(1, "v0.1.0", []), (2, "v0.2.0", []), (4, "v0.3.0", ["v0.2.2"]), (5, "v0.3.0", ["v0.2.3"])],
)
async def test_release_of_a_commit_and_those_with_a_copy_of_it(builder, step, release, copies):
    commit = builder.git("rev-parse", f"main~{5 - step}")
    noted = f"Another title\n\n(cherry picked from commit {builder.git('rev-parse', 'main')})"
    before = "v0.2.1"
    for tag, message in (("v0.2.2", "Step 4"), ("v0.2.3", noted)):
        made = builder.git("commit-tree", "-p", before, "-m", message, "main^{tree}")
        builder.git("tag", tag, made)
        before = tag
    assert await released(builder, commit, f"Step {step}") == (release, copies)


async def test_backports_are_known_by_the_commit_they_note_or_else_by_their_subject(builder):
    commit = builder.git("rev-parse", "main")
    noted = f"Another title\n\n(cherry picked from commit {commit})"
    made = builder.git("commit-tree", "-p", "v0.2.1", "-m", noted, "main^{tree}")
    builder.git("tag", "v0.2.2", made)
    found = await read_backports(reading(builder.path), commit)
    assert found == {"Pick", commit}


async def test_commit_that_no_release_has(builder):
    builder.commit("Step", {"a.txt": "6"})
    commit = builder.git("rev-parse", "main")
    assert await released(builder, commit, "--all") == ("", [])
    index = await read_release_index(reading(builder.path), commit)
    assert index.unreleased == {commit}
    assert await read_release_index(reading(builder.path), commit, index) is index
    builder.git("tag", "v0.4.0", "main")
    index = await read_release_index(reading(builder.path), commit, index)
    assert index.unreleased == frozenset()
    assert await released(builder, commit, "Step") == ("v0.4.0", [])


async def released(builder, commit, subject):
    git = reading(builder.path)
    return await read_released(git, await read_release_index(git, "main"), commit, subject)


async def test_a_backport_under_another_number_is_a_copy_and_so_are_all_commits_of_a_merge(builder):
    base = builder.commit("Begin the pool (#1)", {"a": "1"})
    fix = builder.commit("Drain the pool before a stop (#2)", {"a": "2"})
    short = builder.commit("Fix a test (#3)", {"b": "1"})
    one = builder.commit("Guard an empty queue", {"c": "1"}, branch="guard", parents=[short])
    two = builder.commit("Test the empty queue", {"d": "1"}, branch="guard", parents=[one])
    merge = builder.merge("guard", message="Merge pull request #4 from ada/guard")
    half = builder.commit("Count what is lost", {"e": "1"}, branch="count", parents=[two])
    builder.commit("Show what was lost there", {"f": "1"}, branch="count", parents=[half])
    both = builder.merge("count", message="Merge pull request #5 from ada/count")
    line = "release-1.4"
    builder.commit(
        "[release-1.4] Drain the pool before a stop (#7)", {"a": "2"}, branch=line, parents=[base]
    )
    builder.commit("Fix a test (#8)", {"b": "9"}, branch=line)
    for sha in (one, two, half):
        builder.commit(f"Pick\n\n(cherry picked from commit {sha})", {sha[:4]: "1"}, branch=line)
    builder.git("tag", "v1.4.1", line)

    assert await released(builder, fix, "Drain the pool before a stop (#2)") == ("", ["v1.4.1"])
    assert await released(builder, short, "Fix a test (#3)") == ("", [])
    assert await released(builder, merge, "Merge pull request #4 from ada/guard") == (
        "",
        ["v1.4.1"],
    )
    assert await released(builder, both, "Merge pull request #5 from ada/count") == ("", [])


async def test_the_first_release_with_a_change_may_be_of_a_branch_merged_back(builder):
    base = builder.git("rev-parse", "main")
    line = "release-0.3"
    fix = builder.commit("Drain the pool before a stop (#2)", {"a.txt": "7"})
    builder.commit("Begin the line", {"b.txt": "1"}, branch=line, parents=[base])
    builder.commit("Drain the pool before a stop (#3)", {"a.txt": "7"}, branch=line)
    builder.git("tag", "v0.3.1", line)
    builder.merge(line, message="Merge the line back")
    builder.commit("Begin the pool", {"c.txt": "1"}, at=datetime.now(UTC) + timedelta(days=1))
    builder.git("tag", "v0.4.0", "main")
    assert await released(builder, fix, "Drain the pool before a stop (#2)") == (
        "v0.3.1",
        ["v0.4.0"],
    )


async def test_a_series_of_a_branch_of_its_own_is_not_skipped(builder):
    made = builder.git("commit-tree", "-p", "v0.3.0^{}", "-m", "Begin the line", "main^{tree}")
    for tag in ("v0.4.0", "v0.4.1", "v0.5.0-rc.1"):
        builder.git("tag", tag, made)
    builder.commit("Step 6", {"a.txt": "6"})
    for tag in ("v0.5.0", "v0.3.1"):
        builder.git("tag", "-a", "-m", tag, tag, "main")
    found = [await read_release(reading(builder.path), tag) for tag in ("v0.5.0", "v0.3.1")]
    assert [one.before for one in found if one] == ["v0.4.1", "v0.3.0"]


@pytest.mark.parametrize(
    ("path", "release"),
    [
        ("pool/a.rs", "pool-v1.4.0"),
        ("cards/a.rs", "cards-v0.2.0"),
        ("README.md", "cards-v0.2.0"),
        ("packages/kite/a.ts", "@acme/kite@1.4.0"),
    ],
)
async def test_of_several_packages_a_change_is_in_the_release_of_the_one_it_changes(
    tmp_path, path, release
):
    made = RepositoryBuilder(tmp_path / "project.git", bare=True)
    commit = made.commit("Change a file", {path: "1"})
    made.git("tag", "cards-v0.2.0", "main")
    made.commit("Change another", {"b.txt": "1"})
    for tag in ("core-v0.9.0", "pool-v1.4.0", "@acme/kite@1.4.0"):
        made.git("tag", tag, "main")
    assert await released(made, commit, "Change a file") == (release, [])
