"""Processes killed while they hear: what was acknowledged is answered, and answered once.

A few of the runs that ``make bench-crash`` makes, for each way that a message comes.
"""

from __future__ import annotations

import pytest

from tests.support.crash_hearing import MESSAGES, WAYS

RUNS = 4
"""For each way, spread over all pairs of steps."""


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_what_two_kills_leave_is_answered_once(way, tmp_path, apart):
    outcomes = apart.runs("tests.support.crash_hearing", "hearing_runs", way, RUNS, tmp_path)
    assert len(outcomes) == RUNS
    assert any(one.killed for one in outcomes)
    for one in outcomes:
        assert one.twice == 0, one
        assert one.lost == 0 or one.stated, one
        assert one.lost <= one.doubted, one
        assert one.messages + one.lost == MESSAGES, one
