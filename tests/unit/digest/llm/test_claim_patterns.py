"""Sentences made by rule about changes: every true one is kept, every false one dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.claims import Writer, strange_names
from digest.core.enums import Language
from digest.llm.change_index import ChangeIndex
from digest.llm.format_check import Failed
from digest.llm.statement_check import judge
from digest.llm.tokens import take_apart
from tests.support import materials

CHANGES = [materials.pool(), materials.versions(), materials.renamed()]

STRANGE = [*strange_names(CHANGES), "SomethingElse", "other_module_name", "--another-flag"]


def kept(text, cites, material, language):
    ground = ChangeIndex(material.change, material.facts)
    return not isinstance(judge(text, cites, ground, language), Failed)


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("seed", range(12))
def test_claims_are_told_apart(seed, language):
    made = [
        (claim, material)
        for material in CHANGES
        for claim in Writer(material, STRANGE, seed).claims(language)
        if not claim.sort.endswith("misbound")
    ]
    assert {claim.true for claim, _ in made} == {True, False}
    wrong = [
        claim for claim, material in made
        if kept(claim.text, claim.cites, material, language) is not claim.true
    ]  # fmt: skip
    assert wrong == []


@given(st.text(max_size=200))
def test_no_text_makes_the_check_fail(text):
    for language in Language:
        kept(text, ["F1"], CHANGES[0], language)


@given(st.text(alphabet="ab `*\"'.,()/-_=x1%→从到", max_size=80))
def test_the_skeleton_has_one_character_for_each_atom(text):
    wording = take_apart(text)
    marks = [c for c in wording.skeleton if "\ue000" <= c <= "\uf8ff"]
    assert len(marks) == len(wording.atoms)
    assert [wording.atom(c) for c in marks] == list(wording.atoms)
