"""Slack calling over HTTP: real requests, signed and not."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.messaging.inbox import Inbox
from bot.messaging.receiver import LARGEST, Called
from bot.platforms.slack import Config, create
from tests.integration.bot.platforms.slack.slack_caller import MENTION, SECRET, Caller
from tests.servers.asgi import served
from tests.servers.slack import BOT_TOKEN, BOT_USER, CHANNEL, PERSON, TEAM, SlackServer
from tests.support.fakes_inbox import FullShelf


@pytest.fixture
async def caller():
    with SlackServer() as server:
        bot = create(
            Config(bot_token=BOT_TOKEN, signing_secret=SECRET, events="http", api=server.url)
        )
        assert isinstance(bot, Called)
        async with (
            served(bot.web) as url,
            aiohttp.ClientSession() as session,
            Caller(url, session, bot).listening() as caller,
        ):
            yield caller
        await bot.aclose()


async def test_a_signed_event_is_answered_at_once_and_heard(caller):
    assert await caller.event() == (200, "")
    heard = await asyncio.wait_for(caller.heard.get(), 120)
    assert (heard.text, heard.chat, heard.person) == ("explain #7", CHANNEL, PERSON)


async def test_what_comes_before_the_bot_listens_is_heard_when_it_does():
    with SlackServer() as server:
        bot = create(
            Config(bot_token=BOT_TOKEN, signing_secret=SECRET, events="http", api=server.url)
        )
        async with served(bot.web) as url, aiohttp.ClientSession() as session:
            caller = Caller(url, session, bot)
            assert await caller.event() == (200, "")
            async with caller.listening(), asyncio.timeout(120):
                assert (await caller.heard.get()).text == "explain #7"
        await bot.aclose()


async def test_what_cannot_be_written_down_is_not_acknowledged(caller):
    kept, caller.bot.inbox = caller.bot.inbox, Inbox("slack", FullShelf())
    assert (await caller.event())[0] == 503
    caller.bot.inbox = kept
    assert (await caller.event())[0] == 200
    assert (await asyncio.wait_for(caller.heard.get(), 120)).text == "explain #7"


async def test_a_look_at_the_certificate_is_answered_and_is_no_command(caller):
    form = urlencode({"ssl_check": "1", "token": "x"}).encode()
    kind = "application/x-www-form-urlencoded"
    assert await caller.post(form, kind=kind) == (200, "")
    await asyncio.sleep(0.05)
    assert caller.heard.empty()


async def test_a_message_that_tells_of_url_verification_is_heard(caller):
    text = 'explain "url_verification"'
    said = {**MENTION, "event": {**MENTION["event"], "text": f"<@{BOT_USER}> {text}"}}
    assert await caller.event(said) == (200, "")
    assert (await asyncio.wait_for(caller.heard.get(), 120)).text == text


async def test_the_address_is_verified(caller):
    challenge = {"type": "url_verification", "challenge": "3eZbrw1aB"}
    status, body = await caller.event(challenge)
    assert (status, json.loads(body)) == (200, {"challenge": "3eZbrw1aB"})


async def test_a_command_and_a_button_come_as_forms(caller):
    form = {"command": "/digest", "text": "help", "team_id": TEAM, "channel_id": CHANNEL, "user_id": PERSON, "trigger_id": "1.2"}  # fmt: skip
    kind = "application/x-www-form-urlencoded"
    status, body = await caller.post(urlencode(form).encode(), kind=kind)
    assert (status, json.loads(body)) == (200, {"response_type": "in_channel"})
    pressed = {
        "type": "block_actions",
        "team": {"id": TEAM},
        "user": {"id": PERSON},
        "channel": {"id": CHANNEL},
        "container": {"message_ts": "1.1"},
        "actions": [{"action_id": "0/mute", "value": "topic: moe", "action_ts": "1.3", "type": "button", "block_id": "b"}],
    }  # fmt: skip
    body = urlencode({"payload": json.dumps(pressed)}).encode()
    assert await caller.post(body, kind=kind) == (200, "")
    async with asyncio.timeout(120):
        first, second = await caller.heard.get(), await caller.heard.get()
    assert {first.text, second.text} == {"help", "topic: moe"}
    assert {first.action, second.action} == {"", "mute"}


@pytest.mark.parametrize(
    "payload",
    [
        {"type": "event_callback", "team_id": TEAM, "event": {"type": "star_added"}},
        {"type": "event_callback", "team_id": TEAM, "event": {"type": "message", "subtype": "x"}},
        {"type": "something_new", "team_id": TEAM},
        {"type": "view_closed", "team": {"id": TEAM}, "view": {"callback_id": "x"}},
        {"type": "shortcut", "callback_id": "x", "team": {"id": TEAM}},
    ],
)
async def test_nothing_that_slack_signed_is_answered_with_an_error(caller, payload):
    assert (await caller.event(payload))[0] == 200
    await asyncio.sleep(0.05)
    assert caller.heard.empty()
    assert not caller.bot.inbox._held, "it is dealt with"


@pytest.mark.parametrize(
    "more",
    [
        {"secret": "another"},
        {"shift": -302},
        {"shift": 302},
        {"X-Slack-Request-Timestamp": "yesterday"},
        {"X-Slack-Request-Timestamp": ""},
        {"X-Slack-Signature": ""},
        {"X-Slack-Signature": "v0=" + "f" * 64},
    ],
)
async def test_what_is_not_signed_lately_gets_401_and_nothing_else(caller, more):
    assert await caller.event(**more) == (401, "")
    assert await caller.event({"type": "url_verification", "challenge": "x"}, **more) == (401, "")
    await asyncio.sleep(0.05)
    assert caller.heard.empty()


async def test_other_methods_and_giants_are_refused(caller):
    async with caller.session.get(caller.url) as answer:
        assert answer.status == 405
    assert (await caller.post(b"x" * (LARGEST + 1)))[0] == 413
    assert (await caller.post(b"\xff\xfe"))[0] == 400


async def test_what_slack_delivers_again_is_the_same_message(caller):
    await caller.event()
    await caller.event(shift=1, **{"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "timeout"})
    async with asyncio.timeout(120):
        assert await caller.heard.get() == await caller.heard.get()


async def test_a_request_that_was_recorded_gets_401_and_nothing_else(caller):
    body, stamp = json.dumps(MENTION).encode(), str(int(time.time()))
    signed = hmac.new(SECRET.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256)
    recorded = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={signed.hexdigest()}",
    }
    answers = []
    for _ in range(3):
        async with caller.session.post(caller.url, data=body, headers=recorded) as answer:
            answers.append(answer.status)
    assert answers == [200, 401, 401]
    await asyncio.sleep(0.05)
    assert caller.heard.qsize() == 1
