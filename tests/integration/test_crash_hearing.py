"""Processes killed while they hear: what was acknowledged is answered, and answered once.

A few of the runs that ``make bench-crash`` makes, for each way that a message comes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash import IN_DOUBT
from tests.crash_hearing import MESSAGES, WAYS

RUNS = 4
"""For each way, spread over all pairs of steps."""

_PRINTED = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from tests.crash_hearing import hearing_runs
found = hearing_runs(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
print(json.dumps([{**asdict(one), "stated": one.stated} for one in found]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_what_two_kills_leave_is_answered_once(way, tmp_path):
    # In a program of its own: it forks, which a process with threads should not.
    child = subprocess.run(
        [sys.executable, "-c", _PRINTED, way, str(RUNS), str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert child.returncode == 0, child.stderr
    outcomes = json.loads(child.stdout)
    assert len(outcomes) == RUNS
    assert any(one["killed"] for one in outcomes)
    for one in outcomes:
        assert one["twice"] == 0, one
        assert one["lost"] == 0 or one["stated"], one
        assert one["messages"] + one["lost"] == MESSAGES, one
        if one["stated"]:
            assert IN_DOUBT.intersection(one["killed"])
