"""Which questions ask for a list of changes or a search, and what they ask for."""

from __future__ import annotations

import re

import pytest

from digest.question.intent import Again, Changed, Search, Unknown
from digest.question.parser import parse, read
from digest.question.questions import format_intent
from digest.question.slot_values import Background
from tests.unit.digest.question.test_reading import NOW, ZONE

INDEX = frozenset({"fp8", "marlin", "memory", "pool", "scheduler"})


def meant(question: str, words: frozenset[str] | None = None) -> str:
    """The command that a question stands for, with days as month-day and no period by default."""
    asked = format_intent(read(question, NOW, ZONE, Background(words=words)).intent)
    asked = re.sub(r"2026-0?(\d+)-0?(\d+)T00:00:00Z", r"\1-\2", asked)
    return asked.removesuffix(" 8-11..2026-08-17T20:00:00Z")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ('"Fix the scheduler deadlock"', 'search "Fix the scheduler deadlock"'),
        ('"scheduler deadlock"', ""),  # too short for a title
        ('find "out of memory" and oom killer', 'search "out of memory" "oom" "killer"'),
        ("search how to write a query", 'search "how" "to" "write" "a" "query"'),
        ('what does "remote write v2" mention', 'search "what" "does" "remote write v2"'),
        ("find commits that mention fp8", 'search "fp8"'),
        ("search the history for memory leaks", 'search "memory" "leaks"'),
        ("in which release did the search flags come", 'explain symbol "search flags"'),
        ("a dashboard crashed, please search memory leaks", 'search "memory" "leaks"'),
        ("bakery dashboards crashed servers, search memory leaks", 'search "memory" "leaks"'),
        ("bakery dashboards crashed lunch servers, search memory leaks", ""),
    ],
)
def test_searches_are_told_from_words_about_searching(question: str, asked: str) -> None:
    assert meant(question) == asked


def test_search_has_up_to_twelve_terms() -> None:
    words = [f"fp{number}" for number in range(15)]
    told = parse(f"search {' '.join(words)}", NOW, ZONE)
    assert isinstance(told, Search)
    assert told.terms == tuple(words[:12])


@pytest.mark.parametrize(
    ("topic", "understood"),
    [
        ("long prompts, nested tool calls and images", True),
        ("long prompts, deeply nested tool calls and images", False),
    ],
)
def test_topic_has_up_to_seven_words(topic: str, understood: bool) -> None:
    told = parse(f"what changed in {topic} last week", NOW, ZONE)
    assert isinstance(told, Changed if understood else Unknown)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("marlin fp8", "changed marlin fp8"),
        ("marlin fp8 scheduler pool", "changed marlin fp8 scheduler pool"),
        ("marlin fp8 scheduler pool memory", ""),  # rather a sentence than a topic
        ("marlin turbine", "changed marlin"),
        ("explain marlin", "changed marlin"),
        ("please marlin or so", "changed marlin"),
        ("marlin by ada", 'changed marlin author:"ada"'),
        ("explain", ""),
        ("who", ""),
    ],
)
def test_words_of_the_repository_alone_are_a_topic(question: str, asked: str) -> None:
    assert meant(question, INDEX) == asked


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("which folders and files changed most", "changed per folder"),
        ("the biggest speedup this month", "changed kind:performance with numbers 8-1.."),
        (
            "who made the biggest speedup this month",
            "who touched level:high kind:performance 8-1..",
        ),
        ("which flags were switched on by default in july", "changed 7-1..8-1"),
        ("is it safe to upgrade to yesterday's main", "changed kind:action"),
        ("is it safe to upgrade to main of the last two days", "changed kind:action 8-16.."),
        ("was anything risky yesterday", "changed kind:action 8-16..8-17"),
        ("how did vllm's block size change", "changed vllm block size"),
        ("what did Ada's team change", 'changed author:"Ada"'),
    ],
)
def test_lists_have_what_the_question_names(question: str, asked: str) -> None:
    assert meant(question).removesuffix("2026-08-17T20:00:00Z") == asked


@pytest.mark.parametrize(
    "question", ["which deprecated flags will be removed", "what will change in the scheduler now"]
)
def test_list_of_what_is_announced_is_meant_for_sure(question: str) -> None:
    assert read(question, NOW, ZONE).sure


@pytest.mark.parametrize(
    ("topic", "goes_on"),
    [("marlin fp8 matmul kernels", True), ("sparse marlin fp8 matmul kernels", False)],
)
def test_other_topic_for_the_last_question_has_up_to_four_words(topic: str, goes_on: bool) -> None:
    told = parse(f"and {topic}", NOW, ZONE)
    assert isinstance(told, Again if goes_on else Unknown)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("was it risky yesterday", "changed kind:action 8-16..8-17"),
        ("what did it break last week", "changed kind:breaking 8-10..8-17"),
        ("is it breaking since v1.2.0", "changed kind:breaking since v1.2.0"),
        ("was it risky", "risks"),
    ],
)
def test_question_with_a_period_is_about_that_and_not_about_the_last_change(
    question: str, asked: str
) -> None:
    told = format_intent(read(question, NOW, ZONE, Background(follows="change")).intent)
    assert re.sub(r"2026-0?(\d+)-0?(\d+)T00:00:00Z", r"\1-\2", told) == asked
