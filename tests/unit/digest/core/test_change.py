"""The fingerprint of a change: what keeps it, and what does not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from digest.core.change import Change, FileChange, FileStatus, Hunk, fingerprint
from tests.support.fakes import commit

HUNK = Hunk(old_start=3, new_start=4, removed=("a", "b"), added=("c",), section="def f():")
FILE = FileChange(
    path="src/a.py",
    status=FileStatus.MODIFIED,
    added=1,
    deleted=2,
    hunks=(HUNK,),
    old_id="1" * 40,
    new_id="2" * 40,
)
CHANGE = Change(commit=commit("abc", "Do it\n\nBecause."), files=(FILE,))


def with_hunk(**other: object) -> Change:
    return replace(CHANGE, files=(replace(FILE, hunks=(replace(HUNK, **other),)),))


def test_a_rebased_commit_keeps_it() -> None:
    moved = replace(
        CHANGE.commit,
        sha="d" * 40,
        parents=("e" * 40,),
        committed_at=CHANGE.commit.committed_at + timedelta(days=1),
    )
    other_rest = replace(FILE, old_id="3" * 40, new_id="4" * 40)
    assert fingerprint(Change(commit=moved, files=(other_rest,))) == fingerprint(CHANGE)


@pytest.mark.parametrize(
    "other",
    [
        replace(CHANGE, commit=replace(CHANGE.commit, message="Do it\n\nBecause!")),
        replace(CHANGE, files=()),
        replace(CHANGE, files=(FILE, FILE)),
        replace(CHANGE, omitted=True),
        replace(CHANGE, files=(replace(FILE, path="src/b.py"),)),
        replace(CHANGE, files=(replace(FILE, old_path="src/b.py"),)),
        replace(CHANGE, files=(replace(FILE, new_mode="100755"),)),
        with_hunk(old_start=4),
        with_hunk(new_start=5),
        with_hunk(added=("c", "")),
        with_hunk(removed=("a\nb",), added=("c",)),
        with_hunk(removed=("a",), added=("b", "c")),
        with_hunk(section="def g():"),
    ],
)
def test_anything_that_a_reader_sees_changes_it(other: Change) -> None:
    assert fingerprint(other) != fingerprint(CHANGE)


def test_binary_files_are_told_apart_by_their_content() -> None:
    one = replace(FILE, binary=True, hunks=())
    two = replace(one, new_id="5" * 40)
    assert fingerprint(replace(CHANGE, files=(one,))) != fingerprint(replace(CHANGE, files=(two,)))


def test_paths_that_are_no_text_have_one() -> None:
    odd = replace(CHANGE, files=(replace(FILE, path="a\udcff"),))
    assert len(fingerprint(odd)) == 32
