"""``explain``, ``ask``, ``chat`` and ``archive`` as processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Digestbot
from tests.support.builders import RepositoryBuilder


def test_explain_reads_what_is_not_in_the_archive(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot("explain", "#3", "--repo", str(project.path))
    assert done.returncode == 0, done.stderr
    assert "Remove --workers (#3)" in done.stdout
    assert "server/cli.py" in done.stdout


def test_explain_by_number_sha_and_json_name_the_same_change(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    told = [
        json.loads(
            digestbot("explain", ref, "--repo", str(project.path), "--format", "json").stdout
        )
        for ref in ("2", "#2", project.git("rev-parse", "main~2")[:9])
    ]
    assert {t["changes"][0]["sha"] for t in told} == {project.git("rev-parse", "main~2")}
    assert all(t["schema"] == 1 and t["intent"] == "explain" and t["total"] == 1 for t in told)


def test_ask_counts_a_topic_of_the_week(digestbot: Digestbot, project: RepositoryBuilder) -> None:
    done = digestbot(
        "ask", "what changed in scheduler this week", "--repo", str(project.path),
        "--now", "2026-03-05T12:00:00Z", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["intent"], told["topic"], told["total"]) == ("changed", "scheduler", 1)
    assert told["changes"][0]["pr"] == 2
    assert told["changes"][0]["why"]
    assert told["window"]["since"] == "2026-03-02T00:00:00+00:00"
    assert "#2" in told["text"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_ask_in_chinese_is_answered_in_chinese(
    digestbot: Digestbot, project: RepositoryBuilder, form: str
) -> None:
    done = digestbot(
        "ask", "本周 scheduler 有什么变化", "--repo", str(project.path),
        "--now", "2026-03-05", "--format", form,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Add a scheduler" in done.stdout
    assert any("\u4e00" <= char <= "\u9fff" for char in done.stdout)


def test_ask_for_a_misspelt_topic_is_answered_of_the_near_one_and_says_so(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot(
        "ask", "what changed in schedular this week", "--repo", str(project.path),
        "--now", "2026-03-05", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["total"] == 1
    assert "Read schedular as scheduler." in told["text"].replace("`", "")


def test_ask_for_a_topic_without_hits_says_so_and_offers_near_ones(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot(
        "ask", "what changed in schedulerloop this week", "--repo", str(project.path),
        "--now", "2026-03-05", "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["total"] == 0
    assert "scheduler" in told["text"]


def test_chat_answers_line_by_line_and_ends_with_the_input(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot(
        "chat", "--repo", str(project.path), stdin="explain #2\n解释 #3\nhelp\nwhat is love\n"
    )
    assert done.returncode == 0, done.stderr
    assert "Add a scheduler" in done.stdout
    assert "Remove --workers" in done.stdout
    assert "message.answered" not in done.stdout + done.stderr


def test_chat_goes_on_from_an_answer_as_every_chat_does(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot(
        "chat",
        "--repo",
        str(project.path),
        stdin="explain #3\nis it risky?\n中文\nmute docs\nquit\n",
    )
    assert done.returncode == 0, done.stderr
    assert "Risks of #3" in done.stdout
    assert "#3 的风险" in done.stdout
    assert "docs" in done.stdout.rstrip().splitlines()[-1]


def test_chat_keeps_settings_and_subscriptions_of_the_terminal(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    said = "subscribe daily 09:00 Europe/Berlin\nset time zone Asia/Shanghai\nquit\n"
    first = digestbot("chat", "--repo", str(project.path), stdin=said)
    assert "Nothing is posted to a terminal" in first.stdout, first.stderr
    asked = "subscriptions\nsettings\nquit\n"
    again = digestbot("chat", "--repo", str(project.path), stdin=asked)
    assert "09:00" in again.stdout
    assert "Asia/Shanghai" in again.stdout


def test_ask_goes_on_from_explain(digestbot: Digestbot, project: RepositoryBuilder) -> None:
    digestbot("explain", "#3", "--repo", str(project.path))
    asked = digestbot("ask", "is it risky?", "--repo", str(project.path))
    assert "Risks of #3" in asked.stdout, asked.stderr


def test_an_explanation_that_nobody_reads_to_its_end_is_remembered(
    digestbot: Digestbot, project: RepositoryBuilder, environment: dict[str, str]
) -> None:
    read, write = os.pipe()
    os.close(read)  # as ``| head`` does
    command = [sys.executable, "-m", "bot.cli", "explain", "#3", "--repo", str(project.path)]
    path = str(Path(__file__).parents[2])
    env = {**environment, "PYTHONPATH": path}
    subprocess.run(command, stdout=write, stderr=subprocess.DEVNULL, env=env, check=False)
    os.close(write)
    asked = digestbot("ask", "is it risky?", "--repo", str(project.path))
    assert "Risks of #3" in asked.stdout, asked.stderr


def test_archive_lists_shows_rebuilds_and_vacuums(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    assert "nothing is stored" in digestbot("archive", "list").stdout
    digestbot("digest", str(project.path), "--name", "ada/project")
    assert "ada/project" in digestbot("archive", "list").stdout
    shown = digestbot("archive", "show", "#3")
    assert shown.returncode == 0, shown.stderr
    assert "Remove --workers" in shown.stdout
    assert "state: " in shown.stdout
    assert "2 changes" in digestbot("archive", "rebuild").stdout
    assert "MB" in digestbot("archive", "vacuum").stdout
    asked = digestbot("ask", "search workers", "--repo", str(project.path), "--format", "json")
    assert json.loads(asked.stdout)["total"] == 1


def test_an_answer_says_which_repository_it_is_about_where_none_was_named(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    asked = ("explain", "#3")
    named = digestbot(*asked, "--repo", str(project.path))
    about = f"In {project.path.name}"
    assert about not in named.stdout
    for question in (asked, ("ask", "explain #3")):
        assert about in digestbot(*question).stdout
    assert f"仓库 {project.path.name}" in digestbot("ask", "解释 #3").stdout
    assert about not in digestbot("ask", "help").stdout


def test_explain_of_a_number_tells_the_commit_of_the_branch_that_is_asked_about(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    project.git("branch", "release", "main")
    project.commit("Speed up the cache (#40)", {"a.py": "x = 1\n"})
    project.commit(
        "[release] Speed up the cache (#40)", {"b.py": "x = 1\n"},
        branch="release", parents=[project.git("rev-parse", "release")],
    )  # fmt: skip
    where = ("--repo", str(project.path), "--format", "json")
    told = {
        branch: json.loads(digestbot("explain", "#40", *where, "--branch", branch).stdout)
        for branch in ("main", "release", "main")
    }
    for branch, answer in told.items():
        assert [c["sha"] for c in answer["changes"]] == [project.git("rev-parse", branch)]

    asked = ("ask", "what changed this year", "--repo", str(project.path), "--format", "json")
    on_main = json.loads(digestbot(*asked).stdout)
    titles = [change["subject"] for change in on_main["changes"]]
    assert "Speed up the cache (#40)" in titles
    assert "[release] Speed up the cache (#40)" not in titles
    assert on_main["total"] == len(titles)


def test_a_question_may_begin_with_the_name_of_a_flag(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot("ask", "--workers 去哪了", "--repo", str(project.path))
    assert done.returncode == 0, done.stderr
    assert "--workers" in done.stdout


def test_an_error_is_told_in_the_language_of_the_question(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot("ask", "第九个", "--repo", str(project.path))
    assert done.returncode == 2
    assert "不清楚你指的是哪个变更" in done.stderr
