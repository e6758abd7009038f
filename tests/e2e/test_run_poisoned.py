"""Commits made to hold the bot up, among good ones: every channel gets the others in time."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.e2e.running import free_port, missed, running
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP
from tests.servers.feishu_events import SECRET as APP_SECRET
from tests.servers.slack import BOT_TOKEN, CHANNEL, SlackServer
from tests.servers.telegram import GROUP, TOKEN, TelegramServer
from tests.servers.webhook import SECRET, WebhookServer
from tests.support.builders import RepositoryBuilder

POISON = {
    "engine/cases.go": "package p\n" + "case a:" * 28_000,
    "engine/header.h": "[[new" * 38_000,
    "engine/macro.rs": "^modaa(" * 28_000,
    "engine/object.ts": " a: a," * 33_000,
    "engine/Record.java": 'record "' * 24_000,
    "engine/options.py": f"N = Namespace(\n    a=Option({'-' * 2_000}1),\n)\n",
    "docs/nested.md": "> " * 100_000 + "[" * 100_000 + "\n" + "`*_" * 60_000,
}
MESSAGE = (
    "Tidy up (#7)\n\n" + "`" * 20_000 + "**a" * 10_000 + "[a](" * 10_000 + "\n\n" + "a: b <" * 8_000
)

_CONFIG = """
[web]
listen = "127.0.0.1:{port}"

[defaults]
zone = "UTC"
least = "low"
time = "00:00"

[[repositories]]
place = "{place}"
name = "example/project"

[platforms.slack]
bot_token = "{slack_token}"
api = "{slack}"

[platforms.telegram]
token = "{telegram_token}"
api = "{telegram}"
listen = false

[platforms.feishu]
app_id = "{app}"
app_secret = "{app_secret}"
domain = "{feishu}"
listen = false

[platforms.webhook]
url = "{webhook}"
secret = "{secret}"

[[channels]]
name = "slack"
platform = "slack"
chat = "{channel}"

[[channels]]
name = "telegram"
platform = "telegram"
chat = "{group}"

[[channels]]
name = "feishu"
platform = "feishu"
chat = "oc_team"

[[channels]]
name = "webhook"
platform = "webhook"
chat = "team"
"""
NAMES = ("slack", "telegram", "feishu", "webhook")


def poison(project: RepositoryBuilder) -> None:
    """Good commits of yesterday around a hostile one."""
    at = datetime.now(UTC).replace(hour=6, minute=0, second=0, microsecond=0) - timedelta(days=1)
    parser = "import argparse\np = argparse.ArgumentParser()\n"
    flag = 'p.add_argument("--port")\n'
    project.commit("Begin anew (#5)", {"server/cli.py": parser + flag}, at=at - timedelta(days=3))
    project.commit("[CLI] Remove --port (#6)", {"server/cli.py": parser}, at=at)
    project.commit(MESSAGE, dict(POISON), at=at + timedelta(hours=1))
    added = parser + 'p.add_argument("--host")\n'
    project.commit("[CLI] Add --host (#8)", {"server/cli.py": added}, at=at + timedelta(hours=2))


def test_hostile_commit_is_counted_and_every_channel_gets_the_others(
    project: RepositoryBuilder, tmp_path: Path, environment
):
    poison(project)
    with ExitStack() as stack:
        slack, telegram, feishu, webhook = (
            stack.enter_context(server)
            for server in (SlackServer(), TelegramServer(), FeishuServer(), WebhookServer())
        )
        port, config = free_port(), tmp_path / "digestbot.toml"
        config.write_text(
            _CONFIG.format(
                port=port,
                place=project.path,
                slack=slack.url,
                slack_token=BOT_TOKEN,
                channel=CHANNEL,
                telegram=telegram.url,
                telegram_token=TOKEN,
                group=GROUP,
                feishu=feishu.url,
                app=APP,
                app_secret=APP_SECRET,
                webhook=webhook.hook,
                secret=SECRET,
            )
        )
        config.chmod(0o600)
        missed(tmp_path / "data", *NAMES)
        bot = stack.enter_context(running(config, environment, port))
        bot.until(lambda: len(bot.events("slot.finished")) == len(NAMES))
        figures = bot.client.get("/metrics").text
        assert bot.stop() == 0
        (told,) = bot.events("change.unparsed")
        assert told["repository"] == "example/project"
        assert told["files"] >= 3  # the others are not worth parsing
        assert f"digestbot_unparsed_files_total {told['files']}.0" in figures
        for seen in (slack.seen(), telegram.texts(GROUP), feishu.seen(), webhook.seen()):
            text = "\n".join(seen)
            assert "--port" in text
            assert "--host" in text
            assert "#7" in text or "Tidy up" in text
        assert not bot.events("slot.failed")
