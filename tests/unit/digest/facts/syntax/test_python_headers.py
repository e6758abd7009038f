"""Headers of classes: those that are read without a parser say the same as those read by one."""

from __future__ import annotations

import pytest

from digest.facts.syntax.python_headers import signature


@pytest.mark.parametrize(
    ("header", "bases"),
    [
        ("class A:", ()),
        ("class A():", ()),
        ("class A( ):", ()),
        ("class A(B):", ("B",)),
        ("class A( b.B , c.d.C, ):", ("b.B", "c.d.C")),
        ("class _A(B):", ("B",)),
        ("class A(B, metaclass=M):", ("B", "metaclass=M")),
        ("class A(B[int], C):", ("B[int]", "C")),
        ("class A(  # as ever\n    B,\n):", ("B",)),
    ],
)
def test_bases_of_a_class_however_it_is_written(header: str, bases: tuple[str, ...]) -> None:
    read = signature(f"import b\n{header}\n    x = 1\n", len("import b\n"))
    assert read is not None
    assert read.bases == bases
    assert read.text == (f"({', '.join(bases)})" if bases else "")


@pytest.mark.parametrize("header", ["class A(B C):", "class A(B:"])
def test_header_that_is_no_python_says_nothing(header: str) -> None:
    assert signature(header, 0) is None
