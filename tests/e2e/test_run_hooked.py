"""A forge that tells ``digestbot run`` of a merge: who is affected hears of it within seconds."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.e2e.running import Running, free_port, running
from tests.e2e.test_run_called import slack_request
from tests.integration.bot.platforms.slack.slack_caller import MENTION
from tests.integration.bot.platforms.slack.slack_caller import SECRET as SIGNING
from tests.servers.github import TOKEN, GitHubServer
from tests.servers.slack import BOT_TOKEN, PERSON, SlackServer
from tests.support.builders import RepositoryBuilder

HOOK_SECRET = "the forge signs with this"
FLAG = 'import argparse\n\np = argparse.ArgumentParser()\np.add_argument("--workers", default=4)\n'


@contextmanager
def git_daemon(folder: Path) -> Iterator[str]:
    """Git's own server over the repositories of a folder; its address."""
    port = free_port()
    command = ["git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}"]
    command += ["--export-all", f"--base-path={folder}", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(500):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield f"git://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def engine(tmp_path: Path) -> RepositoryBuilder:
    made = RepositoryBuilder(tmp_path / "served" / "engine")
    made.commit("Add workers (#1)", {"src/main.py": FLAG})
    return made


@pytest.fixture
def world(
    engine: RepositoryBuilder, tmp_path: Path, environment
) -> Iterator[tuple[SlackServer, Running]]:
    with ExitStack() as stack:
        slack, forge = stack.enter_context(SlackServer()), stack.enter_context(GitHubServer())
        address = stack.enter_context(git_daemon(engine.path.parent))
        port = free_port()
        config = tmp_path / "digestbot.toml"
        config.write_text(f"""
[web]
listen = "127.0.0.1:{port}"

[access]
anyone = true
admins = ["slack:{PERSON}"]

[forges.work]
kind = "github"
host = "ghe.example.org"
api = "{forge.url}"
token = "{TOKEN}"
webhook_secret = "{HOOK_SECRET}"

[[repositories]]
place = "{address}/engine"
name = "octo/engine"
web = "https://ghe.example.org/octo/engine"
forge = "github"

[platforms.slack]
bot_token = "{BOT_TOKEN}"
signing_secret = "{SIGNING}"
events = "http"
api = "{slack.url}"
""")
        config.chmod(0o600)
        bot = stack.enter_context(running(config, environment, port))
        bot.until(lambda: bot.client.get("/readyz").status_code == 200)
        yield slack, bot


def ask(slack: SlackServer, bot: Running, words: str, answered: int) -> None:
    """Ask in the channel, and wait for the answer."""
    payload = json.loads(json.dumps(MENTION).replace("explain #7", words))
    payload["event"]["ts"] = slack.say(words).ts
    body, headers = slack_request(payload)
    assert bot.client.post("/events/slack", content=body, headers=headers).status_code == 200
    if answered:
        bot.until(lambda: len(bot.events("message.answered")) == answered)


def push(bot: Running, delivery: str, secret: str = HOOK_SECRET) -> int:
    body = json.dumps(
        {
            "ref": "refs/heads/main",
            "repository": {
                "full_name": "octo/engine",
                "html_url": "https://ghe.example.org/octo/engine",
            },
        }
    ).encode()
    headers = {
        "x-github-event": "push",
        "x-github-delivery": delivery,
        "x-hub-signature-256": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}",
    }
    return bot.client.post("/hooks/work", content=body, headers=headers).status_code


def test_removal_of_what_a_chat_uses_is_told_within_seconds_and_once(
    world: tuple[SlackServer, Running], engine: RepositoryBuilder
) -> None:
    slack, bot = world
    ask(slack, bot, "profile add --workers", 1)
    ask(slack, bot, "alerts on", 2)
    engine.commit("Remove the flag for workers (#2)", {"src/main.py": "p = None\n"})

    def told() -> list[str]:
        return [text for text in slack.seen() if "Remove the flag for workers" in text]

    assert push(bot, "1", secret="another") == 401
    assert not bot.events("repository.moved")
    assert push(bot, "2") < 300
    bot.until(told)
    # The forge tells again of the same merge, under another id.
    assert push(bot, "3") < 300
    assert push(bot, "3") < 300
    assert bot.stop() == 0
    assert len(told()) == 1
    assert "--workers" in told()[0]
    assert len(bot.events("alert.told")) == 1
