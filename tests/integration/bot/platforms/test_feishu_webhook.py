"""Posting through Feishu's custom bot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging.sender import SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.feishu_webhook import _REASONS, Config, FeishuWebhook, create, sign
from digest.document import Document, Paragraph, Text
from tests.servers.feishu_webhook import SECRET, FeishuWebhookServer
from tests.servers.loopback import DropsAfter, Fails, Hangs
from tests.support.fakes_delivery import FakeLeases, FakeLedger
from tests.support.samples_documents import digest_zh

GOLDEN = Path(__file__).parents[3] / "data" / "feishu_webhook"
HELLO = Document(title="hello", blocks=(Paragraph((Text("hello"),)),))


@pytest.fixture
def server():
    with FeishuWebhookServer() as running:
        yield running


def a_sender(server, secret=SECRET, patience=5.0):
    made = SecretStr(secret) if secret else None
    return FeishuWebhook(SecretStr(server.hook), made, HttpClient(patience=patience))


async def send(sender, document=HELLO):
    try:
        return [await sender.send("", part) for part in sender.render(document)]
    finally:
        await sender.aclose()


async def failure(sender) -> SendError:
    with pytest.raises(SendError) as raised:
        await send(sender)
    return raised.value


def test_the_signature_is_as_the_page_computes_it():
    assert sign("demo", "1599360473") == "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8="


async def test_a_signed_post_stands(server):
    await send(a_sender(server))
    assert server.seen() == ["hello\n"]


async def test_a_bot_without_a_secret_is_posted_to_unsigned():
    with FeishuWebhookServer(secret="") as server:
        await send(a_sender(server, secret=""))
        assert server.sent[-1].json().keys() == {"msg_type", "card"}
        assert len(server.stands) == 1


async def test_a_clock_that_is_wrong_is_named(server):
    server.skew = 4000
    error = await failure(a_sender(server))
    assert (error.reason, error.retry) == (SendReason.UNAUTHORIZED, False)
    assert "clock" in error.detail


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"keywords": ["release"]}, SendReason.REJECTED),
        ({"allowed": False}, SendReason.UNAUTHORIZED),
    ],
)
async def test_the_bots_own_guards_are_named(options, reason):
    with FeishuWebhookServer(**options) as server:
        error = await failure(a_sender(server))
    assert error.reason is reason
    assert "code" not in error.detail


@pytest.mark.parametrize(("code", "reason"), sorted(_REASONS.items()))
@pytest.mark.parametrize("status", [200, 400])
async def test_every_code_has_a_reason_whatever_the_status(server, code, reason, status):
    server.script.append(Fails(status, {"code": code, "msg": "no"}))
    assert (await failure(a_sender(server))).reason is reason


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Fails(200, {"code": 424242}), SendReason.REJECTED),
        (Fails(200, {}), SendReason.BROKEN),
        (Fails(200, "<html>"), SendReason.BROKEN),
        (Fails(429, ""), SendReason.RATE_LIMITED),
        (Fails(503, ""), SendReason.UNAVAILABLE),
        (Fails(504, ""), SendReason.NO_ANSWER),
        (DropsAfter(), SendReason.NO_ANSWER),
        (Hangs(), SendReason.NO_ANSWER),
    ],
)
async def test_other_answers_have_a_reason(server, act, reason):
    server.script.append(act)
    error = await failure(a_sender(server, patience=0.1))
    assert error.reason is reason
    assert error.retry is (reason in {SendReason.RATE_LIMITED, SendReason.UNAVAILABLE})


async def test_a_doubtful_post_is_not_repeated_unless_that_was_promised(server):
    server.script.append(DropsAfter())
    target = Target(name="team", sender=a_sender(server))
    delivery = Delivery(FakeLedger(), FakeLeases(), [target], Patience(first=0))
    result = await delivery.deliver(Posting(target=target, digest="d", document=HELLO))
    assert result.done
    assert len(server.stands) == 1
    await target.sender.aclose()


async def test_a_busy_bot_waits_for_its_turn(server):
    sender = a_sender(server)
    (part,) = sender.render(HELLO)

    async def post():
        await sender.ready("")
        await sender.send("", part)

    await asyncio.gather(*(post() for _ in range(8)))
    assert len(server.stands) == 8
    await sender.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "https://open.feishu.cn/open-apis/bot/v2/hook/",
        "http://open.feishu.cn/open-apis/bot/v2/hook/abcdefgh-1234",
        "https://open.feishu.cn/open-apis/bot/v2/hook/abcdefgh?x=y",
        "abcdefgh-1234",
    ],
)
def test_an_address_that_is_not_whole_is_refused_without_showing_it(url):
    with pytest.raises(ValueError, match="full address") as raised:
        Config(url=SecretStr(url))
    assert "abcdefgh" not in str(raised.value)


def test_cards_are_as_the_golden_ones():
    sender = create(Config(url=SecretStr("https://x.example/open-apis/bot/v2/hook/abcdefgh")))
    cards = [json.loads(part.body) for part in sender.render(digest_zh())]
    assert json.dumps(cards, ensure_ascii=False, indent=1) + "\n" == (
        GOLDEN / "digest_zh.json"
    ).read_text(encoding="utf-8")
