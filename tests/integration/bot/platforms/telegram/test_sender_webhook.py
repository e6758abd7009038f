"""Telegram calling: the real library sets the webhook, and only its calls are taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import httpx
import pytest
from structlog.testing import capture_logs

from bot.messaging.inbox import Unkept
from bot.messaging.receiver import LARGEST, Called, Incoming
from bot.platforms.telegram import Config, create
from bot.platforms.telegram.sender import Telegram, TelegramAccount, TelegramWebhook, secret_of
from tests.contract.benches.telegram import BRISK
from tests.integration.bot.platforms.telegram.test_receiver import listening, said, until
from tests.servers.telegram import GROUP, PERSON, TOKEN, TelegramServer

HOOK = "https://bot.example/telegram"

HEADER = "X-Telegram-Bot-Api-Secret-Token"


@pytest.fixture
def server() -> Iterator[TelegramServer]:
    with TelegramServer() as one:
        yield one


def hooked(server: TelegramServer, **more) -> Telegram:
    return Telegram(TelegramAccount(token=TOKEN, api=server.url, webhook=HOOK, rates=BRISK, **more))


def update(text: str, number: int = 1) -> dict:
    message = {
        "message_id": number,
        "date": 1773144000,
        "chat": {"id": GROUP, "type": "supergroup", "title": "G"},
        "from": PERSON,
        "text": text,
        "entities": [
            {"type": "bot_command", "offset": 0, "length": len(text.split(maxsplit=1)[0])}
        ],
    }
    return {"update_id": number, "message": message}


async def call(web, content, secret: str | None = None, method: str = "POST") -> int:
    """A call as Telegram makes it."""
    headers = {} if secret is None else {HEADER: secret}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    transport = httpx.ASGITransport(app=web)
    async with httpx.AsyncClient(transport=transport, base_url="https://bot.example") as client:
        answer = await client.request(method, "/telegram", content=body, headers=headers)
    assert answer.content == b""
    return answer.status_code


async def nowhere(_content: str) -> None:
    raise Unkept


async def test_a_call_with_the_secret_that_was_set_is_heard(server):
    telegram = hooked(server)
    assert isinstance(telegram, Called)
    async with listening(telegram) as heard:
        await until(lambda: server.webhook and server.menus)
        secret = server.webhook["secret_token"]
        assert server.webhook["url"] == HOOK
        assert await call(telegram.web, update("/explain 5"), secret) == 200
        assert await call(telegram.web, update("/nothing"), secret) == 200
        assert await call(telegram.web, update("/help", 2), secret) == 200
        await until(lambda: len(heard) == 2)
    assert said(heard) == ["explain 5", "help"]
    assert server.called("getUpdates") == []


@pytest.mark.parametrize("secret", [None, "", "wrong", secret_of("123456:another"), "é"])
async def test_a_call_without_the_secret_is_not_read(server, secret):
    telegram = hooked(server)
    if secret == "é":
        secret = secret.encode()
    async with listening(telegram) as heard:
        await until(lambda: server.webhook)
        assert await call(telegram.web, update("/explain 5"), secret) == 401
        assert await call(telegram.web, b"x" * (LARGEST + 1), secret) == 401
        assert await call(telegram.web, b"", secret, "GET") == 401
        await asyncio.sleep(0.02)
    assert heard == []


async def test_two_secrets_are_none():
    web = TelegramWebhook("right", nowhere)
    scope = {"type": "http", "method": "POST", "headers": []}
    header = HEADER.lower().encode()
    for values in ([b"right", b"wrong"], [b"right", b"right"]):
        sent: list[dict] = []
        scope["headers"] = [(header, value) for value in values]

        async def send(message, sent=sent) -> None:
            sent.append(message)

        async def receive() -> dict:
            raise AssertionError("nothing is to be read")

        await web(scope, receive, send)
        assert sent[0]["status"] == 401


async def test_what_is_no_update_is_refused_or_told_and_the_next_is_heard(server):
    telegram = hooked(server)
    secret = secret_of(TOKEN)
    with capture_logs() as logs:
        async with listening(telegram) as heard:
            await until(lambda: server.webhook)
            assert await call(telegram.web, b"", secret, "GET") == 405
            assert await call(telegram.web, b"{", secret) == 400
            assert await call(telegram.web, b"\xff", secret) == 400
            assert await call(telegram.web, b"x" * (LARGEST + 1), secret) == 413
            assert await call(telegram.web, [1], secret) == 200
            assert await call(telegram.web, {"message": 5}, secret) == 200
            assert await call(telegram.web, update("/help"), secret) == 200
            await until(lambda: heard)
    assert said(heard) == ["help"]
    assert [one["event"] for one in logs].count("telegram.not_an_update") == 2


async def test_what_cannot_be_written_down_is_to_come_again():
    assert await call(TelegramWebhook("right", nowhere), update("/help"), "right") == 503


async def test_what_comes_before_the_bot_listens_is_heard_when_it_does(server):
    telegram = hooked(server)
    assert await call(telegram.web, update("/help"), secret_of(TOKEN)) == 200
    async with listening(telegram) as heard:
        await until(lambda: heard)
    assert said(heard) == ["help"]


async def test_the_secret_is_the_same_in_every_process_and_tells_no_token():
    assert secret_of(TOKEN) == secret_of(TOKEN) != secret_of(TOKEN + "x")
    assert len(secret_of(TOKEN)) == 64
    assert TOKEN.partition(":")[2] not in secret_of(TOKEN)


def test_the_settings_name_an_address_that_telegram_can_call():
    assert create(Config(token=TOKEN)).web is None
    assert create(Config(token=TOKEN, webhook=HOOK)).web is not None
    assert create(Config(token=TOKEN, webhook=HOOK, listen=False)).web is None
    with pytest.raises(ValueError, match="https"):
        Config(token=TOKEN, webhook="http://bot.example")


async def test_who_polls_after_a_webhook_takes_over(server):
    async with listening(hooked(server)):
        await until(lambda: server.webhook)
    server.say("hello")
    polling = Telegram(TelegramAccount(token=TOKEN, api=server.url, rates=BRISK))
    heard: list[Incoming]
    async with listening(polling) as heard:
        await until(lambda: heard)
    assert server.webhook == {}
