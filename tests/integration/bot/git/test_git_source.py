"""The git source against real repositories: every odd thing that git allows."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.git.git_process import Child, Git, GitFailed, reading
from bot.git.git_source import GitSource
from bot.git.open_source import open_source
from digest.core.change import Change, FileStatus
from digest.errors import (
    AmbiguousReference,
    NotARepository,
    SourceUnavailable,
    UnknownBranch,
    UsageError,
)
from digest.window import Window
from handlers.ports.storage import Range, Selection, Tip
from tests.support.builders import (
    START,
    Executable,
    Link,
    Moved,
    RepositoryBuilder,
    Submodule,
    environment,
)

HOUR = timedelta(hours=1)


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "project")


async def opened(builder: RepositoryBuilder) -> GitSource:
    return (await open_source(str(builder.path), builder.path.parent / "data"))[1]


async def read(source: GitSource, selection: Selection, branch: str | None = None) -> list[Change]:
    tip = await source.tip(branch)
    return [c async for batch in source.changes(tip, selection) for c in batch]


async def everything(builder: RepositoryBuilder) -> list[Change]:
    source = await opened(builder)
    tip = await source.tip()
    assert tip.sha is not None
    return await read(source, Range(base=None, tip=tip.sha))


def window(since: datetime, until: datetime) -> Window:
    return Window(since=since, until=until, zone=ZoneInfo("UTC"))


def listed(change: Change) -> list[tuple[str, FileStatus, int, int]]:
    return [(f.path, f.status, f.added, f.deleted) for f in change.files]


# What a commit may hold


async def test_files_of_every_kind_are_listed_with_their_lines(builder) -> None:
    builder.commit("Begin", {"a.py": "one\ntwo\n", "b.txt": "x\n", "c.bin": b"\0\1", "d": "y\n"})
    builder.commit(
        "Change",
        {
            "a.py": "one\n2\nthree\n",
            "b.txt": None,
            "c.bin": b"\0\2",
            "d": Executable("y\n"),
            "e": Link("a.py"),
            "f": Submodule("1" * 40),
        },
    )

    change, root = await everything(builder)

    assert listed(change) == [
        ("a.py", FileStatus.MODIFIED, 2, 1),
        ("b.txt", FileStatus.DELETED, 0, 1),
        ("c.bin", FileStatus.MODIFIED, 0, 0),
        ("d", FileStatus.MODIFIED, 0, 0),
        ("e", FileStatus.ADDED, 1, 0),
        ("f", FileStatus.ADDED, 1, 0),
    ]
    assert [f.binary for f in change.files] == [False, False, True, False, False, False]
    modes = [(f.old_mode, f.new_mode) for f in change.files[3:]]
    assert modes == [("100644", "100755"), ("000000", "120000"), ("000000", "160000")]
    assert [f.status for f in root.files] == [FileStatus.ADDED] * 4
    assert root.commit.parents == ()


async def test_renames_are_told_and_copies_are_additions(builder) -> None:
    text = "".join(f"line {n}\n" for n in range(20))
    builder.commit("Begin", {"old.py": text, "same.py": text + "z\n"})
    builder.commit("Move", {"new.py": Moved("old.py", text + "more\n")})
    builder.commit("Copy", {"copy.py": text + "z\n"})

    copy, move, _ = await everything(builder)

    [moved] = move.files
    assert (moved.old_path, moved.path, moved.status) == ("old.py", "new.py", FileStatus.RENAMED)
    assert (moved.added, moved.deleted) == (1, 0)
    assert listed(copy) == [("copy.py", FileStatus.ADDED, 21, 0)]


async def test_changed_types_are_one_file_each(builder) -> None:
    builder.commit("Begin", {"a": "x\n", "b": Link("a"), "c": "z\n"})
    builder.commit("Change", {"a": Link("c"), "b": "y\n", "c": Submodule("2" * 40)})

    change, _ = await everything(builder)

    assert listed(change) == [(n, FileStatus.RETYPED, 1, 1) for n in "abc"]


@pytest.mark.parametrize(
    "path",
    [
        b"tab\there", b'quote"here', b"line\nhere", b"back\\slash", b"-dash", b" space ", b"caf\xe9",
        "é".encode(), b"--output=x", b":(top)x", b"a*b?[c]", b"\\101", b'"', b"dir/:x", b"\x01\x7f",
    ],
)  # fmt: skip
async def test_any_name_is_read_back(builder, path: bytes) -> None:
    builder.commit("Begin", {path: "x\n"})
    builder.commit("Move", {b"moved " + path: Moved(path, "x\n")})

    move, root = await everything(builder)

    assert root.files[0].path.encode("utf-8", "surrogateescape") == path
    assert root.files[0].added == 1
    assert move.files[0].old_path == root.files[0].path
    assert move.files[0].path == "moved " + root.files[0].path


async def test_any_message_is_read_back(builder) -> None:
    messages = [
        b"", b"\n\n", b"No end", b"Subject\n\nBody\n\n\n", b"Two\nlines\n\nBody", b"caf\xe9",
        b"diff --git a/x b/x\n@@ -1 +1 @@\n\n:100644", b"CR\r\n\r\nLF\r\n", "変更".encode(),
    ]  # fmt: skip
    for n, message in enumerate(messages):
        builder.commit(message, {"a": f"{n}\n"})
    builder.commit("Änderung".encode("latin-1"), {"a": "last\n"}, encoding="ISO-8859-1")

    changes = await everything(builder)

    expected = [m.decode("utf-8", "replace").rstrip("\n") for m in messages] + ["Änderung"]
    assert [c.commit.message for c in reversed(changes)] == expected
    subjects = builder.git("log", "--format=%s", "--encoding=UTF-8").replace("\udce9", "\ufffd")
    assert "\n".join(c.commit.subject for c in changes).strip() == subjects
    assert all(listed(c)[0][0] == "a" for c in changes)


async def test_texts_with_other_encodings_and_line_ends(builder) -> None:
    builder.commit("Begin", {"a": b"one\r\ntwo\r\n", "b": b"caf\xe9\n"})
    builder.commit("Change", {"a": b"one\r\n2\r\n", "b": b"caf\xe9\n\xff"})

    change, _ = await everything(builder)

    assert change.files[0].hunks[0].removed == ("two",)
    assert change.files[0].hunks[0].added == ("2",)
    assert change.files[1].hunks[0].added == ("\ufffd",)


async def test_large_patch_is_read_whole(builder) -> None:
    builder.commit("Grow", {"data.txt": "".join(f"line {n:08d}\n" for n in range(100_000))})

    [change] = await everything(builder)

    assert change.files[0].added == 100_000
    assert change.files[0].hunks[0].added[-1] == "line 00099999"


async def test_authors_and_dates_are_as_committed(builder) -> None:
    builder.commit(
        "Begin",
        {"a": "x"},
        author="Ünï <u@x>",
        at=START + 5 * HOUR,
        authored_at=START - HOUR,
    )

    [change] = await everything(builder)

    assert (change.commit.author, change.commit.email) == ("Ünï", "u@x")
    assert change.commit.committed_at == START + 5 * HOUR
    assert change.commit.authored_at == START - HOUR


# Merges


async def test_merge_is_what_it_brought_to_its_first_parent(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    side = builder.commit("Side", {"b": "y\n"}, branch="side", parents=[base])
    main = builder.commit("Main", {"c": "z\n"})
    merge = builder.merge("side", files={"b": "y\n"}, message="Merge pull request #7 from x/side")

    changes = await everything(builder)

    assert [c.sha for c in changes] == [merge, main, base]
    assert changes[0].commit.parents == (main, side)
    assert listed(changes[0]) == [("b", FileStatus.ADDED, 1, 0)]
    source = await opened(builder)
    [alone] = await read(source, [merge])
    assert alone == changes[0]


async def test_octopus_and_empty_merge_are_single_changes(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    for name in ("one", "two", "three"):
        builder.commit(name, {name: "y\n"}, branch=name, parents=[base])
    octopus = builder.merge("one", "two", "three", files=dict.fromkeys(("one", "two"), "y\n"))
    empty = builder.merge("three", message="Take nothing")

    changes = await everything(builder)

    assert [c.sha for c in changes] == [empty, octopus, base]
    assert len(changes[1].commit.parents) == 4
    assert [f.path for f in changes[1].files] == ["one", "two"]
    assert changes[0].files == ()


# Which commits


async def test_window_is_half_open_and_cut_by_committer_date(builder) -> None:
    shas = [
        builder.commit(str(n), {"a": str(n)}, at=START + n * HOUR, authored_at=START)
        for n in range(5)
    ]
    source = await opened(builder)

    changes = await read(source, window(START + HOUR, START + 3 * HOUR))

    assert [c.sha for c in changes] == [shas[2], shas[1]]
    tip = await source.tip()
    assert await source.count(tip, window(START, START + 5 * HOUR)) == 5
    assert await source.count(tip, window(START, START)) == 0
    half = timedelta(milliseconds=500)
    assert await source.names(tip, window(START + HOUR + half, START + 2 * HOUR + half)) == [
        shas[2]
    ]


async def test_window_finds_commits_behind_one_with_a_slow_clock(builder) -> None:
    wanted = builder.commit("Wanted", {"a": "1"}, at=START + 10 * HOUR)
    for n in range(8):
        builder.commit("Slow", {"a": f"s{n}"}, at=START - timedelta(days=365))
    late = builder.commit("Late", {"a": "2"}, at=START + 11 * HOUR)
    source = await opened(builder)

    day = window(START, START + 24 * HOUR)

    assert [c.sha for c in await read(source, day)] == [late, wanted]


async def test_window_of_a_day_before_all_commits_is_empty(builder) -> None:
    builder.commit("Begin", {"a": "x"})
    source = await opened(builder)

    for year in (1960, 1970, 2020, 2200):
        day = datetime(year, 1, 1, tzinfo=UTC)
        assert await read(source, window(day, day + 24 * HOUR)) == []


async def test_range_is_what_the_tip_has_and_the_base_has_not(builder) -> None:
    base = builder.commit("Begin", {"a": "0"})
    old = builder.commit("Old", {"a": "1"})
    rewritten = builder.commit("New", {"a": "2"}, parents=[base])
    source = await opened(builder)
    tip = await source.tip()

    changes = await read(source, Range(base=old, tip=rewritten))

    assert [c.sha for c in changes] == [rewritten]
    assert tip.sha == rewritten
    assert not await source.is_ancestor(old, rewritten)
    assert await source.is_ancestor(base, rewritten)
    assert not await source.is_ancestor("f" * 40, rewritten)
    assert await source.count(tip, Range(base=rewritten, tip=rewritten)) == 0


async def test_range_from_a_base_that_is_gone_is_an_error_and_not_all_history(builder) -> None:
    builder.commit("Begin", {"a": "0"})
    source = await opened(builder)
    tip = await source.tip()

    with pytest.raises(SourceUnavailable):
        await source.names(tip, Range(base="f" * 40, tip=tip.sha))


async def test_names_keep_their_order_and_absent_ones_are_passed_over(builder) -> None:
    shas = [builder.commit(str(n), {"a": str(n)}) for n in range(3)]
    source = await opened(builder)

    changes = await read(source, [shas[1], "f" * 40, shas[2], shas[0], shas[1]])

    assert [c.sha for c in changes] == [shas[1], shas[2], shas[0]]
    tip = await source.tip()
    assert await source.names(tip, [shas[1], "f" * 40]) == [shas[1]]
    assert await source.count(tip, []) == 0


@pytest.mark.parametrize("name", ["HEAD", "--all", "main", "a" * 39, "A" * 40])
async def test_only_full_names_may_be_asked_for(builder, name) -> None:
    builder.commit("Begin", {"a": "0"})
    source = await opened(builder)

    with pytest.raises(ValueError, match="full commit hash"):
        await read(source, [name])


async def test_batches_are_bounded_and_complete(builder) -> None:
    lines = []
    for n in range(150):
        lines += [
            "commit refs/heads/main", f"committer A <a@b> {1767225600 + n} +0000",
            "data 1\nc", f"M 100644 inline f{n}\ndata 1\nx",
        ]  # fmt: skip
    builder.git("fast-import", "--quiet", "--force", stdin="\n".join(lines).encode() + b"\n")
    source = await opened(builder)
    tip = await source.tip()

    sizes = [len(b) async for b in source.changes(tip, Range(base=None, tip=tip.sha))]

    assert sum(sizes) == 150 == int(builder.git("rev-list", "--count", "main"))


async def test_replaced_commits_and_grafts_do_not_count(builder) -> None:
    first = builder.commit("First", {"a": "0"})
    second = builder.commit("Second", {"a": "1"})
    builder.git("replace", "--graft", second)
    info = builder.path / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "grafts").write_text(f"{second}\n")

    changes = await everything(builder)

    assert [c.sha for c in changes] == [second, first]


# Branches and references


async def test_empty_repository_has_no_tip_and_no_changes(builder) -> None:
    source = await opened(builder)
    tip = await source.tip()

    assert tip == Tip(branch="main", sha=None)
    assert await read(source, window(START, START + HOUR)) == []
    assert await source.find(tip, number=1) == ()


async def test_tip_by_branch_remote_branch_tag_and_commit(builder) -> None:
    first = builder.commit("First", {"a": "0"})
    second = builder.commit("Second", {"a": "1"})
    builder.git("update-ref", "refs/remotes/origin/next", first)
    builder.git("tag", "-a", "-m", "Release", "v1", first)
    source = await opened(builder)

    assert await source.tip() == Tip(branch="main", sha=second)
    assert await source.tip("main") == Tip(branch="main", sha=second)
    assert await source.tip("refs/heads/main") == Tip(branch="main", sha=second)
    assert await source.tip("HEAD") == Tip(branch="main", sha=second)
    assert await source.tip("origin/next") == Tip(branch="origin/next", sha=first)
    assert await source.tip("next") == Tip(branch="next", sha=first)
    assert await source.tip("v1") == Tip(branch="v1", sha=first)
    assert await source.tip(first[:9]) == Tip(branch=first[:12], sha=first)


@pytest.mark.parametrize(
    "branch",
    ["nope", "--all", "-", "", "main~1", "main@{0}", ":/First", "a..b", "main^{tree}", "x y"],
)
async def test_unknown_branch_is_refused(builder, branch) -> None:
    builder.commit("First", {"a": "0"})
    source = await opened(builder)

    with pytest.raises(UnknownBranch):
        await source.tip(branch)


async def test_unknown_branch_names_a_near_one(builder) -> None:
    builder.commit("First", {"a": "0"})
    source = await opened(builder)

    with pytest.raises(UnknownBranch, match="did you mean 'main'"):
        await source.tip("mian")


async def test_head_on_a_branch_without_commits_names_those_with(builder) -> None:
    builder.commit("First", {"a": "0"}, branch="trunk")
    source = await opened(builder)

    with pytest.raises(UnknownBranch, match="did you mean 'trunk'"):
        await source.tip()


async def test_detached_head_is_called_head(builder) -> None:
    first = builder.commit("First", {"a": "0"})
    builder.git("checkout", "--quiet", "--detach", first)
    source = await opened(builder)

    assert await source.tip() == Tip(branch="HEAD", sha=first)


async def test_find_by_number_reads_every_forge(builder) -> None:
    squashed = builder.commit("Add things (#12)", {"a": "0"})
    builder.commit("Fix what (#12) broke (#13)", {"a": "1"})
    github = builder.commit("Merge pull request #14 from ada/x\n\nTitle", {"a": "2"})
    gitlab = builder.commit(
        "Merge branch 'x' into 'main'\n\nT\n\nSee merge request g/p!15", {"a": "3"}
    )
    again = builder.commit("Add things again (#12)", {"a": "4"})
    builder.commit("Mention 12 and #120 and 112", {"a": "5"})
    source = await opened(builder)
    tip = await source.tip()

    assert await source.find(tip, number=12) == [again, squashed]
    assert await source.find(tip, number=14) == [github]
    assert await source.find(tip, number=15) == [gitlab]
    assert await source.find(tip, number=99) == []


async def test_find_by_text_reads_messages_the_newest_first_and_the_oldest(builder) -> None:
    made = [builder.commit(f"Move the Loader.hooks, step {n}", {"a": str(n)}) for n in range(12)]
    builder.commit("Rest", {"a": "x"})
    source = await opened(builder)
    tip = await source.tip()

    assert await source.find(tip, text="loader.HOOKS") == [*made[:3:-1], made[0]]
    assert await source.find(tip, text="Loader.hook[s]") == []


async def test_find_by_text_gives_the_merge_of_a_branch_that_says_it(builder) -> None:
    fork = builder.commit("Begin (#1)", {"a": "1"})
    builder.commit("Bump text (CVE-2026-1)", {"b": "1"}, branch="text", parents=[fork])
    builder.commit("Meanwhile (#2)", {"a": "2"})
    merge = builder.merge("text", message="Merge pull request #3 from ada/text")
    builder.commit("Later (#4)", {"a": "3"})
    source = await opened(builder)

    assert await source.find(await source.tip(), text="cve-2026-1") == [merge]


async def test_find_by_number_gives_a_commit_of_a_merged_branch_if_no_other_has_it(builder) -> None:
    fork = builder.commit("Begin (#1)", {"a": "1"})
    inner = builder.commit("Guard the pool (#7)", {"b": "1"}, branch="1.x", parents=[fork])
    builder.commit("See (#8) (#9)", {"c": "1"}, branch="1.x", parents=[inner])
    builder.merge("1.x", message="Merge '1.x' into 'main' (#3)")
    source = await opened(builder)

    assert await source.find(await source.tip(), 7) == [inner]
    assert await source.find(await source.tip(), 8) == []


async def test_find_by_issue_gives_what_closes_it(builder) -> None:
    fork = builder.commit("Begin (#1)\n\nSee #12, fixes #120.", {"a": "1"})
    builder.commit(
        "Guard\n\nFixes: https://forge.test/ada/text/issues/12", branch="text", parents=[fork]
    )
    closing = builder.commit("Mend it (#2)\n\ncloses #12", {"a": "2"})
    merge = builder.merge("text", message="Merge pull request #3 from ada/text")
    source = await opened(builder)

    assert await source.find(await source.tip(), issue=12) == [closing]
    assert await source.find(await source.tip(), issue=120) == [fork]
    assert await source.find(await source.tip(), issue=13) == []
    assert merge


async def test_titles_are_those_of_first_parents_and_of_merges_what_they_merge(builder) -> None:
    fork = builder.commit("Begin (#1)\n\nWith a body.\n\nSigned-off-by: A <a@b.c>", {"a": "1"})
    builder.commit("Bump text", {"b": "1"}, branch="text", parents=[fork])
    merge = builder.merge("text", message="Merge pull request #3 from ada/text\n\nBump the text")
    source = await opened(builder)

    assert await source.titles(await source.tip()) == [
        (merge, "Merge pull request #3 from ada/text Bump the text", ""),
        (fork, "Begin (#1)", "With a body."),
    ]
    assert [one.sha for one in await source.titles(await source.tip(), after=fork)] == [merge]
    assert await source.titles(await source.tip(), after=merge) == []


async def test_authors_are_those_of_all_commits_until_a_time(builder) -> None:
    builder.commit("First", {"a": "0"})
    builder.commit("Second", {"a": "1"}, author="Grace Hopper <grace@example.org>")
    source = await opened(builder)
    tip = await source.tip()

    later = START + timedelta(days=1)
    assert {name for _, name in await source.log(tip, before=later)} == {
        "Ada Lovelace",
        "Grace Hopper",
    }
    assert await source.log(tip, before=START - timedelta(days=1)) == []


async def test_find_by_sha_takes_commits_only(builder) -> None:
    first = builder.commit("First", {"a": "0"})
    tree = builder.sha("main^{tree}")
    source = await opened(builder)
    tip = await source.tip()

    assert await source.find(tip, sha=first[:7].upper()) == [first]
    assert await source.find(tip, sha=first) == [first]
    assert list(await source.find(tip, sha=tree)) == []
    assert list(await source.find(tip, sha="f" * 40)) == []
    assert list(await source.find(tip, sha="--all")) == []


async def test_find_by_sha_of_several_commits_is_ambiguous(builder) -> None:
    # Among 1500 commits two share four digits all but surely, and always the same two here.
    lines = []
    for n in range(1500):
        lines += [
            "commit refs/heads/main",
            f"committer A <a@b> {1767225600 + n} +0000",
            "data 1\nc",
        ]
    builder.git("fast-import", "--quiet", "--force", stdin="\n".join(lines).encode() + b"\n")
    shas = builder.git("rev-list", "main").split()
    prefixes = [s[:4] for s in shas]
    shared = next(p for p in prefixes if prefixes.count(p) > 1)
    source = await opened(builder)

    with pytest.raises(AmbiguousReference) as raised:
        await source.find(await source.tip(), sha=shared)

    assert set(raised.value.candidates) == {s for s in shas if s.startswith(shared)}


# What may be missing


async def test_absent_blob_omits_its_file_alone(builder) -> None:
    builder.commit("Begin", {"a": "0\n", "b": "0\n"})
    hurt = builder.commit("Hurt", {"a": "1\n", "b": "1\n", "lost": "x\n"})
    after = builder.commit("After", {"a": "2\n"})
    builder.forget("main:lost")

    changes = await everything(builder)

    assert [c.sha for c in changes][:2] == [after, hurt]
    assert len(changes) == 3
    assert listed(changes[1]) == [
        ("a", FileStatus.MODIFIED, 1, 1),
        ("b", FileStatus.MODIFIED, 1, 1),
        ("lost", FileStatus.ADDED, 0, 0),
    ]
    assert [f.omitted for f in changes[1].files] == [False, False, True]
    assert changes[1].files[0].hunks[0].added == ("1",)
    assert not any(f.omitted for c in (changes[0], changes[2]) for f in c.files)


async def test_absent_blobs_in_a_merge_and_under_odd_names(builder) -> None:
    base = builder.commit("Begin", {"a": "0\n"})
    names = {b"-x": "lost 1\n", b":(top)y": "kept\n", b"caf\xe9\n": "kept too\n"}
    builder.commit("Side", names, branch="side", parents=[base])
    builder.commit("Main", {"a": "1\n"})
    builder.merge("side", files=names)
    builder.forget("main:-x")

    merge, *_ = await everything(builder)

    assert [(f.omitted, f.added) for f in merge.files] == [(True, 0), (False, 1), (False, 1)]


async def test_renamed_file_without_content_is_still_a_rename(builder) -> None:
    builder.commit("Begin", {"old": "x\n", "other": "0\n"})
    builder.commit("Move", {"new": Moved("old"), "other": "1\n", "lost": "y\n"})
    builder.forget("main:new")
    builder.forget("main:lost")

    move, _ = await everything(builder)

    files = {f.path: f for f in move.files}
    assert files["new"].status is FileStatus.RENAMED
    assert (files["lost"].omitted, files["new"].omitted) == (True, False)
    assert files["other"].hunks[0].added == ("1",)


async def test_damaged_blob_is_like_an_absent_one(builder) -> None:
    builder.commit("Begin", {"a": "0\n"})
    builder.commit("Hurt", {"a": "1\n", "lost": "x\n" * 50})
    sha = builder.sha("main:lost")
    file = builder.path / ".git" / "objects" / sha[:2] / sha[2:]
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:20])

    hurt, begin = await everything(builder)

    assert [f.path for f in hurt.files] == ["a", "lost"]
    assert hurt.files[1].omitted
    assert not begin.files[0].omitted


async def test_absent_tree_leaves_the_commit(builder) -> None:
    first = builder.commit("Begin", {"a": "0\n"})
    hurt = builder.commit("Hurt", {"dir/a": "1\n"})
    after = builder.commit("After", {"dir/a": "2\n"})
    builder.forget(f"{hurt}^{{tree}}")

    changes = await everything(builder)

    assert [c.sha for c in changes] == [after, hurt, first]
    assert [c.omitted for c in changes] == [True, True, False]
    assert changes[1].commit.subject == "Hurt"


async def test_shallow_boundary_does_not_claim_the_whole_tree(builder, tmp_path) -> None:
    shas = [builder.commit(str(n), {f"f{n}": "x\n"}) for n in range(5)]
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth=2", f"file://{builder.path}", str(shallow)],
        check=True,
        env=environment(),
    )
    _, source = await open_source(str(shallow), tmp_path / "data")
    tip = await source.tip()

    changes = await read(source, Range(base=None, tip=tip.sha))
    in_window = await read(source, window(START, START + HOUR))

    assert [c.sha for c in changes] == [shas[4], shas[3]]
    assert [f.path for f in changes[0].files] == ["f4"]
    assert changes[1].files == ()
    assert [c.omitted for c in changes] == [False, True]
    assert in_window == changes


async def test_texts_leave_out_what_is_no_text(builder) -> None:
    large = 1 << 20
    files = {"a": "text\n", "b": b"\0bin", "c": "x" * large, "d": "y" * (large + 1), "e": b"\xff"}
    builder.commit("Begin", {**files, "f": ""})
    ids = {name: builder.sha(f"main:{name}") for name in "abcdef"}
    source = await opened(builder)

    texts = await source.texts([*ids.values(), "f" * 40, builder.sha("main")])

    assert set(texts) == {ids["a"], ids["c"], ids["e"], ids["f"]}
    assert texts[ids["a"]] == "text\n"
    assert texts[ids["e"]] == "\ufffd"
    assert texts[ids["f"]] == ""
    assert await source.texts([]) == {}


# Where the repository is


async def test_work_tree_subfolder_bare_and_linked_work_tree_are_one_repository(
    builder, tmp_path
) -> None:
    sha = builder.commit("Begin", {"dir/a": "x\n"})
    builder.checkout()
    builder.git("worktree", "add", "--quiet", "-b", "linked", str(tmp_path / "linked"))
    bare = tmp_path / "bare.git"
    subprocess.run(
        ["git", "clone", "-q", "--bare", str(builder.path), str(bare)],
        check=True,
        env=environment(),
    )

    for place, name in [
        (builder.path, "project"),
        (builder.path / "dir", "project"),
        (builder.path / ".git", "project"),
        (tmp_path / "linked", "project"),
        (bare, "bare"),
    ]:
        repository, source = await open_source(str(place), tmp_path / "data")
        assert (await source.tip()).sha == sha
        assert repository.name == name


async def test_sha256_repositories_are_read(tmp_path) -> None:
    path = tmp_path / "new"
    subprocess.run(
        ["git", "init", "-q", "--object-format=sha256", "--initial-branch=main", str(path)],
        check=True,
        env=environment(),
    )
    builder = RepositoryBuilder(path)
    builder.commit("Begin", {"a": "x\n"})

    [change] = await everything(builder)

    assert len(change.sha) == 64
    assert change.files[0].old_id == ""
    assert change.files[0].added == 1


@pytest.mark.parametrize(
    "place",
    [
        "nowhere", "nul\0here", "~nobody-of-that-name/x", "ext::sh -c 'touch canary'", "file:///etc", "--upload-pack=touch", "",
        "https://-oProxyCommand=x/y", "ssh://-oProxyCommand=x/y", "fd::17", "ftp://example.org/x",
        "https://exa mple.org/x", "https://example.org/x\n", "git@-host:x", "https:///x",
    ],
)  # fmt: skip
async def test_other_places_are_no_repositories(tmp_path, monkeypatch, place) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(NotARepository):
        await open_source(place, tmp_path / "data")

    assert not (tmp_path / "canary").exists()
    assert not (tmp_path / "data").exists()


async def test_folder_without_repository_and_file_are_refused(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(NotARepository, match="is not a git repository"):
            await open_source(str(place), tmp_path / "data")


@pytest.mark.parametrize(
    ("url", "name", "expected"),
    [
        ("https://github.com/o/n.git", None, ("o/n", "https://github.com/o/n", "github")),
        ("https://user:pw@github.com/o/n", None, ("o/n", "https://github.com/o/n", "github")),
        ("git@github.com:o/n.git", None, ("o/n", "https://github.com/o/n", "github")),
        ("ssh://git@ssh.github.com:443/o/n", None, ("o/n", "https://github.com/o/n", "github")),
        ("git@gitlab.com:g/s/n.git", None, ("g/s/n", "https://gitlab.com/g/s/n", "gitlab")),
        ("https://gitlab.x.org:8443/g/n", None, ("g/n", "https://gitlab.x.org:8443/g/n", "gitlab")),
        ("https://codeberg.org/o/n/", None, ("o/n", "https://codeberg.org/o/n", "gitea")),
        ("https://git.x.org/o/n", None, ("o/n", "", "")),
        ("https://github.com/o/n", "p/m", ("p/m", "https://github.com/p/m", "github")),
        ("https://git.x.org/o/n", "p/m", ("p/m", "", "")),
        ("/some/folder", None, ("project", "", "")),
        (None, "p/m", ("p/m", "https://github.com/p/m", "github")),
        (None, None, ("project", "", "")),
    ],
)
async def test_identity_comes_from_the_remote_or_the_person(builder, url, name, expected) -> None:
    if url:
        builder.git("config", "remote.origin.url", url)

    repository, _ = await open_source(str(builder.path), builder.path.parent / "data", name=name)

    assert (repository.name, repository.web, repository.forge) == expected


async def test_identity_refuses_a_name_that_is_none(builder) -> None:
    for name in ("", "x", "../../x", "a b/c", "https://x/y"):
        with pytest.raises(UsageError):
            await open_source(str(builder.path), builder.path.parent / "data", name=name)


# What a repository must not be able to do


async def test_nothing_that_a_repository_configures_is_run(builder, tmp_path, monkeypatch) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {canary}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    builder.commit("Begin", {"a.txt": "0\n", ".gitattributes": "* diff=evil filter=evil\n"})
    builder.commit("Change (#1)", {"a.txt": "1\n", "lost": "x\n"})
    builder.checkout()
    builder.forget("main:lost")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / hook).symlink_to(program)
    for key, value in {
        "diff.external": program, "diff.evil.command": program, "diff.evil.textconv": program,
        "core.fsmonitor": program, "core.hooksPath": hooks, "core.pager": program,
        "core.sshCommand": program, "core.askPass": program, "core.gitProxy": program,
        "credential.helper": f"!{program}", "filter.evil.smudge": program,
        "filter.evil.process": program, "gpg.program": program, "log.showSignature": "true",
        "alias.log": f"!{program}", "alias.rev-list": f"!{program}", "pager.log": str(program),
        "core.alternateRefsCommand": program, "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none",
        "remote.origin.uploadpack": program, "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1", "diff.orderFile": "/dev/stdin",
        "log.follow": "true", "diff.noprefix": "true", "diff.renames": "copies",
        "color.ui": "always", "log.date": "relative", "diff.context": "9",
        "diff.suppressBlankEmpty": "true", "diff.algorithm": "patience", "core.quotePath": "false",
        "log.showRoot": "false", "diff.wordRegex": ".", "grep.patternType": "perl",
        "diff.submodule": "log", "format.pretty": "oneline", "log.mailmap": "true",
    }.items():  # fmt: skip
        builder.git("config", key, str(value))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("PAGER", str(program))

    source = await opened(builder)
    tip = await source.tip()
    change, root = await read(source, Range(base=None, tip=tip.sha))
    await source.sync()
    await source.texts([f.new_id for f in change.files])
    assert await source.find(tip, number=1) == [change.sha]
    assert await source.count(tip, window(START, START + HOUR)) == 2

    assert not canary.exists()
    assert [(f.path, f.added, f.omitted) for f in change.files] == [
        ("a.txt", 1, False),
        ("lost", 0, True),
    ]
    assert len(root.files) == 2


async def test_reading_writes_nothing_into_the_repository(builder, tmp_path) -> None:
    for n in range(3):
        builder.commit(str(n), {"a": str(n)})

    def state() -> dict[str, int]:
        return {str(p): p.stat().st_mtime_ns for p in builder.path.rglob("*")}

    before = state()
    source = await opened(builder)
    tip = await source.tip()
    await read(source, window(START, START + HOUR))
    await source.find(tip, number=1)

    assert state() == before


async def test_window_is_read_from_a_commit_graph_beside_the_repository(builder, tmp_path) -> None:
    shas = [builder.commit(str(n), {"a": str(n)}) for n in range(3)]
    source = await opened(builder)
    assert await source.count(await source.tip(), window(START, START + HOUR)) == 3
    assert list((tmp_path / "data" / "views").glob("*/objects/info/commit-graph"))

    shas.append(builder.commit("newer", {"a": "newer"}))
    source = await opened(builder)

    assert len(await source.names(await source.tip(), window(START, START + HOUR))) == len(shas)


async def test_window_is_read_where_the_data_folder_cannot_be_made(builder, tmp_path) -> None:
    builder.commit("Begin", {"a": "0"})
    (tmp_path / "data").write_text("a file where the folder should be")
    source = await opened(builder)

    assert await source.count(await source.tip(), window(START, START + HOUR)) == 1


# The child process


async def test_old_git_and_no_git_are_told_in_one_line(builder, tmp_path, monkeypatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(SourceUnavailable, match=r"git was not found; install git 2\.37"):
        await opened(builder)

    program = folder / "git"
    program.write_text("#!/bin/sh\necho git version 2.30.2\n")
    program.chmod(0o755)
    with pytest.raises(SourceUnavailable, match=r"2\.30\.2' is too old; install git 2\.37"):
        await opened(builder)


async def test_silent_git_is_ended_and_told(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\nsleep 60\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    with pytest.raises(GitFailed, match="silent") as raised:
        await replace(reading(tmp_path), timeout=0.1).run("version")

    assert raised.value.status is None


async def test_failing_git_says_why(tmp_path) -> None:
    with pytest.raises(GitFailed, match="not a git repository") as raised:
        await reading(tmp_path / "nowhere").run("rev-parse", "HEAD")

    assert raised.value.status == 128


def children() -> set[str]:
    """The git processes that this one has; other tests may have left helpers of other kinds."""
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    names = {pid: Path(f"/proc/{pid}/comm") for pid in listed.split()}
    return {pid for pid, name in names.items() if name.exists() and "git" in name.read_text()}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for children in /proc")
@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_git_is_ended_when_reading_stops_early(builder, how) -> None:
    lines = []
    text = "".join(f"line {n}\n" for n in range(3000))
    for n in range(300):
        lines += [
            "commit refs/heads/main", f"committer A <a@b> {1767225600 + n} +0000",
            "data 1\nc", f"M 100644 inline f{n}\ndata {len(text)}\n{text}",
        ]  # fmt: skip
    builder.git("fast-import", "--quiet", "--force", stdin="\n".join(lines).encode() + b"\n")
    source = await opened(builder)
    tip = await source.tip()
    first = asyncio.Event()

    async def walk(stop: bool) -> None:
        async with aclosing(source.changes(tip, Range(base=None, tip=tip.sha))) as batches:
            async for _ in batches:
                first.set()
                if stop:
                    break
                await asyncio.sleep(60)

    task = asyncio.create_task(walk(how == "close"))
    await first.wait()
    if how == "cancel":
        assert children()
        task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert not children()


async def test_same_selection_twice_gives_the_same_changes(builder) -> None:
    for n in range(4):
        builder.commit(str(n), {"a": str(n)})
    source = await opened(builder)

    day = window(START, START + HOUR)

    assert await read(source, day) == await read(source, day)
    builder.commit("more", {"a": "more"})
    assert len(await read(source, day)) == 5


async def test_resolve_knows_tags_branches_and_short_names(builder) -> None:
    first = builder.commit("first", {"a.py": "1\n"})
    second = builder.commit("second", {"a.py": "2\n"})
    builder.git("tag", "v1.0", first)
    builder.git("tag", "--annotate", "--message=release", "v1.1", second)
    builder.git("branch", "v1.0", second)
    source = await opened(builder)
    assert await source.resolve("v1.0") == first
    assert await source.resolve("v1.1") == second
    assert await source.resolve("main") == second
    assert await source.resolve("HEAD") == second
    assert await source.resolve(first[:10]) == first


@pytest.mark.parametrize(
    "reference", ["v9", "--exec=sh", "v1.0^{/x}", "main~1", "v1.0..main", "@{-1}", "", ":/first"]
)
async def test_resolve_refuses_what_names_nothing(builder, reference: str) -> None:
    first = builder.commit("first", {"a.py": "1\n"})
    builder.git("tag", "v1.0", first)
    source = await opened(builder)
    with pytest.raises(UnknownBranch):
        await source.resolve(reference)


async def test_tip_of_a_detached_head_and_of_a_branch_without_commits(builder) -> None:
    source = await opened(builder)
    assert (await source.tip()).sha is None
    first = builder.commit("first", {"a.py": "1\n"})
    tip = await source.tip()
    assert (tip.branch, tip.sha) == ("main", first)
    builder.git("checkout", "--quiet", "--detach", first)
    tip = await source.tip()
    assert (tip.branch, tip.sha) == ("HEAD", first)


async def test_a_range_of_tags_is_found_by_few_children(builder, monkeypatch) -> None:
    first = builder.commit("first", {"a.py": "1\n"})
    builder.git("tag", "v1.0", first)
    second = builder.commit("second", {"a.py": "2\n"})
    source = await opened(builder)
    started: list[object] = []
    start = Git._start

    def counted(git: Git, arguments: Sequence[str | bytes], *files: Any) -> Child:
        started.append(arguments)
        return start(git, arguments, *files)

    monkeypatch.setattr(Git, "_start", counted)
    tip = await source.tip()
    between = Range(base=await source.resolve("v1.0"), tip=await source.resolve(second))
    assert list(await source.names(tip, between)) == [second]
    assert list(await source.names(tip, between)) == [second]
    assert len(started) == 4


@pytest.mark.parametrize("number", [7, 999, 1000, 32905])
async def test_find_takes_no_longer_number_for_a_shorter_one(builder, number: int) -> None:
    wanted = builder.commit(f"Add a thing (#{number})", {"a.py": "1\n"})
    builder.commit(f"Add another (#{number}1)", {"a.py": "2\n"})
    builder.commit(f"Mention it\n\nAs #{number} did.", {"a.py": "3\n"})
    source = await opened(builder)
    assert await source.find(await source.tip(), number) == [wanted]
