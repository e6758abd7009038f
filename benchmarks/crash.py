"""Processes killed at every step of posting, 200 runs a platform: ``make bench-crash``.

Counts the lines of digests that stand twice, and those that stand nowhere. On Telegram a message
that was written down as on its way and never left is lost, as the documentation says; it is counted
apart.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.crash import LINES, crash_runs

RUNS = 200


def main(runs: int) -> None:
    """A line for each platform."""
    print(f"{runs} runs a platform, two processes of each killed (goal 0 and 0)")
    for platform in LINES:
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            found = crash_runs(platform, runs, Path(folder))
        twice = sum(one.twice > 0 for one in found)
        lost = sum(one.lost > 0 and not one.stated for one in found)
        stated = sum(one.lost > 0 and one.stated for one in found)
        places = len({name for one in found for name in one.killed})
        print(
            f"  {platform:10} runs with anything twice {twice}, lost {lost}, "
            f"lost in the stated window {stated}; killed at {places} kinds of step; "
            f"{time.perf_counter() - began:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
