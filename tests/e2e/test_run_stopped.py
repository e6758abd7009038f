"""An orderly end of ``digestbot run``: what is under way is finished and written down."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.e2e.running import free_port, missed, running
from tests.servers.slack import BOT_TOKEN, CHANNEL, Hangs, SlackServer, Slow
from tests.support.builders import RepositoryBuilder

_CONFIG = """
[web]
listen = "127.0.0.1:{port}"

[defaults]
zone = "UTC"

[[repositories]]
place = "{place}"
name = "example/project"

[platforms.slack]
bot_token = "{token}"
api = "{api}"

[[channels]]
name = "team"
platform = "slack"
chat = "{chat}"
time = "00:00"
quiet = "line"
"""


def parts(data: Path) -> list[tuple[str, str]]:
    """State and error of every part in the ledger."""
    connection = sqlite3.connect(data / "archive.sqlite3")
    try:
        return connection.execute("SELECT state, error FROM delivery_parts").fetchall()
    finally:
        connection.close()


def write(file: Path, project: RepositoryBuilder, slack: SlackServer, port: int) -> None:
    file.write_text(
        _CONFIG.format(
            port=port,
            place=project.path,
            token=BOT_TOKEN,
            api=slack.url,
            chat=CHANNEL,
        )
    )
    file.chmod(0o600)
    missed(file.parent / "data", "team")


def test_a_post_in_flight_is_settled_before_the_process_ends(project, tmp_path, environment):
    with SlackServer() as slack:
        port, config = free_port(), tmp_path / "digestbot.toml"
        write(config, project, slack, port)
        slack.plan("chat.postMessage", Slow(2.0))
        with running(config, environment, port) as bot:
            bot.until(lambda: slack.called("chat.postMessage"))
            assert parts(tmp_path / "data") == [("sending", "")]
            assert bot.stop() == 0
            order = [
                bot.log.index(f'"{event}"')
                for event in ("web.stopped", "delivery.sent", "run.stopped")
            ]
        assert order == sorted(order)
        assert parts(tmp_path / "data") == [("sent", "")]
        assert len(slack.seen()) == 1


def test_a_platform_that_hangs_keeps_the_end_waiting_only_so_long_and_nothing_is_doubled(
    project, tmp_path, environment
):
    with SlackServer() as slack:
        port, config = free_port(), tmp_path / "digestbot.toml"
        write(config, project, slack, port)
        slack.plan("chat.postMessage", Hangs(taken=True))
        with running(config, environment, port) as bot:
            bot.until(lambda: slack.called("chat.postMessage"))
            assert bot.stop() == 0
            assert bot.events("run.cancelled"), bot.log
        assert len(slack.seen()) == 1
        with running(config, environment, port) as bot:
            bot.until(lambda: parts(tmp_path / "data")[0][0] == "sent")
            assert bot.stop() == 0
        assert len(slack.seen()) == 1
