"""Archives as earlier versions of the program wrote them, brought up to date with everything kept.

Each file under ``tests/data/archives`` was written by the program of its revision: a digest of four
changes, two deliveries (one done, one that a crash left in doubt), slots, a tip, an outcome, and, as
soon as there were models, a call.
"""

from __future__ import annotations

import gzip
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.store import backup
from bot.store.analyses import SqlCalls
from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.database import Database
from bot.store.digests import SqlDigests
from bot.store.ledger import SqlLedger
from bot.store.maintenance import check
from bot.store.migrations import HEAD, REVISIONS
from bot.store.sqlite import FILE, open_database, revision_of
from digest.core.grade import Repository
from digest.core.reference import Query
from handlers.ports.storage import DeliveryKey, PartState

ARCHIVES = Path(__file__).parents[3] / "data" / "archives"

PROJECT = Repository(name="example/project")

DIGEST = "daily:example/project:HEAD:2026-03-04:team"

TITLES = {"Start the server", "[Feature] Add a scheduler", "[CLI] Remove --workers", "[Docs] 说明如何运行"}  # fmt: skip

kept = pytest.mark.parametrize("file", sorted(ARCHIVES.glob("*.gz")), ids=lambda f: f.name[:4])


def unpacked(file: Path, folder: Path) -> Path:
    folder.mkdir()
    with gzip.open(file) as packed, (folder / FILE).open("wb") as whole:
        shutil.copyfileobj(packed, whole)
    return folder


def test_there_is_an_archive_of_every_revision_before_this_phase() -> None:
    kept_of = [file.name[:4] for file in sorted(ARCHIVES.glob("*.gz"))]
    assert kept_of == list(REVISIONS[: len(kept_of)])
    assert kept_of


@kept
async def test_an_older_archive_is_brought_up_to_date_with_everything_kept(file, tmp_path):
    async with await open_database(unpacked(file, tmp_path / "data")) as database:
        assert await revision_of(database) == HEAD
        assert await check(database) == []
        await _changes_are_kept(database)
        await _nothing_is_posted_again(database)
        held = await SqlDigests(database).get(DIGEST)
        assert held is not None
        assert held.markdown == "# kept"
        start = datetime(2026, 3, 1, tzinfo=UTC)
        spent = await SqlCalls(database).spent(start)
        assert spent.calls == (file.name[:4] >= "0002")


async def _changes_are_kept(database: Database) -> None:
    archive = SqlArchive(database)
    found = await archive.select(PROJECT, Query())
    assert {one.title.partition(" (#")[0] for one in found} == TITLES
    assert (await archive.find(PROJECT, 3))[0].title.startswith("[CLI] Remove --workers")
    newest = max(found, key=lambda one: one.commit.committed_at)
    states = await SqlCoverage(database).states(PROJECT, [newest.sha])
    assert states[newest.sha].state == "posted"


async def _nothing_is_posted_again(database: Database) -> None:
    ledger = SqlLedger(database)
    (left,) = await ledger.pending()
    assert left.content == '{"frozen": 2}'
    assert [part.state for part in left.parts] == [PartState.SENDING]
    done = await ledger.claim(
        DeliveryKey(platform="slack", channel="team", digest=DIGEST), "another", 1
    )
    assert (done.done, done.content, len(done.parts)) == (True, '{"frozen": 1}', 2)
    assert done.parts[0].receipt == '["1700000000.1", ""]'
    assert await ledger.last_slot("team") == "2026-03-05"
    assert not await ledger.claim_slot("team", "2026-03-05")


@kept
async def test_an_older_copy_can_be_put_back(file, tmp_path):
    copy = unpacked(file, tmp_path / "packed") / FILE
    put = backup.restore(tmp_path / "data", copy)
    assert put.revision == file.name[:4]
    async with await open_database(tmp_path / "data") as database:
        assert await revision_of(database) == HEAD


async def test_an_upgrade_that_fails_leaves_the_archive_as_it_was(tmp_path, monkeypatch):
    folder = unpacked(min(ARCHIVES.glob("*.gz")), tmp_path / "data")

    def broken(connection) -> None:
        connection.exec_driver_sql("DROP TABLE deliveries")
        raise RuntimeError("the power went")

    monkeypatch.setattr("bot.store.sqlite.upgrade", broken)  # a failure in the middle of migrating
    with pytest.raises(RuntimeError):
        await open_database(folder)
    monkeypatch.undo()
    async with await open_database(folder) as database:
        await _nothing_is_posted_again(database)
