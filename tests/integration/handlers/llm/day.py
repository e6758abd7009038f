"""A day of commits of every depth, as a real repository."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from digest.window import Window, day_window
from tests.support.builders import Entry, RepositoryBuilder

NINE = datetime(2026, 3, 4, 9, tzinfo=UTC)
DAY: Window = day_window(NINE.date(), ZoneInfo("UTC"))
EVENING = NINE + timedelta(hours=30)
"""When the day is over."""

_SERVER = "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
_WORKERS = '    parser.add_argument("--workers", type=int, default=4)\n'
_PORT = '    parser.add_argument("--port", type=int, default=8000)\n'
_OTHER_PORT = _PORT.replace("8000", "9000")


def _module(name: str, lines: int) -> str:
    return "".join(
        f"def {name}_{n}(value, scale={n}):\n    return value * scale\n\n\n" for n in range(lines)
    )


def build(path: Path) -> RepositoryBuilder:
    """Two days: one that lays the ground, one with the twelve commits of :data:`DAY`."""
    builder = RepositoryBuilder(path)
    builder.commit(
        "Start the server (#1)",
        {"server/cli.py": _SERVER + _WORKERS + _PORT, "README.md": "# project\n"},
        at=NINE - timedelta(days=2),
    )
    for at, (message, files) in enumerate(COMMITS):
        builder.commit(message, files, at=NINE + timedelta(minutes=at))
    return builder


JUDGED, SETTLED = 9, 3
"""Of the day's commits: those that a model is asked about, and those that facts settle."""

CALLS = 5 + 1 + 1
"""Five changes above low one by one, the low ones in one call, and the lead."""

COMMITS: tuple[tuple[str, dict[str | bytes, Entry]], ...] = (
    (
        "[Breaking] Remove the --workers flag (#2)\n\nThe pool sizes itself now.",
        {"server/cli.py": _SERVER + _PORT},
    ),
    (
        "[Feature] Add a scheduler that serves requests by priority (#3)\n\nThey wait in a queue.",
        {
            "server/scheduler.py": _module("schedule", 60),
            "server/queue.py": _module("queue", 60),
            "tests/test_scheduler.py": "def test_it():\n    assert True\n",
        },
    ),
    # High and medium
    ("[CLI] Change the default of --port (#4)", {"server/cli.py": _SERVER + _OTHER_PORT}),
    ("[Perf] Speed up the cache (#5)", {"server/cache.py": _module("cache", 8)}),
    ("[Feature] Support tracing (#6)", {"server/trace.py": _module("trace", 9)}),
    # Low
    ("Fix a typo in a message (#7)", {"server/scheduler.py": _module("schedule", 60) + "# end\n"}),
    ("Tidy the queue (#8)", {"server/queue.py": _module("queue", 60) + "# tidy\n"}),
    ("Simplify the cache (#9)", {"server/cache.py": _module("cache", 8) + "# simple\n"}),
    ("Rename a local variable (#10)", {"server/trace.py": _module("trace", 9) + "# name\n"}),
    # Settled by facts
    ("[Docs] Tell how to run it (#11)", {"README.md": "# project\n\nHow to run it.\n"}),
    ("Update the lock file (#12)", {"uv.lock": 'version = 1\n\n[[package]]\nname = "a"\n'}),
    ("[Test] Cover the queue (#13)", {"tests/test_queue.py": "def test_q():\n    assert 1\n"}),
)
