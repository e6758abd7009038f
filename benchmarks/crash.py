"""Processes killed at every step of posting and of hearing, 200 runs each: ``make bench-crash``.

Counts the lines of digests, and the answers to messages, that stand twice, and those that stand
nowhere. On Telegram a message that was written down as on its way and never left is lost, as the
documentation says; it is counted apart.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.support.crash import LINES, Outcome, crash_runs
from tests.support.crash_hearing import WAYS, hearing_runs

RUNS = 200


def main(runs: int) -> None:
    """A line for each platform, and for each way that a message comes."""
    print(f"{runs} runs each, two processes of each killed (goal 0 and 0)")
    for platform in LINES:
        _count(f"{platform}, posting", partial(crash_runs, platform, runs))
    for way in WAYS:
        _count(f"{way}, hearing", partial(hearing_runs, way, runs))


def _count(name: str, make: Callable[[Path], Sequence[Outcome]]) -> None:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = make(Path(folder))
    twice = sum(one.twice > 0 for one in found)
    lost = sum(one.lost > 0 and not one.stated for one in found)
    stated = sum(one.lost > 0 and one.stated for one in found)
    places = len({name for one in found for name in one.killed})
    print(
        f"  {name:26} runs with anything twice {twice}, lost {lost}, "
        f"lost in the stated window {stated}; killed at {places} kinds of step; "
        f"{time.perf_counter() - began:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
