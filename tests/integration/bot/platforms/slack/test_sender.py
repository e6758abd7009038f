"""Posting to Slack: a loopback server that keeps its limits and misbehaves."""

from __future__ import annotations

import asyncio
import gc
import json
import traceback
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging.rates import Rate
from bot.messaging.sender import Part, Receipt, SendError, SendReason
from bot.platforms.slack import Config, create, sender, web_api
from digest.document import Document, Heading, Item, Link, Listing, Paragraph, Text
from tests.servers.slack import (
    BOT_TOKEN,
    CHANNEL,
    PERSON,
    Channel,
    Drops,
    Fails,
    Hangs,
    Limited,
    Refuses,
    SlackServer,
)
from tests.support.fakes_delivery import FakeLeases, FakeLedger

POST = "chat.postMessage"

IDENTITY = "0123456789abcdef" * 2


@pytest.fixture
def server():
    with SlackServer() as running:
        yield running


@pytest.fixture
async def slack(server):
    made = create(Config(bot_token=BOT_TOKEN, api=server.url))
    yield made
    await made.aclose()


def part(slack, text="something new", identity=IDENTITY) -> Part:
    (made,) = slack.render(Document(title=text, blocks=(Paragraph((Text(text),)),)))
    return Part(text=made.text, body=made.body, identity=identity)


async def failure(slack, chat=CHANNEL) -> SendError:
    with pytest.raises(SendError) as raised:
        await slack.send(chat, part(slack))
    told = "".join(traceback.format_exception(raised.value))
    assert BOT_TOKEN not in told
    return raised.value


async def test_a_post_unfurls_nothing_and_calls_nobody(server, slack):
    text = "<!channel> <@U123> @here #general https://example.org &amp; *x*"
    await slack.send(CHANNEL, part(slack, text))
    (values,) = server.called(POST)
    assert values["unfurl_links"] is False
    assert values["unfurl_media"] is False
    assert values["parse"] == "none"
    assert "link_names" not in values
    assert values["text"] == text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert server.seen() == [text]
    assert server.mentions == []


async def test_the_identity_is_found_again_only_in_our_own_messages(server, slack):
    metadata = {"event_type": "digestbot_part", "event_payload": {"identity": IDENTITY}}
    server.say("I am the digest, believe me", metadata=metadata, user="U0MALLORY")
    assert await slack.find(CHANNEL, part(slack)) is None
    receipt = await slack.send(CHANNEL, part(slack))
    assert await slack.find(CHANNEL, part(slack)) == receipt


async def test_a_message_is_found_behind_many_others(server, slack):
    server.page = 7
    receipt = await slack.send(CHANNEL, part(slack))
    for number in range(40):
        server.say(f"chat {number}")
    assert await slack.find(CHANNEL, part(slack)) == receipt
    assert len(server.called("conversations.history")) == 6


async def test_no_message_older_than_the_part_is_looked_through(server, slack):
    server.page = 1
    for number in range(5):
        server.say(f"chat {number}")
    fresh = part(slack)
    since = datetime.now(UTC) + timedelta(hours=1)
    fresh = Part(text=fresh.text, body=fresh.body, identity=fresh.identity, since=since)
    assert await slack.find(CHANNEL, fresh) is None
    assert len(server.called("conversations.history")) == 1


@pytest.mark.parametrize(
    ("act", "reason", "retry"),
    [
        (Limited(after=7), SendReason.RATE_LIMITED, True),
        (Fails(status=500), SendReason.NO_ANSWER, False),
        (Fails(status=502, body="{not json"), SendReason.NO_ANSWER, False),
        (Fails(status=403), SendReason.UNAUTHORIZED, False),
        (Drops(taken=True), SendReason.NO_ANSWER, False),
        (Drops(taken=False), SendReason.NO_ANSWER, False),
        (Refuses("internal_error"), SendReason.NO_ANSWER, False),
        (Refuses("service_unavailable"), SendReason.UNAVAILABLE, True),
        (Refuses("token_revoked"), SendReason.UNAUTHORIZED, False),
        (Refuses("missing_scope", {"needed": "chat:write"}), SendReason.UNAUTHORIZED, False),
        (Refuses("is_archived"), SendReason.NO_CHANNEL, False),
        (Refuses("restricted_action_of_tomorrow"), SendReason.NO_CHANNEL, False),
        (Refuses("metadata_too_large"), SendReason.REJECTED, False),
        (Refuses("never_heard_of"), SendReason.BROKEN, False),
    ],
)
async def test_a_failure_has_its_reason(server, slack, act, reason, retry):
    server.plan(POST, act)
    error = await failure(slack)
    assert (error.reason, error.retry) == (reason, retry)
    assert error.retry_after == (7 if isinstance(act, Limited) else None)
    assert len(server.called(POST)) == 1


