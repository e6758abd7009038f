"""GitLab writes merge requests as ``!12`` and issues as ``#12``: so do we, with the right links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Digestbot
from tests.support.builders import RepositoryBuilder

WEB = "https://gitlab.example.org/group/sub/engine"
FLAG = 'import argparse\n\np = argparse.ArgumentParser()\np.add_argument("--workers", default=4)\n'


@pytest.fixture
def gitlab(digestbot: Digestbot, environment: dict[str, str], tmp_path: Path) -> Digestbot:
    """``digestbot`` with a repository on GitLab: two merged requests, and a commit for an issue."""
    built = RepositoryBuilder(tmp_path / "engine")
    built.commit("Add workers\n\nSee merge request group/sub/engine!2", {"main.py": FLAG})
    built.commit(
        "Drop the workers\n\nSee merge request group/sub/engine!3", {"main.py": "p = None\n"}
    )
    built.commit("Fix the crash at start (#12)", {"start.py": "x = 1\n"})
    file = tmp_path / "gitlab.toml"
    table = {"place": str(built.path), "name": "group/sub/engine", "web": WEB, "forge": "gitlab"}
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in table.items())
    file.write_text("[[repositories]]\n" + "".join(lines), encoding="utf-8")
    environment["DIGESTBOT_CONFIG"] = str(file)
    return digestbot


def test_requests_are_written_as_gitlab_writes_them(gitlab: Digestbot) -> None:
    for command in (
        ("digest", "group/sub/engine"),
        ("digest", "group/sub/engine", "--format", "markdown"),
        ("explain", "!3"),
        ("ask", "why !3"),
        ("ask", "changes on 2026-01-01"),
        ("ask", "解释 !3"),
    ):
        done = gitlab(*command)
        assert done.returncode == 0, done.stderr
        assert "!3" in done.stdout, command
        assert "#3" not in done.stdout, command
        assert "#2" not in done.stdout, command
    assert f"{WEB}/-/merge_requests/3" in gitlab("digest", "group/sub/engine").stdout


def test_number_of_an_issue_is_no_request(gitlab: Digestbot) -> None:
    told = gitlab("digest", "group/sub/engine", "--format", "markdown").stdout
    assert "Fix the crash at start (#12)" in told
    assert "merge_requests/12" not in told
    changes = json.loads(gitlab("digest", "group/sub/engine", "--format", "json").stdout)
    numbers = {one["subject"]: one["pr"] for one in changes["commits"]}
    assert numbers["Fix the crash at start (#12)"] is None
