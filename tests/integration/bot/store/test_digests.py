"""Digests under their names: provisional until their window has ended, frozen after."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select

from bot.store.database import Database
from bot.store.digests import DigestHeading, KeptDigest, SqlDigests
from bot.store.tables.ledger_tables import reports
from digest.window import Window
from handlers.ports.storage import Outcome, State
from tests.integration.bot.store.samples import START, sha_of

WINDOW = Window(since=START, until=START + timedelta(days=1), zone=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def digests(database: Database) -> SqlDigests:
    return SqlDigests(database)


def digest(name: str, created_at: datetime, document: str = "{}") -> KeptDigest:
    heading = DigestHeading(
        name=name,
        repository="owner/name",
        branch="main",
        window=WINDOW,
        created_at=created_at,
        counts={"total": 3, "high": 1},
    )
    return KeptDigest(
        heading=heading,
        document=document,
        markdown="# 内存 \U0001f4e6",
        tip=sha_of(2),
        outcomes=(
            Outcome(sha=sha_of(2), state=State.POSTED),
            Outcome(sha=sha_of(1), state=State.FILTERED, why="level: below medium"),
        ),
    )


async def test_digest_comes_back_as_it_was_kept(digests: SqlDigests) -> None:
    assert await digests.get("daily") is None
    made = digest("daily", WINDOW.until)
    assert await digests.keep(made) == made
    assert await digests.get("daily") == made


async def test_what_keeping_returns_is_what_is_read_afterwards(digests: SqlDigests) -> None:
    odd = digest("odd", WINDOW.until + timedelta(microseconds=7), '"\ud800 \0"')
    odd = replace(odd, outcomes=(Outcome(sha=sha_of(1), state=State.FAILED, why="\0 \ud800 é"),))
    kept = await digests.keep(replace(odd, markdown="\ud800 \0 é"))
    assert kept == await digests.get("odd")
    assert kept.heading.created_at == WINDOW.until
    assert kept.markdown == "? ? é"


async def test_digest_of_an_ended_window_is_frozen(digests: SqlDigests) -> None:
    first = digest("daily", WINDOW.until, "first")
    await digests.keep(first)
    assert first.heading.frozen
    assert await digests.keep(digest("daily", WINDOW.until + timedelta(hours=9), "second")) == first
    assert await digests.get("daily") == first


async def test_digest_of_a_day_that_goes_on_gives_way(digests: SqlDigests) -> None:
    noon = digest("daily", WINDOW.since + timedelta(hours=12), "noon")
    assert not noon.heading.frozen
    await digests.keep(noon)
    evening = digest("daily", WINDOW.until, "evening")
    assert await digests.keep(evening) == evening


async def test_list_is_newest_first_and_cut(digests: SqlDigests) -> None:
    for hours, name in enumerate("abc"):
        await digests.keep(digest(name, WINDOW.until + timedelta(hours=hours)))
    assert [h.name for h in await digests.list(2)] == ["c", "b"]
    assert (await digests.list(9))[-1] == digest("a", WINDOW.until).heading


async def test_one_report_is_kept_for_all_digests_that_have_it(digests, database) -> None:
    async def held() -> int:
        async with database.reading() as connection:
            return await connection.scalar(select(func.count()).select_from(reports))

    noon = WINDOW.since + timedelta(hours=12)
    for name in "abc":
        await digests.keep(digest(name, noon))
    assert await held() == 1
    for left, name in ((2, "a"), (2, "b"), (1, "c")):
        later = replace(digest(name, WINDOW.until), markdown="# later")
        assert await digests.keep(later) == later
        assert await held() == left
    # What comes too late for its name leaves nothing behind.
    late = replace(digest("a", WINDOW.until + timedelta(hours=1)), markdown="# too late")
    assert (await digests.keep(late)).markdown == "# later"
    assert await held() == 1


async def test_the_first_digest_that_covered_a_commit_gives_the_commits_beside_it(digests) -> None:
    later = digest("later", WINDOW.until + timedelta(hours=2))
    await digests.keep(replace(later, outcomes=(Outcome(sha=sha_of(1), state=State.POSTED),)))
    await digests.keep(digest("first", WINDOW.until))
    covered = await digests.covered_with("owner/name", sha_of(1), START)
    assert covered == (sha_of(2), sha_of(1))
    assert await digests.covered_with("owner/other", sha_of(1), START) == ()
    assert await digests.covered_with("owner/name", sha_of(3), START) == ()
