from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digest.core.change import FileChange, FileStatus, Hunk
from digest.core.profile import (
    ALL_LINES,
    MOST,
    MOST_PATCHED,
    EntryKind,
    InvalidEntry,
    PatchedFile,
    Profile,
    ProfileEntry,
    parse_entry,
    patched_file,
)
from digest.errors import UserError


@pytest.mark.parametrize(
    ("written", "kind", "name"),
    [
        ("--max-num-seqs", EntryKind.FLAG, "--max-num-seqs"),
        ("`--max-num-seqs`,", EntryKind.FLAG, "--max-num-seqs"),
        ("APP_PORT", EntryKind.VARIABLE, "APP_PORT"),
        ("src/server/", EntryKind.PATH, "src/server/"),
        ("src/**/*.py", EntryKind.PATH, "src/**/*.py"),
        ("*.toml", EntryKind.PATH, "*.toml"),
        ("setup.py", EntryKind.PATH, "setup.py"),
        ("app.engine.Engine", EntryKind.SYMBOL, "app.engine.Engine"),
        ("tokio::sync::Mutex", EntryKind.SYMBOL, "tokio::sync::Mutex"),
        ("load_model", EntryKind.SYMBOL, "load_model"),
        ("EngineArgs", EntryKind.SYMBOL, "EngineArgs"),
        ("step()", EntryKind.SYMBOL, "step()"),
        ("ROCm", EntryKind.TOPIC, "ROCm"),
        ("Qwen3", EntryKind.TOPIC, "Qwen3"),
        ("调度器", EntryKind.TOPIC, "调度器"),
        ("model:deepseek", EntryKind.TOPIC, "deepseek"),
        ("symbol:LLM", EntryKind.SYMBOL, "LLM"),
        ("env:PORT", EntryKind.VARIABLE, "PORT"),
        ("path:README", EntryKind.PATH, "README"),
        ("patch:src/a b.py", EntryKind.PATCH, "src/a b.py"),
    ],
)
def test_the_form_of_an_entry_tells_its_kind(written: str, kind: EntryKind, name: str) -> None:
    entry = parse_entry(written)
    assert entry == ProfileEntry(kind=kind, name=name)
    assert parse_entry(str(entry)) == entry


@pytest.mark.parametrize("written", ["", "  ", "--", "...", "../etc", "a\0b", "x" * 201, "flag:"])
def test_what_names_nothing_is_refused(written: str) -> None:
    with pytest.raises(InvalidEntry):
        parse_entry(written)


@given(st.text(max_size=30))
@example("0 '")
def test_any_word_is_an_entry_or_is_refused(written: str) -> None:
    try:
        entry = parse_entry(written)
    except InvalidEntry:
        return
    assert parse_entry(str(entry)) == entry


def test_a_profile_holds_each_entry_once_and_lets_go_of_names() -> None:
    flag, topic = parse_entry("--port"), parse_entry("rocm")
    profile = Profile().with_([flag, topic, flag])
    assert profile.entries == (flag, topic)
    assert profile.of(EntryKind.FLAG) == ("--port",)
    assert profile.without([parse_entry("symbol:ROCM")]).entries == (flag,)


def test_a_profile_does_not_grow_for_ever() -> None:
    with pytest.raises(UserError, match=str(MOST)):
        Profile().with_(parse_entry(f"--flag-{n}") for n in range(MOST + 1))


def test_files_of_a_large_fork_leave_room_for_the_other_entries() -> None:
    files = [parse_entry(f"patch:src/{n}.py") for n in range(MOST_PATCHED)]
    profile = Profile().with_(files).with_(parse_entry(f"--flag-{n}") for n in range(MOST))
    assert len(profile.entries) == MOST + MOST_PATCHED
    with pytest.raises(UserError, match="files that a fork changes"):
        profile.with_([parse_entry("patch:one more.py")])


BASE = "0123456789" * 4


def test_lines_of_a_patched_file_are_stored_with_the_commit_that_they_count_from() -> None:
    entry = patched_file("src/a b.py", BASE, [(30, 31), (10, 9)])
    assert entry.stored == f"patch:src/a b.py@{BASE}:10-9,30-31"
    assert (str(entry), parse_entry(entry.stored)) == ("patch:src/a b.py", entry)
    assert patched_file("logo.png", BASE, []).lines == (ALL_LINES,)


def test_of_many_changed_lines_the_nearest_are_joined() -> None:
    runs = [(n * 10, n * 10 + 1) for n in range(2, 61)]
    entry = patched_file("a.py", BASE, [*runs, (604, 605), (20_000, 20_000)])
    assert len(entry.lines) == 60
    assert {(600, 605), (20_000, 20_000)} < {*entry.lines}


def test_what_was_read_last_of_a_patched_file_counts() -> None:
    old, new = patched_file("a.py", BASE, [(1, 1)]), patched_file("a.py", BASE, [(2, 2)])
    assert Profile().with_([old]).with_([new]).entries == (new,)
    assert Profile().with_([new]).with_([parse_entry("patch:a.py")]).entries == (new,)


@pytest.mark.parametrize(
    ("ours", "theirs", "conflict"),
    [
        ((10, 12), Hunk(old_start=12, new_start=12, removed=("a",), added=("b",)), True),
        ((10, 12), Hunk(old_start=13, new_start=13, removed=("a",), added=("b",)), True),
        ((10, 12), Hunk(old_start=14, new_start=14, removed=("a",), added=("b",)), False),
        ((10, 12), Hunk(old_start=9, new_start=10, removed=(), added=("b",)), True),
        ((10, 12), Hunk(old_start=8, new_start=9, removed=(), added=("b",)), False),
        ((10, 9), Hunk(old_start=9, new_start=10, removed=(), added=("b",)), True),
    ],
)
def test_lines_conflict_unless_one_in_between_stays(ours, theirs, conflict) -> None:
    file = FileChange(path="a.py", status=FileStatus.MODIFIED, hunks=(theirs,))
    one = PatchedFile(entry=patched_file("a.py", BASE, [ours]), file=file, changes=())
    assert one.conflict is conflict
    assert replace(one, known=False).conflict is None
    assert replace(one, file=replace(file, status=FileStatus.DELETED)).conflict is True
