"""Posting to a webhook of one's own."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.config.channel_section import Promise
from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging.sender import Part, Sender, SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms import slack
from bot.platforms.webhook import Config, Webhook, create, sign
from digest.document import Document, Paragraph, Strong, Text
from tests.servers.loopback import Breaks, DropsAfter, Fails, Hangs
from tests.servers.webhook import SECRET, WebhookServer
from tests.support.fakes_delivery import FakeLeases, FakeLedger
from tests.support.samples_documents import digest_en, digest_zh

GOLDEN = Path(__file__).parents[3] / "data" / "webhook"
HELLO = Document(title="hello", blocks=(Paragraph((Text("hello "), Strong("*you*"))),))


@pytest.fixture
def server():
    with WebhookServer() as running:
        yield running


def a_sender(server, secret=SECRET, patience=0.3):
    made = SecretStr(secret) if secret else None
    return Webhook(SecretStr(server.hook), made, HttpClient(patience=patience))


def hello(sender, identity=""):
    (part,) = sender.render(HELLO)
    return Part(text=part.text, body=part.body, identity=identity)


def test_the_signature_is_hmac_over_time_and_body():
    assert sign("k", "1790000000", b'{"a":1}') == (
        "sha256=eb8290e330bf8401069d994986a056a9d691bb03abb211cc05e995e253327926"
    )


async def test_a_post_has_the_document_in_two_forms_and_says_where_it_is_for(server):
    sender = a_sender(server)
    receipt = await sender.send("ops", hello(sender, "a" * 32))
    await sender.aclose()
    assert server.stands == [
        {
            "schema": 1,
            "title": "hello",
            "language": "en",
            "text": "hello *you*\n",
            "markdown": "hello **\\*you\\***\n",
            "chat": "ops",
            "id": "a" * 32,
        }
    ]
    assert receipt.message == "m0"


async def test_without_a_secret_nothing_is_signed():
    with WebhookServer(secret="") as server:
        sender = a_sender(server, secret="")
        await sender.send("", hello(sender))
        assert not [name for name in server.sent[0].headers if name.startswith("x-digestbot")]
        await sender.aclose()


@pytest.mark.parametrize("drops_repeats", [True, False])
@pytest.mark.parametrize("promise", list(Promise))
async def test_a_doubtful_post_is_settled_by_the_promise(drops_repeats, promise):
    with WebhookServer(DropsAfter(), drops_repeats=drops_repeats) as server:
        target = Target(name="team", sender=a_sender(server), promise=promise)
        delivery = Delivery(FakeLedger(), FakeLeases(), [target], Patience(first=0))
        assert (await delivery.deliver(Posting(target=target, digest="d", document=HELLO))).done
        await target.sender.aclose()
    again = promise is Promise.AT_LEAST_ONCE and not drops_repeats
    assert len(server.stands) == (2 if again else 1)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Fails(400), SendReason.REJECTED),
        (Fails(413), SendReason.REJECTED),
        (Fails(401), SendReason.UNAUTHORIZED),
        (Fails(403), SendReason.UNAUTHORIZED),
        (Fails(404), SendReason.NO_CHANNEL),
        (Fails(410), SendReason.NO_CHANNEL),
        (Fails(408), SendReason.NO_ANSWER),
        (Fails(502), SendReason.NO_ANSWER),
        (Fails(504), SendReason.NO_ANSWER),
        (Fails(500), SendReason.UNAVAILABLE),
        (Fails(503), SendReason.UNAVAILABLE),
        (Fails(307, "", {"location": "https://x.example"}), SendReason.BROKEN),
        (DropsAfter(), SendReason.NO_ANSWER),
        (Breaks(), SendReason.NO_ANSWER),
        (Hangs(), SendReason.NO_ANSWER),
    ],
)
async def test_answers_have_a_reason(server, act, reason):
    server.script.append(act)
    sender = a_sender(server)
    with pytest.raises(SendError) as raised:
        await sender.send("", hello(sender))
    await sender.aclose()
    assert raised.value.reason is reason


@pytest.mark.parametrize(
    ("header", "after"), [("7", 7.0), ("soon", None), ("-1", None), ("inf", None)]
)
async def test_the_wait_that_is_asked_for_is_told(server, header, after):
    server.script.append(Fails(429, "", {"retry-after": header}))
    sender = a_sender(server)
    with pytest.raises(SendError) as raised:
        await sender.send("", hello(sender))
    await sender.aclose()
    assert (raised.value.reason, raised.value.retry_after) == (SendReason.RATE_LIMITED, after)


@pytest.mark.parametrize("answer", ["", "[]", '{"id": null}', '{"id": {"a": 1}}', "<html>"])
async def test_an_answer_without_an_id_is_as_good(server, answer):
    server.script.append(Fails(200, answer))
    sender = a_sender(server)
    assert (await sender.send("", hello(sender, "b" * 32))).message == "b" * 32
    await sender.aclose()


@pytest.mark.parametrize("url", ["ftp://x.example/k3y", "k3y", "file:///etc/k3y"])
def test_an_address_that_is_none_is_refused_without_showing_it(url):
    with pytest.raises(ValueError, match="full address") as raised:
        Config(url=SecretStr(url))
    assert "k3y" not in str(raised.value)


@pytest.mark.parametrize("url", ["https://", "http://[", "https://exa mple"])
async def test_an_address_that_cannot_be_used_is_told(url):
    sender = create(Config(url=SecretStr(url)))
    with pytest.raises(SendError):
        await sender.send("", hello(sender))
    await sender.aclose()


@pytest.mark.parametrize("make", [digest_en, digest_zh])
def test_bodies_are_as_the_golden_ones(make):
    (part,) = create(Config(url=SecretStr("https://x.example/"))).render(make())
    told = json.dumps(json.loads(part.body), ensure_ascii=False, indent=1) + "\n"
    assert told == (GOLDEN / f"{make.__name__}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["webhook", "slack"])
async def test_what_a_proxy_does_not_let_through_was_not_sent(monkeypatch, kind):
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
        port = proxy.sockets[0].getsockname()[1]
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        sender: Sender
        if kind == "slack":
            sender = slack.create(slack.Config(bot_token=SecretStr("xoxb-1")))
        else:
            sender = Webhook(SecretStr("https://hook.example.org/x"), None, HttpClient())
        with pytest.raises(SendError, match=r"the proxy refuses .*407") as raised:
            await sender.send("C0123456789", sender.render(HELLO)[0])
        await sender.aclose()
    assert raised.value.reason is SendReason.UNAVAILABLE
