"""What bad input gets: one line that names the thing, an exit status, nothing half-written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Digestbot
from tests.support.builders import RepositoryBuilder


def told(digestbot: Digestbot, status: int, *words: str) -> str:
    done = digestbot(*words)
    assert done.returncode == status, (done.stdout, done.stderr)
    assert done.stderr.startswith("digestbot: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize(
    ("words", "status", "named"),
    [
        (("digest", "{here}/nowhere"), 1, "nowhere"),
        (("digest", "{here}"), 1, "not a git repository"),
        (("digest", "ext::sh -c id"), 1, "ext::"),
        (("digest", "--", "--upload-pack=touch x"), 1, "--upload-pack"),
        (("digest", "{repo}", "--branch", "mian"), 1, "main"),
        (("digest", "{repo}", "--branch", "--output=/tmp/x"), 1, "--output"),
        (("digest", "{repo}", "--date", "2026-13-45"), 2, "2026-13-45"),
        (("digest", "{repo}", "--date", "soon"), 2, "soon"),
        (("digest", "{repo}", "--date", "2199-01-01"), 2, "future"),
        (("digest", "{repo}", "--tz", "Asia/Shangai"), 2, "Asia/Shanghai"),
        (("digest", "{repo}", "--since", "2026-03-05", "--until", "2026-03-01"), 2, "before"),
        (("digest", "{repo}", "--date", "today", "--since", "2026-03-01"), 2, "--since"),
        (("digest", "{repo}", "--until", "2026-03-01"), 2, "--since"),
        (("digest", "{repo}", "--lang", "fr"), 2, "fr"),
        (("digest", "{repo}", "--colour"), 2, "--colour"),
        (("digest",), 2, "REPO"),
        (("score", "{repo}"), 2, "--since"),
        (("explain", "#999", "--repo", "{repo}"), 1, "#999"),
        (("explain", "abcdef0", "--repo", "{repo}"), 1, "abcdef0"),
        (("explain", "nonsense!", "--repo", "{repo}"), 2, "nonsense!"),
        (("explain", "#3"), 1, "--repo"),
        (("ask", "what changed", "--repo", "{repo}", "--now", "later"), 2, "later"),
        (("archive", "show", "#1"), 1, "#1"),
        (("archive", "rebuild", "nobody/nothing"), 1, "nobody/nothing"),
        (("run", "--config", "{here}/none.toml"), 2, "none.toml"),
        (("nonsense",), 2, "nonsense"),
    ],
)
def test_bad_input_gets_one_line(
    digestbot: Digestbot,
    project: RepositoryBuilder,
    tmp_path: Path,
    words: tuple[str, ...],
    status: int,
    named: str,
) -> None:
    filled = [w.format(here=tmp_path, repo=project.path) for w in words]
    assert named in told(digestbot, status, *filled)


def test_unwritable_data_folder_is_named(
    digestbot: Digestbot, project: RepositoryBuilder, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    environment["DIGESTBOT_DATA"] = str(tmp_path / "file" / "data")
    assert "DIGESTBOT_DATA" in told(digestbot, 1, "digest", str(project.path))


def test_unwritable_output_leaves_nothing(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    target = tmp_path / "file" / "report.md"
    assert str(tmp_path / "file") in told(
        digestbot, 1, "digest", str(project.path), "--output", str(target)
    )


@pytest.mark.parametrize("command", ["digest", "score"])
def test_output_is_not_put_into_a_folder_that_is_made_for_it(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path, command: str
) -> None:
    window = ("--since", "2026-01-01", "--until", "2026-01-02")
    target = tmp_path / "reprots" / "today.md"
    said = told(digestbot, 1, command, str(project.path), *window, "-o", str(target))
    assert f"{str(target)!r} is not in a folder that is there; make one (mkdir -p" in said
    assert not target.parent.exists()
    said = told(digestbot, 1, command, str(project.path), *window, "-o", str(tmp_path))
    assert f"{str(tmp_path)!r} is a folder; give a file name" in said


def test_file_in_place_of_a_repository_is_told_to_be_one(
    digestbot: Digestbot, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("no repository")
    said = told(digestbot, 1, "digest", str(tmp_path / "notes.txt"))
    assert (
        "notes.txt' is not a git repository (a file, and not one that git bundle made); give a folder"
        in said
    )


def test_archive_of_a_newer_version_is_left_alone(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    assert digestbot("digest", str(project.path)).returncode == 0
    file = tmp_path / "data" / "archive.sqlite3"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    assert "newer" in told(digestbot, 1, "digest", str(project.path))


def test_file_that_is_no_archive_is_left_alone(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "archive.sqlite3"
    file.write_bytes(b"not a database" * 1000)
    assert "archive.sqlite3" in told(digestbot, 1, "digest", str(project.path))
    assert file.read_bytes() == b"not a database" * 1000


def test_config_with_an_unknown_key_names_the_nearest(digestbot: Digestbot, tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text('[defaults]\nlangauge = "zh"\n', encoding="utf-8")
    line = told(digestbot, 2, "check", "--config", str(file))
    assert "langauge" in line
    assert "language" in line


def test_bad_input_of_a_real_process_ends_without_a_traceback(
    process: Digestbot, tmp_path: Path
) -> None:
    assert "nowhere" in told(process, 1, "digest", str(tmp_path / "nowhere"))
