"""Signatures of Rust that mean the same to callers, and those that do not."""

from __future__ import annotations

import pytest

from tests.unit.digest.facts.changes import facts_of


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("(a: &str) -> A", "(a: impl AsRef<str>) -> A", "types"),
        ("(a: Vec<Page>) -> A", "(a: P) -> A", "types"),
        ("(a: &'x str) -> A<'x>", "(a: &str) -> A<'_>", "types"),
        ("() -> Pages", "() -> Pages<'_, '_>", "types"),
        ("() -> std::cmp::Ordering", "() -> Ordering", "types"),
        ("() -> Result<Page, PoolError>", "() -> Result<Page>", "types"),
        ("() -> Poll<Result<Page, io::Error>>", "() -> Poll<io::Result<Page>>", "types"),
        ("() -> impl Iterator<Item = Page>", "() -> Pages", "types"),
        ("() -> Pages", "() -> impl Iterator<Item = Page>", "signature"),
        ("() -> Result<Page, PoolError>", "() -> Result<Page, IoError>", "signature"),
        ("() -> Option<Page>", "() -> Page", "signature"),
        ("(a: Page) -> A", "(a: &Page) -> A", "signature"),
        ("(a: Page)", "(a: Page) -> Result<()>", "signature"),
        ("(a: Page)", "(a: Page, b: u8)", "required parameter added"),
    ],
)
def test_types_that_accept_more_or_are_spelled_anew_break_no_call(old, new, what):
    sides = [f"pub fn take{given} {{\n    todo!()\n}}\n" for given in (old, new)]
    (found,) = facts_of("Tune it", ("pool/src/lib.rs", *sides)).items
    assert (found.name, found.detail) == ("take", what)
