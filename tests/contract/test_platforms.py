"""The tests that every platform passes: every module of platforms is found and tested."""

from __future__ import annotations

import inspect
import re
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings

from bot import platforms
from bot.delivery.payload import freeze, thaw
from bot.messaging.rates import Pace
from bot.messaging.sender import Ability, Bounded, Part, Receipt, SendError, SendReason
from bot.util.sanitize import legible
from bot.util.section import Settings
from digest.document import (
    Actions,
    CodeBlock,
    Document,
    Heading,
    Image,
    Item,
    Listing,
    Paragraph,
    Quote,
    Spans,
    Table,
    Text,
)
from tests.contract.bench import Bench, bench_of
from tests.support.strategies import documents

KINDS = platforms.kinds()
HELLO = Document(title="hello", blocks=(Paragraph((Text("hello <&> `world`"),)),))


@pytest.fixture(params=KINDS)
async def bench(request, tmp_path) -> AsyncIterator[Bench]:
    made = bench_of(request.param, tmp_path)
    try:
        yield made
    finally:
        for sender in (made.sender, *made.broken):
            await sender.aclose()
        made.close()


def test_the_console_is_among_the_platforms():
    assert "console" in KINDS
    assert "base" not in KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_platform_file_has_its_settings_and_a_maker(kind):
    module = platforms.load(kind)
    assert issubclass(module.Config, Settings)
    assert module.Config.model_fields["kind"].default == kind
    assert module.Config.model_config["extra"] == "forbid"
    assert list(inspect.signature(module.create).parameters) == ["config"]
    assert module.__doc__


@pytest.mark.parametrize("kind", KINDS)
def test_a_platform_file_names_no_other_platform(kind):
    place = Path(inspect.getsourcefile(platforms.load(kind)))
    files = place.parent.rglob("*.py") if place.name == "__init__.py" else [place]
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    imported = re.findall(r"^\s*(?:from|import) bot\.platforms\.(\w+)", source, re.MULTILINE)
    assert set(imported) <= {"base", kind}


def test_reasons_are_a_closed_set():
    assert set(SendReason) == {
        "rate_limited", "unavailable", "no_answer", "unauthorized", "no_channel", "rejected",
        "unsupported", "broken",
    }  # fmt: skip


def test_limits_say_where_they_come_from(bench):
    limit = bench.sender.limit
    assert limit.source
    assert limit.size is None or limit.source.startswith("https://")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(document=documents)
def test_any_document_renders_within_the_limit_and_loses_no_text(bench, document):
    parts = bench.sender.render(document)
    assert parts
    assert all(bench.sender.limit.holds(part) for part in parts)
    assert all(bench.inert(part.body) for part in parts)
    said = letters("".join(part.text for part in parts))
    wanted = letters("".join(words(document)))
    assert Counter(wanted) <= Counter(said)
    if not any(isinstance(block, Table) for block in document.blocks):
        # Cells of a table may be woven into each other; everything else keeps its order.
        rest = iter(said)
        assert all(letter in rest for letter in wanted)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(document=documents)
def test_rendering_is_pure_and_can_be_frozen(bench, document):
    parts = bench.sender.render(document)
    assert bench.sender.render(document) == parts
    assert thaw(freeze(document, parts)).parts == parts
    assert not any(part.identity for part in parts)


async def test_send_shows_the_text_and_gives_a_receipt(bench):
    (part,) = bench.sender.render(HELLO)
    receipt = await bench.sender.send(bench.chat, part)
    assert receipt.message
    assert Receipt.parse(receipt.dump()) == receipt
    assert "hello <&> `world`" in bench.seen()[-1]


async def test_digests_leave_the_turns_that_are_spared_for_answers(bench, monkeypatch):
    if not isinstance(bench.sender, Bounded):
        return
    asked = []

    async def turn(_self, _chat, _rates, *, answer=False, **_):
        asked.append(answer)

    monkeypatch.setattr(Pace, "turn", turn)
    await bench.sender.ready(bench.chat)
    await bench.sender.ready(bench.chat, answer=True)
    assert asked == sorted(asked)
    assert asked.count(True) == asked.count(False) > 0


