"""Tests of digest/question/lexicon.py."""

from __future__ import annotations

import pytest

from digest.question.lexicon import correct_word


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
