"""Frozen content comes back as it was."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given, settings

from bot.delivery.payload import freeze, messages, thaw
from bot.messaging.sender import Part, Receipt
from digest.document import Document
from tests.support.strategies import documents


@settings(max_examples=60, deadline=None)
@given(documents)
def test_thaw_gives_back_what_was_frozen(document):
    parts = (Part(text="a\n", body="\x1b[1ma"), Part(text="中", body="{}"))
    frozen = thaw(freeze(document, parts))
    assert frozen.document == document
    assert frozen.parts == parts


def test_parts_remember_when_they_were_frozen():
    at = datetime(2026, 1, 23, 9, 0, 1, tzinfo=UTC)
    document = Document(title="t", blocks=())
    (part,) = thaw(freeze(document, [Part(text="a", body="b")], at)).parts
    assert part == Part(text="a", body="b", since=at)


@settings(max_examples=60, deadline=None)
@given(documents, documents)
def test_blocks_that_documents_share_are_frozen_in_each(one, other):
    joined = Document(title="t", blocks=(*one.blocks, *other.blocks), language="zh")
    for document in (one, other, joined, one):
        assert thaw(freeze(document, (), details=joined)).document == document
        assert thaw(freeze(document, (), details=joined)).details == joined


def test_messages_are_read_without_the_documents():
    at = datetime(2026, 1, 23, 9, tzinfo=UTC)
    thread = Receipt(message="1.5")
    document = Document(title="t", blocks=())
    parts = [Part(text="a", body="b"), Part(text="c", body="d")]
    content = freeze(
        document, parts[:1], at, thread, repository="a/b", details=document, following=parts[1:]
    )
    sent, whole = messages(content), thaw(content)
    assert sent.parts == whole.parts == tuple(replace(one, since=at) for one in parts)
    assert (sent.thread, sent.repository) == (whole.thread, whole.repository) == (thread, "a/b")
