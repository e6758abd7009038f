"""``digestbot quality`` on a real repository with a release branch, a revert and notes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.servers.github import TOKEN, GitHubServer
from tests.servers.loopback import Breaks
from tests.support.builders import RepositoryBuilder

START = datetime(2026, 1, 5, 12, tzinfo=UTC)


def _history(path):
    builder = RepositoryBuilder(path)
    made = {}
    for day, (name, message) in enumerate(
        [
            ("first", "Add the engine (#1)"),
            ("picked", "Add a flag (#2)"),
            ("undone", "Add a mode (#3)"),
            ("revert", 'Revert "Add a mode (#3)" (#4)'),
            ("last", "Tidy up (#5)"),
        ]
    ):
        at = START + timedelta(days=day)
        made[name] = builder.commit(message, {f"src/{name}.py": f"def {name}(): ...\n"}, at=at)
    note = f"Add a flag\n\n(cherry picked from commit {made['picked']})"
    builder.commit(
        note,
        {"src/picked.py": "def picked(): ...\n"},
        at=START + timedelta(days=9),
        branch="release/1.0",
        parents=[made["first"]],
    )
    return builder.path, made


def test_grades_are_held_against_what_became_of_the_changes(digestbot, tmp_path):
    path, made = _history(tmp_path / "engine")
    notes = tmp_path / "notes.md"
    notes.write_text("* Add the engine (#1)\n")
    told = digestbot(
        *("quality", "--repo", str(path), "--since", "2026-01-01", "--until", "2026-01-20"),
        *("--notes", str(notes), "--format", "json"),
    )
    found = json.loads(told.stdout)
    sums = {
        name: sum(row[name] for row in found["levels"])
        for name in found["levels"][0]
        if name != "level"
    }
    assert sums == {
        "changes": 5,
        "mattered": 3,
        "reverted": 1,
        "hotfixed": 0,
        "backported": 1,
        "named": 1,
        "useful": 0,
        "useless": 0,
    }
    assert found["proposal"] is None
    missed = {one["sha"]: one["fates"] for one in found["missed"]}
    assert missed.get(made["picked"], ["backported"]) == ["backported"]


def test_notes_that_cannot_be_read_are_named(digestbot, tmp_path):
    path, _ = _history(tmp_path / "engine")
    told = digestbot("quality", "--repo", str(path), "--notes", str(tmp_path / "none.md"))
    assert told.returncode == 1
    assert "none.md" in told.stderr


@pytest.fixture
def forge(tmp_path):
    """A configured forge with a release that names a request, and one from before."""
    path, _ = _history(tmp_path / "engine")
    with GitHubServer() as server:
        for tag, day, body in (("v1", "20", "* Add a mode (#3)"), ("v0", "01", "* Begin (#1)")):
            at = f"2026-01-{day}T00:00:00Z"
            server.releases.append(
                {"tag_name": tag, "name": tag, "body": body, "draft": False, "published_at": at}
            )
        file = tmp_path / "digestbot.toml"
        file.write_text(f"""
[forges.work]
kind = "github"
host = "ghe.example.org"
api = "{server.url}"
token = "{TOKEN}"

[[repositories]]
place = "{path}"
name = "octo/engine"
web = "https://ghe.example.org/octo/engine"
forge = "github"
""")
        file.chmod(0o600)
        yield server, file


def test_release_notes_of_the_forge_are_read_beside_those_of_files(digestbot, tmp_path, forge):
    _, file = forge
    notes = tmp_path / "notes.md"
    notes.write_text("* Tidy up (#5)\n")
    words = ("quality", "--config", str(file), "--since", "2026-01-02", "--until", "2026-01-20")
    told = digestbot(*words, "--notes", str(notes), "--format", "json")
    found = json.loads(told.stdout)
    assert (found["releases"], found["releases_unread"]) == (1, "")
    assert sum(row["named"] for row in found["levels"]) == 2
    assert "notes of 1 release of the forge" in digestbot(*words).stdout


def test_forge_that_is_down_costs_its_notes_and_nothing_else(digestbot, forge):
    server, file = forge
    server.script.extend([Breaks()] * 4)
    told = digestbot("quality", "--config", str(file), "--since", "2026-01-02")
    assert told.returncode == 0
    said = " ".join(told.stdout.split())
    assert "No notes of releases" in said, said
    assert "is unavailable" in said
