"""What a command imports: nothing heavy that it does not use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.builders import RepositoryBuilder

MOST_MODULES = 561
"""All that an answer from the archive may import, the standard library included."""

SERVERS = ("procrastinate", "psycopg", "redis", "uvicorn", "starlette", "prometheus_client")
PLATFORMS = ("slack_bolt", "slack_sdk", "telegram", "aiohttp", "PIL")
READING = ("tree_sitter", "digest.facts.extract")
NEVER = ("sqlalchemy.orm", "alembic", "attr", "jinja2", "openai", "httpx", *SERVERS, *PLATFORMS)
WITHOUT_LOG = ("structlog", "rich.console", *NEVER)

COMMANDS = {
    "--help": ("asyncio", "sqlalchemy", "bot.store", "handlers", *READING, *WITHOUT_LOG),
    "ask --help": ("asyncio", "sqlalchemy", "bot.store", "handlers", *READING, *WITHOUT_LOG),
    "ask changed_codec_2026-01 --repo clone": (*READING, *WITHOUT_LOG, "bot.config"),
    "explain 2 --repo clone": ("digest.question.parser", "digest.report.condensed", *WITHOUT_LOG),
    "digest clone": WITHOUT_LOG,
}

SHOWING = """
import json, sys
from bot.cli import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@dataclass(frozen=True)
class Installation:
    """A repository whose changes are in the archive of a data folder."""

    folder: Path

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a Python program that calls the command line."""
        return subprocess.run(
            [sys.executable, "-c", program, *words],
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith(("DIGESTBOT", "GIT_"))},
                "DIGESTBOT_DATA": str(self.folder / "data"),
                "HOME": str(self.folder),
                "TZ": "UTC",
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def modules_of(self, *words: str) -> list[str]:
        """The modules that a command has imported when it ends, which must be with success."""
        done = self.run(SHOWING, *words)
        assert done.returncode == 0, done.stderr.splitlines()[0]
        return json.loads(done.stderr.splitlines()[-1])


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = Installation(tmp_path_factory.mktemp("start_up"))
    repository = RepositoryBuilder(made.folder / "clone")
    repository.commit("Add a codec (#1)", {"codec.py": "def decode(frame): ...\n"})
    repository.commit("Fix the codec (#2)", {"codec.py": "def decode(frame, *, fast): ...\n"})
    made.modules_of("ask", "changed codec 2026-01", "--repo", "clone")
    made.modules_of("explain", "2", "--repo", "clone")
    return made


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_nothing_heavy_that_it_does_not_use(
    command: str, installation: Installation
) -> None:
    imported = installation.modules_of(*(word.replace("_", " ") for word in command.split()))
    heavy = COMMANDS[command]
    assert [
        name for name in imported if name in heavy or name.startswith(tuple(f"{h}." for h in heavy))
    ] == []


def test_an_answer_from_the_archive_imports_few_modules(installation: Installation) -> None:
    imported = installation.modules_of("ask", "changed codec 2026-01", "--repo", "clone")
    assert len(imported) <= MOST_MODULES


def test_a_command_without_a_log_prints_no_events(installation: Installation) -> None:
    program = """
import logging, bot.cli
bot.cli.app = lambda **_: logging.getLogger("handlers").warning("change.unparsed")
"""
    assert "change.unparsed" in installation.run(f"{program}\nbot.cli.app()").stderr
    assert installation.run(f"{program}\nbot.cli.main()").stderr == ""
