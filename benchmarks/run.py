"""``make bench``: speed and memory of the embedded default, each beside another program's.

    python -m benchmarks.run [CLONE] [--times N] [--commits N] [--table FILE]

Every row runs both sides in turn on the same range and gives medians and the median of the ratios,
pair by pair. The range is the last ``--commits`` commits of the clone's branch (all, where there
are fewer) and, for a day, those of the last day with commits. The clone is only read. Whole
processes are compared by their processor time. The table is also written as JSON, and rows that
are over a tenth slower than in the file before are told.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from unittest.mock import patch

from benchmarks import answers
from benchmarks.once import digest_once
from benchmarks.timing import Row, Run, child, in_turn, keep, kept, milliseconds, show, slower
from bot.cli.output import finish

BIN = Path(sys.executable).parent
GIT_LOG = ["--first-parent", "--diff-merges=first-parent", "-p", "-U0"]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", nargs="?", default=".")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--table", type=Path, default=Path("out/bench.json"))
    args = parser.parse_args()
    clone = str(Path(args.clone).resolve())
    tip = _git(clone, "rev-parse", "HEAD")
    some = _first_of(clone, tip, args.commits)
    day, day_base = _last_day(clone, tip)
    week = (date.fromisoformat(day) - timedelta(days=6)).isoformat()
    print(f"{clone} at {tip[:12]}: a day ({day}) and {some[1]} commits; {os.cpu_count()} cores\n")
    rows = [
        _scan(clone, f"scan of {some[1]} commits", some[0], tip, args.times),
        _digest_in_process(clone, f"digest of a day ({day})", day_base, tip, args.times),
        _digest_in_process(clone, f"digest of {some[1]} commits", some[0], tip, args.times // 2),
        _whole(clone, f"digest of a day ({day})", day_base, ["--date", day], args.times),
        _whole(
            clone,
            f"digest of {some[1]} commits",
            some[0],
            _since_of(clone, some[0]),
            max(args.times // 2, 2),
        ),
        _from_archive(clone, _since_day(clone, tip, week), ["--since", week], args.times),
        _into_archive(clone, day, day_base, ["--since", week, "--until", day], args.times),
        _beside_cliff(clone, some, tip, args.times),
        *answers.rows(),
        _memory(clone, some),
        _start_up("--help", ["--help"], "<= 0.15 s", args.times),
        _archived(clone, tip, args.times),
    ]
    show(rows)
    for line in slower(rows, kept(args.table)):
        print(f"slower: {line}")
    args.table.parent.mkdir(parents=True, exist_ok=True)
    keep(rows, args.table)


def _git(clone: str, *words: str) -> str:
    done = subprocess.run(["git", "-C", clone, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _first_of(clone: str, tip: str, commits: int) -> tuple[str, int]:
    """The range of the last commits as arguments of git, and their number."""
    names = _git(clone, "rev-list", "--first-parent", f"-n{commits + 1}", tip).split()
    if len(names) <= commits:
        return tip, len(names)
    return f"{names[commits]}..{tip}", commits


def _last_day(clone: str, tip: str) -> tuple[str, str]:
    """The day of the tip in UTC, and its range as arguments of git."""
    seconds = int(_git(clone, "show", "-s", "--format=%ct", tip))
    day = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    return day, _since_day(clone, tip, day)


def _since_day(clone: str, tip: str, day: str) -> str:
    """The range from the start of a day in UTC to the tip, as arguments of git."""
    before = _git(clone, "rev-list", "--first-parent", "-n1", f"--before={day}T00:00:00Z", tip)
    return f"{before}..{tip}" if before else tip


def _log_of(clone: str, words: str) -> float:
    return _log(clone, words).seconds


def _log(clone: str, words: str) -> Run:
    return child(["git", "-C", clone, "log", *GIT_LOG, words])


def _scan(clone: str, what: str, words: str, tip: str, times: int) -> Row:
    from bot.git.open_source import open_source
    from handlers.ports.storage import Range, Tip

    base = words.partition("..")[0] if ".." in words else None

    async def read() -> int:
        _, source = await open_source(clone, Path(tempfile.gettempdir()))
        count = 0
        selection = Range(base=base, tip=tip)
        async for batch in source.changes(Tip(branch="HEAD", sha=tip), selection):
            count += len(batch)
        return count

    def ours() -> float:
        began = time.perf_counter()
        asyncio.run(read())
        return time.perf_counter() - began

    mine, theirs, ratio = in_turn(ours, lambda: _log_of(clone, words), times)
    return Row(
        what,
        milliseconds(mine),
        f"git log -p -U0: {milliseconds(theirs)}",
        f"{ratio:.2f}x",
        "<= 1.3x",
    )


@contextmanager
def _fresh() -> Iterator[dict[str, str]]:
    """The environment of a run with an empty data folder."""
    folder = tempfile.mkdtemp(prefix="digestbot-bench-")
    try:
        yield {**os.environ, "DIGESTBOT_DATA": folder}
    finally:
        shutil.rmtree(folder)


def _digest(clone: str, words: list[str]) -> Run:
    with _fresh() as environment:
        return _digest_in(environment, clone, words)


def _digest_in(environment: dict[str, str], clone: str, words: list[str]) -> Run:
    command = [str(BIN / "digestbot"), "digest", clone, "--tz", "UTC", *words]
    return child([*command, "--format", "json"], environment)


def _whole(clone: str, what: str, span: str, words: list[str], times: int) -> Row:
    """The whole process with a new archive, from the start of Python to the last line of JSON."""
    mine, theirs, ratio = in_turn(
        lambda: _digest(clone, words).processor, lambda: _log(clone, span).processor, times
    )
    return Row(
        f"{what}, whole process, new archive, processor time",
        milliseconds(mine),
        f"git log -p -U0: {milliseconds(theirs)}",
        f"{ratio:.2f}x",
        "<= 4x",
    )


def _from_archive(clone: str, span: str, words: list[str], times: int) -> Row:
    """The same digest a second time."""
    with _fresh() as environment:
        _digest_in(environment, clone, words)
        mine, theirs, ratio = in_turn(
            lambda: _digest_in(environment, clone, words).processor,
            lambda: _log(clone, span).processor,
            times,
        )
    return Row(
        "digest of a week, whole process, from its archive, processor time",
        milliseconds(mine),
        f"git log -p -U0: {milliseconds(theirs)}",
        f"{ratio:.2f}x",
        "<= 0.6 s",
    )


def _into_archive(clone: str, day: str, span: str, before: list[str], times: int) -> Row:
    """A day whose week is already in the archive."""
    with _fresh() as week:
        _digest_in(week, clone, before)

        def ours() -> float:
            with _fresh() as environment:
                data = environment["DIGESTBOT_DATA"]
                shutil.copytree(week["DIGESTBOT_DATA"], data, dirs_exist_ok=True)
                return _digest_in(environment, clone, ["--date", day]).processor

        mine, theirs, ratio = in_turn(ours, lambda: _log(clone, span).processor, times)
    return Row(
        f"digest of a day ({day}), whole process, into an archive, processor time",
        milliseconds(mine),
        f"git log -p -U0: {milliseconds(theirs)}",
        f"{ratio:.2f}x",
        "<= 1.0 s",
    )


def _digest_in_process(clone: str, what: str, span: str, tip: str, times: int) -> Row:
    """From an open, empty archive to the rendered digest and the full report."""
    times = max(times, 2)
    base = span.partition("..")[0] if ".." in span else None

    def ours() -> float:
        with tempfile.TemporaryDirectory(prefix="digestbot-bench-") as folder:
            return finish(digest_once(clone, Path(folder), base, tip))

    mine, theirs, ratio = in_turn(ours, lambda: _log_of(clone, span), times)
    return Row(
        f"{what}: scan, facts, grades, archive, report, digest",
        milliseconds(mine),
        f"git log -p -U0: {milliseconds(theirs)}",
        f"{ratio:.2f}x",
        "<= 8x",
    )


def _since_of(clone: str, words: str) -> list[str]:
    """Options that select approximately the commits of a range by time."""
    if ".." not in words:
        return ["--since", "1970-01-02"]
    base = words.partition("..")[0]
    seconds = int(_git(clone, "show", "-s", "--format=%ct", base))
    return ["--since", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds + 1))]


def _beside_cliff(clone: str, some: tuple[str, int], tip: str, times: int) -> Row:
    """git-cliff only reads messages; digestbot reads, grades, analyses and stores every diff."""
    config = Path(__file__).with_name("cliff.toml")
    span = some[0] if ".." in some[0] else tip
    command = [
        str(BIN / "git-cliff"),
        "--offline",
        "--repository",
        clone,
        "--config",
        str(config),
        span,
    ]
    words = _since_of(clone, some[0])
    mine, theirs, ratio = in_turn(
        lambda: _digest(clone, words).seconds,
        lambda: child(command).seconds,
        max(times // 2, 2),
    )
    return Row(
        f"digest of {some[1]} commits",
        milliseconds(mine),
        f"git-cliff, messages only: {milliseconds(theirs)}",
        f"{ratio:.2f}x",
        "-",
    )


def _memory(clone: str, some: tuple[str, int]) -> Row:
    run = _digest(clone, _since_of(clone, some[0]))
    bare = child([sys.executable, "-c", "import sqlalchemy.ext.asyncio, tree_sitter"])
    return Row(
        f"peak memory, digest of {some[1]} commits",
        f"{run.megabytes:.0f} MB",
        f"Python with its libraries: {bare.megabytes:.0f} MB",
        f"{run.megabytes / bare.megabytes:.1f}x",
        "<= 120 MB",
    )


def _start_up(what: str, words: list[str], goal: str, times: int) -> Row:
    mine, theirs, ratio = in_turn(
        lambda: child([str(BIN / "digestbot"), *words]).processor,
        lambda: child([sys.executable, "-c", "pass"]).processor,
        times,
    )
    return Row(
        f"digestbot {what}, processor time",
        f"{milliseconds(mine)}, {_modules(words)} modules",
        f"python -c pass: {milliseconds(theirs)}",
        f"{ratio:.1f}x",
        goal,
    )


def _modules(words: list[str]) -> int:
    """How many modules a command imports."""
    command = [sys.executable, "-X", "importtime", str(BIN / "digestbot"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.count("import time:") - 1


def _archived(clone: str, tip: str, times: int) -> Row:
    """A question about a topic whose period, up to the tip, is in the archive."""
    now = _git(clone, "show", "-s", "--format=%cI", tip)
    question = "what changed in tests in the last 7 days"
    words = ["ask", question, "--repo", clone, "--now", now]
    with _fresh() as environment, patch.dict(os.environ, environment):
        return _start_up("ask, from the archive", words, "<= 0.6 s", times)


if __name__ == "__main__":
    main()
