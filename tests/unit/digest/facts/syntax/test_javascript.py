"""Parameters of functions in JavaScript and TypeScript."""

from __future__ import annotations

import pytest

from tests.unit.digest.facts.changes import facts_of


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("a: string", "a: string, b: string", "required parameter added"),
        ("a: string", "a: string, ...rest: string[]", "parameter added"),
        ("a: string", "a: string, b?: string", "parameter added"),
        ("a: string", "a: string, b = 1", "parameter added"),
        ("a: string, ...rest: string[]", "a: string", "parameter removed"),
    ],
)
def test_only_a_parameter_that_has_to_be_given_is_required(old: str, new: str, what: str) -> None:
    sides = [f"export function run({given}) {{}}\n" for given in (old, new)]
    (found,) = facts_of("Tune it", ("src/a.ts", *sides)).items
    assert (found.name, found.detail) == ("run", what)


def test_members_that_are_private_by_word_or_name_are_none():
    members = "private hidden() {} protected kept() {} _own() {} #real() {} public shown() {}"
    sides = [f"export class A {{ {given} }}\n" for given in ("open() {}", f"open() {{}} {members}")]
    found = facts_of("Tune it", ("src/a.ts", *sides)).items
    assert [fact.name for fact in found] == ["A.shown"]
