"""Hearing Slack through Socket Mode: the real client against a loopback server."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from contextlib import suppress
from dataclasses import replace

import pytest
import structlog
from slack_sdk.socket_mode.request import SocketModeRequest
from structlog.testing import capture_logs

from bot.chat.reply import ReplyMessage
from bot.delivery.part_sender import Patience
from bot.messaging.receiver import Called, MessageEvent, Receiver
from bot.messaging.sender import Hosted, Part, SendError, SendReason
from bot.platforms.slack import Config, create
from bot.platforms.slack.installations import OneAccount
from bot.platforms.slack.receiver import Slack
from bot.platforms.slack.socket_mode import SocketMode, Timing
from bot.platforms.slack.web_api import SlackWebApi
from bot.store.replies import MessageKey
from digest.document import Actions, Button, Document, Heading, Paragraph, Text
from tests.servers.slack import (
    APP_TOKEN,
    BOT,
    BOT_TOKEN,
    BOT_USER,
    CHANNEL,
    DIRECT,
    PERSON,
    TEAM,
    Channel,
    Fails,
    Limited,
    Refuses,
    SlackServer,
)

CALM = Timing(ping=60.0, connect=60.0, quiet=600.0, first=0.05, longest=0.2)
"""No connection is given up because a busy machine answers late."""

WATCHED = replace(CALM, ping=0.1)


@pytest.fixture
def server():
    with SlackServer() as running:
        yield running


class Ears:
    """A bot that listens, and what it heard."""

    def __init__(self, server, timing=CALM, app_token=APP_TOKEN):
        self.server = server
        self.calls = SlackWebApi(server.url)
        self.bot = Slack(self.calls, OneAccount(self.calls, BOT_TOKEN), app_token, timing)
        self.heard = []
        self.error = None

    async def __aenter__(self):
        self._task = asyncio.create_task(self._listen())
        await self.until(lambda: self.server.sockets.connections or self.error)
        return self

    async def _listen(self):
        try:
            async for incoming in self.bot.listen():
                self.heard.append(incoming)
        except SendError as error:
            self.error = error

    async def __aexit__(self, *_):
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self.bot.aclose()

    async def until(self, what, seconds=120.0):
        async with asyncio.timeout(seconds):
            while not what():
                await asyncio.sleep(0.01)

    async def hear(self, kind, payload, count=1):
        before = len(self.heard)
        self.server.sockets.deliver(kind, payload)
        await self.until(lambda: len(self.heard) >= before + count)
        return self.heard[-1]

    async def hear_nothing(self, kind, payload):
        """The payload is acknowledged and nothing comes of it; a later message does."""
        before = len(self.heard)
        self.server.sockets.deliver(kind, payload)
        await asyncio.sleep(0.05)
        await self.hear("events_api", mention("after that"))
        assert [one.text for one in self.heard[before:]] == ["after that"]
        await self.until(lambda: all(one.acked for one in self.server.sockets.envelopes))


_numbers = itertools.count()


def event(kind="message", **more):
    inner = {
        "type": kind,
        "user": PERSON,
        "channel": CHANNEL,
        "ts": f"1700000000.{next(_numbers):06}",
        **more,
    }
    return {"type": "event_callback", "team_id": TEAM, "event_id": "Ev1", "event": inner}


def mention(text, **more):
    return event("app_mention", text=f"<@{BOT_USER}> {text}", **more)


def command(text, **more):
    return {"command": "/digest", "text": text, "team_id": TEAM, "channel_id": CHANNEL, "user_id": PERSON, "trigger_id": "13.37", **more}  # fmt: skip


async def test_a_mention_is_heard_and_answered_in_its_thread(server):
    async with Ears(server) as ears:
        asked = server.say("<@U0BOT> explain #1")
        heard = await ears.hear("events_api", mention("explain &lt;#1&gt;", ts=asked.ts))
        assert (heard.text, heard.person, heard.chat) == ("explain <#1>", PERSON, CHANNEL)
        assert heard.addressed
        assert not heard.direct
        assert heard.workspace == TEAM
        await ears.bot.send(heard.chat, one_part(ears.bot, "because"), heard.receipt)
        assert server.messages[-1].thread == asked.ts


async def test_a_direct_message_is_answered_beside_it(server):
    async with Ears(server) as ears:
        heard = await ears.hear("events_api", event(text="help", channel=DIRECT, channel_type="im"))
        assert heard.direct
        await ears.bot.send(heard.chat, one_part(ears.bot, "gladly"), heard.receipt)
        assert server.messages[-1].thread == ""


async def test_a_thread_the_bot_is_in_needs_no_mention(server):
    async with Ears(server) as ears:
        posted = await ears.bot.send(CHANNEL, one_part(ears.bot, "the digest"))
        reply = event(text="and why?", thread_ts=posted.thread, channel_type="channel")
        heard = await ears.hear("events_api", reply)
        assert not heard.addressed
        assert heard.receipt.thread == posted.thread
        assert not server.called("conversations.replies")


async def test_a_thread_from_before_a_restart_is_looked_up_once(server):
    theirs = server.say("what do you think?")
    ours = server.say("something", thread="", user=BOT_USER)
    async with Ears(server) as ears:
        for _ in range(2):
            reply = event(text="go on", thread_ts=ours.ts, channel_type="channel")
            await ears.hear("events_api", reply)
        for _ in range(2):
            reply = event(text="I think so", thread_ts=theirs.ts, channel_type="channel")
            await ears.hear_nothing("events_api", reply)
        assert len(server.called("conversations.replies")) == 2


@pytest.mark.parametrize(
    "payload",
    [
        event(text="just talk", channel_type="channel"),
        event(text="beep", bot_id="B0OTHER", channel_type="im", channel=DIRECT),
        event(text="me", user=BOT_USER, bot_id=BOT, channel_type="im", channel=DIRECT),
        event(text="x", subtype="message_changed", channel_type="im", channel=DIRECT),
        event(text=f"<@{BOT_USER}> hi", channel_type="channel"),
        event("reaction_added", reaction="eyes"),
        event("tokens_revoked"),
        {"type": "event_callback", "team_id": TEAM, "event": {}},
        {"type": "event_callback", "team_id": TEAM, "event": {"type": "message"}},
        {"type": "something_new"},
    ],
)
async def test_what_is_not_for_the_bot_is_acknowledged_and_left(server, payload):
    async with Ears(server) as ears:
        await ears.hear_nothing("events_api", payload)


async def test_other_words_in_a_message_are_told_with_its_own_id(server):
    before = {"user": PERSON, "text": "explain #1", "ts": "1700000000.000100"}
    after = before | {"text": "explain #2"}
    edit = event(
        subtype="message_changed", channel_type="im", channel=DIRECT,
        message=after, previous_message=before, ts="1700000009.000100",
    )  # fmt: skip
    async with Ears(server) as ears:
        heard = await ears.hear("events_api", edit)
    assert (heard.fate, heard.id, heard.text) == (
        MessageEvent.EDITED,
        "1700000000.000100",
        "explain #2",
    )


async def test_a_message_that_is_deleted_is_told_without_words(server):
    before = {"user": PERSON, "text": "explain #1", "ts": "1700000000.000100"}
    deletion = event(
        subtype="message_deleted", channel_type="channel",
        deleted_ts=before["ts"], previous_message=before, ts="1700000009.000100",
    )  # fmt: skip
    async with Ears(server) as ears:
        heard = await ears.hear("events_api", deletion)
    assert (heard.fate, heard.id, heard.text) == (MessageEvent.DELETED, "1700000000.000100", "")


async def test_a_command_is_shown_to_all_and_answered_in_the_channel(server):
    async with Ears(server) as ears:
        heard = await ears.hear("slash_commands", command(" what changed in a < b "))
        assert heard.text == "what changed in a < b"
        (envelope,) = server.sockets.envelopes
        await ears.until(lambda: envelope.acked)
        assert envelope.acked[0][1] == {"response_type": "in_channel"}
        await ears.bot.send(heard.chat, one_part(ears.bot, "this"), heard.receipt)
        assert server.seen() == ["this"]


async def test_a_command_where_the_bot_is_no_member_is_answered_to_the_asker(server):
    async with Ears(server) as ears:
        where = f"http://127.0.0.1:{server.port}/response/r1"
        payload = command("help", channel_id="D0STRANGERS", response_url=where)
        heard = await ears.hear("slash_commands", payload)
        receipt = await ears.bot.send(heard.chat, one_part(ears.bot, "a moment"), heard.receipt)
        await ears.bot.edit(heard.chat, receipt, one_part(ears.bot, "the answer"))
        first, second = server.responses
        assert first["response_type"] == "ephemeral"
        assert not first["replace_original"]
        assert second["replace_original"]
        assert "the answer" in json.dumps(second)
        assert heard.external, "nobody knows who reads a chat that the bot is not in"


class Unrecorded:
    """Keeps nothing of what becomes of a message."""

    async def mark(self, *_):
        """Nothing."""


async def test_news_of_a_long_answer_leaves_the_address_uses_for_the_answer(server):
    async with Ears(server) as ears:
        where = f"http://127.0.0.1:{server.port}/response/r1"
        payload = command("help", channel_id="D0STRANGERS", response_url=where)
        heard = await ears.hear("slash_commands", payload)
        key = MessageKey(account="slack", chat=heard.chat, message=heard.id)
        message = ReplyMessage(ears.bot, key, Unrecorded(), Patience(), heard.receipt)
        for number in range(8):
            await message.show(Document(title="x", blocks=(Paragraph((Text(f"news {number}"),)),)))
        await message.become(Document(title="x", blocks=(Paragraph((Text("the answer"),)),)))
        assert len(server.responses) == 4
        assert server.responses[-1]["replace_original"]
        assert "the answer" in json.dumps(server.responses[-1])


async def test_a_command_from_a_shared_channel_says_so(server):
    server.channels["C0PARTNER"] = Channel("partner", external=True)
    async with Ears(server) as ears:
        heard = await ears.hear("slash_commands", command("help", channel_id="C0PARTNER"))
        assert heard.external
        heard = await ears.hear("slash_commands", command("help", trigger_id="14"))
        assert not heard.external


async def test_a_button_of_a_post_comes_back_with_its_name_and_value(server):
    buttons = (Button("Explain", "explain", "#7"), Button("Report", url="https://example.org/r"))
    async with Ears(server) as ears:
        (made,) = ears.bot.render(Document(title="t", blocks=(Actions(buttons),)))
        posted = await ears.bot.send(CHANNEL, made)
        explain, report = server.messages[0].values["blocks"][0]["elements"]

        def press(element):
            action = {k: element[k] for k in ("action_id", "value") if k in element}
            return {
                "type": "block_actions",
                "team": {"id": TEAM},
                "user": {"id": PERSON},
                "channel": {"id": CHANNEL},
                "container": {"type": "message", "message_ts": posted.message},
                "actions": [{"type": "button", "action_ts": "1700000000.5", **action}],
            }

        heard = await ears.hear("interactive", press(explain))
        assert (heard.action, heard.text) == ("explain", "#7")
        assert heard.receipt.thread == posted.message
        await ears.hear_nothing("interactive", press(report))


async def test_the_shortcut_of_a_message_brings_the_message(server):
    async with Ears(server) as ears:
        heard = await ears.hear(
            "interactive",
            {
                "type": "message_action",
                "callback_id": "explain",
                "team": {"id": TEAM},
                "user": {"id": PERSON},
                "channel": {"id": CHANNEL},
                "action_ts": "1700000001.5",
                "message": {"ts": "1.5", "text": "see <https://example.org/pull/7|#7>"},
            },
        )
        assert (heard.action, heard.text) == ("explain", "see #7 https://example.org/pull/7")
        assert heard.receipt.thread == "1.5"


async def test_the_bots_page_is_made_when_somebody_looks_at_it(server):
    async with Ears(server) as ears:
        assert isinstance(ears.bot, Hosted)

        async def page(person):
            return Document(
                title="t", blocks=(Heading(1, (Text(f"Hello {person}"),)), Paragraph((Text("."),)))
            )

        ears.bot.page = page
        opened = event("app_home_opened", tab="home")
        await ears.hear_nothing("events_api", opened)
        await ears.until(lambda: PERSON in server.homes)
        assert f"Hello {PERSON}" in json.dumps(server.homes[PERSON])


async def test_a_page_that_cannot_be_made_disturbs_nothing(server):
    async with Ears(server) as ears:

        async def page(_person):
            raise ValueError("no page")

        ears.bot.page = page
        await ears.hear_nothing("events_api", event("app_home_opened", tab="home"))
        assert server.homes == {}


async def test_a_redelivery_has_the_same_identity(server):
    async with Ears(server) as ears:
        first = await ears.hear("events_api", mention("once", ts="1700000000.9"))
        second = await ears.hear("events_api", mention("once", ts="1700000000.9"))
        assert first == second


async def test_hundreds_of_events_at_once_are_all_acknowledged(server):
    server.sockets.patience = 30
    async with Ears(server) as ears:
        for number in range(300):
            server.sockets.deliver("events_api", mention(f"{number}", ts=f"17{number:08}.1"))
        await ears.until(lambda: len(server.sockets.acks) == 300)
        await ears.until(lambda: len(ears.heard) == 300)
        assert {heard.text for heard in ears.heard} == {str(n) for n in range(300)}


async def test_a_refresh_opens_the_new_connection_before_the_old_one_is_closed(server):
    async with Ears(server) as ears:
        server.sockets.disconnect("refresh_requested", after=1.0)
        await ears.until(lambda: server.sockets.opened == 2)
        await ears.hear("events_api", mention("still here"))
        await ears.until(lambda: server.sockets.connections == 1)
        assert server.sockets.opened == 2


async def test_a_connection_that_is_cut_is_built_again(server):
    async with Ears(server, WATCHED) as ears:
        server.sockets.cut()
        await ears.until(lambda: server.sockets.opened == 2)
        await ears.hear("events_api", mention("again"))


async def test_a_connection_that_falls_silent_is_built_again(server):
    async with Ears(server, WATCHED) as ears:
        await ears.until(lambda: server.sockets.pings > 1)
        server.sockets.fall_silent()
        await ears.until(lambda: server.sockets.opened == 2)
        await ears.hear("events_api", mention("awake"))


async def test_a_connection_that_only_answers_pings_is_replaced_after_a_while(server):
    timing = Timing(ping=0.1, connect=1, quiet=0.5, first=0.05, longest=0.1)
    async with Ears(server, timing) as ears:
        await ears.until(lambda: server.sockets.opened >= 3)
        await ears.hear("events_api", mention("fine"))


async def test_a_connection_without_a_greeting_is_tried_again(server):
    server.sockets.greets = False
    timing = Timing(ping=0.1, connect=0.2, quiet=60, first=0.05, longest=0.1)
    async with Ears(server, timing) as ears:
        await ears.until(lambda: server.sockets.opened >= 2)
        server.sockets.greets = True
        await ears.hear("events_api", mention("hello"))


async def test_an_outage_is_waited_out_and_its_pause_is_kept(server):
    server.plan("apps.connections.open", Fails(), Limited(after=1), Refuses("internal_error"))
    async with Ears(server) as ears:
        await ears.hear("events_api", mention("back"))
        assert len(server.called("apps.connections.open")) == 4


async def test_a_server_that_goes_and_comes_back_is_found_again(server):
    async with Ears(server, WATCHED) as ears:
        server.go()
        await asyncio.sleep(0.3)
        server.come_back()
        await ears.until(lambda: server.sockets.connections == 1)
        await ears.hear("events_api", mention("found"))


async def test_a_refused_app_token_ends_the_listening(server):
    async with Ears(server, app_token="xapp-wrong") as ears:
        await ears.until(lambda: ears.error)
        assert ears.error.reason is SendReason.UNAUTHORIZED


async def test_no_secret_is_in_anything_that_is_told(server, caplog):
    caplog.set_level(logging.DEBUG)
    with structlog.testing.capture_logs() as told:
        async with Ears(server, WATCHED) as ears:
            server.plan("apps.connections.open", Fails(), Refuses("internal_error"))
            server.sockets.cut()
            await ears.until(lambda: server.sockets.opened == 2)
            server.sockets.fall_silent()
            await ears.until(lambda: server.sockets.opened == 3)
        async with Ears(server, app_token="xapp-wrong") as ears:
            await ears.until(lambda: ears.error)
    text = f"{told} {caplog.text} {ears.error!r}"
    assert "slack.connected" in text
    assert not any(
        secret in text for secret in (BOT_TOKEN, APP_TOKEN, "xapp-wrong", "ticket-secret")
    )


@pytest.mark.parametrize(
    "names", [("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"), ("SLACK_BOT_TOKEN",)]
)
async def test_variables_that_the_library_reads_change_nothing(server, monkeypatch, names):
    for name in names:
        monkeypatch.setenv(name, "xoxb-from-elsewhere")
    async with Ears(server) as ears:
        assert (await ears.hear("events_api", mention("me"))).text == "me"


async def test_hosts_outside_of_the_proxy_are_reached_without_it(server, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with Ears(server) as ears:
        assert (await ears.hear("events_api", mention("me"))).text == "me"
    monkeypatch.setenv("NO_PROXY", "")
    behind = create(Config(bot_token=BOT_TOKEN, api=server.url))
    with pytest.raises(SendError, match="no connection"):
        await behind.probe(CHANNEL)
    await behind.aclose()


async def test_without_an_app_token_the_bot_only_posts(server):
    sender = create(Config(bot_token=BOT_TOKEN, api=server.url))
    listener = create(Config(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api=server.url))
    assert not isinstance(sender, Receiver)
    assert isinstance(listener, Receiver)
    assert isinstance(listener, Called)
    assert listener.web is None
    assert "listens through Socket Mode" in await listener.probe(CHANNEL)
    deaf = create(Config(bot_token=BOT_TOKEN, app_token="xapp-wrong", api=server.url))
    with pytest.raises(SendError, match=r"apps\.connections\.open.*; .*connections:write"):
        await deaf.probe(CHANNEL)
    await deaf.aclose()
    listening = aiter(listener.listen())
    waiting = asyncio.ensure_future(anext(listening))
    while not server.sockets.connections:
        await asyncio.sleep(0.01)
    server.sockets.deliver("events_api", mention("hello"))
    assert (await waiting).text == "hello"
    await listening.aclose()
    await listener.aclose()


def one_part(bot, text) -> Part:
    (made,) = bot.render(Document(title=text, blocks=(Paragraph((Text(text),)),)))
    return made


async def _kept(_: str) -> None:
    """Nothing is delivered."""


async def _stalls() -> None:
    await asyncio.Event().wait()


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    async with asyncio.timeout(60):
        with suppress(asyncio.CancelledError):
            await task


async def test_connection_that_is_cancelled_while_it_ends_closes_its_sockets(server, monkeypatch):
    calls = SlackWebApi(server.url)
    connection = await SocketMode(calls, APP_TOKEN, _kept, CALM)._connect()
    session, stalled = connection.aiohttp_client_session, asyncio.Event()
    close = connection.current_session.close

    async def closed_late() -> None:
        stalled.set()
        await asyncio.sleep(0.05)
        await close()

    monkeypatch.setattr(connection.current_session, "close", closed_late)
    ending = asyncio.create_task(connection.end())
    await stalled.wait()
    await _cancelled(ending)
    assert session.closed
    await calls.aclose()


async def test_payload_whose_acknowledgement_fails_is_kept_and_the_failure_logged(server):
    class Gone:
        async def send_socket_mode_response(self, _: object) -> None:
            raise ConnectionResetError

    calls, kept = SlackWebApi(server.url), []

    async def keep(payload: str) -> None:
        kept.append(json.loads(payload))

    with capture_logs() as logs:
        request = SocketModeRequest("events_api", "e1", {"a": 1})
        await SocketMode(calls, APP_TOKEN, keep, CALM)._take(Gone(), request)
    assert kept == [{"a": 1}]
    assert [log["error"] for log in logs] == ["ConnectionResetError"]
    await calls.aclose()


async def test_new_connection_is_closed_too_when_the_old_one_ends_for_ever(server, monkeypatch):
    calls, made = SlackWebApi(server.url), []
    mode = SocketMode(calls, APP_TOKEN, _kept, CALM)
    connect, stalled = mode._connect, asyncio.Event()

    async def connected():
        made.append(await connect())
        if len(made) == 1:
            close = made[0].end

            async def end() -> None:
                stalled.set()
                await close()
                await _stalls()

            monkeypatch.setattr(made[0], "end", end)
            await made[0].connect_to_new_endpoint(force=True)
        return made[-1]

    monkeypatch.setattr(mode, "_connect", connected)
    running = asyncio.create_task(mode.run())
    await stalled.wait()
    await _cancelled(running)
    assert [one.aiohttp_client_session.closed for one in made] == [True, True]
    await calls.aclose()
