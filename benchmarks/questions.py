"""Questions to a real clone, from the words to the rendered answer, beside git's own searches.

    python -m benchmarks.questions CLONE [--commits 20000] [--data FOLDER]

The archive is filled first (minutes; kept in FOLDER where one is named). Every kind is asked many
times; git is asked the same by ``git log --grep`` or ``git log -- PATH``. ``explain`` of a change
that only the clone has is asked of an archive without it. The last rows are questions a second with
eight askers, alone and while a digest of the last thousand commits is built. No model is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import itertools
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from benchmarks.timing import Row, milliseconds, show
from bot.app import open_workspace
from bot.cli.output import ProgressBar
from bot.platforms.console import Console
from bot.workspace.workspace import Workspace
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.window import Window, zone_of
from handlers.context import Context
from handlers.digests.daily import digest_of_window
from handlers.digests.ingest import fill, tip_of
from handlers.router import ask

ASKED = 60
"""Questions per kind."""

ASKERS = 8
SECONDS = 15.0
"""How long askers ask."""

UTC = zone_of("UTC")


async def rows(clone: str, count: int, data: str) -> list[Row]:
    """Latencies by kind, compared with git, then questions per second."""
    os.environ["DIGESTBOT_DATA"] = data
    async with open_workspace() as app:
        ctx, changes = await _filled(app, clone, count)
        gc.collect()
        gc.freeze()
        made = [await _row(kind, clone, ctx) for kind in _kinds(changes)]
        made.insert(1, await _from_the_clone(clone, changes))
        questions = [q for _, asked, _, _ in _kinds(changes) for q in asked]
        random.Random(1).shuffle(questions)
        return [*made, *await _throughput(questions, clone, ctx, changes)]


async def _filled(app: Workspace, clone: str, count: int) -> tuple[Context, Sequence[Graded]]:
    watched = await app.watch(clone)
    ctx = app.context(watched, zone=UTC, progress=ProgressBar("archive"))
    tip = await tip_of(ctx)
    names = _git(clone, "rev-list", "--first-parent", f"--max-count={count}", str(tip.sha)).split()
    await fill(ctx, names, tip)
    changes = await app.archive.select(watched.repository, Query())
    newest = max(g.commit.committed_at for g in changes)
    at = replace(ctx, clock=_Fixed(newest + timedelta(minutes=1)))
    return replace(at, progress=app.context(watched, zone=UTC).progress), changes


class _Fixed:
    """The clock of somebody who asks right after the newest change."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        """Always the same time."""
        return self._now


Kind = tuple[str, list[str], list[list[str]], str]
"""A name, questions, the same as arguments of git, and the goal."""


def _kinds(changes: Sequence[Graded]) -> Iterator[Kind]:
    chance = random.Random(0)
    numbered = [g for g in changes if g.number is not None]
    numbers = [g.number for g in chance.sample(numbered, min(ASKED, len(numbered)))]
    folders = _folders(changes)
    topics = [folder.rpartition("/")[2] for folder in folders]
    names = [g.sha for g in sorted(changes, key=lambda g: g.commit.committed_at)]
    starts = [chance.randrange(max(1, len(names) - 400)) for _ in range(ASKED)]
    ranges = [f"{names[s]}..{names[min(len(names) - 1, s + 300)]}" for s in starts]
    week = max(g.commit.committed_at for g in changes) - timedelta(days=7)
    words = list(_words(changes))[:ASKED]
    goal = "p99 <= 50 ms"
    yield (
        "explain, archived",
        [f"explain #{n}" for n in numbers],
        [["log", "--format=%H", f"--grep=#{n}\\b"] for n in numbers],
        goal,
    )
    yield (
        "a topic of the week",
        [f"what changed in {t} this week" for t in topics],
        [["log", "--format=%H", f"--since={week:%Y-%m-%d}", "--", f] for f in folders],
        goal,
    )
    unknown = [f"{t[:-2]}qx{t[-2:]}" for t in topics]
    yield (
        "a topic that nothing is about",  # looked for in manifests, too
        [f"what changed in {t} this week" for t in unknown],
        [["log", "--format=%H", "-i", f"--grep={t}"] for t in unknown],
        goal,
    )
    yield (
        "changes of a range",
        [f"what changed in {r}" for r in ranges],
        [["log", "--format=%H", r] for r in ranges],
        goal,
    )
    yield (
        "search",
        [f'search "{w}"' for w in words],
        [["log", "--format=%H", "-i", f"--grep={w}"] for w in words],
        goal,
    )


def _folders(changes: Sequence[Graded]) -> list[str]:
    """Folders with the most changes, most first, with unique names."""
    counted: dict[str, int] = {}
    for graded in changes[:3000]:
        for path in {p.rpartition("/")[0] for p in graded.facts.paths}:
            if path and path.rpartition("/")[2].isidentifier():
                counted[path] = counted.get(path, 0) + 1
    return sorted(counted, key=lambda path: -counted[path])[:ASKED]


def _words(changes: Sequence[Graded]) -> Iterable[str]:
    """Words of titles: the longest of every hundredth change."""
    return dict.fromkeys(
        max((w for w in g.facts.subject.words.split() if w.isalpha()), key=len, default="fix")
        for g in changes[::100]
    )


async def _row(kind: Kind, clone: str, ctx: Context) -> Row:
    name, questions, git, goal = kind
    taken = [await _ask(question, ctx) for question in (questions[0], *questions)][1:]
    beside = [_timed_git(clone, arguments) for arguments in git[: ASKED // 3]]
    return _told(name, taken, beside, goal)


async def _from_the_clone(clone: str, changes: Sequence[Graded]) -> Row:
    """Changes that the archive lacks: each is found by git, read, graded, stored and explained."""
    numbered = [g.number for g in changes if g.number is not None]
    numbers = random.Random(2).sample(numbered, min(ASKED, len(numbered)))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIGESTBOT_DATA"] = folder
        async with open_workspace() as app:
            ctx = app.context(await app.watch(clone), zone=UTC)
            await _ask(f"explain #{numbered[0]}", ctx)
            taken = [await _ask(f"explain #{n}", ctx) for n in numbers]
    beside = [
        _timed_git(clone, ["log", "-1", "-p", "--format=%H%B", f"--grep=(#{n})"])
        for n in numbers[: ASKED // 3]
    ]
    return _told("explain, in the clone only", taken, beside, "p99 <= 400 ms")


async def _ask(question: str, ctx: Context) -> float:
    """Seconds from the question to the rendered answer."""
    console = Console(io.StringIO(), width=100)
    began = time.perf_counter()
    found = await ask(question, ctx)
    console.render(found.document)
    took = time.perf_counter() - began
    if found.error is not None:
        raise RuntimeError(f"{question}: {found.error}")
    return took


def _timed_git(clone: str, arguments: Sequence[str]) -> float:
    began = time.perf_counter()
    _git(clone, *arguments)
    return time.perf_counter() - began


def _git(clone: str, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def _told(name: str, taken: Sequence[float], beside: Sequence[float], goal: str) -> Row:
    middle, late = statistics.median(taken), sorted(taken)[int(len(taken) * 0.99)]
    other = statistics.median(beside)
    return Row(
        f"{name} ({len(taken)} questions)",
        f"p50 {milliseconds(middle)}, p99 {milliseconds(late)}",
        f"git log: p50 {milliseconds(other)}",
        f"{middle / other:.2f}x",
        goal,
    )


async def _throughput(
    questions: Sequence[str], clone: str, ctx: Context, changes: Sequence[Graded]
) -> list[Row]:
    alone = await _asked_together(questions, ctx)
    newest = sorted(g.commit.committed_at for g in changes)[-1000:]
    window = Window(since=newest[0], until=newest[-1] + timedelta(seconds=1), zone=UTC)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIGESTBOT_DATA"] = folder
        async with open_workspace() as other:
            fresh = other.context(await other.watch(clone), zone=UTC)
            building = asyncio.create_task(digest_of_window(fresh, window))
            busy = await _asked_together(questions, ctx, until=building)
            await building
    return [
        Row(f"{ASKERS} askers", f"{alone:.0f} a second", "", "", ""),
        Row(
            f"{ASKERS} askers while a digest of 1000 commits is built",
            f"{busy:.0f} a second",
            f"alone: {alone:.0f} a second",
            f"{busy / alone:.2f}x",
            "",
        ),
    ]


async def _asked_together(
    questions: Sequence[str], ctx: Context, until: asyncio.Task[object] | None = None
) -> float:
    """Questions per second of all askers, for a while, or as long as other work takes."""
    row = itertools.cycle(questions)
    began, asked = time.perf_counter(), 0

    async def one() -> None:
        nonlocal asked
        while not (until.done() if until else time.perf_counter() - began > SECONDS):
            await _ask(next(row), ctx)
            asked += 1

    await asyncio.gather(*(one() for _ in range(ASKERS)))
    return asked / (time.perf_counter() - began)


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("--commits", type=int, default=20_000)
    parser.add_argument("--data", help="folder of the archive; default: a temporary one")
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    clone = str(Path(args.clone).resolve())
    folder = nullcontext(args.data) if args.data else tempfile.TemporaryDirectory()
    with folder as data:
        show(asyncio.run(rows(clone, args.commits, data)))


if __name__ == "__main__":
    main()
