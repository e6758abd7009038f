"""Two processes killed while they post, a third that ends it: on every platform, nothing twice.

A few of the runs that ``make bench-crash`` makes; those of a step each are in ``test_crash``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash import IN_DOUBT, LINES, UNCERTAIN

RUNS = 9
"""For each platform, spread over all pairs of steps."""

_PRINTED = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from tests.crash import crash_runs
found = crash_runs(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
print(json.dumps([{**asdict(one), "stated": one.stated} for one in found]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("platform", sorted(LINES))
def test_what_two_kills_leave_is_ended_once_and_whole(platform, tmp_path):
    # In a program of its own: it forks, which a process with threads should not.
    child = subprocess.run(
        [sys.executable, "-c", _PRINTED, platform, str(RUNS), str(tmp_path)],
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
        if one["stated"]:
            assert platform in UNCERTAIN
            assert IN_DOUBT.intersection(one["killed"])
