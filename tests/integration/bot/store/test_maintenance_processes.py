"""Several processes at one archive, and one that is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bot.store.archive import SqlArchive
from bot.store.database import Database
from bot.store.ledger import SqlLedger
from bot.store.maintenance import check
from bot.store.sqlite import open_database
from digest.core.reference import Query
from tests.integration.bot.store.opening import where
from tests.integration.bot.store.process import BATCH
from tests.integration.bot.store.samples import REPOSITORY, made

ROOT = Path(__file__).parents[4]


def started(place: str, task: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.bot.store.process", place, task],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def together(place: str, task: str, count: int = 2) -> list[object]:
    """The results of processes that do the same at the same time."""
    processes = [started(place, task) for _ in range(count)]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    ended = [process.communicate() for process in processes]
    assert [p.returncode for p in processes] == [0] * count, ended
    return [json.loads(out) for out, _ in ended]


async def test_two_processes_claim_each_delivery_and_slot_once(database: Database) -> None:
    first, second = together(where(database), "claim")
    assert [a != b for a, b in zip(first, second, strict=True)] == [True] * 80
    records = await SqlLedger(database).pending()
    # Nobody's content was written over, and nobody's parts were added to another's.
    assert all(len(record.parts) == 2 for record in records)
    assert len({record.content for record in records}) <= 2


async def test_two_processes_make_a_fresh_archive_and_save_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    together(str(folder), "save")
    async with await open_database(folder) as database:
        found = await SqlArchive(database).select(REPOSITORY, Query())
        assert found == [made(n) for n in reversed(range(10 * BATCH))]
        assert await check(database) == []


async def test_kill_in_the_middle_of_a_save_leaves_whole_batches(database: Database) -> None:
    process = started(where(database), "die")
    process.communicate("go\n")
    assert process.returncode == -9
    archive = SqlArchive(database)
    whole = [made(n) for n in range(2 * BATCH)]
    assert await archive.select(REPOSITORY, Query()) == whole[::-1]
    assert len(await archive.select(REPOSITORY, Query(terms=("thing",)))) == 2 * BATCH
    assert await check(database) == []
    # What was lost is saved by the next run.
    await archive.save(REPOSITORY, [made(n) for n in range(3 * BATCH)])
    assert len(await archive.select(REPOSITORY, Query(paths=("src/",)))) == 3 * BATCH
    assert await check(database) == []
