"""Tests of digest/question/lexicon.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from digest.core.patterns import read_table
from digest.question import lexicon
from digest.question.lexicon import correct_word, says


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


@pytest.mark.parametrize(
    ("text", "phrase", "contained"),
    [
        ("Was it reverted", "yes_or_no", True),
        ("这个还在", "yes_or_no", True),
        ("who reverted it", "yes_or_no", False),
        ("WHICH RELEASE has it", "which_release", True),
    ],
)
def test_a_phrase_is_found_in_any_case_and_in_both_languages(text, phrase, contained):
    assert says(text, phrase) is contained


def test_every_phrase_of_the_table_is_asked_for_by_a_rule():
    sources = Path(lexicon.__file__).parent.glob("*.py")
    asked = set(re.findall(r'"(\w+)"', "".join(one.read_text("utf-8") for one in sources)))
    assert set(read_table("digest.question", "cues.toml")["phrases"]) <= asked


def test_no_list_of_cues_names_a_wording_twice():
    for tag, listed in read_table("digest.question", "cues.toml")["cues"].items():
        wordings = [one.strip() for one in listed.split(",")]
        assert sorted({one for one in wordings if wordings.count(one) > 1}) == [], tag
