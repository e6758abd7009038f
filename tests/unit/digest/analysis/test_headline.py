"""Titles as sentences for a reader."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digest.analysis.headline import headline, third
from digest.core.enums import Language
from digest.core.facts import Area, Facts
from digest.document import plain
from digest.facts.subject import read_subject
from tests.support.samples import file


def facts(title, *files):
    return Facts(subject=read_subject(title), files=files or (file("src/a.py"),))


def told(title, language=Language.EN, *files):
    return plain(headline(facts(title, *files), language).spans)


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("[Bugfix] Fix race condition in the pool (#12)", "Fixes race condition in the pool"),
        ("[ROCm][Bugfix] fix wrong argument to `f`", "ROCm: fixes wrong argument to f"),
        ("tsdb: fix stale cache after truncation", "tsdb: fixes stale cache after truncation"),
        ("fix(relabel): stop on closed channel", "relabel: stops on closed channel"),
        ("[Core] Don't stop a request early", "No longer stops a request early"),
        ("Hotfix for memory errors in routing", "Fixes memory errors in routing"),
        ("[Perf] Speed up token scanning", "Speeds up token scanning"),
        ("Detect and warn on overlapping spans", "Detects and warns on overlapping spans"),
        ("Bump X and Re-enable Y fusion", "Bumps X and re-enables Y fusion"),
        ("Explicitly manage CPU threads", "Explicitly manages CPU threads"),
        ("fallback to the slow path on old cards", "Falls back to the slow path on old cards"),
        ("[Doc][Refactor] Move the guide", "Internal: moves the guide"),
        ("chore: simplify the loop", "Internal: simplifies the loop"),
        ("Remove the old path", "Removes the old path"),
        ("[Misc] Remove unused helper files", "Internal: removes unused helper files"),
        ("[Feature] Add part 3 (#4)", "Adds part 3"),
        ("K3 Fix NaN on mixed batches", "K3: fixes NaN on mixed batches"),
        ("Models are supported when loading", "Models are supported when loading"),
        ("vLLM logo at the start of the server", "vLLM logo at the start of the server"),
    ],
)
def test_title_becomes_a_sentence(title, sentence):
    assert told(title) == sentence


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("[Bugfix] Fix the race in the pool", "修复 race in the pool"),
        ("[ROCm] Support the new card", "ROCm：支持 new card"),
        ("Don't skip the first token", "不再跳过 first token"),
        ("Speed up the scan of tokens", "加速 scan of tokens"),
        ("Frobnicate the pool of workers", "Frobnicate the pool of workers"),
    ],
)
def test_chinese_tells_the_verb_in_chinese(title, sentence):
    assert told(title, Language.ZH) == sentence


@pytest.mark.parametrize(
    ("area", "path", "sentence"),
    [
        (Area.TESTS, "tests/a.py", "Tests only: adds a warmup run"),
        (Area.CI, ".github/a.yml", "CI only: adds a warmup run"),
        (Area.DOCS, "docs/a.md", "Documentation only: adds a warmup run"),
        (Area.CORE, "src/a.py", "Adds a warmup run"),
    ],
)
def test_what_concerns_no_user_is_said_first(area, path, sentence):
    assert told("Add a warmup run", Language.EN, file(path, area)) == sentence


def test_platform_of_all_code_is_named():
    paths = ("csrc/rocm/a.cu", "vllm/rocm/b.py")
    assert told("Fix the launch bounds", Language.EN, *map(file, paths)).startswith("ROCm: ")
    assert told("Fix the launch bounds", Language.EN, file("csrc/rocm/a.cu"), file("b.py")) == (
        "Fixes the launch bounds"
    )


@pytest.mark.parametrize("title", ["Update docs", "Merge branch main into x", "Cleanup", "WIP"])
def test_vague_titles_are_known(title):
    assert not headline(facts(title), Language.EN).telling


def test_third_person():
    assert [third(v) for v in ("fix", "apply", "add", "pass", "deploy", "fall back")] == [
        *("fixes", "applies", "adds", "passes", "deploys", "falls back")
    ]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.sampled_from(Language))
def test_any_title_is_told_without_losing_its_last_word(title, language):
    words = plain(headline(facts(title), language).spans)
    assert isinstance(words, str)


@pytest.mark.parametrize("seed", ["a ", "and use ", "(1/", "[x] ", "try ", "A-", "ly ", "Fix: "])
def test_long_titles_take_no_longer(seed):
    assert told(seed * 5000) is not None
