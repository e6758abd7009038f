"""A reply read while it comes: whole entries only, in their order, however it is cut."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from digest.llm.reply import PartialReply

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)

entries = st.lists(st.dictionaries(st.text(max_size=4), values, max_size=3), max_size=4)

replies = st.dictionaries(
    st.sampled_from(["summary", "impact", "risks", "importance"]),
    entries | values,
    max_size=4,
)


def read(text: str, size: int) -> list[tuple[str, dict]]:
    unfolding = PartialReply()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [found for piece in pieces for found in unfolding.feed(piece)]


def expected(reply: dict) -> list[tuple[str, dict]]:
    return [
        (section, entry)
        for section, value in reply.items()
        if isinstance(value, list)
        for entry in value
        if isinstance(entry, dict)
    ]


@given(replies, st.integers(1, 40), st.booleans())
def test_every_entry_comes_once_however_the_reply_is_cut(reply, size, ascii_) -> None:
    text = json.dumps(reply, ensure_ascii=ascii_)
    assert read(text, size) == expected(reply)


def test_words_around_the_reply_are_passed_over() -> None:
    assert read('Here ] you "go: {"summary": [{"text": "A."}]} Done.', 3) == [
        ("summary", {"text": "A."})
    ]


def test_an_entry_that_breaks_off_is_never_told() -> None:
    text = '{"summary": [{"text": "A."}, {"text": "B'
    assert read(text, 1) == [("summary", {"text": "A."})]


@given(st.text(), st.integers(1, 9))
def test_anything_at_all_can_be_fed(text: str, size: int) -> None:
    assert all(isinstance(entry, dict) for _, entry in read(text, size))
