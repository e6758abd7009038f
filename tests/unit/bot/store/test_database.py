"""What is read of the rows that a statement gives."""

from __future__ import annotations

from bot.store.database import StatementResult


def test_first_row_and_its_first_value_are_given_if_there_are_any():
    result = StatementResult(rows=[(1, 2), (3, 4)])
    assert (result.first, result.value) == ((1, 2), 1)
    assert (StatementResult().first, StatementResult().value) == (None, None)
