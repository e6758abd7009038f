"""Frozen content comes back as it was."""

from __future__ import annotations

from hypothesis import given, settings

from bot.frozen import freeze, thaw
from bot.platforms.base import Part
from tests.strategies import documents


@settings(max_examples=60, deadline=None)
@given(documents)
def test_thaw_gives_back_what_was_frozen(document):
    parts = (Part(text="a\n", body="\x1b[1ma"), Part(text="中", body="{}"))
    frozen = thaw(freeze(document, parts))
    assert frozen.document == document
    assert frozen.parts == parts
