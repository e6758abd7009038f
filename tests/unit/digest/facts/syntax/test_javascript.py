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


def test_method_that_returns_a_promise_may_become_asynchronous():
    old = "export class A {\n  stop(): Promise<void> {\n    return end();\n  }\n}\n"
    new = old.replace("stop", "async stop")
    assert facts_of("Tune it", ("src/a.ts", old, new)).items == ()
    (found,) = facts_of("Tune it", ("src/a.ts", old.replace("Promise<void>", "A"), new)).items
    assert found.detail == "signature"


def test_members_that_are_private_by_word_or_name_are_none():
    members = "private hidden() {} protected kept() {} _own() {} #real() {} public shown() {}"
    sides = [f"export class A {{ {given} }}\n" for given in ("open() {}", f"open() {{}} {members}")]
    found = facts_of("Tune it", ("src/a.ts", *sides)).items
    assert [fact.name for fact in found] == ["A.shown"]


def test_constant_has_parameters_only_if_it_is_a_function():
    old = "export const run = (a: number): void => {\n  go(a);\n};\nexport const LIMIT = of(4);\n"
    new = old.replace("a: number", "a: number, b: string").replace("of(4)", "of(5)")
    (found,) = facts_of("Tune it", ("src/a.ts", old, new)).items
    assert (found.name, found.after) == ("run", "(a: number, b: string): void")
