"""The command line with a model named by the environment, and what it tells of money and privacy."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Digestbot
from tests.servers.model import ModelServer, Says
from tests.support import model_replies
from tests.support.builders import RepositoryBuilder

KEY = "sk-test-3f9a1c77d2e84b06"


@pytest.fixture
def server(environment: dict[str, str], rules: Path, tmp_path: Path) -> Iterator[ModelServer]:
    shutil.copytree(rules, tmp_path / "data" / "secret-rules")
    with ModelServer(answer=model_replies.mixed, key=KEY) as opened:
        environment["DIGESTBOT_MODEL"] = "m"
        environment["DIGESTBOT_MODEL_URL"] = opened.url
        environment["DIGESTBOT_MODEL_KEY"] = KEY
        yield opened


def digest(digestbot: Digestbot, project: RepositoryBuilder, *more: str):
    return digestbot("digest", str(project.path), "--date", "2026-03-03", *more)


def test_digest_without_a_configuration_file_asks_the_model_that_is_named(
    process: Digestbot, project: RepositoryBuilder, server: ModelServer
) -> None:
    done = digest(process, project, "--format", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    (commit,) = told["commits"]
    assert commit["analysis"]["source"] == "model"
    assert 0 < commit["analysis"]["rejected"] < 1
    assert commit["usage"]["calls"] == 1
    assert told["usage"]["input_tokens"] == sum(sent.tokens for sent in server.asked)
    assert "server/scheduler.py" in commit["summary"]
    assert done.stderr == ""
    again = json.loads(digest(process, project, "--format", "json").stdout)
    assert again["usage"]["calls"] == 0
    assert again["commits"][0]["usage"] == commit["usage"]
    assert len(server.asked) == 1


def test_a_model_that_fails_is_told_of_on_the_error_stream_alone(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer, tmp_path
) -> None:
    server.answer = lambda sent: Says(refusal="Zzyzx says no")
    done = digest(digestbot, project, "--format", "markdown")
    assert done.returncode == 0
    assert "1 of 1 changes were described from facts alone (refused 1)" in done.stderr
    assert "no model has read this change" in done.stdout
    assert "refused" not in done.stdout
    log = (tmp_path / "data" / "digestbot.log").read_text()
    assert '"event": "analysis.missed"' in log
    assert KEY not in log + done.stdout + done.stderr


def test_without_a_model_nothing_of_one_is_loaded_or_said(
    process: Digestbot, project: RepositoryBuilder
) -> None:
    done = digest(process, project, "--format", "json")
    told = json.loads(done.stdout)
    assert told["usage"]["calls"] == 0
    assert told["commits"][0]["usage"] is None
    assert told["commits"][0]["analysis"]["source"] == "facts"
    assert told["commits"][0]["analysis"]["missed"] is False
    assert told["themes"] == []


def test_show_prompt_prints_exactly_what_would_be_sent_and_sends_nothing(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer
) -> None:
    shown = digestbot("explain", "#3", "--repo", str(project.path), "--show-prompt")
    assert shown.returncode == 0, shown.stderr
    assert server.asked == []
    assert KEY not in shown.stdout
    done = digestbot("explain", "#3", "--repo", str(project.path))
    assert done.returncode == 0, done.stderr
    (sent,) = server.asked
    for message in sent.body["messages"]:
        assert f"--- {message['role']}\n{message['content']}\n" in shown.stdout
    for name, value in sent.body.items():
        if name != "messages":
            assert f"{name}: {json.dumps(value)}\n" in shown.stdout
    again = digestbot("explain", "#3", "--repo", str(project.path), "--show-prompt")
    assert "the answer is already stored" in again.stderr
    assert again.stdout == shown.stdout


def test_show_prompt_says_why_nothing_would_be_sent(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer
) -> None:
    settled = digestbot("explain", "#4", "--repo", str(project.path), "--show-prompt")
    assert "the facts are sufficient for this change" in settled.stderr
    assert server.asked == []


def test_show_prompt_without_a_model_says_how_to_see_one(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    done = digestbot("explain", "#3", "--repo", str(project.path), "--show-prompt")
    assert done.returncode == 1
    assert "DIGESTBOT_MODEL" in done.stderr


def test_privacy_of_the_configuration_holds_for_a_repository_by_its_folder(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer, tmp_path
) -> None:
    file = tmp_path / "digestbot.toml"
    file.write_text(
        f'[model]\nname = "m"\nbase_url = "{server.url}"\nkey = "{KEY}"\n'
        f'[[repositories]]\nplace = "{project.path}"\nname = "ada/project"\nprivacy = "none"\n'
    )
    file.chmod(0o600)
    done = digest(digestbot, project, "--format", "json")
    assert json.loads(done.stdout)["commits"][0]["analysis"]["source"] == "facts"
    shown = digestbot("explain", "#3", "--repo", "ada/project", "--show-prompt")
    assert "privacy is 'none'" in shown.stderr
    assert server.asked == []


def test_cost_tells_what_was_paid_by_day_repository_and_kind(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer
) -> None:
    assert "No model calls" in digestbot("cost").stdout
    digest(digestbot, project)
    done = digestbot("cost")
    assert done.returncode == 0, done.stderr
    assert "By day" in done.stdout
    assert "By repository" in done.stdout
    assert "analysis" in done.stdout
    told = json.loads(digestbot("cost", "--format", "json").stdout)
    (row,) = told["rows"]
    assert (row["repo"], row["kind"], row["calls"], row["failed"]) == ("project", "analysis", 1, 0)
    assert row["input_tokens"] == server.asked[0].tokens
    none = json.loads(
        digestbot(
            "cost", "--format", "json", "--until", "2026-01-01", "--since", "2025-01-01"
        ).stdout
    )
    assert none["rows"] == []
    assert digestbot("cost", "--since", "2026-02-01", "--until", "2026-01-01").returncode == 2


def test_archive_show_tells_the_share_that_was_rejected(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer
) -> None:
    digest(digestbot, project)
    done = digestbot("archive", "show", "#2")
    assert done.returncode == 0, done.stderr
    flat = " ".join(done.stdout.split())
    assert "of its statements rejected" in flat
    assert "model m (en" in flat
    assert "behaves in another way" in flat


def test_ask_for_a_digest_uses_what_was_judged(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer
) -> None:
    digest(digestbot, project)
    asked = len(server.asked)
    done = digestbot(
        "ask", "digest of 2026-03-03", "--repo", str(project.path), "--now", "2026-03-05T12:00:00Z"
    )
    assert done.returncode == 0, done.stderr
    assert len(server.asked) == asked


def test_check_says_which_rung_the_model_stands_on(
    digestbot: Digestbot, project: RepositoryBuilder, server: ModelServer, tmp_path
) -> None:
    (tmp_path / "digestbot.toml").write_text(f'[[repositories]]\nplace = "{project.path}"\n')
    plain = digestbot("check")
    assert "model m: " in plain.stdout
    assert "check --spend" in plain.stdout
    assert server.asked == []
    server.answer = lambda sent: Says(text=json.dumps({"colour": "blue", "sides": 3}))
    spent = digestbot("check", "--spend")
    assert "rung 1 of 3" in spent.stdout
    assert len(server.asked) == 1
    assert "rung 1 of 3" in digestbot("check").stdout
    assert KEY not in plain.stdout + spent.stdout
    server.key = "another"
    refused = digestbot("check")
    assert refused.returncode == 1
    assert "unauthorized" in refused.stdout
    assert KEY not in refused.stdout + refused.stderr
