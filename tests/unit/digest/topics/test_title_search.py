"""Titles with most of the rare words of a description."""

from __future__ import annotations

import pytest

from digest.topics.title_search import search_titles

TITLES = [
    "Reject hashes of MD5 alone",
    "Add percentage based retention",
    "Tune the limit of the head block",
    "Default to the new runner for dense models",
    *(f"Tune the loader, part {n}" for n in range(40)),
]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("limit retention percent disk", "Add percentage based retention"),
        ("md5 only hashes choke", "Reject hashes of MD5 alone"),
        ("稠密 default runner", "Default to the new runner for dense models"),
        ("defaulting dense", "Default to the new runner for dense models"),
    ],
)
def test_the_title_with_the_rarest_words_is_first(words, title):
    found = search_titles(TITLES, words.split(), 5)
    assert TITLES[found[0].place] == title


@pytest.mark.parametrize("words", ["retention submarine", "tune loader part", "", "only rain"])
def test_one_word_alone_or_words_of_most_titles_are_no_match(words):
    assert search_titles(TITLES, words.split(), 5) == []


def test_what_has_much_less_of_the_words_is_left_out():
    titles = ["alpha beta gamma delta", "alpha beta", *(f"omega {n}" for n in range(99))]
    found = search_titles(titles, ["alpha", "beta", "gamma", "delta"], 5)
    assert [match.place for match in found] == [0]
    assert found[0].words == ("alpha", "beta", "gamma", "delta")
