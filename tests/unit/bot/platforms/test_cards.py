"""Cards of Teams and embeds of Discord: nothing is lost, and nothing is cut smaller than needed."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from bot.messaging.wire import HttpClient
from bot.platforms.discord import markup
from bot.platforms.teams import Teams
from digest.document import Code, CodeBlock, Document, Link, Paragraph, Text


@pytest.fixture
def teams() -> Teams:
    return Teams(SecretStr("https://hook.example/x"), HttpClient())


def texts(value: object) -> list[str]:
    """Everything that stands under ``text`` in a message."""
    if isinstance(value, dict):
        own = [value["text"]] if isinstance(value.get("text"), str) else []
        return own + [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return []


def document(*spans) -> Document:
    return Document(title="t", blocks=tuple(Paragraph((span,)) for span in spans))


def test_short_paragraphs_are_one_card_and_long_ones_are_many(teams):
    (part,) = teams.render(document(Text("one"), Code("two"), Link("three", "https://a.example")))
    assert all(word in part.body for word in ("one", "two", "three", "https://a.example"))
    parts = teams.render(document(*(Text(f"{n} " + "x" * 9_000) for n in range(6))))
    assert 1 < len(parts) < 6
    assert all(len(part.body.encode()) <= teams.limit.size for part in parts)
    said = "".join("".join(texts(json.loads(part.body))) for part in parts)
    assert said.count("x") == 6 * 9_000


@pytest.mark.parametrize(
    ("sizes", "fences"), [([699], 1), ([349, 350], 1), ([349, 351], 2), ([350, 350], 2), ([800], 2)]
)
def test_code_is_fenced_in_pieces_of_at_most_seven_hundred_signs(sizes, fences):
    code = "\n".join("x" * size for size in sizes)
    parts = markup.render(Document(title="t", blocks=(CodeBlock(code),)))
    body = "".join(part.body for part in parts)
    assert body.count("```") == 2 * fences
    assert body.count("x") == sum(sizes)


def test_a_message_without_a_word_is_still_one():
    parts = markup.render(document(Text("  ")))
    assert all(part.body.strip() for part in parts)
