"""Copying the archive and putting it back, on the command line."""

from __future__ import annotations

from pathlib import Path


def test_an_archive_that_was_lost_is_put_back_from_its_copy(digestbot, project, tmp_path: Path):
    assert digestbot("digest", str(project.path), "--date", "2026-03-04").returncode == 0
    told = digestbot("archive", "backup", "copy.sqlite3")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("copy.sqlite3: 0.")
    assert digestbot("archive", "restore", "copy.sqlite3").returncode == 1
    data = tmp_path / "data"
    data.rename(tmp_path / "lost")
    assert digestbot("archive", "restore", "copy.sqlite3").returncode == 0
    assert "2026-03-04" in digestbot("archive", "list").stdout


def test_a_copy_is_never_written_over(digestbot, project):
    assert digestbot("digest", str(project.path), "--date", "2026-03-04").returncode == 0
    assert digestbot("archive", "backup", "copy").returncode == 0
    again = digestbot("archive", "backup", "copy")
    assert (again.returncode, again.stdout) == (1, "")
    assert (
        again.stderr
        == "digestbot: 'copy' already exists and is not overwritten; name another file\n"
    )


def test_an_archive_in_postgresql_is_left_to_its_own_tools(digestbot, monkeypatch):
    monkeypatch.setenv("DIGESTBOT_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/archive")
    for command in ("backup", "restore"):
        told = digestbot("archive", command, "copy")
        assert told.returncode == 1
        assert "pg_dump" in told.stderr


def test_there_is_nothing_to_copy_before_the_first_digest(digestbot):
    told = digestbot("archive", "backup", "copy")
    assert told.returncode == 1
    assert "contains no archive" in told.stderr
