"""Work that many want is done once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.publishing.digest_builder import SingleFlight, aside
from digest.window import Window


class Counted:
    """Work that counts how often it is done."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.done = 0
        self.go = asyncio.Event()

    async def __call__(self) -> int:
        await self.go.wait()
        self.done += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.done


async def test_many_who_ask_at_once_and_later_get_one_result():
    shared, work = SingleFlight(), Counted()
    asked = [asyncio.create_task(shared.get("key", work)) for _ in range(1000)]
    await asyncio.sleep(0)
    work.go.set()
    assert set(await asyncio.gather(*asked)) == {1}
    assert await shared.get("key", work) == 1
    assert await shared.get("other", work) == 2


async def test_failure_reaches_those_who_wait_and_the_next_tries_again():
    shared, work = SingleFlight(), Counted(OSError("no network"))
    asked = [asyncio.create_task(shared.get("key", work)) for _ in range(3)]
    await asyncio.sleep(0)
    work.go.set()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [str(one) for one in results] == ["no network"] * 3
    assert await shared.get("key", work) == 2


async def test_who_gives_up_takes_nothing_from_the_others():
    shared, work = SingleFlight(), Counted()
    first = asyncio.create_task(shared.get("key", work))
    second = asyncio.create_task(shared.get("key", work))
    await asyncio.sleep(0)
    first.cancel()
    work.go.set()
    assert await second == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_only_the_last_results_are_kept():
    shared, work = SingleFlight(most=2), Counted()
    work.go.set()
    assert [await shared.get(key, work) for key in "abc"] == [1, 2, 3]
    assert await shared.get("c", work) == 3
    assert await shared.get("a", work) == 4


@pytest.mark.parametrize(
    ("branch", "usual", "zone", "marks"),
    [
        ("main", "main", "UTC", ""),
        ("main", "", "UTC", ""),
        ("release/2.0", "main", "UTC", "release_2.0"),
        ("main", "main", "Asia/Shanghai", "Asia_Shanghai"),
        ("release/2.0", "main", "Asia/Shanghai", "release_2.0.Asia_Shanghai"),
    ],
)
def test_reports_of_other_branches_and_zones_have_files_of_their_own(branch, usual, zone, marks):
    day = datetime(2026, 1, 23, tzinfo=UTC)
    window = Window(since=day, until=day + timedelta(days=1), zone=ZoneInfo(zone))
    assert aside(branch, window, usual, ZoneInfo("UTC")) == marks
