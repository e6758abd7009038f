"""Copies of the archive: made beside writers, looked through, put back, never over anything."""

from __future__ import annotations

import asyncio
import sqlite3
import stat

import pytest

from bot.store import backup as module
from bot.store.archive import SqlArchive
from bot.store.backup import backup, restore
from bot.store.ledger import SqlLedger
from bot.store.maintenance import check
from bot.store.migrations import HEAD
from bot.store.sqlite import FILE, open_database
from digest.core.reference import Query
from digest.errors import BrokenArchive, NewerArchive, UnwritableFolder, UserError
from handlers.ports.storage import DeliveryKey
from tests.integration.bot.store.samples import REPOSITORY, made

KEY = DeliveryKey(platform="slack", channel="team", digest="daily")


@pytest.fixture
def database(file):
    """Only a file is copied so; PostgreSQL has tools of its own."""
    return file


async def shas(database) -> set[str]:
    return {one.sha for one in await SqlArchive(database).select(REPOSITORY, Query())}


async def filled(database, numbers=range(20)):
    await SqlArchive(database).save(REPOSITORY, [made(n) for n in numbers])


async def test_a_copy_of_an_archive_in_use_holds_what_was_kept_and_can_be_put_back(
    database, tmp_path
):
    await filled(database)
    await SqlLedger(database).claim(KEY, "content", 2)
    done = await asyncio.to_thread(backup, database.path.parent, tmp_path / "copy")
    assert (done.revision, done.size) == (HEAD, (tmp_path / "copy").stat().st_size)
    await filled(database, range(20, 30))
    put = await asyncio.to_thread(restore, tmp_path / "other", tmp_path / "copy")
    assert put.revision == HEAD
    async with await open_database(tmp_path / "other") as other:
        assert await check(other) == []
        assert await shas(other) == {made(n).sha for n in range(20)}
        assert [one.key for one in await SqlLedger(other).pending()] == [KEY]


async def test_a_copy_is_of_one_moment_while_others_write(database, tmp_path):
    async def write() -> None:
        for n in range(0, 60, 3):
            await filled(database, range(n, n + 3))

    writing = asyncio.create_task(write())
    copies = []
    while not writing.done():
        file = tmp_path / f"copy{len(copies)}"
        await asyncio.to_thread(backup, database.path.parent, file)
        copies.append(file)
    await writing
    for number, file in enumerate(copies):
        folder = tmp_path / f"put{number}"
        restore(folder, file)
        async with await open_database(folder) as one:
            assert await check(one) == []
            assert len(await shas(one)) % 3 == 0
    assert copies


async def test_a_copy_is_for_its_owner_alone_and_needs_no_file_beside_it(database, tmp_path):
    folder = tmp_path / "copies"
    folder.mkdir()
    backup(database.path.parent, folder / "copy")
    assert [one.name for one in folder.iterdir()] == ["copy"]
    assert stat.S_IMODE((folder / "copy").stat().st_mode) == 0o600
    restore(tmp_path / "other", folder / "copy")
    assert stat.S_IMODE((tmp_path / "other" / FILE).stat().st_mode) == 0o600
    assert [one.name for one in folder.iterdir()] == ["copy"]


async def test_nothing_is_overwritten(database, tmp_path):
    folder = database.path.parent
    backup(folder, tmp_path / "copy")
    before = (tmp_path / "copy").read_bytes()
    with pytest.raises(UserError, match="not overwritten"):
        backup(folder, tmp_path / "copy")
    with pytest.raises(UserError, match="move it away"):
        restore(folder, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == before


async def test_a_log_that_an_archive_left_behind_is_not_played_into_another(database, tmp_path):
    backup(database.path.parent, tmp_path / "copy")
    other = tmp_path / "other"
    other.mkdir()
    (other / f"{FILE}-wal").write_bytes(b"left behind")
    with pytest.raises(UserError, match=r"-wal.*move it away"):
        restore(other, tmp_path / "copy")


async def test_a_file_made_meanwhile_is_not_overwritten(database, tmp_path, monkeypatch):
    target = tmp_path / "copy"
    check = module._check

    def late(*arguments) -> None:
        target.write_text("somebody else's")
        check(*arguments)

    monkeypatch.setattr(module, "_check", late)  # the moment between looking and writing
    with pytest.raises(UserError, match="not overwritten"):
        backup(database.path.parent, target)
    assert target.read_text() == "somebody else's"
    assert list(tmp_path.glob(".copy.*")) == []


async def test_a_copy_of_a_later_program_is_refused(database, tmp_path):
    backup(database.path.parent, tmp_path / "copy")
    connection = sqlite3.connect(tmp_path / "copy")
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(NewerArchive, match="9999"):
        restore(tmp_path / "other", tmp_path / "copy")
    assert not (tmp_path / "other").exists()


async def test_what_is_damaged_is_neither_copied_nor_put_back(database, tmp_path):
    await filled(database, range(200))
    backup(database.path.parent, tmp_path / "copy")
    content = bytearray((tmp_path / "copy").read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8192] = b"\xff" * 8192
    (tmp_path / "copy").write_bytes(content)
    with pytest.raises(BrokenArchive):
        restore(tmp_path / "other", tmp_path / "copy")
    assert not (tmp_path / "other" / FILE).exists()


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
async def test_a_file_of_something_else_is_refused(tmp_path, content):
    (tmp_path / "copy").write_bytes(content)
    with pytest.raises(BrokenArchive):
        restore(tmp_path / "other", tmp_path / "copy")


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(UserError, match="contains no archive"):
        backup(tmp_path, tmp_path / "copy")
    with pytest.raises(UserError, match="does not exist"):
        restore(tmp_path, tmp_path / "copy")


async def test_a_folder_that_is_not_there_is_told(database, tmp_path):
    with pytest.raises(UnwritableFolder, match="nowhere"):
        backup(database.path.parent, tmp_path / "nowhere" / "copy")


async def test_restoring_makes_the_folders_that_are_missing(database, tmp_path):
    backup(database.path.parent, tmp_path / "copy")
    (tmp_path / "empty").mkdir()
    restore(tmp_path / "empty", tmp_path / "copy")
    restore(tmp_path / "new" / "data", tmp_path / "copy")
    assert (tmp_path / "new" / "data").stat().st_mode & 0o777 == 0o700
