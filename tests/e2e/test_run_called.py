"""Platforms that call ``digestbot run`` over HTTP: answered in time, once, and never unsigned."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.platforms.telegram.sender import secret_of
from tests.e2e.running import Running, free_port, running
from tests.integration.bot.platforms.feishu.test_web_events import KEY
from tests.integration.bot.platforms.feishu.test_web_events import TOKEN as VERIFICATION
from tests.integration.bot.platforms.feishu.test_web_events import request as feishu_request
from tests.integration.bot.platforms.slack.slack_caller import MENTION, SECRET
from tests.integration.bot.platforms.telegram.test_sender_webhook import HEADER, update
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, says
from tests.servers.feishu_events import SECRET as APP_SECRET
from tests.servers.slack import BOT_TOKEN, CHANNEL, SlackServer
from tests.servers.telegram import GROUP, TOKEN, TelegramServer
from tests.support.builders import RepositoryBuilder


@dataclass
class World:
    slack: SlackServer
    telegram: TelegramServer
    feishu: FeishuServer
    bot: Running

    def post(self, account: str, body: bytes, headers: dict[str, str]) -> int:
        answer = self.bot.client.post(f"/events/{account}", content=body, headers=headers)
        return answer.status_code

    def asked_in_slack(self, words: str):
        """The event of a message that stands in the channel."""
        payload = json.loads(json.dumps(MENTION).replace("explain #7", words))
        payload["event"]["ts"] = self.slack.say(words).ts
        return payload

    def mention(self, payload=MENTION, *, secret: str = SECRET, at: float | None = None) -> int:
        return self.post("slack", *slack_request(payload, secret, at))


def slack_request(payload=MENTION, secret: str = SECRET, at: float | None = None):
    body, stamp = json.dumps(payload).encode(), str(int(time.time() if at is None else at))
    signed = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={signed}",
    }
    return body, headers


@pytest.fixture
def world(project: RepositoryBuilder, tmp_path: Path, environment) -> Iterator[World]:
    with ExitStack() as stack:
        slack = stack.enter_context(SlackServer())
        telegram = stack.enter_context(TelegramServer())
        feishu = stack.enter_context(FeishuServer())
        port = free_port()
        config = tmp_path / "digestbot.toml"
        config.write_text(f"""
[logs]
level = "debug"

[web]
listen = "127.0.0.1:{port}"
public_url = "https://bot.example"

[access]
anyone = true

[[repositories]]
place = "{project.path}"
name = "example/project"

[platforms.slack]
bot_token = "{BOT_TOKEN}"
signing_secret = "{SECRET}"
events = "http"
api = "{slack.url}"

[platforms.telegram]
token = "{TOKEN}"
webhook = "https://bot.example/events/telegram"
api = "{telegram.url}"

[platforms.feishu]
app_id = "{APP}"
app_secret = "{APP_SECRET}"
domain = "{feishu.url}"
events = "http"
encrypt_key = "{KEY}"
verification_token = "{VERIFICATION}"

[[channels]]
name = "slack"
platform = "slack"
chat = "{CHANNEL}"

[[channels]]
name = "telegram"
platform = "telegram"
chat = "{GROUP}"

[[channels]]
name = "feishu"
platform = "feishu"
chat = "oc_team"
""")
        config.chmod(0o600)
        bot = stack.enter_context(running(config, environment, port))
        bot.until(lambda: telegram.webhook and bot.client.get("/readyz").status_code == 200)
        yield World(slack, telegram, feishu, bot)


def test_signed_calls_are_answered_once_and_under_one_id_and_counted(world: World) -> None:
    registered = {
        "url": "https://bot.example/events/telegram",
        "secret_token": secret_of(TOKEN),
    }
    assert world.telegram.webhook == registered
    question = world.asked_in_slack("explain #3")
    # Delivered again a platform signs anew, each time at another second.
    now = time.time()
    assert [world.mention(question, at=now - n) for n in range(3)] == [200, 200, 200]
    asked = world.feishu.post("oc_team", {}, sender="ou_ann")
    event = says("@_user_1 explain #3", number=asked.id)
    assert [world.post("feishu", *feishu_request(event)) for _ in range(2)] == [200, 200]
    secret = {HEADER: world.telegram.webhook["secret_token"]}
    call = json.dumps(update("/explain 3")).encode()
    assert [world.post("telegram", call, secret) for _ in range(2)] == [200, 200]
    world.bot.until(lambda: len(world.bot.events("message.answered")) == 3)
    world.bot.until(lambda: len(world.bot.events("message.repeated")) == 4)
    assert world.mention(secret="another") == 401
    text = world.bot.client.get("/metrics").text
    assert 'digestbot_messages_total{platform="slack",result="answered"} 1.0' in text
    assert 'digestbot_http_seconds_count{status="401"} 1.0' in text
    assert 'digestbot_receiver_up{account="telegram"} 1.0' in text
    assert "process_resident_memory_bytes" in text
    assert world.bot.stop() == 0
    answered = {one["platform"]: one for one in world.bot.events("message.answered")}
    assert answered.keys() == {"slack", "feishu", "telegram"}
    for name, one in answered.items():
        calls = [call for call in world.bot.events("web.answered") if call["path"].endswith(name)]
        assert one["trace"] in [call["trace"] for call in calls]
    for seen in (world.slack.seen(), world.telegram.texts(GROUP), world.feishu.seen()):
        assert sum("--workers" in text for text in seen) == 1, seen


def test_what_is_not_signed_or_comes_again_gets_401_and_nothing_happens(world: World) -> None:
    assert world.mention(secret="another") == 401
    assert world.mention(at=time.time() - 301) == 401
    body, headers = feishu_request(says("help"), key="another")
    assert world.post("feishu", body, headers) == 401
    body, headers = feishu_request(says("help"), stamp=int(time.time()) - 301)
    assert world.post("feishu", body, headers) == 401
    call = json.dumps(update("/help")).encode()
    for secret in ({}, {HEADER: "x"}, {HEADER: secret_of("123456:another")}):
        assert world.post("telegram", call, secret) == 401
    assert not world.bot.events("message.answered")
    # What was recorded is refused when it comes again.
    request = slack_request(world.asked_in_slack("explain #3"))
    assert [world.post("slack", *request) for _ in range(2)] == [200, 401]
    asked = world.feishu.post("oc_team", {}, sender="ou_ann")
    request = feishu_request(says("@_user_1 explain #3", number=asked.id))
    assert [world.post("feishu", *request) for _ in range(2)] == [200, 401]
    world.bot.until(lambda: len(world.bot.events("message.answered")) == 2)
    assert world.bot.stop() == 0
    told = world.bot.log
    assert len(world.bot.events("message.answered")) == 2
    for secret in (BOT_TOKEN, SECRET, TOKEN, APP_SECRET, KEY, VERIFICATION):
        assert secret not in told
