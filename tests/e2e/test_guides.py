"""The guides of the platforms, followed from nothing to the first answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.running import free_port, running
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, says
from tests.servers.feishu_events import SECRET as APP_SECRET
from tests.servers.slack import APP_TOKEN, BOT_TOKEN, BOT_USER, CHANNEL, PERSON, TEAM, SlackServer
from tests.servers.telegram import GROUP, TOKEN, TelegramServer

ROOT = Path(__file__).parents[2]
ASKED = "explain #3"


def ask_slack(server: SlackServer) -> Callable[[], list[str]]:
    said = server.say(f"<@{BOT_USER}> {ASKED}")
    event = {"type": "app_mention", "user": PERSON, "text": f"<@{BOT_USER}> {ASKED}", "ts": said.ts}
    event |= {"channel": CHANNEL}
    payload = {"type": "event_callback", "team_id": TEAM, "event": event}
    server.sockets.deliver("events_api", payload)
    return server.seen


def ask_telegram(server: TelegramServer) -> Callable[[], list[str]]:
    server.say(f"/explain@digest_bot {ASKED}", GROUP)
    return lambda: server.texts(GROUP)


def ask_feishu(server: FeishuServer) -> Callable[[], list[str]]:
    server.push(says(f"@_user_1 {ASKED}", number=server.post("oc_team", {}, sender="ou_ann").id))
    return server.seen


@pytest.mark.parametrize(
    ("platform", "make", "chat", "words", "secrets", "ask"),
    [
        (
            "slack", SlackServer, CHANNEL, ("--set", "api={url}"),
            {"BOT_TOKEN": BOT_TOKEN, "APP_TOKEN": APP_TOKEN}, ask_slack,
        ),
        (
            "telegram", TelegramServer, str(GROUP), ("--set", "api={url}"),
            {"TOKEN": TOKEN}, ask_telegram,
        ),
        (
            "feishu", FeishuServer, "oc_team",
            ("--set", "domain={url}", "--set", f"app_id={APP}"),
            {"APP_SECRET": APP_SECRET}, ask_feishu,
        ),
    ],
)  # fmt: skip
def test_a_newcomer_gets_an_answer_by_the_guide(
    platform, make, chat, words, secrets, ask, digestbot, project, environment, tmp_path
):
    for key, value in secrets.items():
        environment[f"DIGESTBOT_{platform}_{key}".upper()] = value
    with make() as server:
        options = [word.format(url=server.url) for word in words]
        wrote = digestbot(
            "init", "--platform", platform, f"--chat={chat}", "--repo", str(project.path), *options
        )
        assert wrote.returncode == 0, wrote.stderr
        # From here on the files alone have to hold what is needed.
        for key in secrets:
            environment[f"DIGESTBOT_{platform}_{key}".upper()] = ""
        config = tmp_path / "digestbot.toml"
        with running(config, environment, free_port()) as bot:
            checked = digestbot("check")
            assert checked.returncode == 0, checked.stdout
            assert "next digests" in checked.stdout
            bot.until(lambda: f"{platform}.connected" in bot.log or platform == "telegram")
            seen = ask(server)
            bot.until(lambda: any("--workers" in text for text in seen()))
            assert bot.stop() == 0


@pytest.mark.parametrize("platform", ["slack", "telegram", "feishu"])
def test_a_guide_has_at_most_seven_steps(platform):
    page = (ROOT / "docs" / f"{platform}.md").read_text(encoding="utf-8")
    section = page.split("## Set it up")[1].split("\n## ")[0]
    steps = [int(number) for number in re.findall(r"^(\d+)\. ", section, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) <= 7
    assert "digestbot init" in section
    assert "digestbot check" in section
