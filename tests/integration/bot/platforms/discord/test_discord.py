"""Posting through a Discord webhook: nothing acts, limits are kept, answers are understood."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from pydantic import SecretStr

from bot.messaging.sender import Receipt, SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.discord import Config, Discord
from bot.platforms.discord.markup import render
from digest.document import (
    Code,
    CodeBlock,
    Document,
    Emphasis,
    Item,
    Link,
    Listing,
    Paragraph,
    Strong,
    Table,
    Text,
)
from tests.contract.test_platforms import letters, words
from tests.servers.discord import DiscordServer, see
from tests.servers.loopback import DropsAfter, Fails, Hangs
from tests.support.samples_documents import answer_en, answer_zh, digest_en, digest_zh
from tests.support.strategies import documents
from tests.support.virtual import run_in_virtual_time

GOLDEN = Path(__file__).parents[4] / "data" / "discord"
HELLO = Document(title="hello", blocks=(Paragraph((Text("hello"),)),))


@pytest.fixture
def server():
    with DiscordServer() as running:
        yield running


@pytest.fixture
async def sender(server):
    made = Discord(SecretStr(server.hook), HttpClient(patience=0.3))
    yield made
    await made.aclose()


def hello(sender):
    (part,) = sender.render(HELLO)
    return part


def shown(*spans):
    (part,) = render(Document(title="t", blocks=(Paragraph(spans),)))
    return see("", part.body)


@settings(max_examples=60, deadline=None)
@given(document=documents)
def test_what_is_seen_is_what_the_document_says(document):
    seen = [see("", part.body) for part in render(document)]
    wanted = letters("".join(words(document)))
    assert Counter(wanted) <= Counter(letters("".join(one.text for one in seen)))
    assert not [act for one in seen for act in one.acts]


@pytest.mark.parametrize(
    "text",
    [
        "@everyone @here <@123> <@&5> <#9> <:smile:1>",
        "https://evil.example [x](https://evil.example)",
        "**b** *i* __u__ ~~s~~ ||spoiler|| `c`",
        "# h",
        "-# small",
        "> quote",
        ">>> quote",
        "- item",
        "1. item",
        "a\\*b",
        "```\ncode",
        ":smile: a::b",
    ],
)
@pytest.mark.parametrize("span", [Text, Strong, Emphasis, Code])
def test_text_is_seen_as_written(span, text):
    seen = shown(span(text))
    assert letters(seen.text) == letters(text)
    assert not seen.acts
    assert not seen.links


def test_links_open_the_web_alone():
    seen = shown(Link("a [b]", "https://x.example/a_(b)"), Text(" "), Link("c", "c.md"))
    assert seen.links == [("a [b]", "https://x.example/a_%28b%29")]
    assert seen.text == "a [b] c (c.md)"


def test_marks_side_by_side_stay_apart():
    seen = shown(Strong("a"), Strong("b"), Code("c"), Code("d"))
    assert letters(seen.text) == "abcd"


def test_a_fence_in_code_does_not_end_it():
    (part,) = render(Document(title="t", blocks=(CodeBlock("a\n```\n@everyone\n```\nb"),)))
    seen = see("", part.body)
    assert not seen.acts
    assert letters(seen.text) == "a```@everyone```b"


async def test_only_a_silent_message_asks_to_notify_nobody(server, sender):
    for part in (hello(sender), replace(hello(sender), silent=True)):
        await sender.send("", part)
    assert [one.silent for one in server.messages.values()] == [False, True]


async def test_a_message_can_be_edited_and_another_cannot(server, sender):
    receipt = await sender.send("", hello(sender))
    await sender.edit("", receipt, hello(sender))
    assert server.messages[receipt.message].edits == 1
    with pytest.raises(SendError) as raised:
        await sender.edit("", Receipt(message="5/../../x"), hello(sender))
    assert raised.value.reason is SendReason.REJECTED


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Fails(400, {"code": 50035}), SendReason.REJECTED),
        (Fails(400, {"code": 99}), SendReason.REJECTED),
        (Fails(401, {"code": 50027}), SendReason.UNAUTHORIZED),
        (Fails(403, {}), SendReason.UNAUTHORIZED),
        (Fails(404, {"code": 10015}), SendReason.NO_CHANNEL),
        (Fails(404, ""), SendReason.NO_CHANNEL),
        (Fails(500, ""), SendReason.UNAVAILABLE),
        (Fails(504, ""), SendReason.NO_ANSWER),
        (Fails(301, "", {"location": "https://x.example"}), SendReason.BROKEN),
        (Fails(200, {}), SendReason.NO_ANSWER),
        (DropsAfter(), SendReason.NO_ANSWER),
        (Hangs(), SendReason.NO_ANSWER),
    ],
)
async def test_answers_have_a_reason(server, sender, act, reason):
    server.script.append(act)
    with pytest.raises(SendError) as raised:
        await sender.send("", hello(sender))
    assert raised.value.reason is reason
    assert raised.value.retry is (reason is SendReason.UNAVAILABLE)


async def test_the_wait_that_discord_asks_for_is_told_and_kept(server, sender):
    server.script.append(Fails(429, {"retry_after": 0.3, "global": False}))
    with pytest.raises(SendError) as raised:
        await sender.send("", hello(sender))
    assert (raised.value.reason, raised.value.retry_after) == (SendReason.RATE_LIMITED, 0.3)
    began = asyncio.get_running_loop().time()
    await sender.ready("")
    assert asyncio.get_running_loop().time() - began >= 0.25


async def test_when_none_are_left_the_next_one_waits():
    with DiscordServer(burst=2) as server:
        sender = Discord(SecretStr(server.hook), HttpClient())
        for _ in range(3):
            await sender.ready("")
            await sender.send("", hello(sender))
        await sender.aclose()
        assert len(server.messages) == 3


@pytest.mark.parametrize("url", ["https://evil.example/api/webhooks/1/abcdefgh", "abcdefgh"])
def test_an_address_that_is_none_is_refused_without_showing_it(url):
    with pytest.raises(ValueError, match="full address") as raised:
        Config(url=SecretStr(url))
    assert "abcdefgh" not in str(raised.value)


@pytest.mark.parametrize("make", [digest_en, digest_zh, answer_en, answer_zh])
def test_messages_are_as_the_golden_ones(make):
    messages = "\n=====\n".join(part.body for part in render(make())) + "\n"
    assert messages == (GOLDEN / f"{make.__name__}.md").read_text(encoding="utf-8")


def test_entries_with_a_sign_have_no_bullets_and_room_between():
    entry = Item((Text("🔴 Raise it"),), (Item((Text("Why."),)),))
    (part,) = render(Document(title="t", blocks=(Listing((entry, entry)),)))
    assert part.body == "🔴 Raise it\nWhy.\n\n🔴 Raise it\nWhy."


def test_several_entries_below_one_with_a_sign_have_bullets():
    below = (Item((Text("this"),)), Item((Text("that"),)))
    (part,) = render(Document(title="t", blocks=(Listing((Item((Text("🔴 it"),), below),)),)))
    assert part.body == "🔴 it\n- this\n- that"


def test_narrow_table_stands_in_columns_and_a_linked_one_in_lines():
    head = ((Text("Day"),), (Text("All"),))
    (narrow,) = render(Document(title="t", blocks=(Table(head, (((Text("1"),), (Text("36"),)),)),)))
    assert narrow.body == "```\nDay  All\n────────\n1    36\n```"
    linked = Table(head, (((Link("1", "https://x.org/1"),), (Text("36"),)),))
    (lines,) = render(Document(title="t", blocks=(linked,)))
    assert lines.body.split("\n")[1] == "- [1](https://x.org/1) · 36"


def test_posts_that_are_due_together_are_no_more_than_discord_takes():
    """Five in two seconds; waiting longer than that would delay them for nothing."""

    async def posted(loop):
        sender = Discord(SecretStr("https://discord.example/api/webhooks/1/t"), HttpClient())
        began = loop.time()
        times = []
        for _ in range(11):
            await sender.ready("")
            times.append(loop.time() - began)
        return times

    times = run_in_virtual_time(posted)
    assert all(later - one >= 2.0 for one, later in zip(times, times[4:], strict=False))
    assert times[10] == pytest.approx(5.0)
