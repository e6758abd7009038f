"""An archive moved from a file to PostgreSQL: the same rows, the same answers, and it goes on."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.backup import copy_archive
from bot.store.ledger import SqlLedger
from bot.store.maintenance import check
from bot.store.postgresql import open_postgres
from bot.store.sqlite import SqliteDatabase
from bot.store.tables.archive_tables import metadata
from digest.core.reference import Query
from digest.errors import UserError
from handlers.ports.storage import DeliveryKey, Outcome, PartRecord, PartState, State
from tests.integration.bot.store.samples import REPOSITORY, made, sha_of

KEY = DeliveryKey(platform="console", channel="c", digest="d")


async def filled(file: SqliteDatabase) -> None:
    titles = ["修复内存泄漏", "Add router_cache", "Route\0d", "Else"]
    batch = [made(n, title, body="in passing " * n) for n, title in enumerate(titles)]
    await SqlArchive(file).save(REPOSITORY, batch)
    posted = Outcome(sha=sha_of(1), state=State.POSTED)
    await SqlCoverage(file).record(REPOSITORY, "main", "c", "a" * 40, [posted])
    await SqlLedger(file).claim(KEY, "{}", 2)
    await SqlLedger(file).mark(KEY, PartRecord(part=0, state=PartState.SENT, receipt="r"))
    await SqlLedger(file).claim_slot("c", "2026-01-23")


async def test_everything_is_there_and_found_and_work_goes_on(
    file: SqliteDatabase, address: str
) -> None:
    await filled(file)
    async with await open_postgres(address) as database:
        counts = await copy_archive(file, database)
        assert (counts["changes"], counts["delivery_parts"], counts["slots"]) == (4, 2, 1)
        async with file.reading() as first, database.reading() as second:
            for table in metadata.sorted_tables:
                rows = select(table).order_by(*table.primary_key)
                assert (await first.execute(rows)).all() == (await second.execute(rows)).all()
        assert await check(database) == []
        for query in (
            Query(),
            Query(terms=("内存",)),
            Query(terms=("存",)),
            Query(terms=("route",)),
        ):
            found = await SqlArchive(database).select(REPOSITORY, query)
            assert found == await SqlArchive(file).select(REPOSITORY, query)
            assert found
        alike = [await SqlArchive(one).alike(REPOSITORY, ["router"]) for one in (file, database)]
        assert alike[0] == alike[1] != {}
        assert (await SqlLedger(database).pending())[0].parts[0].receipt == "r"
        await SqlArchive(database).save(REPOSITORY, [made(9, "Later")])
        assert (
            await SqlLedger(database).claim(
                DeliveryKey(platform="p", channel="c", digest="d"), "{}", 1
            )
        ).fresh


async def test_database_that_holds_anything_is_refused(file: SqliteDatabase, address: str) -> None:
    await filled(file)
    async with await open_postgres(address) as database:
        await SqlLedger(database).claim_slot("c", "2026-01-22")
        with pytest.raises(UserError, match=r"table slots of .* is not empty"):
            await copy_archive(file, database)
        assert await SqlArchive(database).select(REPOSITORY, Query()) == ()
