"""From nothing to a bot that posts: ``init``, ``check``, ``doctor``."""

from __future__ import annotations

from pathlib import Path


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
