"""``digestbot digest`` and ``score`` as processes on real repositories."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.conftest import Digestbot
from tests.support.builders import RepositoryBuilder

KEYS = {
    "sha", "pr", "committed_at", "author", "subject", "level", "score", "reasons", "change_types",
    "summary", "impact", "insights", "risks", "suggestions", "files", "facts",
    "analysis", "usage",
}  # fmt: skip
FILE_KEYS = {"path", "old_path", "status", "added", "deleted", "area", "omitted"}


def joined(text: str) -> str:
    """The text without blanks: the terminal may break a line at those of a path."""
    return "".join(text.split())


def test_digest_names_the_removed_flag_of_the_last_active_day(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    done = digestbot("digest", str(project.path))
    assert done.returncode == 0, done.stderr
    assert "--workers was removed (#3)" in done.stdout
    assert "2026-03-04, the whole day" in done.stdout
    assert "of 2 shown" in done.stdout
    reports = list((tmp_path / "data" / "reports").rglob("*.md"))
    assert len(reports) == 1
    assert joined(str(reports[0])) in joined(done.stdout)
    assert "Remove --workers" in reports[0].read_text(encoding="utf-8")


def test_digest_with_a_file_that_cannot_be_parsed_prints_no_log_events(
    process: Digestbot, project: RepositoryBuilder
) -> None:
    nested = "[[new" * 38_000
    project.commit("Add attributes (#5)", {"header.h": nested})
    done = process("digest", str(project.path))
    assert done.returncode == 0, done.stderr
    assert "3 commits" in done.stdout
    assert done.stderr == ""


def test_digest_as_json_has_every_documented_key(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot(
        "digest", str(project.path), "--date", "2026-03-04", "--tz", "Asia/Shanghai",
        "--format", "json", "--name", "ada/project",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["schema"] == 1
    assert told["repo"] == "ada/project"
    assert told["window"] == {
        "since": "2026-03-04T00:00:00+08:00",
        "until": "2026-03-05T00:00:00+08:00",
        "tz": "Asia/Shanghai",
    }
    assert told["counts"]["total"] == 2 == sum(told["counts"][k] for k in ("high", "medium", "low"))
    assert told["coverage"]["total"] == 2
    assert [c["pr"] for c in told["commits"]] == [4, 3]
    for commit in told["commits"]:
        assert commit.keys() >= KEYS
        assert all(f.keys() >= FILE_KEYS for f in commit["files"])
    removed = told["commits"][1]
    assert removed["committed_at"] == "2026-03-04T17:00:00+08:00"
    assert any("--workers" in json.dumps(risk) for risk in removed["risks"])
    assert removed["score"] > told["commits"][0]["score"]


def test_digest_a_second_time_changes_nothing(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    words = ("digest", str(project.path), "--date", "2026-03-04", "--format", "json")
    first = digestbot(*words)
    before = (tmp_path / "data" / "archive.sqlite3").read_bytes()
    second = digestbot(*words)
    assert first.stdout == second.stdout
    assert (tmp_path / "data" / "archive.sqlite3").read_bytes() == before


def test_digest_in_chinese_to_a_file_writes_the_whole_report(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    file = tmp_path / "out" / "report.md"
    file.parent.mkdir(exist_ok=True)
    done = digestbot(
        "digest", str(project.path), "--since", "2026-03-02", "--until", "2026-03-05", "--lang",
        "zh", "--format", "markdown", "--output", str(file),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "变更" in text
    assert text.count("[Feature] Add a scheduler (#2)") >= 1 or "Add a scheduler" in text
    assert list(file.parent.iterdir()) == [file]


def test_digest_of_an_empty_repository_is_a_quiet_line(
    digestbot: Digestbot, tmp_path: Path
) -> None:
    empty = RepositoryBuilder(tmp_path / "empty")
    done = digestbot("digest", str(empty.path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "0" in done.stdout or "No " in done.stdout


def test_score_is_a_json_object_a_line(digestbot: Digestbot, project: RepositoryBuilder) -> None:
    done = digestbot(
        "score", str(project.path), "--since", "2026-03-01T00:00:00Z", "--until", "2026-03-04"
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["pr"] for row in rows] == [2, 1]
    for row in rows:
        assert row.keys() == {
            "sha", "pr", "committed_at", "author", "subject", "score", "level", "reasons",
            "title",
        }  # fmt: skip
        assert 0 <= row["score"] <= 1
        assert row["level"] in {"high", "medium", "low"}
        assert all(isinstance(reason, str) for reason in row["reasons"])


def test_demo_digests_posts_archives_and_says_what_to_try(
    process: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    done = process("demo", str(project.path))
    assert done.returncode == 0, done.stderr
    assert "--workers was removed" in done.stdout
    assert "Try next" in done.stdout
    assert "chat" in done.stdout
    assert (tmp_path / "data" / "archive.sqlite3").exists()
    assert list((tmp_path / "data" / "reports").rglob("*.md"))


def test_reports_of_other_branches_and_zones_have_names_of_their_own(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path
) -> None:
    project.git("branch", "release/1", "main~1")
    asked = ("digest", str(project.path), "--date", "2026-03-04")
    told = [
        digestbot(*asked, *other)
        for other in ((), ("--branch", "release/1"), ("--tz", "Asia/Shanghai"))
    ]
    assert [done.returncode for done in told] == [0, 0, 0]
    reports = list((tmp_path / "data" / "reports").rglob("*.md"))
    assert sorted(report.name for report in reports) == [
        "2026-03-04.Asia_Shanghai.en.md",
        "2026-03-04.en.md",
        "2026-03-04.release_1.en.md",
    ]
    for report in reports:
        assert any(joined(str(report)) in joined(done.stdout) for done in told)
