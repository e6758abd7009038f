"""Turns to the instant, on a clock that jumps: when each message goes, and when a pace is idle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from bot.messaging import rates
from bot.messaging.rates import Booked, Pace, Paces, Rate, TooBusy
from tests.support.virtual import run_in_virtual_time

SECOND, TEN = Rate(count=1, seconds=1.0), Rate(count=2, seconds=10.0)


def now() -> float:
    return asyncio.get_running_loop().time()


def virtual(work: Callable[[], Awaitable[object]]) -> object:
    return run_in_virtual_time(lambda _: work())


async def sent(pace: Pace, count: int, limits=(TEN,), chat: str = "a", **kind) -> list[float]:
    moments = []
    for _ in range(count):
        await pace.turn(chat, limits, **kind)
        moments.append(now())
    return moments


def test_messages_of_a_chat_and_of_an_account_go_at_the_earliest_instant():
    assert virtual(lambda: sent(Pace(SECOND, SECOND), 5)) == [0, 1, 10, 11, 20]


def test_answers_have_turns_of_their_own_when_posts_use_up_the_others():
    async def both() -> list[float]:
        pace = Pace(SECOND, SECOND)
        posts = [asyncio.create_task(sent(pace, 1, chat=f"post {n}")) for n in range(5)]
        await asyncio.sleep(0.5)
        answers = await sent(pace, 3, chat="question", limits=(), answer=True)
        await asyncio.gather(*posts)
        return answers

    assert virtual(both) == [0.5, 1.5, 2.5]


def test_held_chat_waits_and_gives_up_where_that_takes_too_long():
    async def held() -> list[object]:
        pace = Pace(SECOND, SECOND)
        pace.hold("a", 30)
        pace.hold("a", 5)  # no shorter than it was
        moments = await sent(pace, 1, longest=30)
        pace.hold("a", 60.5)
        with pytest.raises(TooBusy) as busy:
            await pace.turn("a", [TEN], longest=60)
        return [moments, busy.value.wait]

    assert virtual(held) == [[30.0], 60.5]


@dataclass
class Everybody:
    """Windows of all processes; ``plays`` are what they say, in order."""

    plays: list[Booked | None]
    asked: list[float] = field(default_factory=list)
    held: list[tuple[str, float]] = field(default_factory=list)

    async def book(self, chat, rates, overall, spare, *, answer):
        self.asked.append(now())
        return self.plays.pop(0)

    def hold(self, chat, seconds):
        self.held.append((chat, seconds))


def test_turn_among_all_processes_is_waited_for_and_asked_for_again():
    async def shared() -> list[object]:
        pace = Pace(SECOND, SECOND)
        windows = Everybody([Booked(booked=False, wait=4.0), Booked(booked=True, wait=2.5), None])
        pace.share(windows)
        pace.hold("b", 9)
        moments = await sent(pace, 2)
        return [moments, windows.asked, windows.held]

    # Without windows of all, this process goes on with what it counted itself.
    assert virtual(shared) == [[6.5, 7.5], [0, 4, 6.5], [("b", 9)]]


def test_turn_among_all_processes_that_comes_too_late_is_refused():
    async def refused() -> float:
        pace = Pace(SECOND, SECOND)
        pace.share(Everybody([Booked(booked=False, wait=61.0)]))
        with pytest.raises(TooBusy):
            await pace.turn("a", [TEN])
        return now()

    assert virtual(refused) == 0


def test_turn_among_all_processes_that_comes_just_in_time_is_waited_for():
    async def waited() -> list[float]:
        pace = Pace(SECOND, SECOND)
        pace.share(Everybody([Booked(booked=False, wait=60.0), Booked(booked=True, wait=0.0)]))
        return await sent(pace, 1)

    assert virtual(waited) == [60]


def test_pace_is_idle_once_a_caller_would_not_wait():
    async def idle() -> list[bool]:
        pace = Pace(SECOND, SECOND)
        seen = [pace.idle]
        await pace.turn("a", [TEN])
        seen.append(pace.idle)
        await asyncio.sleep(1.5)
        seen.append(pace.idle)
        await pace.turn("a", [TEN])
        await asyncio.sleep(5)
        seen.append(pace.idle)
        await asyncio.sleep(5)
        return [*seen, pace.idle]

    assert virtual(idle) == [True, False, True, False, True]


def test_answer_takes_a_turn_of_its_own_only_where_posts_left_none():
    async def turns() -> list[float]:
        pace = Pace(SECOND, SECOND)
        answers = await sent(pace, 1, limits=(), answer=True)
        posts = await sent(pace, 1, limits=(), chat="b")
        return answers + posts

    assert virtual(turns) == [0, 1]


def test_pace_is_idle_after_the_seconds_of_the_account():
    async def idle() -> list[bool]:
        pace = Pace(Rate(count=9, seconds=10.0), Rate(count=9, seconds=3.0))
        await pace.turn("a", [])
        seen = []
        for _ in range(3):
            await asyncio.sleep(5)
            seen.append(pace.idle)
        return seen

    assert virtual(idle) == [False, True, True]


def test_parts_that_were_idle_for_longest_are_forgotten_beyond_the_bound(monkeypatch):
    monkeypatch.setattr(rates, "_MOST_PARTS", 2)

    async def parts() -> list[list[str]]:
        paces, seen = Paces(SECOND, SECOND), []
        for part in ("a", "b", "a", "c", "d"):
            await paces[part].turn("chat", [])
            await asyncio.sleep(2)
            seen.append(list(paces))
        return seen

    assert virtual(parts) == [["a"], ["a", "b"], ["b", "a"], ["a", "c"], ["c", "d"]]


def test_busy_part_is_kept_and_the_next_oldest_forgotten(monkeypatch):
    monkeypatch.setattr(rates, "_MOST_PARTS", 2)

    async def parts() -> list[str]:
        paces = Paces(SECOND, SECOND)
        paces["busy"].hold("chat", 60)
        for part in ("b", "c"):
            await paces[part].turn("chat", [])
            await asyncio.sleep(2)
        return list(paces)

    assert virtual(parts) == ["busy", "c"]
