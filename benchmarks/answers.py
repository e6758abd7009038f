"""Questions to an archive of made-up changes, from the words to the rendered answer.

    python -m benchmarks.answers [--repositories 10]

The questions are asked of one repository; the others stand in the same archive.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import statistics
import tempfile
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from benchmarks.synthetic import changes
from benchmarks.timing import Row, milliseconds, show
from bot.platforms.console import Console
from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.sqlite import open_database
from bot.util.machine import FixedClock
from digest.core.change import Change, FileChange
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.release import TaggedRelease
from digest.grading.importance import graded_by
from digest.window import Window, zone_of
from handlers.context import Context
from handlers.ports.storage import Range, Selection, Tip, TitledCommit, Watched
from handlers.router import ask, import_handlers

_FEW = 20_000
"""The number of changes in the archive up to which answers have the stricter time limit."""

BRANCH = Tip(branch="main", sha="f" * 40)


class Listed:
    """A source that only lists commits: everything is in the archive already."""

    def __init__(self, rows: Sequence[Graded]) -> None:
        listed = sorted((g.commit.committed_at, g.sha) for g in rows)
        self._times = [at for at, _ in listed]
        self._names = [name for _, name in listed]

    async def sync(self, since: datetime | None = None) -> None:
        """Do nothing."""
        del since

    async def tip(self, branch: str | None = None) -> Tip:
        """Always the same tip."""
        del branch
        return BRANCH

    async def branches(self) -> Mapping[str, str]:
        """The only one."""
        return {BRANCH.branch: BRANCH.sha or ""}

    async def resolve(self, reference: str) -> str:
        """The name itself."""
        return reference

    async def titles(self, branch: Tip, after: str = "") -> Sequence[TitledCommit]:
        """No titles: the archive has every change."""
        del branch, after
        return ()

    async def release(self, name: str) -> TaggedRelease | None:
        """None."""
        del name
        return None

    async def releases(self) -> Mapping[str, datetime | None]:
        """None."""
        return {}

    async def log(
        self, branch: Tip, path: str = "", before: datetime | None = None, *, mainline: bool = False
    ) -> Sequence[tuple[str, str]]:
        """Nothing."""
        del branch, path, before, mainline
        return ()

    async def difference(self, base: str, tip: str, paths: Collection[str]) -> Sequence[FileChange]:
        """None."""
        del base, tip, paths
        return ()

    async def files(self, branch: Tip) -> Mapping[str, str]:
        """None."""
        del branch
        return {}

    async def backported(self, branch: Tip) -> frozenset[str]:
        """None."""
        del branch
        return frozenset()

    async def released(self, branch: Tip, sha: str, subject: str) -> tuple[str, Sequence[str]]:
        """None."""
        del branch, sha, subject
        return "", ()

    async def names(self, branch: Tip, selection: Selection) -> Sequence[str]:
        """The commits of a window, the whole history for a range, or the given ones."""
        del branch
        if isinstance(selection, Range):
            return self._names[::-1]
        if not isinstance(selection, Window):
            return selection
        first = bisect_left(self._times, selection.since)
        last = bisect_left(self._times, selection.until)
        return self._names[first:last][::-1]

    async def count(self, branch: Tip, selection: Selection) -> int:
        """The number of commits."""
        return len(await self.names(branch, selection))

    async def find(
        self,
        branch: Tip,
        number: int | None = None,
        sha: str = "",
        text: str = "",
        issue: int | None = None,
    ) -> Sequence[str]:
        """Nothing, because the archive lacks nothing."""
        del branch, number, sha, text, issue
        return ()

    async def is_ancestor(self, base: str, tip: str) -> bool:
        """Always."""
        del base, tip
        return True

    async def texts(self, blobs: Sequence[str]) -> Mapping[str, str]:
        """None."""
        del blobs
        return {}

    async def mentions(
        self, commit: str, words: Collection[str], *, settings: bool = False
    ) -> None:
        """Unknown."""
        del commit, words, settings

    async def lines_with(self, commit: str, parts: Collection[str]) -> None:
        """Unknown."""
        del commit, parts

    async def contents(self, places: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
        """None."""
        del places
        return {}

    async def changes(self, branch: Tip, selection: Selection) -> AsyncIterator[Sequence[Change]]:
        """Nothing, because nothing is read."""
        del branch, selection
        none: tuple[Sequence[Change], ...] = ()
        for batch in none:
            yield batch


def rows(repositories: int = 1, count: int = 20_000) -> list[Row]:
    """Latencies by kind of question, for a number of repositories with a number of changes each."""
    return asyncio.run(_rows(repositories, count))


async def _rows(repositories: int, count: int) -> list[Row]:
    repository = Repository(name="made/up", web="https://example.org/made/up", forge="github")
    with tempfile.TemporaryDirectory(prefix="digestbot-bench-") as folder:
        async with await open_database(Path(folder)) as database:
            archive = SqlArchive(database)
            for n in range(1, repositories):
                await _filled(archive, Repository(name=f"made/up{n}"), count)
            source, now, numbers = await _filled(archive, repository, count)
            topics = await archive.vocabulary(repository)
            ctx = Context(
                watched=Watched(repository=repository, source=source),
                archive=archive,
                coverage=SqlCoverage(database),
                clock=FixedClock(now),
                zone=zone_of("UTC"),
                every=False,
            )
            import_handlers()
            # The process that filled the archive is not one that answers: its large heap would be
            # searched for garbage in the middle of an answer.
            gc.collect()
            gc.freeze()
            asked = _questions(numbers, topics)
            total = repositories * count
            return [await _row(total, kind, questions, ctx) for kind, questions in asked.items()]


async def _filled(
    archive: SqlArchive, repository: Repository, count: int
) -> tuple[Listed, datetime, list[int]]:
    """Fill the archive; return the source, the time after the last change, and request numbers."""
    by = graded_by()
    made = [
        replace(g, grade=replace(g.grade, by=by), facts=replace(g.facts, version=FACTS_VERSION))
        for g in changes(count)
    ]
    for start in range(0, count, 1000):
        await archive.save(repository, made[start : start + 1000])
    numbers = [g.number for g in made[:: max(1, count // 120)] if g.number is not None]
    return Listed(made), made[-1].commit.committed_at + timedelta(minutes=1), numbers


def _questions(numbers: Sequence[int], topics: Mapping[str, int]) -> dict[str, list[str]]:
    ranked = sorted(topics, key=lambda t: -topics[t])
    some = [t for t in ranked[20:2000:20] if t.isascii() and t.isalpha()][:60]
    return {
        "explain a change": [f"explain #{number}" for number in numbers],
        "a topic of the week": [f"what changed in {t} this week" for t in some],
        "two topics of the month": [
            f"what changed in {a} {b} this month" for a, b in pairwise(some)
        ],
        "everything of a period": [f"what changed in the last {n} days" for n in range(1, 31)],
        "search": [f"search {t}" for t in some],
        "search for short terms": [f"search {t[:2]}" for t in some]
        + [f"search {t}" for t in "存优度a"],
        "an unknown topic": [f"what changed in {t[:-2]}qx{t[-2:]} this week" for t in some[:20]],
    }


async def _row(count: int, kind: str, questions: Sequence[str], ctx: Context) -> Row:
    console = Console(io.StringIO(), width=100)
    taken = []
    for question in (questions[0], *questions):
        began = time.perf_counter()
        console.render((await ask(question, ctx)).document)
        taken.append(time.perf_counter() - began)
    taken = sorted(taken[1:])
    middle = statistics.median(taken)
    late = taken[min(len(taken) - 1, int(len(taken) * 0.99))]
    return Row(
        f"answer from {count:,} changes: {kind} ({len(taken)} questions)",
        f"p99 {milliseconds(late)}",
        f"its own p50: {milliseconds(middle)}",
        f"{late / middle:.1f}x",
        f"p99 <= {20 if count <= _FEW else 40} ms",
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repositories", type=int, default=1, metavar="N")
    show(rows(parser.parse_args().repositories))


if __name__ == "__main__":
    main()
