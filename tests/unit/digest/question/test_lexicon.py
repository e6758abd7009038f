"""Tests of digest/question/lexicon.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.question.lexicon import alike, correct_word

WORDS = st.text("abc", max_size=6)


def distance(left: str, right: str) -> int:
    """The optimal string alignment distance by its definition."""
    if not left or not right:
        return len(left) + len(right)
    found = [
        distance(left[1:], right) + 1,
        distance(left, right[1:]) + 1,
        distance(left[1:], right[1:]) + (left[0] != right[0]),
    ]
    if len(left) > 1 and left[:2] == right[1::-1]:
        found.append(distance(left[2:], right[2:]) + 1)
    return min(found)


@given(WORDS, WORDS, st.integers(0, 2))
def test_words_are_alike_up_to_so_many_mistakes(left: str, right: str, most: int) -> None:
    assert alike(left, right, most) == (distance(left, right) <= most)


@pytest.mark.parametrize(
    ("word", "cue"),
    [
        ("chagned", "changed"),
        ("chxxged", "chxxged"),
        ("deprecatde", "deprecated"),
        ("xhanged", "xhanged"),
        ("zebrafish", "zebrafish"),
        ("weak", "weak"),
        ("chang3d", "chang3d"),
        ("深深深深深", "深深深深深"),
    ],
)
def test_a_misspelt_cue_word_is_mended_and_an_unknown_word_is_not(word: str, cue: str) -> None:
    assert correct_word(word) == cue
