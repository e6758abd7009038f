"""Two processes killed while they post, a third that ends it: on every platform, nothing twice.

A few of the runs that ``make bench-crash`` makes; those of a step each are in ``test_crash``.
"""

from __future__ import annotations

import pytest

from tests.support.crash import LINES

RUNS = 9
"""For each platform, spread over all pairs of steps."""


@pytest.mark.slow
@pytest.mark.parametrize("platform", sorted(LINES))
def test_what_two_kills_leave_is_ended_once_and_whole(platform, tmp_path, apart):
    outcomes = apart.runs("tests.support.crash", "crash_runs", platform, RUNS, tmp_path)
    assert len(outcomes) == RUNS
    assert any(one.killed for one in outcomes)
    for one in outcomes:
        assert one.twice == 0, one
        assert one.lost == 0 or one.stated, one
