"""Cards posted to a workflow of Microsoft Teams."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from bot.messaging.sender import SendError, SendReason
from bot.messaging.wire import HttpClient
from bot.platforms.teams import Teams
from digest.document import Code, Document, Item, Link, Listing, Paragraph, Text
from tests.servers.loopback import Breaks, DropsAfter, Fails
from tests.servers.teams import TeamsServer, see
from tests.support.samples_documents import digest_en


def a_sender(server):
    return Teams(SecretStr(server.hook), HttpClient(patience=0.5))


def paragraphs(count):
    blocks = tuple(Paragraph((Text(f"{n} " + "数" * 900),)) for n in range(count))
    return Document(title="t", blocks=blocks, language="zh")


async def test_digest_is_one_card_whose_links_go_to_the_changes():
    with TeamsServer() as server:
        sender = a_sender(server)
        (part,) = sender.render(digest_en())
        await sender.send("", part)
        await sender.aclose()
    (card,) = server.cards
    assert ("#812", "https://forge.example/acme/engine/pull/812") in card.links
    assert "#812 Drop idle experts from the routing table" in card.text


def test_markup_of_others_is_only_text():
    hostile = "**bold** [here](https://evil.example) <at>everyone</at> # h"
    document = Document(title="t", blocks=(Paragraph((Text(hostile), Code("`x`"))),))
    with TeamsServer() as server:
        (part,) = a_sender(server).render(document)
    card = see(json.loads(part.body))
    assert card.text == f"{hostile}`x`"
    assert card.links == []


async def test_long_digest_is_several_cards_each_small_enough():
    with TeamsServer() as server:
        sender = a_sender(server)
        parts = sender.render(paragraphs(30))
        assert len(parts) > 3
        for part in parts:
            await sender.ready("")
            await sender.send("", part)
        await sender.aclose()
    assert [int(line.split()[0]) for card in server.cards for line in card.lines] == [*range(30)]


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Fails(429, "", {"retry-after": "7"}), SendReason.RATE_LIMITED),
        (Fails(502), SendReason.NO_ANSWER),
        (Fails(400), SendReason.REJECTED),
        (Fails(404), SendReason.NO_CHANNEL),
        (Breaks(), SendReason.NO_ANSWER),
        (DropsAfter(), SendReason.NO_ANSWER),
    ],
)
async def test_failures_are_classified(act, reason):
    with TeamsServer(act) as server:
        sender = a_sender(server)
        (part,) = sender.render(digest_en())
        with pytest.raises(SendError) as raised:
            await sender.send("", part)
        await sender.aclose()
    assert raised.value.reason is reason
    assert raised.value.retry_after == (7 if reason is SendReason.RATE_LIMITED else None)


def test_nested_entries_are_indented():
    listing = Listing((Item((Text("outer"),), (Item((Link("inner", "https://example.com/"),)),)),))
    with TeamsServer() as server:
        (part,) = a_sender(server).render(Document(title="t", blocks=(listing,)))
    assert see(json.loads(part.body)).lines == ["• outer", "\u2003• inner"]
