"""A search looks through its own repository: what others hold of the same words costs it nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from bot.store import text_index_sqlite
from bot.store.archive import SqlArchive
from bot.store.database import Database
from bot.store.postgresql import open_postgres
from bot.store.sqlite import open_archive
from bot.store.text_index import index_of
from bot.store.text_index_postgresql import PostgresIndex, mark_of
from digest.core.reference import Query
from tests.integration.bot.store.migrations.test_migrations_every_revision import (
    engine_of,
    fill,
    to_revision,
)
from tests.integration.bot.store.samples import OTHER, REPOSITORY, made, sha_of


def noise(n: int) -> str:
    """A text with some thousand runs of characters."""
    return " ".join(sha_of(1000 * n + k) for k in range(20))


MINE = [made(1, "Cache the blocks", names=("block_cache",))]
THEIRS = [made(n, f"Cache number {n}", names=(f"cache_{n}",)) for n in range(100, 160)]
BUSY = [made(n, f"Busy {n}", body=noise(n)) for n in range(200, 260)]
_EXPLAINED = """
    EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
    SELECT change_id FROM change_grams WHERE grams @> CAST(%s AS integer[])
"""
_HELD = text("SELECT grams FROM change_grams UNION ALL SELECT grams FROM topic_grams")


@pytest.mark.parametrize("term", ["cache", "ca", "cache the"])
@pytest.mark.parametrize("more", [{}, {"limit": 3}])
async def test_term_of_another_repository_is_not_found(
    archive: SqlArchive, term: str, more: dict[str, Any]
) -> None:
    await archive.save(REPOSITORY, MINE)
    await archive.save(OTHER, THEIRS)
    found = await archive.select(REPOSITORY, Query(terms=(term,), **more))
    assert [one.sha for one in found] == [sha_of(1)]
    assert not await archive.select(REPOSITORY, Query(terms=("number",), **more))


async def test_index_gives_no_row_of_another_repository(
    archive: SqlArchive, database: Database
) -> None:
    await archive.save(REPOSITORY, MINE)
    await archive.save(OTHER, THEIRS)
    assert await found_by_index(database, 1, "cache", "ca") == len(MINE)
    assert await found_by_index(database, 2, "cache", "ca") == len(THEIRS)


async def test_changes_written_after_a_search_are_found(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, MINE)
    await archive.save(OTHER, THEIRS)
    assert len(await archive.select(REPOSITORY, Query(terms=("cache",)))) == 1
    await archive.save(REPOSITORY, [made(2, "Cache more")])
    found = await archive.select(REPOSITORY, Query(terms=("cache",)))
    assert [one.sha for one in found] == [sha_of(2), sha_of(1)]


async def found_by_index(database: Database, repository: int, *terms: str) -> int:
    """How many rows the index itself gives, which are then read."""
    index = index_of(database.dialect)
    asked = index.expression(repository, terms)
    found = index.candidates(match=True, short=True, terms=len(terms))
    async with database.reading() as connection:
        values = {"match": asked.match, "short": asked.short, "repository": repository}
        return len((await connection.execute(found, values)).all())


async def test_rows_of_an_earlier_revision_get_their_repository(
    address: str, tmp_path: Path
) -> None:
    with engine_of(address, tmp_path).begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
        to_revision(connection, "0020")
        fill(connection)
        for table, key in (("change_grams", "change_id"), ("topic_grams", "topic_id")):
            connection.exec_driver_sql(f"INSERT INTO {table} ({key}, grams) VALUES (1, '{{5, 7}}')")
    async with await open_archive(tmp_path, address) as database, database.reading() as connection:
        held = (await connection.scalars(_HELD)).all()
    assert held == [[5, 7, mark_of(1)]] * 2


async def test_search_reads_no_long_backlog(address: str) -> None:
    """What was just written is on a list of the index that every search reads whole."""
    async with await open_postgres(address) as database:
        await SqlArchive(database).save(OTHER, BUSY)
    asked = PostgresIndex().expression(1, ["cache"]).match
    with psycopg.connect(address) as connection:
        connection.execute("SET enable_seqscan = off")
        (told,) = connection.execute(_EXPLAINED, [asked]).fetchall()
    plan = told[0][0]["Plan"]
    assert "ix_change_grams_grams" in str(plan)
    assert plan["Actual Rows"] == 0
    assert 0 < plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 60


async def test_topics_alike_are_of_the_repository(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, [made(1, "[Scheduler] Let it be")])
    await archive.save(OTHER, [made(2, "[Schedule] Let it be")])
    assert [*await archive.alike(REPOSITORY, ["schedulers"])] == ["scheduler"]
    assert [*await archive.alike(OTHER, ["schedulers"])] == ["schedule"]


async def test_which_letters_are_rare_depends_on_the_topics_of_the_repository(
    archive: SqlArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index_sqlite, "_ENOUGH", 1)
    await archive.save(REPOSITORY, [made(1, "[Scheduler] Let it be")])
    await archive.save(OTHER, [made(2, "[Aaxis] Let it be")])
    assert [*await archive.alike(REPOSITORY, ["aaxscheduler"])] == ["scheduler"]
