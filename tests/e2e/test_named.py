"""Several configured repositories at the terminal: which is meant is told as in chats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Digestbot
from tests.support.builders import RepositoryBuilder

NAMES = ("load/r0", "load/r1", "other/r0")


@pytest.fixture
def several(digestbot: Digestbot, environment: dict[str, str], tmp_path: Path) -> Digestbot:
    """``digestbot`` with a configuration of three repositories, each with a change #7."""
    tables = []
    for name in NAMES:
        built = RepositoryBuilder(tmp_path / name.replace("/", "-"))
        built.commit(f"Add a scheduler to {name} (#7)", {"src/scheduler.py": "x = 1\n"})
        tables.append(f"[[repositories]]\nplace = {str(built.path)!r}\nname = {name!r}\n")
    file = tmp_path / "several.toml"
    file.write_text("".join(tables), encoding="utf-8")
    environment["DIGESTBOT_CONFIG"] = str(file)
    return digestbot


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ask", "search scheduler in load/r1"),
        ("ask", "search scheduler in r1"),
        ("ask", "在 r1 里搜索 scheduler"),
        ("ask", "explain r1#7"),
        ("explain", "load/r1#7"),
        ("explain", "r1#7"),
    ],
)
def test_named_repository_is_asked(several: Digestbot, command: str, words: str) -> None:
    several("explain", "#7", "--repo", "load/r1")  # a search is among what was read
    done = several(command, words)
    assert done.returncode == 0, done.stderr
    assert "Add a scheduler to load/r1" in done.stdout
    assert "load/r0" not in done.stdout


def test_repository_option_takes_a_configured_name_in_short(several: Digestbot) -> None:
    done = several("explain", "#7", "--repo", "R1")
    assert done.returncode == 0, done.stderr
    assert "Add a scheduler to load/r1" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "search scheduler in r0"),
        ("ask", "在 r0 里搜索 scheduler"),
        ("explain", "r0#7"),
        ("explain", "#7", "--repo", "r0"),
    ],
)
def test_two_that_fit_are_listed_in_one_line(several: Digestbot, words: tuple[str, ...]) -> None:
    done = several(*words)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "several repositories match: load/r0, other/r0; write the full name" in done.stderr


def test_what_follows_stays_with_the_repository_of_the_answer(several: Digestbot) -> None:
    assert several("ask", "explain r1#7").returncode == 0
    done = several("ask", "why?")
    assert "In load/r1" in done.stdout


def test_chat_goes_from_one_repository_to_the_other(several: Digestbot) -> None:
    said = "explain r1#7\nwhy?\nexplain load/r0#7\nr0#7\n"
    done = several("chat", stdin=said)
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stdout.splitlines() if line.startswith("In load/")]
    assert told == ["In load/r1", "In load/r1", "In load/r0"]
    assert "several repositories match: load/r0, other/r0" in done.stdout
