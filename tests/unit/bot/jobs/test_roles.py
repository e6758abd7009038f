"""Digests go on beside questions, and few of them while every place for questions is taken."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from bot.jobs.roles import Precedence, ProcessRole


class Building:
    """Digests that are built until they are let go."""

    def __init__(self, precedence: Precedence) -> None:
        self.begun: list[int] = []
        self._precedence = precedence
        self._ends: dict[int, asyncio.Event] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self, *numbers: int) -> None:
        for number in numbers:
            self._ends[number] = asyncio.Event()
            self._tasks.append(asyncio.create_task(self._build(number)))
        await settled()

    async def end(self, number: int) -> None:
        self._ends[number].set()
        await settled()

    async def all(self) -> None:
        for end in self._ends.values():
            end.set()
        await asyncio.wait_for(asyncio.gather(*self._tasks), 120)

    def give_up(self, number: int) -> None:
        self._tasks[number].cancel()

    async def _build(self, number: int) -> None:
        async with self._precedence.building():
            self.begun.append(number)
            await self._ends[number].wait()


async def settled() -> None:
    """Everything that can go on without anybody's doing has."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_digests_when_a_place_for_questions_is_free_take_all_of_theirs() -> None:
    precedence = Precedence(questions=2, digests=3, meanwhile=1, moment=0)
    building = Building(precedence)
    with precedence.answering():
        await building.begin(0, 1, 2, 3)
        assert building.begun == [0, 1, 2]
        await building.end(1)
        assert building.begun == [0, 1, 2, 3]
        await building.all()


async def test_digests_while_all_places_for_questions_are_taken_are_few_and_never_none() -> None:
    precedence = Precedence(questions=2, digests=3, meanwhile=1, moment=0)
    building = Building(precedence)
    for _ in range(3):
        with precedence.answering():
            pass
    with precedence.answering(), precedence.answering():
        await building.begin(0, 1, 2)
        assert building.begun == [0]
        await building.end(0)
        assert building.begun == [0, 1], "in the order in which they came"
        await building.all()


async def test_digests_that_waited_go_on_as_soon_as_a_question_is_answered() -> None:
    precedence = Precedence(questions=2, digests=3, meanwhile=1, moment=0)
    building = Building(precedence)
    with ExitStack() as questions:
        questions.enter_context(precedence.answering())
        with precedence.answering():
            await building.begin(0, 1, 2)
            assert building.begun == [0]
        await settled()
        assert building.begun == [0, 1, 2]
        await building.all()


async def test_digests_stay_few_for_a_moment_after_a_question_is_answered() -> None:
    """The next question is being fetched meanwhile: its place only looks free."""
    precedence = Precedence(questions=1, digests=3, meanwhile=1, moment=3600)
    building = Building(precedence)
    with precedence.answering():
        await building.begin(0, 1, 2)
    await settled()
    assert building.begun == [0]
    await building.end(0)
    assert building.begun == [0, 1]
    await building.end(1)
    await building.all()


async def test_digests_go_on_when_the_moment_is_over_and_nobody_asked() -> None:
    precedence = Precedence(questions=1, digests=3, meanwhile=1, moment=0.01)
    building = Building(precedence)
    with precedence.answering():
        await building.begin(0, 1, 2)
    async with asyncio.timeout(120):
        while building.begun != [0, 1, 2]:
            await asyncio.sleep(0.005)
    await building.all()


async def test_digests_under_way_are_not_held_up_when_questions_come() -> None:
    precedence = Precedence(questions=1, digests=3, meanwhile=1, moment=0)
    building = Building(precedence)
    await building.begin(0, 1)
    with precedence.answering():
        await building.begin(2)
        await building.end(0)
        assert building.begun == [0, 1], "one goes on still"
        await building.end(1)
        assert building.begun == [0, 1, 2]
        await building.all()


async def test_digest_that_is_given_up_while_it_waits_leaves_its_turn_to_the_next() -> None:
    precedence = Precedence(questions=1, digests=2, meanwhile=1, moment=0)
    building = Building(precedence)
    with precedence.answering():
        await building.begin(0, 1, 2)
        building.give_up(1)
        await settled()
        await building.end(0)
        assert building.begun == [0, 2]
        await building.end(2)


def test_roles_divide_the_work_and_one_process_may_do_all_of_it() -> None:
    kinds = {role: (role.hosts, role.reads, role.sweeps) for role in ProcessRole}
    assert kinds == {
        ProcessRole.ALL: (True, True, True),
        ProcessRole.WEB: (True, False, False),
        ProcessRole.WORKER: (False, True, False),
        ProcessRole.SCHEDULER: (False, False, False),
    }
