"""Frozen content comes back as it was."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings

from bot.platforms.base import Part
from bot.posting.frozen import freeze, thaw
from digest.document import Document
from tests.strategies import documents


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
