"""What pages read of an archive: counts by day, lists, and a version that every write raises."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.store import forge_records
from bot.store.analyses import SqlAnalyses
from bot.store.archive import SqlArchive
from bot.store.browsing import Extent, SqlBrowsing, _equal_steps
from bot.store.database import Database
from bot.store.digests import SqlDigests
from bot.store.forge_records import ForgePage, SqlPages, SqlRequests
from bot.store.maintenance import reindex
from digest.core.grade import Level
from digest.core.reference import Query
from digest.core.request import PullRequest, RequestState
from digest.window import day_window
from tests.integration.bot.store.samples import OTHER, REPOSITORY, START, made
from tests.integration.bot.store.test_analyses import BASIS, kept
from tests.integration.bot.store.test_digests import digest
from tests.support.channels import forget
from tests.support.fakes import FakeClock

UTC_ZONE = ZoneInfo("UTC")

SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.fixture
def browsing(database: Database) -> SqlBrowsing:
    return SqlBrowsing(database)


def request(number: int, *labels: str) -> PullRequest:
    return PullRequest(
        number=number,
        title="",
        state=RequestState.MERGED,
        author="ada",
        created_at=START,
        updated_at=START,
        labels=labels,
    )


async def test_nothing_is_archived_of_a_stranger(browsing: SqlBrowsing) -> None:
    assert await browsing.extent(REPOSITORY) is None
    assert await browsing.version(REPOSITORY) == ""
    assert await browsing.newest(REPOSITORY, 5) == []
    assert await browsing.told(REPOSITORY, ["a" * 40], BASIS.language) == {}


async def test_extent_and_newest(archive: SqlArchive, browsing: SqlBrowsing) -> None:
    await archive.save(REPOSITORY, [made(n, level=tuple(Level)[n % 3]) for n in range(6)])
    await archive.save(OTHER, [made(9)])
    found = await browsing.extent(REPOSITORY)
    assert found == Extent(total=6, first=START, last=START + timedelta(minutes=5))
    newest = await browsing.newest(REPOSITORY, 2, Level.MEDIUM)
    assert [line.at.minute for line in newest] == [4, 3]


async def test_pulse_counts_days_of_a_zone(archive: SqlArchive, browsing: SqlBrowsing) -> None:
    late = datetime(2026, 3, 1, 20, tzinfo=UTC)  # the second of March in Shanghai
    await archive.save(REPOSITORY, [made(1, at=late, level=Level.LOW), made(2, at=late)])
    edges = [day_window(date(2026, 3, 1 + n), SHANGHAI).since for n in range(4)]
    assert await browsing.pulse(REPOSITORY, edges) == [(0, 0, 0), (0, 1, 1), (0, 0, 0)]


def test_days_between_two_changes_of_clocks_are_counted_together() -> None:
    days = [day_window(date(2026, 3, 27 + n), ZoneInfo("Europe/Berlin")).since for n in range(5)]
    edges = [int(day.timestamp()) for day in days]
    assert [*_equal_steps(edges)] == [(0, 86_400, 2), (2, 82_800, 1), (3, 86_400, 1)]


async def test_lines_and_places_of_a_window(archive: SqlArchive, browsing: SqlBrowsing) -> None:
    paths = ("engine/core/pool.py", "engine/core/run.py", "README.md")
    await archive.save(REPOSITORY, [made(1, paths=paths), made(2, at=START + timedelta(days=3))])
    window = day_window(START.date(), UTC_ZONE)
    assert [line.title for line in await browsing.lines(REPOSITORY, window)] == ["Change a thing"]
    assert await browsing.places(REPOSITORY, window, 5) == [("engine/core", 1)]
    await archive.save(REPOSITORY, [made(3, at=window.since), made(4, at=window.until)])
    found = [line.at for line in await browsing.lines(REPOSITORY, window)]
    assert found == [START + timedelta(minutes=1), window.since]
    await archive.save(REPOSITORY, [made(5, paths=[f"{name}/run.py" for name in "fbdace"])])
    places = await browsing.places(REPOSITORY, window, 6)
    assert places == [(name, 1) for name in ("a", "b", "c", "d", "e", "engine/core")]


async def test_others_reads_only_what_was_archived_since_it_was_last_asked(
    database: Database, archive: SqlArchive, browsing: SqlBrowsing, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    run = database.run

    async def counted(*given):
        result = await run(*given)
        read.append(len(result.rows))
        return result

    monkeypatch.setattr(database, "run", counted)
    changes = [made(n) for n in range(6)]
    names = [one.sha for one in changes]
    await archive.save(REPOSITORY, changes[:4])
    assert await browsing.others(REPOSITORY, names[:3]) == [names[3]]
    await archive.save(OTHER, [made(9)])
    await archive.save(REPOSITORY, changes[3:])
    assert await browsing.others(REPOSITORY, names[:5]) == [names[5]]
    await archive.save(REPOSITORY, [made(1, level=Level.LOW)])
    assert await browsing.others(REPOSITORY, names) == []
    # The branch was rewritten.
    assert await browsing.others(REPOSITORY, [*names[:2], "f" * 40]) == sorted(names[2:])
    assert read == [4, 2, 0, 0]
    assert await browsing.others(OTHER, []) == [made(9).sha]


async def test_labels_of_a_merged_request_are_topics_of_what_is_read_after_it(
    database: Database, archive: SqlArchive
) -> None:
    still = replace(request(8, "kernel"), state=RequestState.OPEN)
    await SqlRequests(database).keep(REPOSITORY, [request(7, "kernel"), still], START)
    await archive.save(REPOSITORY, [made(1, number=7), made(2, number=8)])
    found = await archive.select(REPOSITORY, Query(topics=("kernel",)))
    assert [change.number for change in found] == [7]


async def test_every_write_makes_another_version(
    database: Database, archive: SqlArchive, browsing: SqlBrowsing
) -> None:
    seen = [await browsing.version(REPOSITORY)]

    async def another() -> bool:
        seen.append(await browsing.version(REPOSITORY))
        return seen.count(seen[-1]) == 1

    change = made(1, number=7)
    await archive.save(REPOSITORY, [change])
    assert await another()
    grade = replace(change.grade, level=Level.HIGH, score=0.9, by="other weights")
    await archive.save(REPOSITORY, [replace(change, grade=grade)])
    assert await another()
    await SqlRequests(database).keep(REPOSITORY, [request(7, "kernel")], START)
    assert await another()
    # Within the same second, and of the same number of labels.
    await SqlRequests(database).keep(REPOSITORY, [request(7, "scheduler")], START)
    assert await another()
    await SqlAnalyses(database).save(REPOSITORY, BASIS, [kept(change.sha)])
    assert await another()
    made_of = replace(digest("daily", START).heading, repository=REPOSITORY.name)
    await SqlDigests(database).keep(replace(digest("daily", START), heading=made_of))
    assert await another()
    await reindex(database, REPOSITORY)
    assert await another()
    await forget(database, REPOSITORY)
    assert await another()


async def test_version_stands_while_others_are_written(
    archive: SqlArchive, browsing: SqlBrowsing
) -> None:
    await archive.save(REPOSITORY, [made(1)])
    before = await browsing.version(REPOSITORY)
    await archive.save(OTHER, [made(2)])
    assert await browsing.version(REPOSITORY) == before


async def test_the_newest_responses_of_forges_are_kept(database: Database, monkeypatch):
    monkeypatch.setattr(forge_records, "_ROOM", 1)
    at = datetime(2026, 3, 4, tzinfo=UTC)
    for number in range(4):
        clock = FakeClock(at + timedelta(hours=number))
        pages = SqlPages(database, clock, most=2)
        await pages.put("ada", f"/{number}", ForgePage(value=number))
    kept = [await pages.get("ada", f"/{number}") for number in range(4)]
    assert [page and page.value for page in kept] == [None, None, 2, 3]
