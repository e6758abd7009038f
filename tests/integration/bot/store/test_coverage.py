"""Every commit has one outcome in a channel, and the right one stands."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from bot.store.archive import SqlCoverage
from bot.store.database import Database
from bot.store.postgresql import open_postgres
from bot.store.tables.archive_tables import repositories
from digest.window import Window
from handlers.ports.storage import Outcome, State
from tests.integration.bot.store.samples import OTHER, REPOSITORY, sha_of


@pytest.fixture
def coverage(database: Database) -> SqlCoverage:
    return SqlCoverage(database)


def outcome(n: int, state: State, why: str = "") -> Outcome:
    return Outcome(sha=sha_of(n), state=state, why=why)


async def test_seen_is_the_last_tip_of_repository_branch_and_channel(coverage: SqlCoverage) -> None:
    assert await coverage.seen(REPOSITORY, "main", "terminal") is None
    await coverage.record(REPOSITORY, "main", "terminal", "a" * 40, [])
    await coverage.record(REPOSITORY, "main", "terminal", "b" * 40, [])
    await coverage.record(REPOSITORY, "next", "terminal", "c" * 40, [])
    await coverage.record(OTHER, "main", "terminal", "d" * 40, [])
    assert await coverage.seen(REPOSITORY, "main", "terminal") == "b" * 40
    assert await coverage.seen(REPOSITORY, "next", "terminal") == "c" * 40
    assert await coverage.seen(REPOSITORY, "main", "elsewhere") is None


async def test_record_without_tip_keeps_the_one_before(coverage: SqlCoverage) -> None:
    await coverage.record(REPOSITORY, "main", "terminal", "a" * 40, [])
    await coverage.record(REPOSITORY, "main", "terminal", None, [outcome(1, State.FAILED, "x")])
    assert await coverage.seen(REPOSITORY, "main", "terminal") == "a" * 40


async def test_told_are_those_of_the_channels_other_branches(coverage: SqlCoverage) -> None:
    shas = [sha_of(n) for n in range(6)]
    states = [State.POSTED, State.ARCHIVED, State.FILTERED, State.FAILED]
    recorded = [outcome(n, state) for n, state in enumerate(states)]
    assert await coverage.told(REPOSITORY, "next", "terminal", shas) == frozenset()
    await coverage.record(REPOSITORY, "main", "terminal", None, recorded)
    await coverage.record(REPOSITORY, "main", "elsewhere", None, [outcome(4, State.POSTED)])
    await coverage.record(REPOSITORY, "next", "terminal", None, [outcome(5, State.POSTED)])
    assert await coverage.told(REPOSITORY, "next", "terminal", shas) == set(shas[:2])
    assert await coverage.told(REPOSITORY, "main", "terminal", shas[3:]) == {shas[5]}


async def test_states_are_those_of_the_asked_and_recorded(coverage: SqlCoverage) -> None:
    assert await coverage.states(OTHER, [sha_of(1)]) == {}
    recorded = [outcome(1, State.POSTED), outcome(2, State.FILTERED, "level below medium")]
    await coverage.record(REPOSITORY, "main", "terminal", None, recorded)
    asked = [sha_of(n) for n in (2, 1, 3, 1)]
    assert await coverage.states(REPOSITORY, asked) == {o.sha: o for o in recorded}


@pytest.mark.parametrize("first", list(State))
@pytest.mark.parametrize("later", list(State))
async def test_later_outcome_stands_only_after_failure_or_when_posted_after_archived(
    coverage: SqlCoverage, first: State, later: State
) -> None:
    await coverage.record(REPOSITORY, "main", "terminal", None, [outcome(1, first, "first")])
    await coverage.record(REPOSITORY, "main", "terminal", None, [outcome(1, later, "later")])
    replaced = first is State.FAILED or (first, later) == (State.ARCHIVED, State.POSTED)
    standing = outcome(1, later, "later") if replaced else outcome(1, first, "first")
    assert await coverage.states(REPOSITORY, [sha_of(1)]) == {sha_of(1): standing}


async def test_states_of_several_channels_tell_the_furthest(coverage: SqlCoverage) -> None:
    for n, states in enumerate(
        [
            (State.FAILED, State.FILTERED),
            (State.ARCHIVED, State.FILTERED),
            (State.POSTED, State.FAILED),
        ]
    ):
        for channel, state in zip(("a", "b"), states, strict=True):
            await coverage.record(REPOSITORY, "main", channel, None, [outcome(n, state)])
    found = await coverage.states(REPOSITORY, [sha_of(n) for n in range(3)])
    assert [found[sha_of(n)].state for n in range(3)] == [
        State.FILTERED,
        State.ARCHIVED,
        State.POSTED,
    ]


async def test_record_takes_thousands_and_texts_that_are_no_utf8(coverage: SqlCoverage) -> None:
    many = [outcome(n, State.ARCHIVED, "cause \udcff") for n in range(3000)]
    await coverage.record(REPOSITORY, "main", "terminal", "a" * 40, many)
    found = await coverage.states(REPOSITORY, [o.sha for o in many])
    assert len(found) == 3000
    assert {o.why for o in found.values()} == {"cause ?"}


async def test_outcomes_wait_for_nobody_who_writes_of_the_repository(address: str) -> None:
    """A server lets both write at once; a file has one writer."""
    async with await open_postgres(address) as database:
        coverage = SqlCoverage(database)
        await coverage.record(REPOSITORY, "main", "one", "a" * 40, [])
        async with asyncio.timeout(120), database.writing(REPOSITORY.name):
            await coverage.record(REPOSITORY, "main", "two", "a" * 40, [outcome(1, State.POSTED)])


async def test_record_raises_the_revision_only_where_something_is_new(
    coverage: SqlCoverage, database: Database
) -> None:
    async def revision() -> int:
        async with database.reading() as connection:
            return (await connection.scalars(select(repositories.c.revision))).one()

    told = [outcome(n, State.POSTED) for n in range(3)]
    await coverage.record(REPOSITORY, "main", "terminal", "a" * 40, told[:2])
    first = await revision()
    await coverage.record(REPOSITORY, "main", "terminal", "b" * 40, told[:1])
    moved = await revision()
    await coverage.record(REPOSITORY, "main", "terminal", "b" * 40, told[:2])
    assert (moved - first, await revision() - moved) == (1, 0)
    await coverage.record(REPOSITORY, "main", "terminal", None, told)
    assert await revision() == moved + 1


def hours(first: int, last: int) -> Window:
    since, until = (datetime(2026, 3, 2, tzinfo=UTC) + timedelta(hours=n) for n in (first, last))
    return Window(since=since, until=until, zone=ZoneInfo("UTC"))


async def test_covered_time_is_joined_by_branch(coverage: SqlCoverage) -> None:
    assert await coverage.covered(REPOSITORY, "") == ()
    for window in (hours(0, 2), hours(4, 6), hours(2, 4), hours(1, 3), hours(9, 10)):
        await coverage.cover(REPOSITORY, "", window)
    await coverage.cover(REPOSITORY, "next", hours(7, 8))
    await coverage.cover(OTHER, "", hours(6, 9))
    assert await coverage.covered(REPOSITORY, "") == (hours(0, 6), hours(9, 10))
    assert await coverage.covered(REPOSITORY, "next") == (hours(7, 8),)


async def test_what_is_known_to_be_read_is_not_written_again(
    coverage: SqlCoverage, database: Database
) -> None:
    revision = select(repositories.c.revision).where(repositories.c.name == REPOSITORY.name)

    async def written() -> int | None:
        async with database.reading() as connection:
            return await connection.scalar(revision)

    await coverage.cover(REPOSITORY, "", hours(0, 4))
    before = await written()
    await coverage.cover(REPOSITORY, "", hours(1, 4))
    assert await written() == before
    await coverage.cover(REPOSITORY, "", hours(1, 5))
    assert await written() != before


async def test_stretches_written_at_once_are_all_kept(coverage: SqlCoverage) -> None:
    windows = [hours(2 * n, 2 * n + 1) for n in range(10)]
    await asyncio.gather(*(coverage.cover(REPOSITORY, "", one) for one in windows))
    assert await coverage.covered(REPOSITORY, "") == tuple(windows)
