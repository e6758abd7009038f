"""The unit: systemd itself finds nothing wrong with it, and little that it is exposed to."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.runner import GRACE
from bot.web.server import DRAIN

UNIT = Path(__file__).parents[3] / "deploy" / "systemd" / "digestbot.service"

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is not installed; Debian has it in systemd",
)


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that is there on every machine."""
    text = UNIT.read_text(encoding="utf-8")
    file = tmp_path / UNIT.name
    file.write_text(text.replace("/opt/digestbot/.venv/bin/digestbot", shutil.which("true")))
    return file


def told(*words: str | Path) -> str:
    done = subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_systemd
def test_systemd_finds_nothing_wrong(unit):
    assert told("verify", "--man=no", unit) == ""


@needs_systemd
def test_it_is_hardly_exposed(unit):
    found = re.search(
        r"Overall exposure level for digestbot\.service: ([\d.]+)",
        told("security", "--offline=yes", "--threshold=20", unit),
    )
    assert found is not None
    assert float(found[1]) <= 2.0


def test_the_end_is_waited_for_and_is_the_programs_own():
    text = UNIT.read_text(encoding="utf-8")
    settings = dict(re.findall(r"^(\w+)=(.+)$", text, re.MULTILINE))
    assert int(settings["TimeoutStopSec"]) > GRACE + DRAIN
    assert settings["KillMode"] == "mixed"
    assert settings["DynamicUser"] == "yes"
