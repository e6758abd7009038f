"""Messages of Discord: as much in each as it takes, counted as Discord counts."""

from __future__ import annotations

import pytest

from bot.platforms.discord.markup import MOST, render
from digest.document import Document, Item, Listing, Paragraph, Quote, Text


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("last", "messages"),
    [
        ("a" * 685, 1),
        ("a" * 686, 2),
        ("😀" * 342 + "a", 1),
        ("😀" * 343, 2),
    ],
)
def test_message_is_filled_to_what_discord_takes(last, messages):
    texts = ["b" * 680] * 5 + [last]
    blocks = tuple(Paragraph((Text(text),)) for text in texts)
    parts = render(Document(title="t", blocks=blocks))
    assert len(parts) == messages
    assert units(parts[0].body) == (MOST - 1 if messages == 1 else 5 * 680 + 9)
    assert "".join(part.text for part in parts).replace("\n", "") == "".join(texts)


def test_each_line_of_a_long_quote_is_quoted_and_a_mark_of_an_item_stands_once():
    long = (Text("word " * 200),)
    (quote,) = render(Document(title="t", blocks=(Quote((long,)),)))
    assert [line[:6] for line in quote.body.splitlines()] == ["> word"] * 2
    (item,) = render(Document(title="t", blocks=(Listing((Item(long),)),)))
    assert [line[:6] for line in item.body.splitlines()] == ["- word", "word w"]
