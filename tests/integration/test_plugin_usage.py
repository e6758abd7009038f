"""Profiles made of real repositories: a plug-in's, at its tip."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from bot.git.open_source import open_source
from bot.workspace.workspace import Usages
from digest.core.grade import Graded
from digest.core.profile import EntryKind, Profile, ProfileEntry, parse_entry
from digest.errors import UserError
from digest.facts.extract import extract
from digest.grading.importance import grade
from handlers.ports.storage import Tip
from handlers.questions.upgrade import patched_files
from tests.support.builders import RepositoryBuilder
from tests.support.fakes import FakeSource, context

PACKAGES = frozenset({"engine"})
UPSTREAM = FakeSource(), Tip(branch="main", sha=None)


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
    found = await Usages(tmp_path, {"plug": str(plugin)})("plug", PACKAGES, *UPSTREAM)
    assert found == {
        ProfileEntry(kind=EntryKind.SYMBOL, name="engine.core.Worker"),
        ProfileEntry(kind=EntryKind.FLAG, name="--max-len"),
        ProfileEntry(kind=EntryKind.VARIABLE, name="ENGINE_PORT"),
    }


async def test_a_place_that_is_not_configured_is_read_for_the_terminal_alone(plugin, tmp_path):
    with pytest.raises(UserError, match="not configured"):
        await Usages(tmp_path, {})(str(plugin), PACKAGES, *UPSTREAM)
    assert await Usages(tmp_path, {}, anywhere=True)(str(plugin), PACKAGES, *UPSTREAM)


async def test_fork_is_read_for_the_files_that_it_changes_and_what_its_own_files_use(tmp_path):
    upstream = RepositoryBuilder(tmp_path / "engine")
    files = {
        f"engine/{name}.py": "from engine.core import Inner\n" for name in ("a", "b", "c", "d")
    }
    upstream.commit("Begin", files)
    last = upstream.commit("Go on", {"engine/a.py": "x = 1\n"})
    fork = RepositoryBuilder(tmp_path / "fork")
    fork.git("fetch", "--quiet", str(upstream.path), "main:refs/heads/upstream")
    changed = {"engine/a.py": "x = 2\n", "engine/b.py": None, "ours.py": "import engine.extra\n"}
    own = fork.commit("Patch", changed, parents=[last])
    upstream.commit("Later", {"engine/c.py": "y = 1\n"})
    merged = upstream.commit("Later again", {"engine/d.py": "y = 1\n"})
    fork.git("fetch", "--quiet", str(upstream.path), "+main:refs/heads/upstream")
    _, source = await open_source(str(upstream.path), tmp_path / "data")

    async def found() -> set[str]:
        used = Usages(tmp_path / "data", {}, anywhere=True)
        entries = await used(str(fork.path), PACKAGES, source, await source.tip())
        return {str(entry) for entry in entries}

    expected = {"patch:engine/a.py", "patch:engine/b.py", "symbol:engine.extra"}
    assert await found() == expected
    fork.commit(
        "Merge upstream",
        {"engine/c.py": "y = 1\n", "engine/d.py": "y = 3\n"},
        parents=[own, merged],
    )
    assert await found() == {*expected, "patch:engine/d.py"}


async def test_conflicts_of_a_fork_are_those_that_git_finds(tmp_path):
    """Each file is merged by git as well: with lines changed at, beside and away from the fork's."""
    upstream = RepositoryBuilder(tmp_path / "engine")
    lines = [f"x{n} = {n}" for n in range(1, 41)]

    def text(*changed: int, insert: int = 0) -> str:
        new = [f"{line}0" if n in changed else line for n, line in enumerate(lines, 1)]
        return "\n".join([*new[:insert], *["new = 1"] * bool(insert), *new[insert:]]) + "\n"

    ours = {f"{name}.py": text(10, 11, 12) for name in "abcdef"} | {"g.py": text(insert=20)}
    first = upstream.commit("Begin", {path: text() for path in ours})
    fork = RepositoryBuilder(tmp_path / "fork")
    fork.git("fetch", "--quiet", str(upstream.path), "main:refs/heads/upstream")
    own = fork.commit("Patch", ours, parents=[first])
    theirs = {
        "a.py": text(11, insert=1).replace("x110", "x111"),
        "b.py": text(13),
        "c.py": text(14),
        "d.py": text(insert=9),
        "e.py": text(insert=30),
        "f.py": None,
        "g.py": text(insert=20).replace("new", "other"),
    }
    last = upstream.commit("Rework (#1)", theirs)
    fork.git("fetch", "--quiet", str(upstream.path), "+main:refs/heads/upstream")
    _, source = await open_source(str(upstream.path), tmp_path / "data")
    tip = await source.tip()
    used = Usages(tmp_path / "data", {}, anywhere=True)
    entries = await used(str(fork.path), PACKAGES, source, tip)
    changes = [change async for batch in source.changes(tip, [last]) for change in batch]
    [only] = changes
    facts = extract(only, {})
    graded = Graded(commit=only.commit, facts=facts, grade=grade(facts))
    ctx = replace(
        context(FakeSource()), watched=replace(context(FakeSource()).watched, source=source)
    )
    patched = await patched_files(Profile().with_(entries), [graded], tip.sha, ctx, tip)
    merged = subprocess.run(
        ["git", "-C", fork.path, "merge-tree", "--write-tree", "--name-only", own, last],
        check=False,  # 1 if there are conflicts
        capture_output=True,
        text=True,
    )
    conflicting = merged.stdout.split("\n\n")[0].splitlines()[1:]
    assert [one.entry.name for one in patched if one.conflict] == sorted(conflicting)
    assert {one.entry.name for one in patched} == {*ours}


async def test_file_named_by_hand_may_conflict_from_the_first_commit_on(tmp_path):
    upstream = RepositoryBuilder(tmp_path / "engine")
    first = upstream.commit("Begin", {"a.py": "x = 1\n"})
    _, source = await open_source(str(upstream.path), tmp_path / "data")
    tip = await source.tip()
    changes = [change async for batch in source.changes(tip, [first]) for change in batch]
    facts = extract(changes[0], {})
    graded = Graded(commit=changes[0].commit, facts=facts, grade=grade(facts))
    plain = context(FakeSource())
    ctx = replace(plain, watched=replace(plain.watched, source=source))
    profile = Profile().with_([parse_entry("patch:a.py")])
    [one] = await patched_files(profile, [graded], tip.sha, ctx, tip)
    assert one.conflict is None
