"""Nothing that is printed holds a secret: every command, against servers that repeat them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.e2e.conftest import Digestbot
from tests.e2e.running import Running, free_port
from tests.support.builders import RepositoryBuilder

SECRETS = {
    "slack bot": "xoxb-1111111111-leaked-slack-bot",
    "slack app": "xapp-1-A1-leaked-slack-app",
    "telegram": "123456789:AAleakedtelegramtokenleakedtelegram",
    "feishu": "leakedfeishuappsecret0123456789a",
    "model": "sk-leaked-model-key-0123456789",
    "webhook": "leaked-webhook-path-0123456789",
    "signing": "leaked-webhook-signing-0123456789",
    "web": "leaked-web-admin-token-0123456789-abcdefgh",
    "metrics": "leaked-metrics-token-0123456789-abcdefgh",
    "git": "leaked-git-password-0123456789",
}


class Echo(BaseHTTPRequestHandler):
    """A server whose errors repeat all that it was sent, as some do."""

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        sent = f"{self.path} {self.headers} {self.rfile.read(length).decode(errors='replace')}"
        told = f"not welcome: {sent} {' '.join(SECRETS.values())}"
        answer = {"ok": False, "error": told, "code": 99, "msg": told, "error_code": 400,
                  "description": told, "message": told}  # fmt: skip
        body = json.dumps(answer).encode()
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def echo() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def configuration(file: Path, project: Path, echo: str, form: str, port: int) -> Path:
    git = echo.replace("http://", f"http://ada:{SECRETS['git']}@")
    file.write_text(
        f"""
[logs]
format = "{form}"
level = "debug"

[web]
listen = "127.0.0.1:{port}"
token = "{SECRETS["web"]}"
metrics_token = "{SECRETS["metrics"]}"

[model]
name = "m"
base_url = "{echo}/v1"
key = "{SECRETS["model"]}"
patience = 1
timeout = 1

[[repositories]]
place = {str(project)!r}
name = "acme/engine"

[[repositories]]
place = "{git}/acme/hidden"
name = "acme/hidden"

[platforms.slack]
bot_token = "{SECRETS["slack bot"]}"
app_token = "{SECRETS["slack app"]}"
api = "{echo}/api/"

[platforms.telegram]
token = "{SECRETS["telegram"]}"
api = "{echo}"

[platforms.feishu]
app_id = "cli_a1"
app_secret = "{SECRETS["feishu"]}"
domain = "{echo}"

[platforms.webhook]
url = "{echo}/{SECRETS["webhook"]}"
secret = "{SECRETS["signing"]}"

[[channels]]
name = "slack"
platform = "slack"
chat = "C0123456789"

[[channels]]
name = "telegram"
platform = "telegram"
chat = "-1001234567890"

[[channels]]
name = "feishu"
platform = "feishu"
chat = "oc_1"

[[channels]]
name = "webhook"
platform = "webhook"
""",
        encoding="utf-8",
    )
    file.chmod(0o600)
    return file


def leaked(*texts: str) -> list[str]:
    """The names of the secrets that stand in the texts."""
    whole = "\n".join(texts)
    return [name for name, secret in SECRETS.items() if secret in whole]


def written_below(folder: Path, *apart: Path) -> str:
    """Everything in the files of a folder, whatever they hold."""
    files = [file for file in folder.rglob("*") if file.is_file() and file not in apart]
    return "\n".join(file.read_bytes().decode("utf-8", "replace") for file in files)


def test_no_command_prints_a_secret(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path, echo: str
) -> None:
    config = configuration(tmp_path / "secret.toml", project.path, echo, "auto", free_port())
    told = {
        words: digestbot(*words.split(), "--config", str(config))
        for words in (
            "check",
            "cost",
            "digest acme/engine --since 2026-03-02 --until 2026-03-05",
            "explain #3 --repo acme/engine",
            "explain #3 --repo acme/engine --show-prompt",
            "digest acme/hidden",
            "explain #1 --repo acme/hidden",
        )
    }
    assert "ERROR" in told["check"].stdout
    assert "--workers" in told["explain #3 --repo acme/engine --show-prompt"].stdout
    for words, ended in told.items():
        assert leaked(ended.stdout, ended.stderr) == [], words
    assert leaked(written_below(tmp_path / "data")) == []


@pytest.mark.parametrize(
    "mistake",
    ["nonsense = 1", "[platforms.slack]\nbot_token = 5", '[[channels]]\nname = "x"\nplatform = "slak"'],
)  # fmt: skip
def test_complaint_about_a_configuration_names_no_secret(
    digestbot: Digestbot, project: RepositoryBuilder, tmp_path: Path, echo: str, mistake: str
) -> None:
    config = configuration(tmp_path / "secret.toml", project.path, echo, "auto", free_port())
    config.write_text(f"{config.read_text(encoding='utf-8')}\n{mistake}\n", encoding="utf-8")
    ended = digestbot("check", "--config", str(config))
    assert ended.returncode == 2
    assert leaked(ended.stdout, ended.stderr) == []


def test_crash_report_holds_no_secret(
    digestbot: Digestbot,
    project: RepositoryBuilder,
    tmp_path: Path,
    echo: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = configuration(tmp_path / "secret.toml", project.path, echo, "auto", free_port())

    def crash(*_: object, **__: object) -> None:
        raise RuntimeError(f"refused: {' '.join(SECRETS.values())}")

    # A mistake of ours is made here, since none is known that could be called upon.
    monkeypatch.setattr("bot.cli.run_setup.has_failures", crash)
    ended = digestbot("check", "--config", str(config))
    assert "internal error" in ended.stderr
    report = written_below(tmp_path / "data")
    assert "RuntimeError: refused" in report
    assert leaked(ended.stdout, ended.stderr, report) == []


@pytest.mark.parametrize("form", ["json", "human"])
def test_run_logs_no_secret(
    project: RepositoryBuilder,
    tmp_path: Path,
    environment: dict[str, str],
    echo: str,
    form: str,
) -> None:
    port = free_port()
    config = configuration(tmp_path / "secret.toml", project.path, echo, form, port)
    running = Running(config, {**environment, "DIGESTBOT_LOG_FORMAT": form}, port)
    try:
        running.until(lambda: "run.started" in running.log)
        running.until(lambda: running.log.count("listen.") >= 2)
        time.sleep(1)
        running.stop()
    finally:
        running.close()
    assert leaked(running.log) == []
    assert leaked(written_below(tmp_path / "data")) == []
