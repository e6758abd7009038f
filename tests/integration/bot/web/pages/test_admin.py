"""The admin pages: who comes in, what they see, and that nothing secret is shown."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.web.pages import session
from handlers.ports.storage import DeliveryKey, PartRecord, PartState
from tests.servers.pages import SECRET, TOKEN, shelved

KEY = DeliveryKey(platform="telegram", channel="team", digest="daily:owner/open:main:2026-03-02")


async def sign_in(client) -> str:
    """Sign in; what forms hold then."""
    answer = await client.post("/admin/sign-in", data={"token": TOKEN})
    assert answer.status_code == 303
    page = (await client.get("/admin")).text
    found = re.search(r'name="form" value="(\w+)"', page)
    assert found
    return found[1]


async def test_strangers_are_led_to_the_door(client):
    for path, method in (("/admin", "GET"), ("/admin/again", "POST"), ("/admin/sign-out", "POST")):
        answer = await client.request(method, path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/admin/sign-in")


@pytest.mark.parametrize(
    "cookie", ["", "x", "9999999999.a.b", "9999999999..", "²²²².a.b", "9" * 5000 + ".a.b"]
)
async def test_made_up_cookies_open_nothing(client, cookie):
    name = session.COOKIE
    raw = f"{name}={cookie}".encode()
    answer = await client.get("/admin", headers=[(b"cookie", raw)])
    assert answer.status_code == 303


async def test_session_ends_and_another_token_ends_it(client, monkeypatch):
    await sign_in(client)
    monkeypatch.setattr(session.time, "time", lambda: 10**11)
    assert (await client.get("/admin")).status_code == 303


async def test_cookie_is_out_of_reach(client):
    answer = await client.post("/admin/sign-in", data={"token": TOKEN})
    said = answer.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=lax" in said
    assert TOKEN not in said


async def test_guessing_is_slowed_down(client):
    for _ in range(5):
        answer = await client.post("/admin/sign-in", data={"token": "wrong"})
        assert answer.status_code == 403
    assert (await client.post("/admin/sign-in", data={"token": TOKEN})).status_code == 429


async def test_other_sites_cannot_send_forms(client):
    form = await sign_in(client)
    sent = {"form": form, "delivery": "1"}
    evil = {"origin": "https://evil.example"}
    for headers, data in (
        (evil, sent),
        ({"sec-fetch-site": "cross-site"}, sent),
        ({}, {"delivery": "1"}),
        ({}, {**sent, "form": "0" * 64}),
    ):
        answer = await client.post("/admin/again", headers=headers, data=data)
        assert answer.status_code == 403
    assert (await client.post("/admin/again", data=sent)).status_code == 303
    assert (await client.post("/admin/again", data={**sent, "delivery": "x"})).status_code == 400
    answer = await client.post("/admin/sign-in", headers=evil, data={"token": TOKEN})
    assert answer.status_code == 403


async def test_failed_delivery_is_sent_again(client):
    ledger = client.app.ledger
    await ledger.claim(KEY, "{}", 1)
    failed = PartRecord(part=0, state=PartState.FAILED, error="<b>chat_gone</b>")
    await ledger.mark(KEY, failed)
    form = await sign_in(client)
    page = (await client.get("/admin")).text
    assert "&lt;b&gt;chat_gone&lt;/b&gt;" in page
    number = re.search(r'name="delivery" value="(\d+)"', page)
    assert number
    done = await client.post("/admin/again", data={"form": form, "delivery": number[1]})
    assert done.headers["location"] == "/admin?again=1"
    (pending,) = await ledger.pending()
    assert pending.parts[0].state is PartState.WAITING


async def test_delivering_process_is_told_at_once_what_to_send_again(configuration):
    woken = []

    async def wake(channel: str) -> None:
        (pending,) = await app.ledger.pending()
        assert pending.parts[0].state is PartState.WAITING
        woken.append(channel)

    async with shelved(configuration) as (app, site):
        await app.ledger.claim(KEY, "{}", 1)
        failed = PartRecord(part=0, state=PartState.FAILED, error="chat_gone")
        await app.ledger.mark(KEY, failed)
        office = replace(site.office, wake=wake)
        (doubt,) = await office.doubts.newest(1)
        assert await office.again(doubt.delivery) == 1
        assert await office.again(doubt.delivery) == 0
        assert await office.again(10**9) == 0
    assert woken == ["team"]


async def test_no_secret_is_shown(client):
    await sign_in(client)
    answer = await client.get("/admin")
    assert TOKEN not in answer.text
    assert SECRET not in answer.text
    assert "owner/closed" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert "content-encoding" not in answer.headers


async def test_sign_out(client):
    form = await sign_in(client)
    await client.post("/admin/sign-out", data={"form": form})
    assert (await client.get("/admin")).status_code == 303
