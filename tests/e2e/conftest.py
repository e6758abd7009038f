"""The program as its user has it: a process with an environment and two streams."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cli import app, guarded
from tests.support.builders import Entry, RepositoryBuilder


@dataclass(frozen=True, slots=True)
class Ended:
    """What is left of a command: its exit status and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


Digestbot = Callable[..., Ended]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without this machine's settings, with a data folder of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DIGESTBOT_", "GIT_", "LC_"))}
    return {
        **kept,
        "DIGESTBOT_DATA": str(tmp_path / "data"),
        "HOME": str(tmp_path),
        "TZ": "UTC",
        "PYTHONUTF8": "1",
        "COLUMNS": "100",
    }


@pytest.fixture
def process(environment: dict[str, str], tmp_path: Path) -> Digestbot:
    """Run the command line as a process of its own; the working folder is no repository."""

    def run(*words: str, stdin: str = "") -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "bot.cli", *words],
            input=stdin,
            env={**environment, "PYTHONPATH": str(Path(__file__).parents[2])},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def digestbot(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Digestbot:
    """The same in this process, which saves the start of the interpreter a hundred times."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, stdin: str = "") -> Ended:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = guarded(lambda: app(list(words), standalone_mode=False))
        return Ended(status, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def project(tmp_path: Path) -> RepositoryBuilder:
    """A small project with three days of history: a feature, a removal, a fix, a document."""
    repository = RepositoryBuilder(tmp_path / "project")
    server = "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
    flag = '    parser.add_argument("--workers", type=int, default=4)\n'

    def commit(message: str, files: dict[str | bytes, Entry], day: int, hour: int = 9) -> None:
        repository.commit(message, files, at=datetime(2026, 3, day, hour, tzinfo=UTC))

    commit("Start the server (#1)", {"server/cli.py": server + flag, "README.md": "# project\n"}, 2)
    commit(
        "[Feature] Add a scheduler (#2)\n\nRequests wait in a queue now.",
        {"server/scheduler.py": "def schedule(queue):\n    return sorted(queue)\n"},
        3,
    )
    commit("[CLI] Remove --workers (#3)", {"server/cli.py": server}, 4)
    commit("[Docs] Tell how to run it (#4)", {"README.md": "# project\n\nHow to run it.\n"}, 4, 10)
    return repository
