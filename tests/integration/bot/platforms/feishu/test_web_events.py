"""Feishu calling over HTTP: encrypted, signed, fresh; and nothing happens otherwise."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import time
from contextlib import aclosing, asynccontextmanager

import httpx
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from pydantic import SecretStr

from bot.messaging.inbox import Inbox
from bot.messaging.receiver import LARGEST, Called
from bot.platforms.feishu import Config, create
from bot.platforms.feishu.receiver import Unreadable, is_signed, opening
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET, presses, says
from tests.support.fakes_inbox import FullShelf

KEY, TOKEN = "the-encrypt-key", "verification"


def sealed(event, key=KEY) -> str:
    text = json.dumps(event).encode()
    pad = 16 - len(text) % 16
    start = os.urandom(16)
    cipher = Cipher(
        algorithms.AES256(hashlib.sha256(key.encode()).digest()), modes.CBC(start)
    ).encryptor()
    return base64.b64encode(start + cipher.update(text + bytes([pad]) * pad)).decode()


def request(event, *, key=KEY, stamp=None, nonce="n0nce"):
    """A body with its headers, as Feishu makes them."""
    body = json.dumps({"encrypt": sealed(event, key)}).encode()
    stamp = str(int(time.time())) if stamp is None else str(stamp)
    signature = hashlib.sha256((stamp + nonce + key).encode() + body).hexdigest()
    headers = {
        "X-Lark-Request-Timestamp": stamp,
        "X-Lark-Request-Nonce": nonce,
        "X-Lark-Signature": signature,
    }
    return body, headers


@asynccontextmanager
async def called():
    """A client that calls the bot, what the bot heard, and the sender itself."""
    with FeishuServer() as server:
        sender = create(
            Config(
                app_id=APP,
                app_secret=SecretStr(SECRET),
                domain=server.url,
                events="http",
                encrypt_key=SecretStr(KEY),
                verification_token=SecretStr(TOKEN),
            )
        )
        assert isinstance(sender, Called)
        heard: asyncio.Queue = asyncio.Queue()

        async def listen():
            async for incoming in sender.listen():
                heard.put_nowait(incoming)

        task = asyncio.create_task(listen())
        while sender.ear.trouble:
            await asyncio.sleep(0.005)
        transport = httpx.ASGITransport(app=sender.web)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
            client.sender = sender
            try:
                yield client, heard
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                assert sender.ear.trouble
                await sender.aclose()


async def post(client, event, **options):
    body, headers = request(event, **options)
    return await client.post("/", content=body, headers=headers)


def test_decryption_is_as_the_page_shows():
    text = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk="
    assert opening("test key")(text) == b"hello world"


@pytest.mark.parametrize("text", ["", "AAAA", "not base64!", base64.b64encode(b"x" * 48).decode()])
def test_what_was_not_encrypted_with_the_key_is_unreadable(text):
    with pytest.raises(Unreadable):
        opening(KEY)(text)


async def test_the_address_is_confirmed():
    async with called() as (client, _):
        body = json.dumps(
            {"encrypt": sealed({"challenge": "c1", "token": TOKEN, "type": "url_verification"})}
        )
        response = await client.post("/", content=body)
        assert (response.status_code, response.json()) == (200, {"challenge": "c1"})
        wrong = {"challenge": "c1", "token": "other", "type": "url_verification"}
        response = await client.post("/", content=json.dumps({"encrypt": sealed(wrong)}))
        assert response.status_code == 401


async def test_a_signed_message_is_heard():
    async with called() as (client, heard):
        response = await post(client, says("@_user_1 explain #12"))
        assert (response.status_code, response.json()) == (200, {})
        assert (await asyncio.wait_for(heard.get(), 120)).text == "explain #12"


async def test_a_press_is_answered_with_a_toast():
    async with called() as (client, heard):
        response = await post(client, presses("explain", "#1"))
        assert response.json()["toast"]["type"] == "info"
        assert (await asyncio.wait_for(heard.get(), 120)).action == "explain"


async def test_an_unknown_event_is_answered_so_that_it_does_not_come_again():
    async with called() as (client, _):
        header = {"event_type": "im.chat.disbanded_v1", "token": TOKEN}
        assert (await post(client, {"schema": "2.0", "header": header})).status_code == 200


def altered(change):
    body, headers = request(says("@_user_1 x"))
    return change(body, headers)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        request(says("x"), key="another-key"),
        request(says("x"), stamp=int(time.time()) - 86400),
        request(says("x"), stamp=int(time.time()) + 86400),
        request(says("x"), stamp="soon"),
        request({**says("x"), "header": {"event_type": "im.message.receive_v1", "token": "no"}}),
        altered(lambda body, headers: (body, {})),
        altered(lambda body, headers: (body + b" ", headers)),
        altered(lambda body, headers: (body, {**headers, "X-Lark-Request-Nonce": "other"})),
        altered(lambda body, headers: (body, {**headers, "X-Lark-Signature": "0" * 64})),
        altered(lambda body, headers: (body, {**headers, "X-Lark-Signature": "é".encode()})),
        (json.dumps(says("@_user_1 x")).encode(), {}),
        (b"{}", {}),
        (b"[]", {}),
        (b'{"encrypt": 5}', {}),
        (b"[" * 100_000, {}),
        (b"\xff\xfe", {}),
        (b"", {}),
    ],
)
async def test_what_is_not_signed_or_stale_gets_401_and_nothing_else(body, headers):
    async with called() as (client, heard):
        response = await client.post("/", content=body, headers=headers)
        assert (response.status_code, response.json()) == (401, {})
        await asyncio.sleep(0.02)
        assert heard.empty()


async def test_a_request_that_was_recorded_gets_401_and_nothing_else():
    async with called() as (client, heard):
        body, headers = request(presses("explain", "#7"))
        answers = [await client.post("/", content=body, headers=headers) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 401, 401]
        async with asyncio.timeout(120):
            await heard.get()
        await asyncio.sleep(0.02)
        assert heard.empty()


async def test_other_methods_and_too_large_bodies_are_refused():
    async with called() as (client, _):
        assert (await client.get("/")).status_code == 405
        assert (await client.post("/", content=b"x" * (LARGEST + 1))).status_code == 413


async def test_what_comes_before_the_bot_listens_is_heard_when_it_does():
    with FeishuServer() as server:
        sender = create(
            Config(
                app_id=APP,
                app_secret=SecretStr(SECRET),
                domain=server.url,
                events="http",
                encrypt_key=SecretStr(KEY),
            )
        )
        transport = httpx.ASGITransport(app=sender.web)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
            assert (await post(client, says("@_user_1 explain #3"))).status_code == 200
            async with asyncio.timeout(120), aclosing(sender.listen()) as listening:
                assert (await anext(listening)).text == "explain #3"
        await sender.aclose()


async def test_what_cannot_be_written_down_is_not_acknowledged_and_comes_again():
    async with called() as (client, heard):
        listener = client.sender
        kept, listener.inbox = listener.inbox, Inbox("feishu", FullShelf())
        body, headers = request(says("@_user_1 explain #4"))
        assert (await client.post("/", content=body, headers=headers)).status_code == 503
        listener.inbox = kept
        assert (await client.post("/", content=body, headers=headers)).status_code == 200
        assert (await asyncio.wait_for(heard.get(), 120)).text == "explain #4"


def test_events_over_http_need_a_key():
    with pytest.raises(ValueError, match="encrypt_key"):
        Config(app_id=APP, app_secret=SecretStr(SECRET), events="http")


def test_a_signature_covers_every_part():
    body, headers = request(says("x"), stamp=1000)
    lower = {name.lower(): value for name, value in headers.items()}
    assert is_signed(KEY, lower, body, 1000)
    assert is_signed(KEY, lower, body, 1300)
    assert not is_signed(KEY, lower, body, 1301)
    assert not is_signed(KEY + "x", lower, body, 1000)
