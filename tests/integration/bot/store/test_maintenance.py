"""Looking after the archive: what it holds, its space, its soundness, making it anew."""

from __future__ import annotations

from datetime import timedelta

from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.database import Database
from bot.store.maintenance import check, holdings, reindex, size, vacuum
from bot.store.postgresql import open_postgres
from bot.store.sqlite import SqliteDatabase
from digest.core.reference import Query
from handlers.ports.storage import Outcome, State
from tests.integration.bot.store.samples import OTHER, REPOSITORY, START, made, sha_of
from tests.support.channels import forget


async def test_holdings_have_counts_and_ends_by_name(
    archive: SqlArchive, database: Database
) -> None:
    assert await holdings(database) == ()
    await archive.save(REPOSITORY, [made(1), made(9), made(5)])
    await SqlCoverage(database).record(OTHER, "main", "c", "a" * 40, [])
    mine, other = await holdings(database)
    assert (mine.repository, mine.changes) == (REPOSITORY, 3)
    assert (mine.first, mine.last) == (START + timedelta(minutes=1), START + timedelta(minutes=9))
    assert (other.repository, other.changes, other.first) == (OTHER, 0, None)


async def test_vacuum_gives_space_back_and_keeps_everything(
    archive: SqlArchive, database: Database
) -> None:
    batch = [made(n, f"Title {n}", body="long body " * 50) for n in range(300)]
    await archive.save(OTHER, batch)
    await archive.save(REPOSITORY, batch[:20])
    await forget(database, OTHER)
    sizes = await vacuum(database)
    assert sizes.after < sizes.before
    assert sizes.after == await size(database)
    assert list(await archive.select(REPOSITORY, Query(terms=("long body",)))) == batch[19::-1]
    assert await check(database) == []


async def test_forget_removes_changes_and_keeps_what_was_posted(
    archive: SqlArchive, database: Database
) -> None:
    coverage = SqlCoverage(database)
    await archive.save(REPOSITORY, [made(1), made(2)])
    await archive.save(OTHER, [made(1)])
    posted = Outcome(sha=sha_of(1), state=State.POSTED)
    await coverage.record(REPOSITORY, "main", "c", "a" * 40, [posted])
    assert await forget(database, REPOSITORY) == 2
    assert list(await archive.select(REPOSITORY, Query())) == []
    assert list(await archive.select(REPOSITORY, Query(terms=("thing",)))) == []
    assert await archive.vocabulary(REPOSITORY) == {}
    assert len(await archive.select(OTHER, Query(terms=("thing",)))) == 1
    assert await coverage.seen(REPOSITORY, "main", "c") == "a" * 40
    assert await coverage.states(REPOSITORY, [sha_of(1)]) == {sha_of(1): posted}
    await archive.save(REPOSITORY, [made(1)])
    assert list(await archive.select(REPOSITORY, Query(terms=("thing",)))) == [made(1)]
    assert await check(database) == []


async def test_forget_of_an_unknown_repository_is_nothing(database: Database) -> None:
    assert await forget(database, OTHER) == 0


async def test_reindex_makes_lost_indexes_anew_without_git(
    archive: SqlArchive, database: Database
) -> None:
    batch = [made(n, f"Router work {n}", paths=(f"src/{n}.py",)) for n in range(1100)]
    await archive.save(REPOSITORY, batch)
    before = await archive.vocabulary(REPOSITORY)
    async with database.writing() as connection:
        for table in ("change_topics", "change_paths"):
            await connection.exec_driver_sql(f"DELETE FROM {table}")
    assert await archive.vocabulary(REPOSITORY) == {}
    assert await reindex(database, REPOSITORY) == 1100
    assert await archive.vocabulary(REPOSITORY) == before
    assert list(await archive.select(REPOSITORY, Query(paths=("src/77.py",)))) == [batch[77]]
    assert len(await archive.select(REPOSITORY, Query(terms=("router",)))) == 1100
    assert await check(database) == []


async def test_check_finds_an_index_that_lies(file: SqliteDatabase) -> None:
    await SqlArchive(file).save(REPOSITORY, [made(1)])
    assert await check(file) == []
    async with file.writing() as connection:
        await connection.exec_driver_sql("UPDATE change_texts SET subject = 'something else'")
    (problem,) = await check(file)
    assert "malformed" in problem


async def test_check_finds_rows_that_refer_to_nothing(file: SqliteDatabase) -> None:
    await SqlArchive(file).save(REPOSITORY, [made(1)])
    async with file.reading() as connection:
        await connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        await connection.exec_driver_sql("DELETE FROM changes")
        await connection.exec_driver_sql("PRAGMA foreign_keys = ON")
    assert "row 1 of contents refers to no row of changes" in await check(file)


async def test_check_finds_a_text_that_the_index_of_postgresql_lacks(address: str) -> None:
    async with await open_postgres(address) as database:
        await SqlArchive(database).save(REPOSITORY, [made(1), made(2)])
        assert await check(database) == []
        async with database.writing() as connection:
            await connection.exec_driver_sql("DELETE FROM change_grams WHERE change_id = 1")
        assert await check(database) == ["the text index and the texts differ in 1 rows"]
