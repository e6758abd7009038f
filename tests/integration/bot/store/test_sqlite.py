"""Opening an archive: fresh, old, foreign, broken, newer, out of reach."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from sqlalchemy import create_engine, event

from bot.store import sqlite
from bot.store.migrations import HEAD
from bot.store.sqlite import FILE, SqliteDatabase, open_database
from digest.errors import BrokenArchive, NewerArchive, UnwritableFolder
from tests.support.speed import slowness


async def opened_and_closed(folder: Path) -> None:
    async with await open_database(folder):
        pass


async def test_folder_when_missing_is_made_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    await opened_and_closed(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_folder_when_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    await opened_and_closed(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755


async def test_every_connection_has_its_settings(file: SqliteDatabase) -> None:
    async with file.reading() as first, file.reading() as second:
        for connection in (first, second):
            settings = [
                (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar()
                for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
            ]
            assert settings == ["wal", 1, 1, 30_000]


async def test_connection_that_made_the_tables_checks_references_again(tmp_path: Path) -> None:
    database = await open_database(tmp_path / "new")
    async with database.reading() as connection:
        assert (await connection.exec_driver_sql("PRAGMA foreign_keys")).scalar() == 1
    await database.aclose()


async def test_statement_takes_one_hop_to_its_thread(
    file: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    hops = []
    run = aiosqlite.Connection._execute

    async def counted(self: aiosqlite.Connection, *given: Any) -> Any:
        hops.append(given)
        return await run(self, *given)

    async with file.reading() as connection:
        monkeypatch.setattr(aiosqlite.Connection, "_execute", counted)
        rows = (await connection.exec_driver_sql("VALUES (1), (2)")).all()
    assert (rows, len(hops)) == ([(1,), (2,)], 1)


async def test_open_up_to_date_loads_no_migrations(tmp_path: Path) -> None:
    await opened_and_closed(tmp_path)
    program = (
        "import asyncio, sys; from pathlib import Path; from bot.store.sqlite import *\n"
        "async def main():\n"
        "    async with await open_database(Path(sys.argv[1])): pass\n"
        "asyncio.run(main()); print('alembic' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, check=True
    )
    assert ran.stdout == b"False\n"


async def test_open_up_to_date_is_quick(tmp_path: Path) -> None:
    await opened_and_closed(tmp_path)
    spent = []
    for _ in range(5):
        began = time.process_time()
        await opened_and_closed(tmp_path)
        spent.append(time.process_time() - began)
    assert min(spent) < 0.03 * slowness()


async def test_open_by_several_at_once_makes_one_archive(tmp_path: Path) -> None:
    await asyncio.gather(*(opened_and_closed(tmp_path) for _ in range(4)))
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        assert file.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)


async def test_migration_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(connection: object) -> None:
        from bot.store import migrations

        migrations.upgrade(connection)
        raise RuntimeError("power cut")

    # Patched: no other way to end a migration between its last statement and its commit.
    monkeypatch.setattr("bot.store.sqlite.create", half)
    with pytest.raises(RuntimeError, match="power cut"):
        await open_database(tmp_path)
    monkeypatch.undo()
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        assert file.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    await opened_and_closed(tmp_path)


async def test_open_when_newer_names_revision_and_way_out(tmp_path: Path) -> None:
    await opened_and_closed(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        file.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerArchive, match=r"revision 9999.*upgrade digestbot"):
        await open_database(tmp_path)


async def test_open_when_no_database_says_so_and_touches_nothing(tmp_path: Path) -> None:
    content = b"#!/bin/sh\n" * 400
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(BrokenArchive, match="not a database"):
        await open_database(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content


async def test_an_archive_that_another_process_makes_meanwhile_is_no_other_programs(
    tmp_path: Path,
) -> None:
    file = tmp_path / "archive.sqlite3"
    engine = create_engine(f"sqlite:///{file}")

    @event.listens_for(engine, "handle_error")
    def made_meanwhile(_context: object) -> None:
        with closing(sqlite3.connect(file)) as other, other:
            other.execute("CREATE TABLE alembic_version (version_num TEXT)")
            other.execute("INSERT INTO alembic_version VALUES (?)", [HEAD])

    with engine.connect() as connection:
        assert sqlite._revision(connection, file) == HEAD
    engine.dispose()


@pytest.mark.parametrize("table", ["bookmarks", "alembic_version"])
async def test_open_when_database_of_something_else_says_so(tmp_path: Path, table: str) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        file.execute(f"CREATE TABLE {table} (url)")
    with pytest.raises(BrokenArchive, match="another program"):
        await open_database(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as file, file:
        assert file.execute("SELECT name FROM sqlite_master").fetchall() == [(table,)]


async def test_read_when_pages_are_damaged_names_the_archive(tmp_path: Path) -> None:
    await opened_and_closed(tmp_path)
    path = tmp_path / FILE
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(BrokenArchive, match=FILE):
        async with await open_database(tmp_path) as database, database.reading() as connection:
            await connection.exec_driver_sql("SELECT * FROM changes")


async def test_open_below_a_file_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableFolder, match="file/data'"):  # and not a file in it
        await open_database(tmp_path / "file" / "data")


async def test_open_where_archive_is_a_folder_names_it(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(UnwritableFolder, match=FILE):
        await open_database(tmp_path)


async def test_open_without_permission_names_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Patched: whoever runs the tests as root is refused nothing.
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(UnwritableFolder, match=r"Permission denied.*DIGESTBOT_DATA"):
        await open_database(tmp_path / "data")


async def test_write_to_a_full_disk_is_told_and_undone(file: SqliteDatabase) -> None:
    async def fill() -> None:
        async with file.writing() as connection:
            pages = (await connection.exec_driver_sql("PRAGMA page_count")).scalar()
            await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
            await connection.exec_driver_sql(
                "INSERT INTO slots (subscription, slot) VALUES ('s', '2026-01-01')"
            )
            await connection.exec_driver_sql(
                "INSERT INTO slots (subscription, slot) VALUES ('s', zeroblob(100000))"
            )

    with pytest.raises(UnwritableFolder, match="full"):
        await fill()
    async with file.reading() as connection:
        assert (await connection.exec_driver_sql("SELECT count(*) FROM slots")).scalar() == 0


async def test_transaction_that_raises_keeps_nothing(file: SqliteDatabase) -> None:
    async def fail() -> None:
        async with file.writing() as connection:
            await connection.exec_driver_sql(
                "INSERT INTO slots (subscription, slot) VALUES ('s', '2026-01-01')"
            )
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    async with file.reading() as connection:
        assert (await connection.exec_driver_sql("SELECT count(*) FROM slots")).scalar() == 0


async def test_transaction_that_is_cancelled_keeps_nothing_and_lets_others_write(
    file: SqliteDatabase,
) -> None:
    begun = asyncio.Event()

    async def endless() -> None:
        async with file.writing() as connection:
            await connection.exec_driver_sql(
                "INSERT INTO slots (subscription, slot) VALUES ('s', '2026-01-01')"
            )
            begun.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(endless())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with file.writing() as connection:
        await connection.exec_driver_sql(
            "INSERT INTO slots (subscription, slot) VALUES ('s', '2026-01-02')"
        )
    async with file.reading() as connection:
        rows = (await connection.exec_driver_sql("SELECT slot FROM slots")).all()
    assert [row[0] for row in rows] == ["2026-01-02"]
