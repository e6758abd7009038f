"""The runbook's move from the file to PostgreSQL, in the middle of everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.e2e.running import Running, free_port, missed, running
from tests.e2e.test_run_hooked import FLAG, HOOK_SECRET, ask, git_daemon, push
from tests.integration.bot.platforms.slack.slack_caller import SECRET as SIGNING
from tests.servers import postgresql
from tests.servers.github import TOKEN, GitHubServer
from tests.servers.slack import BOT_TOKEN, CHANNEL, PERSON, Hangs, SlackServer, Slow
from tests.support.builders import RepositoryBuilder

_CONFIG = """
[web]
listen = "127.0.0.1:{port}"

[access]
anyone = true
admins = ["slack:{person}"]

[forges.work]
kind = "github"
host = "ghe.example.org"
api = "{forge}"
token = "{token}"
webhook_secret = "{hook}"

[[repositories]]
place = "{address}/engine"
name = "octo/engine"
web = "https://ghe.example.org/octo/engine"
forge = "github"

[platforms.slack]
bot_token = "{bot}"
signing_secret = "{signing}"
events = "http"
api = "{slack}"

[[channels]]
name = "team"
platform = "slack"
chat = "{channel}"
repositories = ["octo/engine"]
time = "00:00"
catch_up = 48
"""


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[tuple[SlackServer, RepositoryBuilder, str, int]]:
    """Slack, the repository with yesterday's removal, a database's address and the bot's port."""
    yesterday = datetime.now(UTC).replace(hour=12) - timedelta(days=1)
    engine = RepositoryBuilder(tmp_path / "served" / "engine")
    engine.commit("Begin (#1)", {"src/main.py": FLAG}, at=yesterday - timedelta(days=9))
    engine.commit("Remove --workers (#2)", {"src/main.py": "p = None\n"}, at=yesterday)
    with ExitStack() as stack:
        slack = stack.enter_context(SlackServer())
        server = stack.enter_context(postgresql.running())
        server.run("CREATE DATABASE digestbot")
        port, config = free_port(), tmp_path / "digestbot.toml"
        config.write_text(
            _CONFIG.format(
                port=port,
                person=PERSON,
                forge=stack.enter_context(GitHubServer()).url,
                token=TOKEN,
                hook=HOOK_SECRET,
                address=stack.enter_context(git_daemon(engine.path.parent)),
                bot=BOT_TOKEN,
                signing=SIGNING,
                slack=slack.url,
                channel=CHANNEL,
            )
        )
        config.chmod(0o600)
        missed(tmp_path / "data", "team")
        yield slack, engine, server.url("digestbot"), port


def listed(slack: SlackServer, bot: Running, answered: int) -> str:
    """What the chat is told of its digests and when they come next."""
    ask(slack, bot, "list", answered)
    return slack.seen()[-1]


def test_what_is_half_delivered_and_what_chats_set_up_move_to_postgresql(
    stage, digestbot, environment, tmp_path: Path
) -> None:
    slack, engine, address, port = stage
    config = tmp_path / "digestbot.toml"
    slack.plan("chat.postMessage", Slow(0.0), Hangs(taken=True))
    with running(config, environment, port) as bot:
        # The digest stands; what follows it in its thread was taken, and nobody knows.
        bot.until(lambda: len(slack.called("chat.postMessage")) == 2)
        for number, words in enumerate(
            ("subscribe octo/engine weekly on friday 17:00", "profile add --queue", "alerts on"), 1
        ):
            ask(slack, bot, words, number)
        before = listed(slack, bot, 4)
        assert push(bot, "1") == 202
        bot.until(lambda: bot.events("repository.moved"))
        bot.process.kill()
        bot.process.wait()
    seen = slack.seen()

    copied = digestbot("archive", "backup", "copy.sqlite3")
    assert (copied.returncode, copied.stderr) == (0, "")
    moved = digestbot("archive", "copy", "--to", address, "--config", str(config))
    assert (moved.returncode, moved.stderr) == (0, "")

    environment["DATABASE_URL"] = address
    with running(config, environment, port) as bot:
        bot.until(lambda: bot.events("slot.finished"))
        assert [one["channel"] for one in bot.events("delivery.found")] == ["team"]
        assert slack.seen() == seen
        assert listed(slack, bot, 1) == before
        # What was heard before is known; what comes next is told to whom it was promised.
        engine.commit("Add the queue (#3)", {"src/main.py": FLAG.replace("workers", "queue")})
        engine.commit("Remove --queue (#4)", {"src/main.py": "p = None\n"})
        assert push(bot, "1") == 202
        bot.until(lambda: bot.events("hook.repeated"))
        assert push(bot, "2") == 202
        bot.until(lambda: bot.events("alert.told"))
        assert bot.stop() == 0
    assert len([text for text in slack.seen() if "Remove --queue" in text]) == 1
