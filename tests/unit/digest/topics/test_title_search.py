"""Titles with most of the rare words of a description."""

from __future__ import annotations

import pytest

from digest.topics.title_search import has_all, search_titles

TITLES = [
    "Reject hashes of MD5 alone",
    "Add percentage based retention",
    "Tune the limit of the head block",
    "Default to the new runner for dense models",
    "Drop what stale env-vars set, and remove them",
    "Move to torch 2.13",
    "Move to torch 2.11, part 13",
    *(f"Tune the loader, part {n}" for n in range(40)),
]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("limit retention percent disk", "Add percentage based retention"),
        ("md5 only hashes choke", "Reject hashes of MD5 alone"),
        ("稠密 default runner", "Default to the new runner for dense models"),
        ("defaulting dense", "Default to the new runner for dense models"),
        ("retention percentages", "Add percentage based retention"),
        ("environment variables removed", "Drop what stale env-vars set, and remove them"),
        ("torch 2.13", "Move to torch 2.13"),
        ("runner/dense", "Default to the new runner for dense models"),
        ("retnetion percentge", "Add percentage based retention"),
        ("保留百分比 percentage", "Add percentage based retention"),
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


def test_a_title_in_the_answer_is_left_out_and_others_are_as_close():
    titles = ["Enable PGO for Linux", "Enable PGO for Windows", "Enable the moon", *TITLES]
    found = search_titles(titles, ["PGO", "platform"], 5, listed=frozenset([0]))
    assert [(match.place, match.closer) for match in found] == [(1, False)]


def test_a_message_does_not_set_a_title_in_the_answer_apart_from_others_like_it():
    titles = ["Enable PGO for Linux", "Enable PGO for Windows", "Enable the moon", *TITLES]
    bodies = ["The first of our platforms.", *("" for _ in titles[1:])]
    listed = frozenset([0])
    found = search_titles(titles, ["PGO", "platforms"], 5, listed=listed, bodies=bodies)
    assert [match.place for match in found] == [1]


def test_a_title_with_clearly_more_of_the_words_is_closer():
    titles = ["Fix the loader of groups", "Fix label mismatches in group alerts", *TITLES]
    found = search_titles(titles, ["alerts", "groups", "labels"], 5, listed=frozenset([0]))
    assert [(match.place, match.closer) for match in found] == [(1, True)]


@pytest.mark.parametrize(
    ("words", "has"),
    [
        ("loader group", True),
        ("SD", False),
        ("groups alert", False),
        ("oader group", False),
        ("", True),
    ],
)
def test_a_title_has_all_words_or_not(words, has):
    assert has_all("Fix the loader of groups", words.split()) is has


def test_a_message_finds_a_title_that_has_none_of_the_words_but_the_title_counts_more():
    titles = ["Guard the loop", "Fix the shutdown of pods", *TITLES]
    bodies = ["It burns the processor on shutdown until the pods die.", *("" for _ in TITLES), ""]
    found = search_titles(titles, ["burns", "shutdown", "pods", "die"], 5, bodies=bodies)
    assert (found[0].place, found[0].words) == (0, ("burns", "shutdown", "pods", "die"))
    found = search_titles(titles, ["shutdown", "pods"], 5, bodies=bodies)
    assert found[0].place == 1


def test_of_titles_as_near_the_newer_one_is_first_but_a_nearer_one_comes_before():
    both, one = "Fix the crash of the sampler", "Fix the crash of the relay"
    titles = [one, both, *TITLES, f"{both} that stalls"]
    found = search_titles(titles, ["crash", "sampler"], 5)
    assert [match.place for match in found] == [1, len(titles) - 1]
    found = search_titles(titles, ["crash", "sampler", "stalls"], 5)
    assert found[0].place == len(titles) - 1
