"""The units: systemd itself finds nothing wrong with them, and little that they are exposed to."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.jobs.roles import ProcessRole
from bot.jobs.services import GRACE
from bot.web.server import DRAIN

FOLDER = Path(__file__).parents[3] / "deploy" / "systemd"
PROGRAM = "/opt/digestbot/.venv/bin/digestbot"
COMMON = "digestbot-.service.d/common.conf"
ROLES = ("digestbot-web", "digestbot-scheduler", "digestbot-worker@1")
SERVICES = ("digestbot", *ROLES)

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is not installed; Debian has it in systemd",
)


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units with a program that is there on every machine, and a worker of the template."""
    folder = tmp_path / "units"
    shutil.copytree(FOLDER, folder)
    for file in folder.glob("*.service"):
        file.write_text(file.read_text(encoding="utf-8").replace(PROGRAM, shutil.which("true")))
    shutil.copy(folder / "digestbot-worker@.service", folder / "digestbot-worker@1.service")
    return folder


def told(folder: Path, *words: str | Path) -> str:
    """What systemd says, which looks for units and what is dropped into them in the folder first."""
    done = subprocess.run(
        ["systemd-analyze", *words],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_systemd
@pytest.mark.parametrize(
    "unit", [*(f"{one}.service" for one in SERVICES), "digestbot-roles.target"]
)
def test_systemd_finds_nothing_wrong(units: Path, unit: str) -> None:
    assert told(units, "verify", "--man=no", unit) == ""


@needs_systemd
@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_hardly_exposed(units: Path, name: str) -> None:
    unit = units / f"{name}.service"
    found = re.search(
        rf"Overall exposure level for {re.escape(unit.name)}: ([\d.]+)",
        told(units, "security", "--offline=yes", "--threshold=20", unit),
    )
    assert found is not None
    assert float(found[1]) <= 2.0


def settings(name: str) -> dict[str, str]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^(\w+)=(.+)$", text, re.MULTILINE))


@pytest.mark.parametrize("name", ["digestbot.service", COMMON])
def test_the_end_is_waited_for_and_is_the_programs_own(name: str) -> None:
    said = settings(name)
    assert int(said["TimeoutStopSec"]) > GRACE + DRAIN
    assert said["KillMode"] == "mixed"
    assert said["DynamicUser"] == "yes"


def test_all_services_are_bounded_alike() -> None:
    bounds = (
        r"^(?:(?:Protect|Private|Restrict|System|Lock|Memory|NoNew|Capab|Ambient|Remove)\w*)=.*$"
    )
    said = [
        re.findall(bounds, (FOLDER / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name in ("digestbot.service", COMMON)
    ]
    assert said[0] == said[1]
    assert len(said[0]) > 20


def test_every_role_but_that_of_all_has_its_unit() -> None:
    asked = {
        match[1]
        for name in ("digestbot-web", "digestbot-scheduler", "digestbot-worker@")
        if (match := re.search(r"--role (\w+)", settings(f"{name}.service")["ExecStart"]))
    }
    assert asked == {str(role) for role in ProcessRole if role is not ProcessRole.ALL}