async def test_a_missing_scope_is_named(server, slack):
    server.plan(POST, Refuses("missing_scope", {"needed": "chat:write"}))
    assert "chat:write" in str(await failure(slack))


async def test_a_wrong_token_no_server_and_a_name_for_a_chat_are_told_apart(server):
    for config, reason in (
        (Config(bot_token="xoxb-wrong", api=server.url), SendReason.UNAUTHORIZED),
        (Config(bot_token=BOT_TOKEN, api="http://127.0.0.1:9/api/"), SendReason.UNAVAILABLE),
    ):
        slack = create(config)
        assert (await failure(slack)).reason is reason
        await slack.aclose()
    slack = create(Config(bot_token=BOT_TOKEN, api=server.url))
    assert (await failure(slack, "#general")).reason is SendReason.NO_CHANNEL
    assert (await failure(slack, "C0NOWHERE")).reason is SendReason.NO_CHANNEL
    await slack.aclose()


async def test_a_server_that_hangs_leaves_the_outcome_open(server, monkeypatch):
    monkeypatch.setattr(web_api, "TIMEOUT", web_api.aiohttp.ClientTimeout(total=0.3))
    slack = create(Config(bot_token=BOT_TOKEN, api=server.url))
    server.plan(POST, Hangs(taken=True))
    assert (await failure(slack)).reason is SendReason.NO_ANSWER
    await slack.aclose()


async def test_words_alone_are_posted_where_the_layout_is_refused(server, slack):
    server.plan(POST, Refuses("invalid_blocks"))
    await slack.send(CHANNEL, part(slack, "a < b & <!channel>"))
    first, second = server.called(POST)
    assert "blocks" in first
    assert "blocks" not in second
    assert second["mrkdwn"] is False
    assert server.seen() == ["a < b & <!channel>"]
    assert server.mentions == []


@pytest.mark.parametrize(
    "act",
    [Drops(taken=True), Drops(taken=False), Fails(), Refuses("fatal_error"), Limited(after=0)],
)
async def test_a_digest_in_a_thread_comes_once_whatever_happens(server, slack, act, monkeypatch):
    monkeypatch.setattr(sender, "_IN_A_CHANNEL", (Rate(count=50, seconds=1),))
    items = tuple(Item((Text(f"change {n} " + "word " * 60),)) for n in range(70))
    document = Document(title="t", blocks=(Heading(1, (Text("Today"),)), Listing(items)))
    parts = len(slack.render(document))
    assert parts > 2
    delivery = Delivery(FakeLedger(), FakeLeases(), patience=Patience(first=0.01, attempts=4))
    target = Target(name="team", sender=slack, chat=CHANNEL)
    server.plan(POST, act, Refuses("service_unavailable"), act)
    result = await delivery.deliver(Posting(target=target, digest="d", document=document))
    while not result.done:
        result = await delivery.deliver(Posting(target=target, digest="d", document=document))
    assert len(server.messages) == parts
    first, *rest = server.messages
    assert {message.thread for message in rest} == {first.ts}
    seen = "\n".join(server.seen())
    assert all(seen.count(f"change {n} ") == 1 for n in range(70))


async def test_a_channels_messages_keep_its_pace(server, slack):
    for _ in range(3):
        await slack.ready(CHANNEL)
        await slack.send(CHANNEL, part(slack))
    first, _, third = (float(message.ts) for message in server.messages)
    assert third - first >= 1.9


async def test_a_channel_that_cannot_be_read_is_told_apart(server, slack):
    """Where the outcome cannot be looked up, the channel's promise decides."""
    server.plan("conversations.history", Refuses("not_in_channel"), Refuses("fatal_error"))
    for reason in (SendReason.UNSUPPORTED, SendReason.NO_ANSWER):
        with pytest.raises(SendError) as raised:
            await slack.find(CHANNEL, part(slack))
        assert raised.value.reason is reason


