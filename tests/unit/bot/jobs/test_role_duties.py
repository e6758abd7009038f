"""A scheduler that puts down jobs, and a process that only listens, without a database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import SimpleNamespace

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from bot.chat.message_service import Conversation
from bot.forges.hooks import Arrived
from bot.jobs import role_duties
from bot.jobs.loop import run
from bot.jobs.role_duties import (
    DeferringArrivals,
    MessageIntake,
    Scheduler,
    duties_of,
    receive,
    schedule,
)
from bot.jobs.roles import ProcessRole
from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import SendError, SendReason
from bot.scheduler.rest import Rest, parse_hours
from bot.store.ledger import HOOK
from bot.store.postgresql import PostgresDatabase
from bot.store.replies import MessageKey, load
from digest.errors import InvalidConfig, SourceUnavailable
from tests.support.fakes_delivery import FakeLeases, FakeSender
from tests.unit.bot.jobs.test_loop import NINE, Changing, Hearing, World, at, message


class Jobs:
    """Stands in for the engine; ``put`` are the jobs in their order."""

    def __init__(self) -> None:
        self.put: list[tuple[str, object]] = []
        self.served: dict[object, object] = {}

    async def put_channel(self, name: str, *, left: bool = False) -> None:
        self.put.append((name, left))

    async def put_amendments(self) -> None:
        self.put.append(("amendments", None))

    async def put_alert(self, repository: str) -> None:
        self.put.append(("alert", repository))

    def serve(self, duties) -> None:
        self.served |= duties

    async def work(self, _queues, _at_once: int) -> None:
        await asyncio.Event().wait()


@pytest.fixture
async def left_over() -> World:
    """A world with a digest that could not be posted."""
    world = World()
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.errors = [SendError(SendReason.UNAVAILABLE) for _ in range(5)]
    await world.start()
    return world


async def swept(world: World, **given) -> list[tuple[str, object]]:
    jobs = Jobs()
    await Scheduler(replace(world.work(), **given), jobs).sweep()
    return jobs.put


async def test_pending_deliveries_are_put_down_as_such(left_over):
    assert await swept(left_over) == [("team", True)]
    left_over.spec = replace(NINE, rest=Rest(hours=parse_hours(["10:00-12:00"])))
    left_over.clock.time = at("2026-01-23T11:00")
    assert await swept(left_over) == [], "the channel rests"


async def test_slot_that_was_claimed_and_not_finished_is_put_down_unless_somebody_has_it(left_over):
    left_over.ledger.records.clear()
    left_over.ledger.slots.pop("finished:team")
    assert await swept(left_over) == [("team", False)]
    assert await swept(left_over, leases=FakeLeases({"slot\0team"})) == []


async def test_amendments_and_alerts_are_put_down_as_jobs(left_over):
    class Alerts:
        async def wanted(self) -> list[str]:
            return ["acme/engine", "acme/site"]

    async def amend(_posts) -> None:
        raise AssertionError("a worker does this")

    left_over.ledger.records.clear()
    put = await swept(left_over, amend=amend, alerts=Alerts())
    assert put == [("amendments", None), ("alert", "acme/engine"), ("alert", "acme/site")]


@asynccontextmanager
async def run_until_here(running) -> AsyncIterator[None]:
    """Run inside the context, and then to the end: it leaves no task behind."""
    before = asyncio.all_tasks()
    stop = asyncio.Event()
    task = asyncio.create_task(running(stop))
    async with asyncio.timeout(120):
        yield
        stop.set()
        await task
    assert asyncio.all_tasks() == before


async def test_scheduler_sweeps_follows_its_channels_and_stops(left_over):
    jobs, channels = Jobs(), Changing()
    work = replace(left_over.work(), posts=channels)
    async with run_until_here(lambda stop: schedule(work, jobs, stop)):
        while not jobs.served:
            await asyncio.sleep(0)
        left_over.ledger.slots.pop("finished:team")
        channels.posts = [left_over.post()]
        channels.event.set()
        while not jobs.put:
            await asyncio.sleep(0)
    assert ("team", False) in jobs.put


async def test_process_that_listens_hands_messages_over_and_stops():
    world, hearing, channels = World(), Hearing(heard=[message("one")], delay=0.02), Changing()
    work = replace(world.work(), receivers=[hearing], posts=channels)
    async with run_until_here(lambda stop: receive(work, stop)):
        while not world.asked:
            await asyncio.sleep(0)
    assert hearing.texts() == ["answer to one"], "a stop lets an answer end"


class Lingering(Changing):
    """Channels whose watcher has something to put away when it is cancelled."""

    ended = False

    async def changed(self):
        try:
            await super().changed()
        finally:
            for _ in range(9):
                await asyncio.sleep(0)
            self.ended = True


@pytest.mark.parametrize("role", ["alone", "scheduler", "web"])
async def test_stop_waits_until_every_duty_has_ended(role):
    channels = Lingering()
    work = replace(World().work(), posts=channels)
    loops = {"alone": partial(run, work), "scheduler": partial(schedule, work, Jobs())}
    async with run_until_here(loops.get(role, partial(receive, work))):
        for _ in range(9):
            await asyncio.sleep(0)
    assert channels.ended


class Inbox:
    """Records of messages, and the engine that handles changes of them."""

    def __init__(self) -> None:
        self.claimed: list[MessageKey] = []
        self.changed: list[tuple[object, ...]] = []

    async def claim(self, key: MessageKey, incoming: Incoming, _now: datetime) -> bool:
        if incoming.text == "broken":
            raise SourceUnavailable("no database")
        self.claimed.append(key)
        return self.claimed.count(key) == 1

    async def put_change(self, key: tuple[str, str, str], incoming: str) -> None:
        self.changed.append((*key, load(incoming).text))


async def test_message_is_stored_before_the_platform_may_forget_it():
    inbox, sender, taken = Inbox(), Hearing(), []
    intake = MessageIntake(inbox, inbox, World().clock, {"desk": sender})

    def incoming(text: str, fate: MessageEvent = MessageEvent.SAID) -> Incoming:
        return replace(message(text), taken=lambda: taken.append(text), fate=fate, trace="t1")

    with capture_logs([merge_contextvars]) as logs:
        for text in ("one", "one", "broken"):
            await intake.hear(sender, incoming(text))
        await intake.hear(sender, incoming("edited", MessageEvent.EDITED))
        await intake.hear(FakeSender(name="other"), incoming("two"))
        await intake.recover(sender)
    said = [line["event"].removeprefix("message.") for line in logs]
    assert said == ["heard", "repeated", "unanswered", "heard"]
    assert {line["trace"] for line in logs} == {"t1"}
    assert taken == ["one", "one", "edited", "two"]
    accounts = [key.account for key in inbox.claimed]
    assert accounts == ["desk", "desk", "other"]
    assert inbox.changed == [("desk", "C9", "m1", "edited")]


async def test_slot_that_is_not_again_is_put_down_by_its_claim_alone():
    world = World()
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    assert await swept(world) == [], "the ledger of a scheduler puts it down"
    assert world.ledger.slots["team"] == ["2026-01-23"]


async def test_nothing_is_amended_without_channels_and_alerts_that_fail_are_told(left_over):
    class Alerts:
        async def wanted(self) -> list[str]:
            raise ZeroDivisionError

    async def amend(_posts) -> None:
        """A worker does this."""

    with capture_logs() as logs:
        put = await swept(left_over, posts=Changing(), amend=amend, alerts=Alerts())
    assert put == []
    assert "alert.failed" in {line["event"] for line in logs}


async def test_roles_say_when_they_start_and_stop():
    world, channels = World(), Changing()
    channels.posts = [world.post()]
    work = replace(world.work(), posts=channels, receivers=[Hearing()])
    with capture_logs() as logs:
        for loop in (partial(schedule, work, Jobs()), partial(receive, work)):
            async with run_until_here(loop):
                while logs[-1:] == [] or logs[-1]["event"] == "run.stopped":
                    await asyncio.sleep(0)
    said = [
        {name: line[name] for name in ("event", "role", "channels", "receivers") if name in line}
        for line in logs
        if line["event"].startswith("run.")
    ]
    assert said == [
        {"event": "run.started", "role": "scheduler", "channels": 1},
        {"event": "run.stopped"},
        {"event": "run.started", "role": "web", "receivers": 1},
        {"event": "run.stopped"},
    ]


async def test_role_without_a_server_of_its_own_is_refused():
    app = SimpleNamespace(database=object())
    with pytest.raises(InvalidConfig, match="the role worker needs PostgreSQL"):
        await duties_of(
            ProcessRole.WORKER, app, None, {}, None, forge_sync=None, stack=AsyncExitStack()
        )  # type: ignore[arg-type]


@pytest.mark.parametrize(("runtime", "at_once"), [(None, 6), (object(), 16)])
async def test_worker_with_a_model_answers_more_questions_at_once(monkeypatch, runtime, at_once):
    @asynccontextmanager
    async def engine(_database):
        yield Jobs()

    monkeypatch.setattr(role_duties, "Engine", engine)
    app = SimpleNamespace(database=object.__new__(PostgresDatabase), runtime=runtime)
    work = replace(World().work(), hearing=object.__new__(Conversation))
    async with AsyncExitStack() as stack:
        duties = await duties_of(
            ProcessRole.WORKER, app, work, {}, None, forge_sync=None, stack=stack
        )  # type: ignore[arg-type]
    worker, _engine = duties.loop.args
    assert worker.at_once == at_once


@pytest.mark.parametrize(
    ("deliveries", "put"), [(["d1", "d1", "d2"], 2), (["", ""], 2), ([], 0)], ids=str
)
async def test_event_of_a_forge_is_put_down_once_unless_it_has_no_number(deliveries, put):
    jobs: list[Arrived] = []
    claimed: list[tuple[str, str]] = []

    class Database:
        @asynccontextmanager
        async def writing(self):
            yield self

    class Queue:
        async def put_arrival(self, arrived, _connection):
            jobs.append(arrived)

    class Arrivals(DeferringArrivals):
        async def _claim(self, _connection, subscription, slot):
            claimed.append((subscription, slot))
            return claimed.count((subscription, slot)) == 1

    arrivals = Arrivals(Database(), Queue())  # type: ignore[arg-type]
    arrived = Arrived(host="h", repository="acme/web", moved=True)
    took = [await arrivals.take("github", delivery, arrived) for delivery in deliveries]
    assert (jobs, sum(took)) == ([arrived] * put, put)
    assert {name for name, _ in claimed} <= {f"{HOOK}github"}
