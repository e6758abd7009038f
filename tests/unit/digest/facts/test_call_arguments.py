"""Whether two defaults of a call differ for users if their texts do."""

from __future__ import annotations

import pytest

from digest.facts.call_arguments import is_told_apart


@pytest.mark.parametrize(
    ("before", "after", "apart"),
    [
        ("1", "2", True),
        ("'a'", "'b'", True),
        ("1", "LIMIT", False),
        ("LIMIT", "BOUND", True),
        ("lambda: 1", "2", False),
        ("1", "lambda: 2", False),
        (None, "5", True),
        (None, "0", False),
        (None, "None", False),
        (None, "LIMIT", False),
        ("'x'", None, True),
        ("None", "5", True),
        ("None", "0", True),
        ("''", "None", False),
        ("None", "nil", False),
        ("f(1)", "f(2)", True),
        ("f(1)", "f(1)", False),
        ("f(1)", "g(2)", False),
        ("f(1)", "f(LIMIT)", False),
        ("f(1) + 1", "f(2)", False),
        ("f(1)", "f(2) + 1", False),
        ("f(1)", "2", False),
        ("(CacheConfig.size)", "PoolConfig.pool_size", False),
        ("Mode.FAST", "Mode.SLOW", True),
        ("0.9", "0.92", True),
    ],
)
def test_values_are_told_apart_where_they_are_of_one_kind(before, after, apart) -> None:
    assert is_told_apart(before, after) is apart