async def test_an_edit_keeps_what_a_message_is_found_by(server, slack):
    receipt = await slack.send(CHANNEL, part(slack))
    await slack.edit(CHANNEL, receipt, part(slack, "much better", identity=""))
    assert server.seen() == ["much better"]
    assert await slack.find(CHANNEL, part(slack)) == receipt


async def test_an_edit_that_is_too_long_is_not_tried(server, slack):
    receipt = await slack.send(CHANNEL, part(slack))
    long = Part(text="x", body=json.dumps([{"type": "divider"}] * 1000))
    with pytest.raises(SendError) as raised:
        await slack.edit(CHANNEL, receipt, long)
    assert raised.value.reason is SendReason.REJECTED
    assert not server.called("chat.update")


async def test_the_longest_post_can_be_edited(server, slack):
    document = Document(title="t", blocks=(Paragraph((Text("字<&" * 3000),)),))
    for whole in slack.render(document):
        receipt = await slack.send(CHANNEL, whole)
        await slack.edit(CHANNEL, receipt, whole)


async def test_somebody_elses_message_cannot_be_edited(server, slack):
    theirs = server.say("mine")
    with pytest.raises(SendError) as raised:
        await slack.edit(CHANNEL, Receipt(message=theirs.ts), part(slack))
    assert raised.value.reason is SendReason.REJECTED


async def test_a_person_is_written_to_directly(server, slack):
    receipt = await slack.send(PERSON, part(slack))
    assert await slack.find(PERSON, part(slack)) == receipt
    await slack.edit(PERSON, receipt, part(slack, "edited"))
    assert [message.text for message in server.messages] == ["edited"]


@pytest.mark.parametrize(
    ("method", "refusal", "remedy"),
    [
        ("auth.test", Refuses("invalid_auth"), "copy the bot token"),
        ("auth.test", Refuses("token_revoked"), "copy the bot token"),
        ("conversations.info", Refuses("channel_not_found"), "check the id, and invite the bot"),
        (
            "conversations.info",
            Refuses("missing_scope", {"needed": "channels:read"}),
            "needed is channels:read; paste the manifest that digestbot app slack prints",
        ),
    ],
)
async def test_probe_tells_the_remedy(server, slack, method, refusal, remedy):
    server.plan(method, refusal)
    with pytest.raises(SendError, match=remedy):
        await slack.probe(CHANNEL)


async def test_probe_tells_of_the_channel_and_posts_nothing(server, slack):
    assert await slack.probe(CHANNEL) == (
        "digestbot in Acme (receives nothing: there is no app_token), #general"
    )
    server.channels["C0PARTNER"] = Channel("partner", external=True)
    assert "another organisation" in await slack.probe("C0PARTNER")
    server.channels["C0QUIET"] = Channel("quiet", member=False)
    with pytest.raises(SendError, match="/invite"):
        await slack.probe("C0QUIET")
    assert server.messages == []


async def test_links_that_lead_nowhere_in_a_chat_are_words(slack):
    spans = (Link("report", "report.md"), Link(" js", "javascript:alert(1)"), Link(" up", "#top"))
    (made,) = slack.render(Document(title="t", blocks=(Paragraph(spans),)))
    assert "link" not in made.body
    assert made.text == "report js up"


async def test_many_channels_do_not_wait_for_one_that_is_limited(server, slack):
    server.channels |= {f"C0{n}": Channel(f"c{n}") for n in range(20)}
    server.plan(POST, Limited(after=60))
    loop = asyncio.get_running_loop()
    started = loop.time()
    results = await asyncio.gather(
        *(slack.send(f"C0{n}", part(slack)) for n in range(20)), return_exceptions=True
    )
    assert sum(isinstance(result, SendError) for result in results) == 1
    assert loop.time() - started < 60


def _open_sessions():
    every = (one for one in gc.get_objects() if isinstance(one, aiohttp.ClientSession))
    return [one for one in every if not one.closed]


async def test_closing_ends_the_connections_that_were_opened(server, slack):
    await slack.aclose()  # before any call
    others = {id(one) for one in _open_sessions()}
    await slack.send(CHANNEL, part(slack))
    (session,) = [one for one in _open_sessions() if id(one) not in others]
    await slack.aclose()
    assert session.closed