async def test_what_a_platform_cannot_do_it_says(bench):
    part = Part(text="x", body="x", identity="0" * 32)
    for ability, call in (
        (Ability.EDIT, lambda: bench.sender.edit(bench.chat, Receipt(message="1"), part)),
        (Ability.FIND, lambda: bench.sender.find(bench.chat, part)),
    ):
        if ability not in bench.sender.abilities:
            with pytest.raises(SendError) as raised:
                await call()
            assert raised.value.reason is SendReason.UNSUPPORTED


async def test_what_was_sent_is_found_by_its_identity(bench):
    if Ability.FIND not in bench.sender.abilities:
        pytest.skip("this platform cannot find its messages")
    (part,) = bench.sender.render(HELLO)
    named = Part(text=part.text, body=part.body, identity="a" * 32)
    assert await bench.sender.find(bench.chat, named) is None
    receipt = await bench.sender.send(bench.chat, named)
    assert await bench.sender.find(bench.chat, named) == receipt


async def test_what_was_sent_in_a_thread_is_found_there(bench):
    if not {Ability.FIND, Ability.THREAD} <= bench.sender.abilities:
        pytest.skip("this platform cannot find its messages, or has no threads")
    (part,) = bench.sender.render(HELLO)
    root = await bench.sender.send(bench.chat, part)
    named = Part(text=part.text, body=part.body, identity="b" * 32)
    assert await bench.sender.find(bench.chat, named, root) is None
    receipt = await bench.sender.send(bench.chat, named, root)
    assert receipt.thread == root.thread
    assert await bench.sender.find(bench.chat, named, root) == receipt


async def test_an_edit_puts_another_text_in_the_place(bench):
    if Ability.EDIT not in bench.sender.abilities:
        pytest.skip("this platform cannot edit")
    (part,) = bench.sender.render(HELLO)
    receipt = await bench.sender.send(bench.chat, part)
    before = len(bench.seen())
    (other,) = bench.sender.render(Document(title="o", blocks=(Paragraph((Text("other"),)),)))
    assert await bench.sender.edit(bench.chat, receipt, other) == receipt
    assert len(bench.seen()) == before
    assert "other" in bench.seen()[-1]
    assert "hello" not in bench.seen()[-1]


async def test_failures_are_classified_and_tell_no_secret(bench):
    (part,) = bench.sender.render(HELLO)
    assert bench.broken
    for sender in bench.broken:
        with pytest.raises(SendError) as raised:
            await sender.send(bench.chat, part)
        assert isinstance(raised.value.reason, SendReason)
        told = "".join(traceback.format_exception(raised.value))
        assert not any(secret in told for secret in bench.secrets)


async def test_probe_sends_nothing(bench):
    before = list(bench.seen())
    assert await bench.sender.probe(bench.chat)
    assert list(bench.seen()) == before


@pytest.mark.parametrize("kind", KINDS)
def test_secrets_of_a_platform_are_of_the_secret_type(kind):
    model = platforms.load(kind).Config
    named = [
        name for name in get_type_hints(model) if re.search("secret|token|password|key$", name)
    ]
    assert set(named) <= set(model.secret_fields())


def letters(text: str) -> str:
    return "".join(char for char in legible(text) if not char.isspace())


def words(document: Document) -> Iterator[str]:
    """Every word of the document, block by block."""
    for block in document.blocks:
        match block:
            case Heading(spans=spans) | Paragraph(spans=spans):
                yield joined(spans)
            case Listing(items=items):
                yield from map(item_words, items)
            case Table(header=header, rows=rows):
                if rows or header:
                    yield from map(joined, header)
                for row in rows:
                    yield from map(joined, row)
            case Quote(paragraphs=paragraphs):
                yield from map(joined, paragraphs)
            case CodeBlock(text=text):
                yield text
            case Actions(buttons=buttons):
                yield from (button.label for button in buttons)
            case Image(alt=alt):
                yield alt


def item_words(item: Item) -> str:
    return joined(item.spans) + "".join(map(item_words, item.children))


def joined(spans: Spans) -> str:
    return "".join(span.text for span in spans)
