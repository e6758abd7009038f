"""Which changes need no model to read them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.core.grade import Level, Repository, is_settled
from tests.support.fakes import graded


def at(level: Level, *paths: str, **facts: object):
    made = graded("abc", "Change it", dict.fromkeys(paths, 3))
    made = replace(made, grade=replace(made.grade, level=level))
    return replace(made, facts=replace(made.facts, **facts)) if facts else made


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("paths", [("docs/a.md",), ("uv.lock",), ("README.md", "uv.lock")])
def test_documents_and_lock_files_are_settled_at_any_level(level, paths) -> None:
    assert is_settled(at(level, *paths))


@pytest.mark.parametrize("path", ["tests/test_a.py", ".github/workflows/ci.yml", "examples/a.py"])
def test_tests_and_the_like_are_settled_where_they_are_low(path) -> None:
    assert is_settled(at(Level.LOW, path))
    assert not is_settled(at(Level.MEDIUM, path))


@pytest.mark.parametrize("level", list(Level))
def test_code_is_never_settled(level) -> None:
    assert not is_settled(at(level, "src/a.py"))
    assert not is_settled(at(level, "src/a.py", "docs/a.md"))


def test_nothing_to_read_is_settled() -> None:
    assert is_settled(at(Level.HIGH, "src/a.py", files=()))
    files = at(Level.HIGH, "src/a.py", "src/b.py").facts.files
    unread = tuple(replace(file, omitted=True) for file in files)
    assert is_settled(at(Level.HIGH, "src/a.py", files=unread))
    assert not is_settled(at(Level.HIGH, "src/a.py", files=(unread[0], files[1])))


@pytest.mark.parametrize(
    ("forge", "commit", "request_", "line"),
    [
        ("github", "commit/abc", "pull/7", "blob/abc/a.py#L3"),
        ("", "commit/abc", "pull/7", "blob/abc/a.py#L3"),
        ("gitlab", "-/commit/abc", "-/merge_requests/7", "-/blob/abc/a.py#L3"),
        ("gitea", "commit/abc", "pulls/7", "src/commit/abc/a.py#L3"),
        ("bitbucket", "commits/abc", "pull-requests/7", "src/abc/a.py#lines-3"),
    ],
)
def test_pages_have_the_addresses_of_the_forge(forge, commit, request_, line) -> None:
    repository = Repository(name="o/n", web="https://h/o/n", forge=forge)
    pages = (
        repository.commit_url("abc"),
        repository.request_url(7),
        repository.file_url("abc", "a.py", 3),
    )
    assert pages == tuple(f"https://h/o/n/{path}" for path in (commit, request_, line))
    assert not Repository(name="o/n", forge=forge).request_url(7)
