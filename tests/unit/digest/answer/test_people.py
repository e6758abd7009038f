"""Who is counted as the author of a change."""

from __future__ import annotations

import pytest

from digest.answer.tallies import by_author, people_of
from digest.core.authors import is_bot
from digest.core.enums import Language
from digest.core.grade import Repository
from digest.document import Document
from digest.markdown import markdown
from tests.support.fakes import graded

TRAILER = "\n\nCo-authored-by: Grace Hopper <grace@example.org>"


def test_a_change_that_a_bot_lands_for_a_person_is_the_persons():
    change = graded("a1", f"Update the docs (#1){TRAILER}", author="mergify[bot]")
    assert people_of(change) == ("Grace Hopper",)


def test_a_change_of_a_bot_alone_is_the_bots():
    assert people_of(graded("a1", "Bump (#1)", author="renovate[bot]")) == ("renovate[bot]",)


def test_co_authors_count_and_bots_stand_apart():
    changes = [
        graded("a1", f"Add a kernel (#1){TRAILER}", author="Ada"),
        graded("a2", "Fix a kernel (#2)", author="Ada"),
        graded("a3", "Bump (#3)", author="renovate[bot]"),
    ]
    blocks = by_author(changes, Repository(name="owner/name"), Language.EN)
    shown = markdown(Document(title="", blocks=blocks, language="en"))
    assert "By author (1 person), 1 more as co-authors" in shown
    assert "Ada (2)" in shown
    assert "Grace Hopper · co-author of 1" in shown
    assert r"Bots: renovate\[bot\] (1)" in shown


@pytest.mark.parametrize(
    "name",
    [
        *("zaniebot", "OpenAI Codex", "Claude", "Claude Opus 4.5", "Copilot", "Cursor Grok 4.6"),
        *("Copilot Autofix powered by AI", "GPT-5.6 Sol", "Kimi K3", "Qwen-Coder"),
    ],
)
def test_programs_without_a_bots_name_are_no_people(name):
    change = graded(
        "a1", f"Add a kernel (#1)\n\nCo-authored-by: {name} <x@example.org>", author="Ada"
    )
    assert people_of(change) == ("Ada",)


@pytest.mark.parametrize("name", ["Claude Paroz", "Ann Talbot", "talbot", "Cursory Smith"])
def test_people_with_the_name_of_a_program_are_people(name):
    assert not is_bot(name)
