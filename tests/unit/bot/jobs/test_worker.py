"""A worker: what each job does, and how few channels go on beside many questions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from bot.chat.message_service import Conversation
from bot.delivery.part_sender import Target
from bot.forges.hooks import Arrived
from bot.jobs.job_engine import Engine
from bot.jobs.role_duties import RetryLater, Worker, run_worker
from bot.jobs.services import LoopServices
from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Sender, SendError, SendReason
from bot.scheduler.rest import Rest, parse_hours
from bot.store.job_queue import ANSWERS, CHANNELS, REPOSITORIES, JobKind
from bot.store.replies import MessageKey, dump
from bot.subscriptions.channel_registry import Subscription
from digest.errors import SourceUnavailable
from tests.support.channels import Fixed, at_target
from tests.support.fakes_delivery import FakeLeases
from tests.unit.bot.jobs.test_loop import NINE, World, at


class Slow:
    """Channels that are looked at, and questions that are answered, until ``end``."""

    def __init__(self) -> None:
        self.looked = 0
        self.end = asyncio.Event()

    async def current(self) -> Sequence[Subscription]:
        self.looked += 1
        await self.end.wait()
        return ()

    async def take_up(self, _sender: Sender, _key: MessageKey) -> bool:
        await self.end.wait()
        return True


@pytest.mark.parametrize(
    ("questions", "asks_model", "under_way"),
    [(5, False, 48), (6, False, 2), (16, True, 48)],
    ids=["one place is free", "all want the processor", "all may wait for a model"],
)
async def test_channels_beside_questions_are_so_many(
    questions: int, asks_model: bool, under_way: int
) -> None:
    slow = Slow()
    nothing: dict[str, Any] = dict.fromkeys(_NEEDED)
    work = LoopServices(**nothing | {"posts": slow})
    conversation = cast("Conversation", slow)
    accounts = {"desk": cast("Sender", object())}
    worker = Worker(work, conversation, accounts, asks_model=asks_model)
    async with asyncio.TaskGroup() as duties:
        for number in range(questions):
            duties.create_task(worker.answer("desk", "chat", str(number)))
        await asyncio.sleep(0)
        for number in range(50):
            duties.create_task(worker.channel(f"channel {number}", left=False))
        for _ in range(100):
            await asyncio.sleep(0)
        assert slow.looked == under_way
        slow.end.set()
    assert slow.looked == 50


_NEEDED = (
    "build",
    "finish",
    "hearing",
    "delivery",
    "ledger",
    "leases",
    "clock",
)


class Lingering:
    """An engine whose jobs take a moment to end, and say so."""

    def __init__(self, seconds: float) -> None:
        self.said: list[str] = []
        self._seconds = seconds
        self.queues: list[str] = []

    def serve(self, _duties: object) -> None:
        self.said.append("served")

    async def work(self, queues: Sequence[str], _at_once: int) -> None:
        self.queues += queues
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(self._seconds)
            self.said.append("ended")


@pytest.mark.parametrize("seconds", [0.01, 0.1])
async def test_worker_ends_once_its_tasks_and_duties_have_ended(seconds: float):
    slow, engine = Slow(), Lingering(seconds)
    slow.end.set()
    worker = Worker(
        cast("LoopServices", SimpleNamespace(posts=slow)), cast("Conversation", slow), {}
    )

    async def task() -> None:
        await asyncio.sleep(0.05)
        engine.said.append("posted")

    worker.under_way.begin(task())
    stop = asyncio.Event()
    with capture_logs() as logs:
        running = asyncio.create_task(run_worker(worker, cast("Engine", engine), stop))
        await asyncio.sleep(0.01)
        assert sorted(engine.queues) == sorted([ANSWERS, CHANNELS, REPOSITORIES])
        stop.set()
        await running
    assert [(line["event"], line.get("role")) for line in logs] == [
        ("run.started", "worker"),
        ("run.stopped", None),
    ]
    assert sorted(engine.said) == ["ended", "ended", "posted", "served"]


async def test_amendments_are_for_channels_that_do_not_rest():
    amended: list[str] = []

    async def amend(posts: Mapping[str, Subscription]) -> None:
        amended.extend(posts)

    world = World()
    rests = Rest(hours=parse_hours(["11:00-13:00"]))
    posts = [
        at_target(Target(name=name, sender=world.sender), replace(NINE, rest=rest))
        for name, rest in (("awake", Rest()), ("rests", rests))
    ]
    conversation = cast("Conversation", None)
    await Worker(world.work(), conversation, {}).amend()
    assert not amended, "nothing amends here"
    work = replace(world.work(), posts=Fixed(posts), amend=amend)
    await Worker(work, conversation, {}).amend()
    assert amended == ["awake"]


CHANGE = Incoming(
    platform="p", chat="c", person="u", text="why?", id="1", at=at("2026-01-23T09:00"),
    fate=MessageEvent.EDITED,
)  # fmt: skip


class Everything:
    """The services of a worker, which note what they are asked for."""

    def __init__(self, *, sent: bool = True) -> None:
        self.calls: list[object] = []
        self.sent = sent

    async def take_up(self, sender, key: MessageKey) -> bool:
        self.calls.append(("answer", sender, key.account, key.chat, key.message))
        return self.sent

    async def hear(self, sender, incoming: Incoming) -> None:
        self.calls.append(("change", sender, incoming))

    async def arrived(self, arrived: Arrived) -> None:
        self.calls.append(arrived)

    async def enrich_all(self) -> None:
        self.calls.append("forges")

    async def look_at(self, repository: str) -> None:
        self.calls.append(("alert", repository))

    async def look(self, targets) -> None:
        self.calls.append(("parking", targets))

    def holds(self, _target) -> bool:
        return False


def a_worker(world: World, every: Everything | None = None, **work: object) -> Worker:
    accounts = {"desk": cast("Sender", "desk's sender")}
    return Worker(
        replace(world.work(), **work), cast("Conversation", every), accounts, cast("Any", every)
    )


async def test_jobs_are_handed_to_the_services_that_do_them():
    every = Everything()
    duties = a_worker(World(), every, alerts=every).duties
    assert set(duties) == set(JobKind) - {JobKind.SWEEP, JobKind.RESCUE}
    await duties[JobKind.ANSWER](account="desk", chat="c", message="1")
    await duties[JobKind.CHANGE](account="desk", incoming=dump(CHANGE))
    await duties[JobKind.ARRIVED](host="h", repository="a/b", moved=True)
    await duties[JobKind.ALERT](repository="a/b")
    await duties[JobKind.FORGES]()
    assert every.calls == [
        ("answer", "desk's sender", "desk", "c", "1"),
        ("change", "desk's sender", CHANGE),
        Arrived(host="h", repository="a/b", moved=True),
        ("alert", "a/b"),
        "forges",
    ]


async def test_jobs_without_their_account_or_service_do_nothing():
    every = Everything()
    duties = a_worker(World()).duties
    with capture_logs() as logs:
        await duties[JobKind.ANSWER](account="gone", chat="c", message="1")
        await a_worker(World(), every).duties[JobKind.CHANGE](account="gone", incoming=dump(CHANGE))
        await duties[JobKind.ARRIVED](host="h", repository="a/b", moved=True)
        await duties[JobKind.ALERT](repository="a/b")
        await duties[JobKind.FORGES]()
    assert every.calls == []
    assert [(line["event"], line["account"]) for line in logs] == [("answer.no_account", "gone")]


async def test_answer_that_was_not_sent_is_tried_again():
    with pytest.raises(RetryLater):
        await a_worker(World(), Everything(sent=False)).answer("desk", "c", "1")


async def due_world() -> World:
    world = World()
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    return world


async def test_channel_is_brought_up_to_date_and_what_is_left_only_if_the_job_says_so():
    world = await due_world()
    world.sender.errors = [SendError(SendReason.UNAVAILABLE) for _ in range(5)]
    worker = a_worker(world)
    await worker.channel("team", left=False)
    assert (world.built, world.sender.texts()) == (["2026-01-23"], [])
    await worker.channel("team", left=False)
    await worker.channel("a channel that is gone", left=True)
    assert world.sender.texts() == []
    world.spec = replace(NINE, rest=Rest(hours=parse_hours(["10:00-11:00"])))
    world.clock.time = at("2026-01-23T10:30")
    await a_worker(world).channel("team", left=True)
    assert world.sender.texts() == [], "it rests"
    await worker.channel("team", left=True)
    assert (world.built, world.sender.texts()) == (["2026-01-23"], ["2026-01-23"])


async def test_channel_that_another_process_works_on_is_tried_again_silently():
    world = await due_world()
    world.leases = FakeLeases({"slot\0team"})
    with capture_logs() as logs, pytest.raises(RetryLater):
        await a_worker(world).channel("team", left=False)
    assert (logs, world.built) == ([], [])


@pytest.mark.parametrize(
    ("error", "traceback"), [(SourceUnavailable("no network"), False), (ZeroDivisionError(), True)]
)
async def test_channel_that_cannot_be_built_is_told_and_tried_again(error, traceback):
    world = await due_world()
    world.build_errors = [error]
    with capture_logs() as logs, pytest.raises(type(error)):
        await a_worker(world).channel("team", left=False)
    (line,) = (line for line in logs if line["event"] == "slot.failed")
    assert (line["log_level"], line["channel"]) == ("error", "team")
    assert bool(line.get("exc_info")) is traceback


async def test_settings_and_parked_chats_are_read_again_after_a_minute_or_for_a_new_channel(
    monkeypatch,
):
    world, every = World(), Everything()
    worker = a_worker(world, parking=every)
    looks = []
    for moment, name in [
        (5.0, "team"), (64.9, "team"), (65.0, "team"), (66.0, "team"), (67.0, "new"),
    ]:  # fmt: skip
        monkeypatch.setattr("bot.jobs.role_duties.time.monotonic", lambda now=moment: now)
        before = len(every.calls)
        await worker.channel(name, left=False)
        looks.append(len(every.calls) - before)
    assert looks == [1, 0, 1, 0, 1]
    assert every.calls == [("parking", {})] * 3
