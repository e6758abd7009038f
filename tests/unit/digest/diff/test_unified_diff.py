"""A diff with context tells the same changed lines as git's own stream without."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from digest.core.change import Change, FileStatus, Hunk
from digest.diff.git_log import FORMAT, PatchReader
from digest.diff.unified_diff import read_diff, read_hunks
from tests.support.builders import Executable, Moved, RepositoryBuilder

STREAM = ("log", "-p", "-U0", "--raw", "--no-abbrev", "--full-index", f"--format={FORMAT}", "-M")


def both(repository: RepositoryBuilder, sha: str) -> tuple[Change, str]:
    reader = PatchReader()
    stream = repository.git(*STREAM, "-1", sha) + "\n"
    (change,) = [*reader.feed(stream.encode("utf-8", "surrogateescape")), *reader.finish()]
    return change, repository.git("show", "-M", "--format=", sha) + "\n"


def seen(file):
    hunks = [(h.old_start, h.new_start, h.removed, h.added) for h in file.hunks]
    return (file.path, file.old_path, file.status, file.added, file.deleted, file.binary, hunks)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    before=st.lists(st.sampled_from("abcdefg"), max_size=30),
    after=st.lists(st.sampled_from("abcdefg"), max_size=30),
)
def test_read_diff_agrees_with_the_stream_on_any_lines(tmp_path_factory, before, after):
    repository = RepositoryBuilder(Path(tmp_path_factory.mktemp("lines")))
    repository.commit("First", {"x.txt": "\n".join(before), "y": "y"})
    sha = repository.commit("Second", {"x.txt": "\n".join(after), "y": "z"})
    change, diff = both(repository, sha)
    assert [seen(file) for file in read_diff(diff)] == [seen(file) for file in change.files]


def test_read_diff_agrees_on_everything_that_can_happen_to_a_file(tmp_path):
    repository = RepositoryBuilder(tmp_path / "r")
    lines = "".join(f"line {n}\n" for n in range(60))
    repository.commit(
        "First",
        {
            "old.py": lines,
            "gone.py": "x\n",
            "run.sh": "x\n",
            "a b.txt": "1\n",
            "é.txt": "1\n",
            "bin": b"\0\1",
        },
    )
    sha = repository.commit(
        "Second",
        {
            "new.py": Moved("old.py", lines.replace("line 9\n", "LINE 9\n")),
            "gone.py": None,
            "run.sh": Executable("x\n"),
            "a b.txt": "2",
            "é.txt": "2\r\n",
            "empty": "",
            "added.py": "-- a\n++ b\n@@ -1 +1 @@\ndiff --git a/x b/x\n",
            "bin": b"\0\2",
        },
    )
    change, diff = both(repository, sha)
    found = {file.path: seen(file) for file in read_diff(diff)}
    assert found == {file.path: seen(file) for file in change.files}
    modes = {file.path: (file.old_mode, file.new_mode) for file in read_diff(diff)}
    assert modes["run.sh"] == ("100644", "100755")


def test_read_hunks_takes_a_hunk_with_context_apart():
    patch = "@@ -10,5 +10,6 @@ class A:\n x\n-y\n+Y\n z\n+new\n w\n\\ No newline at end of file"
    found = read_hunks(patch)
    assert found.hunks == (
        Hunk(old_start=11, new_start=11, removed=("y",), added=("Y",), section="class A:"),
        Hunk(old_start=12, new_start=13, removed=(), added=("new",), section="class A:"),
    )
    assert (found.added, found.deleted) == (2, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no diff",
        "diff --git",
        "diff --git a/x b/y",
        "@@ -1 +1 @@",
        "diff --git a/x b/x\n@@ -1,9 +1,9 @@\n-a",
    ],
)
def test_read_diff_of_what_is_none_is_nothing_or_what_can_be_read(text):
    assert all(file.path == "x" for file in read_diff(text))


@given(st.text(alphabet="+- @\\\n1,adif/gtb\0", max_size=300))
def test_read_diff_takes_any_text(text):
    for file in read_diff(f"diff --git a/f b/f\n@@ -1,3 +1,3 @@\n{text}"):
        assert file.added == sum(len(hunk.added) for hunk in file.hunks)


def test_read_diff_knows_deletion_from_its_head():
    diff = "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    (file,) = read_diff(diff)
    assert (file.status, file.path, file.deleted) == (FileStatus.DELETED, "x", 1)
