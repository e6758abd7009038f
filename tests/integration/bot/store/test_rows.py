"""Stored facts are those that were stored, however little of them was read before."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from bot.store.rows import StoredFacts, texts_of_facts
from digest.core.change import Side
from digest.core.facts import Clue, ClueKind, Evidence, Facts
from tests.integration.bot.store import samples

CLUE = Clue(
    kind=ClueKind.HELP,
    name="--depth-of-a-clue",
    text="How deep it goes.",
    evidence=Evidence(path="a.py", line=3, side=Side.NEW),
)


def stored(facts: Facts) -> StoredFacts:
    return StoredFacts.from_texts(facts.version, *texts_of_facts(facts))


@given(facts=samples.facts)
def test_every_field_can_be_read_first(facts: Facts) -> None:
    for name in ("subject", "files", "items", "trailers", "reverts", "merge", "version"):
        assert getattr(stored(facts), name) == getattr(facts, name), name
    assert stored(facts) == facts


@pytest.mark.parametrize(
    "afterwards", [stored, lambda facts: pickle.loads(pickle.dumps(stored(facts)))]
)
@given(facts=samples.facts)
def test_paths_and_names_are_those_of_files_and_items(
    afterwards: Callable[[Facts], Facts], facts: Facts
) -> None:
    kept = afterwards(facts)
    assert kept.paths == tuple(file.path for file in facts.files)
    assert kept.names == tuple(item.name for item in facts.items)
    assert kept == facts


def test_texts_that_look_like_keys_are_no_names() -> None:
    trap = '{"path":"x","old_path":null} "name":"y" \\"name\\":\\"z"'
    facts = samples.made(1, trap, paths=(trap, "a\\b", 'c"d'), names=(trap, "plain")).facts
    assert stored(facts).paths == facts.paths
    assert stored(facts).names == (trap, "plain")


def test_facts_of_an_older_version_have_no_clues() -> None:
    facts = replace(samples.made(1, "Add a flag", names=("--depth",)).facts, clues=(CLUE,))
    subject, rest = texts_of_facts(facts)
    value = json.loads(rest)
    del value["clues"]
    older = StoredFacts.from_texts(3, subject, json.dumps(value, separators=(",", ":")))
    assert older.clues == ()
    assert texts_of_facts(older)[0] == subject
    assert stored(facts).clues == (CLUE,)
    assert stored(facts).names == ("--depth",)
