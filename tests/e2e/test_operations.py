"""What an operator does on the command line, from a folder with nothing in it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
import typer.main

from bot.cli import app
from tests.e2e.running import missed, running
from tests.servers import postgresql


def commands(group=None, before=()):
    """Every command with the words that lead to it."""
    group = group or typer.main.get_command(app)
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from commands(one, (*before, name))
        yield (*before, name), one


@pytest.mark.parametrize(
    ("words", "command"), [pytest.param(w, c, id=" ".join(w)) for w, c in commands()]
)
def test_every_command_says_what_it_is_for_in_a_whole_line(digestbot, words, command):
    told = digestbot(*words, "--help")
    assert told.returncode == 0
    assert told.stdout.startswith("Usage: ")
    # The lists of commands are cut at the width of a terminal.
    line = command.get_short_help_str(60)
    assert line
    assert not line.endswith("...")
    for option in command.params:
        assert option.hidden or getattr(option, "help", "") or option.name == "help", option.name


def test_what_init_writes_posts_to_the_console(
    digestbot, environment, project, tmp_path: Path, capfd
):
    yesterday = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    yesterday -= timedelta(days=1)
    flag = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--port")\n'
    project.commit("Begin anew (#5)", {"server/cli.py": flag}, at=yesterday - timedelta(days=3))
    project.commit("[CLI] Remove --port (#6)", {"server/cli.py": "x = 1\n"}, at=yesterday)
    made = digestbot("init", "--repo", str(project.path), "--tz", "UTC", "--time", "00:00")
    assert made.returncode == 0, made.stderr
    assert digestbot("check").returncode == 0
    missed(tmp_path / "data", "team")
    with running(tmp_path / "digestbot.toml", environment, 0) as bot:
        bot.until(lambda: bot.events("slot.finished"))
        assert bot.stop() == 0
    assert "--port was removed (#6)" in capfd.readouterr().out
    left = digestbot("deliveries")
    assert (left.returncode, left.stderr) == (0, "")
    assert "Remove --port" not in left.stdout


def test_serve_shows_the_pages_until_it_is_stopped(environment, project, tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-m", "bot.cli", "serve", str(project.path), "--port", "0"],
        env={**environment, "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r" at (http://127\.0\.0\.1:\d+)", process.stdout.readline())
        assert found
        with httpx.Client(base_url=found[1], trust_env=False) as reader:
            assert "project" in reader.get("/").text
            assert reader.get("/", headers={"host": "evil.example"}).status_code == 400
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_doctor_in_an_empty_folder_finds_nothing_wrong(digestbot):
    told = digestbot("doctor")
    assert told.returncode == 0, told.stdout
    assert told.stdout


def test_whoever_uses_a_flag_is_told_of_its_removal(digestbot, project):
    def ask(words: str):
        return digestbot("ask", words, "--repo", str(project.path), "--now", "2026-03-05")

    assert "--workers" in ask("profile add --workers").stdout
    told = ask("affected this week")
    assert told.returncode == 0
    assert "Remove --workers" in told.stdout
    assert "Tell how to run it" not in told.stdout


def test_archive_is_copied_to_postgresql_and_read_from_there(
    digestbot, project, monkeypatch, tmp_path: Path
):
    assert digestbot("digest", str(project.path), "--date", "2026-03-04").returncode == 0
    with postgresql.running() as server:
        server.run("CREATE DATABASE archive")
        address = server.url("archive")
        told = digestbot("archive", "copy", "--to", address)
        assert told.returncode == 0, told.stderr
        again = digestbot("archive", "copy", "--to", address)
        assert again.returncode == 1
        assert "is not empty" in again.stderr
        (tmp_path / "data").rename(tmp_path / "away")
        monkeypatch.setenv("DIGESTBOT_DATABASE_URL", address)
        assert "2026-03-04" in digestbot("archive", "list").stdout
