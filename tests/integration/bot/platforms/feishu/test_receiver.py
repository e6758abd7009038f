"""Hearing Feishu's double: answered at once, deduplicated by the message, rebuilt when dead."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from bot.messaging.receiver import MessageEvent
from bot.messaging.sender import Receipt, SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.feishu.connection import SocketTiming
from bot.platforms.feishu.open_api import Api
from bot.platforms.feishu.receiver import Feishu
from digest.document import Document, Paragraph, Text
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, BOT, SECRET, presses, recalls, says
from tests.servers.loopback import answer

QUICK = SocketTiming(ping=30, first=0.02, longest=0.2, connect=2)


@pytest.fixture
def server() -> Iterator[FeishuServer]:
    with FeishuServer() as running:
        yield running


@asynccontextmanager
async def listening(server, timing=QUICK):
    """The sender, and a queue of what it heard."""
    sender = Feishu(Api(server.url, APP, SecretStr(SECRET), HttpClient(patience=2)), timing=timing)
    heard: asyncio.Queue = asyncio.Queue()

    async def listen():
        async for incoming in sender.listen():
            heard.put_nowait(incoming)

    task = asyncio.create_task(listen())
    await until(lambda: server.connections >= 1 or task.done())
    if task.done():
        await task
    try:
        yield sender, heard
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await sender.aclose()


async def until(condition, seconds=120.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


async def push(server, event, **options):
    return await asyncio.to_thread(lambda: server.push(event, **options))


async def first(heard):
    return await asyncio.wait_for(heard.get(), 120)


async def the_next(sender):
    """The first message, and no more."""
    try:
        async with aclosing(sender.listen()) as messages:
            return await anext(messages)
    finally:
        await sender.aclose()


async def test_a_mention_in_a_group_is_heard_and_answered_at_once(server):
    async with listening(server) as (_, heard):
        assert await push(server, says("@_user_1  explain #12 ")) == {"code": 200}
        incoming = await first(heard)
    assert (incoming.text, incoming.chat, incoming.person) == ("explain #12", "oc_team", "ou_ann")
    assert (incoming.id, incoming.platform, incoming.workspace) == (
        "om_in1",
        "feishu",
        "tenant-home",
    )
    assert incoming.at == datetime.fromtimestamp(1790000000.123, UTC)
    assert incoming.receipt == Receipt(message="om_in1", thread="om_in1")
    assert (incoming.direct, incoming.addressed, incoming.external) == (False, True, False)


async def test_a_direct_message_needs_no_mention_and_no_thread(server):
    async with listening(server) as (_, heard):
        await push(server, says("help", direct=True))
        incoming = await first(heard)
    assert (incoming.direct, incoming.text) == (True, "help")
    assert incoming.receipt == Receipt(message="om_in1", thread="")


async def test_mentions_of_others_become_their_names(server):
    mentions = [
        {"key": "@_user_1", "id": {"open_id": BOT}, "name": "Digest"},
        {"key": "@_user_10", "id": {"open_id": "ou_bob"}, "name": "Bob"},
    ]
    async with listening(server) as (_, heard):
        await push(server, says("@_user_1 what did @_user_10 do", message={"mentions": mentions}))
        assert (await first(heard)).text == "what did @Bob do"


async def test_a_post_is_read_line_by_line(server):
    content = {
        "title": "Question",
        "content": [
            [{"tag": "at", "user_id": "@_user_1"}, {"tag": "text", "text": " what changed"}],
            [{"tag": "a", "href": "https://x.example", "text": "here"}, {"tag": "img"}],
        ],
    }
    message = {"message_type": "post", "content": json.dumps(content)}
    async with listening(server) as (_, heard):
        await push(server, says("", message=message))
        assert (await first(heard)).text == "Question\n what changed\nhere"


@pytest.mark.parametrize(
    "event",
    [
        says("@_user_1 x", sender={"sender_type": "bot"}),
        says("@_user_1 x", sender={"sender_type": "app"}),
        says("not to the bot", message={"mentions": []}),
        says("@_user_1"),
        says("", message={"message_type": "image", "content": '{"image_key":"k"}'}),
        says("@_user_1 x", message={"content": "no json"}),
        says("@_user_1 x", message={"content": '"text"'}),
        says("@_user_1 x", message={"chat_id": None}),
        {"schema": "2.0", "header": {"event_type": "im.chat.member.bot.added_v1"}, "event": {}},
        {"header": {"event_type": "im.message.receive_v1"}, "event": {"message": []}},
        {"uuid": "v1", "event": {"type": "message"}},
        [1],
        "text",
        None,
    ],
)
async def test_what_says_nothing_to_the_bot_is_answered_and_passed_over(server, event):
    async with listening(server) as (_, heard):
        assert await push(server, event) == {"code": 200}
        await push(server, says("@_user_1 next"))
        assert (await first(heard)).text == "next"


async def test_bytes_that_are_no_frame_do_no_harm(server):
    async with listening(server) as (_, heard):
        for raw in (b"", b"\xff" * 30, b"\x0a\xff\x01x", b"\x08"):
            await asyncio.to_thread(server.write, raw)
        await push(server, says("@_user_1 next"))
        assert (await first(heard)).text == "next"


async def test_a_press_is_answered_with_a_toast_and_names_the_button(server):
    async with listening(server) as (_, heard):
        reply = await push(server, presses("explain", "#12"))
        incoming = await first(heard)
    assert reply["data"]["toast"]["type"] == "info"
    assert reply["data"]["toast"]["i18n"].keys() >= {"en_us", "zh_cn"}
    assert (incoming.action, incoming.text, incoming.id) == ("explain", "#12", "ev_1")
    assert incoming.receipt == Receipt(message="om_1", thread="om_1")
    assert incoming.at == datetime.fromtimestamp(1790000000.123456, UTC)


async def test_two_presses_are_two_and_a_redelivery_is_one(server):
    async with listening(server) as (_, heard):
        for number in ("ev_1", "ev_2", "ev_2"):
            await push(server, presses("mute", "moe", number=number))
        assert sorted([(await first(heard)).id for _ in range(3)]) == ["ev_1", "ev_2", "ev_2"]


async def test_an_event_in_pieces_is_put_together(server):
    async with listening(server) as (_, heard):
        assert await push(server, says("@_user_1 中文" + "x" * 500), pieces=3) == {"code": 200}
        assert (await first(heard)).text == "中文" + "x" * 500


async def test_people_from_outside_are_told_apart(server):
    async with listening(server) as (_, heard):
        await push(server, says("@_user_1 a", sender={"tenant_key": "tenant-other"}))
        assert (await first(heard)).external
        server.chats["oc_ext"] = {"name": "Both", "chat_mode": "group", "external": True}
        await push(server, says("@_user_1 b", message={"chat_id": "oc_ext"}))
        assert (await first(heard)).external
        server.chat_scope = False
        await push(server, says("@_user_1 c", message={"chat_id": "oc_unknown"}))
        assert (await first(heard)).external


async def test_a_press_in_a_direct_chat_is_direct(server):
    context = {"open_message_id": "om_1", "open_chat_id": "oc_p2p"}
    async with listening(server) as (_, heard):
        await push(server, presses("explain", "#1", context=context))
        incoming = await first(heard)
    assert (incoming.direct, incoming.external) == (True, False)
    assert incoming.receipt == Receipt(message="om_1", thread="")


async def test_in_a_thread_of_ours_no_mention_is_needed(server):
    said = {"mentions": [], "thread_id": "omt_1", "root_id": "om_root"}
    async with listening(server) as (sender, heard):
        (part,) = sender.render(Document(title="t", blocks=(Paragraph((Text("digest"),)),)))
        root = await sender.send("oc_team", part)
        await push(server, says("and #13?", message={**said, "root_id": root.message}))
        incoming = await first(heard)
        assert (incoming.addressed, incoming.receipt.thread) == (False, root.message)
        # Somebody's own thread, and one that nobody knows.
        stranger = server.post("oc_team", {}, sender="ou_bob")
        await push(server, says("lunch?", message={**said, "root_id": stranger.id}))
        await push(server, says("lunch?", message={**said, "root_id": "om_nowhere"}))
        # Somebody's thread in which the bot was asked to answer.
        theirs = server.post("oc_team", {}, sender="ou_bob")
        await sender.send("oc_team", part, Receipt(message=theirs.id, thread=theirs.id))
        await push(server, says("thanks", message={**said, "root_id": theirs.id}))
        assert (await first(heard)).text == "thanks"
        # One that began with a word to the bot, before this process.
        asked = server.post("oc_team", {}, sender="ou_bob")
        asked.mentions.append({"id": BOT, "key": "@_user_1"})
        await push(server, says("more", message={**said, "root_id": asked.id}))
        assert (await first(heard)).text == "more"


async def test_an_unanswered_lookup_keeps_no_other_message_waiting(server):
    real, enough = server.handle, asyncio.Event()

    async def slow(sent, request):
        if "oc_slow" in sent.path:
            await enough.wait()
        return await real(sent, request)

    server.handle = slow
    async with listening(server) as (_, heard):
        assert await push(server, says("@_user_1 slow", message={"chat_id": "oc_slow"}))
        assert await push(server, says("@_user_1 fast"))
        assert (await first(heard)).text == "fast"
        server._loop.call_soon_threadsafe(enough.set)


async def test_many_questions_of_one_chat_ask_about_it_once(server):
    async with listening(server) as (_, heard):
        for number in range(20):
            await push(server, says("@_user_1 x", number=f"om_in{number}"))
        assert {(await first(heard)).id for _ in range(20)} == {f"om_in{n}" for n in range(20)}
    assert len([sent for sent in server.sent if "/chats/" in sent.path]) == 1


# The connection


async def test_a_dropped_connection_is_opened_again(server):
    async with listening(server) as (_, heard):
        for number in range(3):
            await asyncio.to_thread(server.drop)
            await until(lambda n=number: server.connections >= n + 2)
        await push(server, says("@_user_1 still there"))
        assert (await first(heard)).text == "still there"


async def test_a_silent_connection_is_noticed_and_rebuilt(server):
    server.ping, server.deaf = 0.1, True
    async with listening(server) as (_, heard):
        await until(lambda: server.connections >= 2)
        server.ping, server.deaf = 30, False
        # What is open now may still be taken for dead, and what is pushed to it be lost.
        async with asyncio.timeout(120):
            while heard.empty():
                await push(server, says("@_user_1 back"))
                await asyncio.sleep(0.05)
        assert (await first(heard)).text == "back"


async def test_a_quiet_connection_is_pinged(server):
    async with listening(server):
        await until(lambda: server.pings)
        assert server.connections == 1


async def test_a_wrong_secret_is_told_and_not_tried_for_ever(server):
    sender = Feishu(Api(server.url, APP, SecretStr("wrong"), HttpClient()), timing=QUICK)
    with pytest.raises(SendError) as raised:
        await the_next(sender)
    assert raised.value.reason is SendReason.UNAUTHORIZED
    assert "wrong" not in str(raised.value)


async def test_too_many_connections_end_listening_with_an_error(server):
    server.refusal = (200, {"code": 1000040350, "msg": "exceed conn limit"})
    sender = Feishu(Api(server.url, APP, SecretStr(SECRET), HttpClient()), timing=QUICK)
    with pytest.raises(SendError) as raised:
        await the_next(sender)
    assert raised.value.reason is SendReason.UNAUTHORIZED


@pytest.mark.parametrize(
    "refusal",
    [
        (200, {"code": 1, "msg": "system busy"}),
        (500, "oops"),
        (200, {"code": 0, "data": {"URL": "http://evil.example"}}),
        (200, {"code": 0, "data": {"URL": "ws://127.0.0.1:1/ws?service_id=x"}}),
        (200, {"code": 0, "data": {"URL": "ws://127.0.0.1:1/ws?service_id=33"}}),
    ],
)
async def test_an_outage_is_waited_for(server, refusal):
    server.refusal = refusal
    sender = Feishu(Api(server.url, APP, SecretStr(SECRET), HttpClient(patience=2)), timing=QUICK)
    getting = asyncio.create_task(the_next(sender))
    await until(lambda: len([s for s in server.sent if "endpoint" in s.path]) >= 3)
    server.refusal = None
    await until(lambda: server.connections == 1)
    await push(server, says("@_user_1 hello"))
    assert (await asyncio.wait_for(getting, 120)).text == "hello"


@pytest.mark.parametrize(
    ("headers", "lasting"),
    [
        ({"handshake-status": "403", "handshake-msg": "no"}, True),
        ({"handshake-status": "514", "handshake-autherrcode": "1000040350"}, True),
        ({"handshake-status": "514", "handshake-autherrcode": "1"}, False),
        ({}, False),
    ],
)
async def test_a_refused_handshake_is_read(server, headers, lasting):
    async def refuse(sent, request):
        return answer("", 400, headers)

    server._connect = refuse
    sender = Feishu(Api(server.url, APP, SecretStr(SECRET), HttpClient()), timing=QUICK)
    getting = asyncio.create_task(the_next(sender))
    await until(lambda: getting.done() or len([s for s in server.sent if s.path == "/ws"]) >= 2)
    assert getting.done() is lasting
    if lasting:
        assert isinstance(getting.exception(), SendError)
    getting.cancel()
    await asyncio.gather(getting, return_exceptions=True)


async def test_five_hundred_events_at_once_are_all_answered(server):
    async with listening(server) as (_, heard):

        async def burst():
            await asyncio.gather(
                *(
                    server._push(says("@_user_1 x", number=f"om_in{n}"), 1, 120.0)
                    for n in range(500)
                )
            )

        await asyncio.to_thread(server.call, burst())
        assert len(server.answers) == 500
        assert len({(await first(heard)).id for _ in range(500)}) == 500


async def test_message_that_is_recalled_is_heard_as_deleted_and_asks_nothing(server):
    async with listening(server) as (_, heard):
        called = len(server.sent)
        told = await asyncio.to_thread(server.push, recalls(number="om_in1", chat="oc_team"))
        incoming = await asyncio.wait_for(heard.get(), 120)
        assert len(server.sent) == called
    assert told["code"] == 200
    assert (incoming.fate, incoming.id, incoming.chat) == (
        MessageEvent.DELETED,
        "om_in1",
        "oc_team",
    )
    assert (incoming.text, incoming.person, incoming.receipt) == ("", "", None)


async def test_recall_that_names_no_message_is_answered_and_not_heard(server):
    async with listening(server) as (_, heard):
        told = await asyncio.to_thread(server.push, recalls(number="", chat="oc_team"))
        assert told["code"] == 200
        await asyncio.to_thread(server.push, says("help"))
        assert (await asyncio.wait_for(heard.get(), 120)).fate is MessageEvent.SAID
