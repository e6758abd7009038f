"""From nothing to a bot that posts: ``init``, ``check``, ``doctor``."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_what_init_writes_is_ready_to_run(digestbot, project, tmp_path: Path):
    told = digestbot("init", "--repo", str(project.path), "--tz", "Europe/Berlin")
    assert (told.returncode, told.stderr) == (0, "")
    assert "next: digestbot check" in told.stdout
    checked = digestbot("check")
    assert checked.returncode == 0, checked.stdout
    assert "next digest" in checked.stdout
    assert digestbot("doctor").returncode == 0


def test_init_overwrites_nothing(digestbot, project, tmp_path: Path):
    assert digestbot("init", "--repo", str(project.path)).returncode == 0
    before = (tmp_path / "digestbot.toml").read_bytes()
    again = digestbot("init", "--repo", str(project.path), "--platform", "console")
    assert again.returncode == 1
    assert "not overwritten" in again.stderr
    assert (tmp_path / "digestbot.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/nonexistent", "no such folder"),
        (".", "is not a git repository"),
        ("ftp://e.org/a", ""),
    ],
)
def test_init_takes_no_place_without_a_repository(digestbot, tmp_path: Path, place, said):
    told = digestbot("init", "--repo", place)
    assert told.returncode != 0
    assert said in told.stderr
    assert not (tmp_path / "digestbot.toml").exists()


@pytest.mark.parametrize("command", ["check", "run"])
def test_without_a_configuration_init_is_named(digestbot, command):
    told = digestbot(command)
    assert told.returncode == 2
    assert "digestbot init" in told.stderr


def test_app_prints_what_the_consoles_ask_for(digestbot):
    page = (DOCS / "feishu.md").read_text(encoding="utf-8")
    permissions, _, more = digestbot("app", "feishu").stdout.partition("\n\n")
    asked = json.loads(permissions)["scopes"]["tenant"]
    assert asked == sorted(re.findall(r"^\| `(im:[\w:.]+)` \|", page, re.MULTILINE))
    assert set(re.findall(r"[a-z.]+_v1|card\.[a-z.]+", more)) == set(
        re.findall(r"`(im\.[a-z._]+_v1|card\.[a-z.]+)`", page)
    )
    called = digestbot("app", "slack", "https://bot.example/events/slack")
    assert 'url: "https://bot.example/events/slack"' in called.stdout
    called = digestbot("app", "feishu", "https://bot.example/events/feishu")
    assert "https://bot.example/events/feishu" in called.stdout
    for platform in ("slack", "feishu"):
        refused = digestbot("app", platform, "bot.example")
        assert refused.returncode == 2
        assert f"https://your.address/events/{platform}" in refused.stderr
    assert digestbot("app", "telegram").returncode == 2


def test_serve_on_a_busy_port_names_its_own_option(digestbot, project):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        told = digestbot("serve", str(project.path), "--port", str(busy.getsockname()[1]))
    assert told.returncode == 1
    assert "--port" in told.stderr
    assert "[web]" not in told.stderr
