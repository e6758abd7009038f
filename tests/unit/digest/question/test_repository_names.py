"""A repository named in a question, and the question that is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.question.repository_names import Named, find_repository, fitting, match_names

NAMES = ("vllm-project/vllm", "prometheus", "acme/engine")


@pytest.mark.parametrize(
    ("question", "name", "left"),
    [
        ("what changed in MoE last week in prometheus", "prometheus", "what changed in MoE last week"),
        ("what changed in prometheus last week", "prometheus", "what changed last week"),
        ("what changed in the Prometheus repo?", "prometheus", "what changed ?"),
        ("explain prometheus#123", "prometheus", "explain #123"),
        ("prometheus!7", "prometheus", "!7"),
        ("explain engine#5", "acme/engine", "explain #5"),
        ("prometheus: what changed today", "prometheus", "what changed today"),
        ("prometheus 最近有什么变更", "prometheus", "最近有什么变更"),
        ("在 vllm 里昨天有什么变更", "vllm-project/vllm", "昨天有什么变更"),
        ("昨天在prometheus仓库里有什么变更", "prometheus", "昨天有什么变更"),
    ],
)  # fmt: skip
def test_named_in_a_frame_is_chosen_and_taken_out(question, name, left):
    assert find_repository(question, NAMES) == Named(name=name, question=left)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("explain https://github.com/prometheus/prometheus/pull/12", "prometheus"),
        ("https://github.com/vllm-project/vllm/commit/0123456789", "vllm-project/vllm"),
        ("explain ACME/engine#12", "acme/engine"),
        ("explain somebody/prometheus#12", "prometheus"),
    ],
)
def test_reference_chooses_by_what_is_written_in_it_and_stays(question, name):
    assert find_repository(question, NAMES) == Named(name=name, question=question)


@pytest.mark.parametrize(
    "question",
    [
        "what changed in the scheduler",
        "search prometheus exporter",
        "explain #12",
        "explain myprometheus#12",
        "what changed in prometheus-client",
        "https://github.com/prometheus/client_golang/pull/3",
        "https://github.com/other/engine/pull/3",
        "compare in prometheus and in vllm",
        "",
        "in " * 2000 + "prometheus",
    ],
)
def test_nothing_is_chosen_without_a_frame_or_by_half_a_name(question):
    assert find_repository(question, NAMES) is None


def test_last_part_that_two_repositories_share_chooses_neither():
    assert find_repository("changes in engine today", ("a/engine", "b/engine")) is None
    found = find_repository("changes in b/engine today", ("a/engine", "b/engine"))
    assert found == Named(name="b/engine", question="changes today")


@pytest.mark.parametrize(
    ("question", "names", "fit"),
    [
        ("changes in engine today", ("a/engine", "b/engine", "c/other"), ("a/engine", "b/engine")),
        ("explain engine#7", ("a/engine", "b/engine"), ("a/engine", "b/engine")),
        ("engine 最近有什么变更", ("a/engine", "b/engine"), ("a/engine", "b/engine")),
        ("changes in b/engine today", ("a/engine", "b/engine"), ("b/engine",)),
        ("compare in prometheus and in vllm", NAMES, ("vllm-project/vllm", "prometheus")),
        ("what changed in the scheduler", ("a/engine", "b/engine"), ()),
        ("search engine", ("a/engine", "b/engine"), ()),
        ("in " * 2000 + "engine", ("a/engine", "b/engine"), ()),
    ],
)
def test_fitting_are_all_that_a_question_may_name(question, names, fit):
    assert fitting(question, names) == fit


@pytest.mark.parametrize(
    ("name", "names", "fit"),
    [
        ("A/Engine", ("a/engine", "b/engine"), ("a/engine",)),
        ("engine", ("a/engine", "b/engine"), ("a/engine", "b/engine")),
        ("engine", ("engine", "b/engine"), ("engine",)),
        ("motor", ("a/engine",), ()),
        ("a/", ("a/engine",), ()),
    ],
)
def test_called_are_those_of_the_whole_name_else_of_its_last_part(name, names, fit):
    assert match_names(name, names) == fit


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=20), max_size=4))
def test_any_text_and_any_names_are_read(question, names):
    found = find_repository(question, names)
    assert found is None or found.name in names
    fit = fitting(question, names)
    assert set(fit) <= set(names)
    assert found is None or found.name in fit
