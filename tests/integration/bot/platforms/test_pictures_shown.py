"""Charts of answers as pictures, over the real clients against strict servers."""

from __future__ import annotations

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.chat.reply import show_charts
from bot.messaging.sender import Receipt
from bot.messaging.wire import HttpClient
from bot.platforms.feishu.open_api import Api
from bot.platforms.feishu.sender import FeishuSender
from bot.platforms.slack import Config, create
from digest.document import Chart, Document, Heading, Text
from tests.contract.benches.telegram import sender as telegram_sender
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET
from tests.servers.pictures import size_of
from tests.servers.slack import BOT_TOKEN, CHANNEL, Refuses, SlackServer
from tests.servers.telegram import FORUM, GROUP, TelegramServer
from tests.servers.telegram_http import Fails

CHART = Chart(
    title="Changes by day @here <b>",
    labels=("2026-01-01", "2026-01-02", "2026-01-03"),
    values=(4, 0, 9),
)

ANSWER = Document(title="All changes", blocks=(Heading(1, (Text("All changes"),)), CHART))


async def answered(sender, chat: str) -> Receipt:
    """The answer stands, with its chart as text; then its picture is shown."""
    receipt = None
    for part in sender.render(ANSWER):
        receipt = await sender.send(chat, part)
    assert receipt is not None
    await show_charts(sender, chat, ANSWER, receipt)
    return receipt


@pytest.fixture
def telegram():
    with TelegramServer() as server:
        yield server


@pytest.fixture
def slack():
    with SlackServer() as server:
        yield server


@pytest.fixture
def feishu():
    with FeishuServer() as server:
        yield server


def feishu_sender(server) -> FeishuSender:
    return FeishuSender(Api(server.url, APP, SecretStr(SECRET), HttpClient(patience=5)), server.now)


@pytest.mark.parametrize("chat", [str(GROUP), f"{FORUM}/5"])
async def test_telegram_shows_a_photo_below_the_answer(telegram, chat):
    sender = telegram_sender(telegram.url)
    try:
        receipt = await answered(sender, chat)
    finally:
        await sender.aclose()
    ((_, caption, reply, photo),) = telegram.photos
    assert size_of(photo) is not None
    assert reply == int(receipt.message)
    assert caption.startswith("Changes by day")
    assert "@here" not in caption
    assert "█" in telegram.texts(int(chat.split("/")[0]))[0]


@pytest.mark.parametrize(
    "act",
    [
        Fails(400, "Bad Request: not enough rights to send photos to the chat"),
        Fails(429, "Too Many Requests"),
        Fails(502, "Bad Gateway", html=True),
    ],
)
async def test_a_photo_that_telegram_refuses_is_logged_and_the_text_stands(telegram, act):
    telegram.will("sendPhoto", act)
    sender = telegram_sender(telegram.url)
    with capture_logs() as logs:
        try:
            await answered(sender, str(GROUP))
        finally:
            await sender.aclose()
    assert [one["event"] for one in logs if "picture" in one["event"]] == ["picture.not_shown"]
    assert telegram.photos == []
    assert len(telegram.called("sendPhoto")) == 1
    assert "█" in telegram.texts(GROUP)[0]


async def test_slack_puts_a_file_into_the_thread_with_the_chart_in_words(slack):
    sender = create(Config(bot_token=BOT_TOKEN, api=slack.url))
    try:
        receipt = await answered(sender, CHANNEL)
        below = await sender.send(CHANNEL, sender.render(ANSWER)[0], receipt)
        await show_charts(sender, CHANNEL, ANSWER, below)
    finally:
        await sender.aclose()
    file, other = slack.uploads.values()
    assert size_of(file["content"]) is not None
    assert (file["channel"], file["thread"]) == (CHANNEL, receipt.message)
    assert below.message != receipt.message == other["thread"]
    assert file["title"] == CHART.title
    assert file["alt"] == "2026-01-01: 4, 2026-01-02: 0, 2026-01-03: 9"


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "files.completeUploadExternal"])
async def test_a_file_that_slack_refuses_is_logged_and_the_text_stands(slack, method):
    slack.plan(method, Refuses("missing_scope", {"needed": "files:write"}))
    sender = create(Config(bot_token=BOT_TOKEN, api=slack.url))
    with capture_logs() as logs:
        try:
            await answered(sender, CHANNEL)
        finally:
            await sender.aclose()
    assert [one["event"] for one in logs if "picture" in one["event"]] == ["picture.not_shown"]
    assert "files:write" in str(logs)
    assert len(slack.messages) == 1


async def test_feishu_answers_with_an_image(feishu):
    sender = feishu_sender(feishu)
    try:
        receipt = await answered(sender, "oc_team")
    finally:
        await sender.aclose()
    ((below, key),) = feishu.shown_images
    assert below == receipt.message
    assert size_of(feishu.images[key]) is not None
    assert "█" in feishu.seen()[0]


async def test_an_image_that_feishu_refuses_is_logged_and_the_text_stands(feishu):
    feishu.image_scope = False
    sender = feishu_sender(feishu)
    with capture_logs() as logs:
        try:
            await answered(sender, "oc_team")
        finally:
            await sender.aclose()
    assert [one["event"] for one in logs if "picture" in one["event"]] == ["picture.not_shown"]
    assert feishu.shown_images == []
    assert "█" in feishu.seen()[0]
