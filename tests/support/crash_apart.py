"""The runs of ``tests.support.crash`` and ``tests.support.crash_hearing``, in a separate program.

They fork, which a process with threads, such as one that runs tests, should not do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.crash import Outcome

_PRINTED = """
import importlib, json, sys, traceback
from dataclasses import asdict
from pathlib import Path
for line in sys.stdin:
    module, runs, way, most, folder = json.loads(line)
    try:
        found = getattr(importlib.import_module(module), runs)(way, most, Path(folder))
        told = [asdict(one) for one in found]
    except Exception:
        told = traceback.format_exc()
    print(json.dumps(told), flush=True)
"""


class Apart:
    """The program, which makes one set of runs after the other: it takes a second to start."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        assert program.stdin
        assert program.stdout
        self._to, self._of = program.stdin, program.stdout

    def runs(self, module: str, runs: str, way: str, most: int, folder: Path) -> list[Outcome]:
        """The result of a module's function for a way and a number of runs."""
        self._to.write(json.dumps([module, runs, way, most, str(folder)]) + "\n")
        self._to.flush()
        told = json.loads(self._of.readline())
        assert isinstance(told, list), told
        return [Outcome(**{**one, "killed": tuple(one["killed"])}) for one in told]


@contextmanager
def apart() -> Iterator[Apart]:
    """The program for as long as the block lasts."""
    with subprocess.Popen(
        [sys.executable, "-c", _PRINTED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as program:
        yield Apart(program)
