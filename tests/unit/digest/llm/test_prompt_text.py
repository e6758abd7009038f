"""What strangers wrote stays inside its fence, whatever they wrote."""

from __future__ import annotations

from hashlib import blake2s

from hypothesis import given
from hypothesis import strategies as st

from digest.llm.prompt_text import (
    Cause,
    Omission,
    fence_content,
    merge_omissions,
    visible,
    visible_lines,
)
from tests.support.strategies import HOSTILE

texts = st.one_of(st.text(max_size=200), st.sampled_from(HOSTILE))


@given(texts)
def test_the_content_cannot_hold_its_own_fence(content):
    first, *_, last = fence_content(content).split("\n")
    code = first.split()[1]
    assert (first, last) == (f"DATA {code} begins", f"DATA {code} ends")
    assert code not in content
    assert fence_content(content) == fence_content(content)


def test_a_content_that_holds_its_hash_gets_another_fence(monkeypatch):
    from digest.llm import prompt_text as fence

    known = blake2s(b"x").hexdigest()[:16]

    class Fixed:
        """A hash that the content has foreseen, the first time."""

        def __init__(self, data):
            self.data = data

        def hexdigest(self):
            return known if self.data == b"held " + known.encode() else "f" * 32

    monkeypatch.setattr(fence, "blake2s", Fixed)  # nobody can find such a text to test with
    assert fence_content(f"held {known}").startswith("DATA ffffffffffffffff begins")


@given(texts)
def test_nothing_hidden_is_left_in_what_is_shown(text):
    shown = visible(text)
    assert "\n" not in shown
    assert not any(ord(c) < 32 and c != "\t" for c in shown)
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff\x7f\x85"
    )
    assert not any(0xD800 <= ord(c) < 0xE000 for c in shown)


@given(st.lists(texts.map(lambda t: t.replace("\n", " ")), min_size=1))
def test_as_many_lines_are_shown_as_there_are(lines):
    assert len(visible_lines("\n".join(lines)).split("\n")) == len(lines)


def test_what_was_hidden_is_told():
    assert visible("a\u202eb\x00c\rd") == "a\\u{202e}b\\u{0000}c\\u{000d}d"
    assert visible("中文 é `x`\t1") == "中文 é `x`\t1"
    assert visible_lines("a\x1b[2K\n\tb") == "a\\u{001b}[2K\n\tb"
    assert visible_lines("中\u202e\nb") == "中\\u{202e}\nb"


def test_what_is_left_out_for_one_cause_is_added_up_and_each_path_told_once():
    left = [
        Omission(cause=Cause.BINARY, paths=("c",)),
        Omission(cause=Cause.SPACE, paths=("a", "b"), hunks=2, lines=7),
        Omission(cause=Cause.SPACE, paths=("b", "d"), hunks=3, lines=5),
    ]
    assert merge_omissions(left) == (
        Omission(cause=Cause.SPACE, paths=("a", "b", "d"), hunks=5, lines=12),
        left[0],
    )
