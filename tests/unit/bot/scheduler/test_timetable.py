"""The timetable calls by the clock as it is now, and its duties by time that passes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from structlog.testing import capture_logs

from bot.scheduler.schedule import Spec
from bot.scheduler.timetable import Timetable
from tests.support.virtual import GLANCE, timetable_clock

_SOON = timedelta(seconds=GLANCE)
_DUE = datetime(2026, 3, 29, 1, tzinfo=UTC)
_BERLIN = Spec(at=time(2, 30), zone=ZoneInfo("Europe/Berlin"))
"""On the night of the 29th its clocks go from 2:00 to 3:00, which is _DUE."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type:
    return timetable_clock(monkeypatch, _DUE)


@pytest.fixture
async def timetable(clock: type) -> AsyncIterator[Timetable]:
    one = Timetable(timedelta(days=1))
    yield one
    one.close()


async def until(happened) -> None:
    async with asyncio.timeout(120):
        while not happened():
            await asyncio.sleep(0.001)


async def test_slot_is_called_once_however_the_clock_jumps(
    timetable: Timetable, clock: type
) -> None:
    called: list[datetime] = []

    async def call() -> None:
        called.append(clock.at)

    def at(moment: datetime) -> None:
        clock.at = moment

    looked = 0

    async def look() -> None:
        nonlocal looked
        looked += 1

    async def while_it_looks() -> None:
        enough = looked + 5
        await until(lambda: looked >= enough)

    at(_DUE - timedelta(hours=5))
    timetable.put("team", _BERLIN, call)
    timetable.start()
    timetable.every("look", _SOON, look)
    await while_it_looks()
    assert called == []
    at(_DUE)  # a step forward, or a machine that slept
    await until(lambda: called)
    at(_DUE - timedelta(hours=1))
    await while_it_looks()
    at(_DUE + timedelta(minutes=5))
    await while_it_looks()
    assert called == [_DUE]
    at(_DUE + timedelta(days=2))  # two slots are due, and the newer one is what is attended to
    await until(lambda: len(called) == 2)
    await while_it_looks()
    assert len(called) == 2


async def test_duty_goes_on_after_an_error_and_ends_with_a_pause(timetable: Timetable) -> None:
    calls = 0

    async def call() -> None:
        nonlocal calls
        calls += 1
        raise ValueError("once more")

    timetable.start()
    with capture_logs() as logs:
        timetable.every("sweep", _SOON, call)
        await until(lambda: calls >= 3)
    assert {one["event"] for one in logs} == {"duty.broken"}
    timetable.pause()
    done = calls
    await asyncio.sleep(10 * _SOON.total_seconds())
    assert calls == done


async def test_closing_ends_the_calls_under_way(clock: type) -> None:
    begun, ended = list[str](), list[str]()

    async def call(name: str) -> None:
        begun.append(name)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    timetable = Timetable(timedelta(days=1))
    clock.at = _DUE - timedelta(hours=5)
    timetable.put("team", _BERLIN, partial(call, "slot"))
    timetable.every("look", _SOON, partial(call, "duty"))
    timetable.start()
    clock.at = _DUE
    await until(lambda: len(begun) == 2)
    timetable.close()
    await until(lambda: sorted(ended) == ["duty", "slot"])
