"""The runs of ``tests.support.crash`` and ``tests.support.crash_hearing``, in a separate program.

They fork, which a process with threads, such as one that runs tests, should not do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.crash import Outcome

_PRINTED = """
import importlib, json, sys
from dataclasses import asdict
from pathlib import Path
runs = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
found = runs(sys.argv[3], int(sys.argv[4]), Path(sys.argv[5]))
print(json.dumps([asdict(one) for one in found]))
"""


def runs_apart(module: str, runs: str, way: str, most: int, folder: Path) -> list[Outcome]:
    """The result of a module's function for a way and a number of runs."""
    child = subprocess.run(
        [sys.executable, "-c", _PRINTED, module, runs, way, str(most), str(folder)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return [Outcome(**{**one, "killed": tuple(one["killed"])}) for one in json.loads(child.stdout)]
