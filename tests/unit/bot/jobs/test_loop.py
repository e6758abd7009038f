"""The loop: every slot once, whatever dies, and every question once."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import structlog

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.delivery.payload import freeze
from bot.jobs.channel_worker import CurrentChannels
from bot.jobs.loop import Listening, Runner, run, stop_on_signals
from bot.jobs.services import LoopServices, TaskTracker
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Receipt, SendError, SendReason
from bot.scheduler.rest import Dates, Rest, parse_hours
from bot.scheduler.schedule import Spec, slots_between, window
from bot.subscriptions.channel_registry import Subscription
from digest.errors import SourceUnavailable
from handlers.ports.storage import PartState
from tests.support.channels import Fixed, at_target
from tests.support.fakes_delivery import (
    Crash,
    FakeClock,
    FakeLeases,
    FakeLedger,
    FakeSender,
    Killed,
    no_step,
    paragraphs,
)
from tests.support.virtual import timetable_clock

FRIDAY = date(2026, 1, 23)

NINE = Spec(at=time(9), zone=ZoneInfo("UTC"))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@dataclass
class World:
    """What outlives a process: the ledger, the platform, the time. ``built`` are slots by name."""

    ledger: FakeLedger = field(default_factory=FakeLedger)
    sender: FakeSender = field(default_factory=lambda: FakeSender(can_find=True))
    clock: FakeClock = field(default_factory=lambda: FakeClock(at("2026-01-22T12:00")))
    catch_up: timedelta = timedelta(hours=24)
    spec: Spec = NINE
    built: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    recovered: list[str] = field(default_factory=list)
    build_errors: list[Exception] = field(default_factory=list)
    quiet: bool = False
    leases: FakeLeases | None = None

    def post(self) -> Subscription:
        target = Target(name="team", sender=self.sender, chat="C1")
        return at_target(target, self.spec, catch_up=self.catch_up)

    def work(self) -> LoopServices:
        """A new process."""
        leases = self.leases or FakeLeases()
        return LoopServices(
            posts=Fixed([self.post()]),
            build=self.build,
            finish=self.finish,
            hearing=self,
            delivery=Delivery(self.ledger, leases, patience=Patience(first=0)),
            ledger=self.ledger,
            leases=leases,
            clock=self.clock,
        )

    async def build(self, post, slot):
        self.built.append(slot.name)
        await asyncio.sleep(0)
        if self.build_errors:
            raise self.build_errors.pop(0)
        if self.quiet:
            return ()
        name, document = f"daily:r:main:{slot.name}", paragraphs(slot.name)
        return [Posting(target=post.target, digest=name, document=document)]

    async def finish(self, post, slot, results):
        self.finished.append(slot.name)

    async def hear(self, sender, incoming):
        self.asked.append(incoming.text)
        for part in sender.render(paragraphs(f"answer to {incoming.text}")):
            await sender.send(incoming.chat, part, incoming.receipt)

    async def recover(self, sender):
        self.recovered.append(sender.name)

    async def start(self) -> Runner:
        """A new process, as far as its first sweep."""
        runner = Runner(self.work())
        await runner.sweep()
        return runner


@pytest.fixture
def world():
    return World()


async def test_channel_seen_for_the_first_time_begins_with_its_next_slot(world):
    runner = await world.start()
    assert world.sender.texts() == []
    world.clock.time = at("2026-01-23T09:00")
    await runner.sweep()
    assert world.sender.texts() == ["2026-01-23"]


async def test_slot_missed_after_the_first_start_is_caught_up(world):
    await world.start()
    world.clock.time = at("2026-01-23T15:00")
    await world.start()
    assert world.sender.texts() == ["2026-01-23"]


async def test_of_many_missed_slots_the_newest_is_caught_up_once(world):
    await world.start()
    world.clock.time = at("2026-02-10T08:00")
    with structlog.testing.capture_logs() as logs:
        for _ in range(3):
            await world.start()
    assert world.sender.texts() == ["2026-02-09"]
    (told,) = (line for line in logs if line["event"] == "slot.missed")
    assert (told["count"], told["slot"]) == (17, "2026-02-08")


async def test_channels_that_wait_longest_are_handled_first(world):
    times = {"just due": time(9, 5), "next": time(9, 10), "first": time(8, 50), "new": time(8, 55)}
    posts = [
        at_target(Target(name=name, sender=world.sender), replace(NINE, at=due))
        for name, due in times.items()
    ]
    world.clock.time = at("2026-01-23T09:05")
    runner = Runner(replace(world.work(), posts=Fixed(posts)))
    handled = []

    async def take_up(post, left):
        handled.append(post.name)

    runner.take_up = take_up
    await runner.sweep()
    assert handled == ["next", "first", "new", "just due"]


async def test_slot_missed_for_too_long_is_let_go(world):
    world.catch_up = timedelta(hours=2)
    await world.start()
    world.clock.time = at("2026-01-23T12:00")
    await world.start()
    assert world.sender.texts() == []


async def test_channel_that_catches_nothing_up_still_posts_in_time(world):
    world.catch_up = timedelta(0)
    runner = await world.start()
    world.clock.time = at("2026-01-23T09:00:02")
    with structlog.testing.capture_logs() as logs:
        await runner.attend(world.post())
    assert world.sender.texts() == ["2026-01-23"]
    assert [line["late"] for line in logs if line["event"] == "slot.finished"] == [2.0]


async def test_slot_is_posted_once_by_many_processes(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.leases = FakeLeases()
    await asyncio.gather(*(world.start() for _ in range(5)))
    assert world.sender.texts() == ["2026-01-23"]


async def test_slot_is_posted_once_even_without_common_leases(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    first, second = Runner(world.work()), Runner(world.work())
    await asyncio.gather(first.attend(world.post()), second.attend(world.post()))
    assert world.built == ["2026-01-23"]


async def test_quiet_slot_is_finished_and_not_built_again(world):
    world.quiet = True
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    for _ in range(3):
        await world.start()
    assert world.built == ["2026-01-23"]
    assert world.finished == ["2026-01-23"]


async def test_what_was_given_up_is_sent_as_soon_as_it_is_told_of(world):
    world.sender.errors = [SendError(SendReason.NO_CHANNEL)]
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    work = world.work()
    runner = Runner(work)
    await runner.sweep()
    await runner.sweep()
    assert world.sender.texts() == []
    ((key, record),) = world.ledger.records.items()
    await world.ledger.mark(key, replace(record.parts[0], state=PartState.WAITING, error=""))
    woken = asyncio.create_task(runner.wake())
    await work.waking.tell("a channel that is gone")
    await work.waking.tell("team")
    async with asyncio.timeout(120):
        while not world.sender.texts():
            await asyncio.sleep(0)
    woken.cancel()
    assert world.sender.texts() == ["2026-01-23"]


@pytest.mark.parametrize("error", [SourceUnavailable("no network"), ZeroDivisionError()])
async def test_slot_that_cannot_be_built_is_tried_again_at_the_next_sweep(world, error):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.build_errors = [error]
    with structlog.testing.capture_logs() as logs:
        runner = await world.start()
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["slot.failed"]
    assert world.sender.texts() == []
    await runner.sweep()
    await runner.sweep()
    assert world.sender.texts() == ["2026-01-23"]
    assert world.finished == ["2026-01-23"]


async def test_outage_of_the_platform_is_made_up_for_by_a_later_sweep(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.errors = [SendError(SendReason.UNAVAILABLE) for _ in range(5)]
    runner = await world.start()
    assert world.sender.texts() == []
    await runner.sweep()
    assert world.sender.texts() == ["2026-01-23"]
    assert world.built == ["2026-01-23"]


async def test_dead_chat_is_not_tried_again_until_a_restart(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.errors = [SendError(SendReason.NO_CHANNEL)]
    runner = await world.start()
    await runner.sweep()
    await runner.sweep()
    assert world.sender.calls == 1
    await world.start()
    assert world.sender.texts() == ["2026-01-23"]


def points() -> int:
    """At how many steps the process can die between the claim of a slot and its end."""

    async def count() -> int:
        world = World()
        await world.start()
        world.clock.time = at("2026-01-23T09:00")
        world.ledger.step = world.sender.step = crash = Crash()
        await world.start()
        return len(crash.steps)

    return asyncio.run(count())


@pytest.mark.parametrize("step", range(points()))
async def test_death_at_any_step_of_a_slot_loses_and_doubles_nothing(world, step):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.ledger.step = world.sender.step = Crash(at=step)
    with pytest.raises(Killed):
        await world.start()
    world.ledger.step = world.sender.step = no_step
    await world.start()
    await world.start()
    assert world.sender.texts() == ["2026-01-23"]
    assert set(world.finished) == {"2026-01-23"}


def message(text: str, number: str = "m1") -> Incoming:
    return Incoming(
        platform="fake", chat="C9", person="U1", text=text, id=number, at=at("2026-01-23T09:00"),
        receipt=Receipt(message="m1"),
    )  # fmt: skip


@dataclass
class Hearing(FakeSender):
    """A platform that hears; a ``None`` among the messages breaks the line once."""

    heard: list[Incoming | None] = field(default_factory=list)

    async def listen(self):
        while self.heard:
            one = self.heard.pop(0)
            if one is None:
                raise ConnectionError("lost")
            yield one
        await asyncio.Event().wait()


async def test_run_sweeps_listens_and_stops(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    hearing = Hearing(heard=[message("one", "1"), message("two", "2")])
    stop = asyncio.Event()
    running = asyncio.create_task(run(replace(world.work(), receivers=[hearing]), stop))
    while len(hearing.stands) < 2 or not world.sender.stands:
        await asyncio.sleep(0.001)
    stop.set()
    await asyncio.wait_for(running, 120)
    assert sorted(hearing.texts()) == ["answer to one", "answer to two"]
    assert world.recovered == [hearing.name]
    assert world.sender.texts() == ["2026-01-23"]


async def test_line_that_breaks_is_taken_up_again(world, monkeypatch):
    hearing = Hearing(heard=[*[None] * 8, message("after"), None])
    listener = Listening(world.work(), TaskTracker())
    real = asyncio.sleep
    # The pause before the next connection is a second; the test does not need it.
    monkeypatch.setattr(asyncio, "sleep", lambda seconds: real(0))
    with structlog.testing.capture_logs() as logs:
        listening = asyncio.create_task(listener.listen(hearing))
        while not hearing.stands or hearing.heard:
            await real(0.001)
        await real(0.001)
    listening.cancel()
    assert hearing.texts() == ["answer to after"]
    assert [line["pause"] for line in logs] == [1, 2, 4, 8, 16, 32, 60, 60, 1]


async def test_election_that_fails_is_told_and_held_again(world, monkeypatch):
    class Leases(FakeLeases):
        failures = 1

        def hold(self, name):
            if self.failures:
                self.failures -= 1
                raise SourceUnavailable("gone")
            return super().hold(name)

    monkeypatch.setattr("bot.jobs.loop.ELECTION", 0)
    hearing = Hearing(heard=[message("one")])
    work = replace(world.work(), leases=Leases(), elected={"desk": hearing})
    listening = asyncio.create_task(Listening(work, TaskTracker()).listen(hearing))
    with structlog.testing.capture_logs() as logs:
        async with asyncio.timeout(120):
            while not hearing.stands:
                await asyncio.sleep(0)
    listening.cancel()
    assert [line["event"] for line in logs][:2] == ["listen.election", "listen.elected"]


async def stopped_while_it_posts(world: World) -> None:
    stop = asyncio.Event()
    running = asyncio.create_task(run(world.work(), stop))
    while not world.sender.calls:
        await asyncio.sleep(0.001)
    stop.set()
    await asyncio.wait_for(running, 120)


async def test_stop_lets_a_post_end(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.delay = 0.2
    await stopped_while_it_posts(world)
    assert world.sender.texts() == ["2026-01-23"]
    assert world.finished == ["2026-01-23"]


async def test_stop_does_not_wait_for_ever(world, monkeypatch):
    monkeypatch.setattr("bot.jobs.loop.GRACE", 0.05)
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.delay = 3600
    await stopped_while_it_posts(world)
    world.sender.delay = 0
    await world.start()
    assert world.sender.texts() == ["2026-01-23"]


@pytest.fixture
def move(world, monkeypatch):
    """Set the clock of the world and of timetables."""
    clock = timetable_clock(monkeypatch, world.clock.time)

    def to(moment: str) -> None:
        clock.at = world.clock.time = at(moment)

    return to


async def until(found) -> None:
    async with asyncio.timeout(120):
        while not found():
            await asyncio.sleep(0.001)


def count(logs, event: str) -> int:
    return sum(line["event"] == event for line in logs)


async def test_the_clock_calls_at_the_slot(world, move):
    """With the real APScheduler: a slot is posted by itself."""
    move("2026-01-23T08:59:59")
    stop = asyncio.Event()
    with structlog.testing.capture_logs() as logs:
        running = asyncio.create_task(run(world.work(), stop))
        await until(lambda: count(logs, "run.started") and world.ledger.slots)
        assert world.sender.texts() == []
        move("2026-01-23T09:00")
        await until(lambda: world.sender.stands)
    stop.set()
    await running
    assert world.sender.texts() == ["2026-01-23"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signal_sets_stop(number):
    stop = asyncio.Event()
    stop_on_signals(stop)
    try:
        os.kill(os.getpid(), number)
        await asyncio.wait_for(stop.wait(), 120)
    finally:
        for one in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(one)


async def test_outage_of_one_platform_delays_no_other_channel(world):
    """One channel's platform hangs in a pending delivery; the other's slot is posted meanwhile."""
    await world.start()
    slow = Target(name="slow", sender=FakeSender(name="slow", delay=3600))
    work = world.work()
    delivery = Delivery(world.ledger, FakeLeases(), [], Patience(first=0))
    await world.ledger.claim(
        Posting(target=slow, digest="old", document=paragraphs("old")).key,
        freeze(paragraphs("old"), slow.sender.render(paragraphs("old"))),
        1,
    )
    world.clock.time = at("2026-01-23T09:00")
    both = Fixed([at_target(slow, world.post()), world.post()])
    sweeping = asyncio.create_task(Runner(replace(work, posts=both, delivery=delivery)).sweep())
    async with asyncio.timeout(120):
        while not world.sender.stands:
            await asyncio.sleep(0.001)
    sweeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sweeping


async def test_pending_digest_is_posted_before_the_next_one(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.errors = [SendError(SendReason.UNAVAILABLE) for _ in range(5)]
    await world.start()
    world.clock.time = at("2026-01-24T09:00")
    await world.start()
    assert world.sender.texts() == ["2026-01-23", "2026-01-24"]


REST = Rest(
    hours=parse_hours(["22:00-08:00", "sat-sun"]), dates=(Dates(first=FRIDAY, last=FRIDAY),)
)


async def test_slots_in_a_rest_are_held_and_the_next_free_one_is_posted_once(world):
    world.spec = replace(NINE, rest=REST)
    await world.start()  # on a Thursday at noon
    for day in ("23", "24", "25", "26"):
        world.clock.time = at(f"2026-01-{day}T09:00")
        await world.start()
    assert world.sender.texts() == ["2026-01-26"]
    covered = window(world.spec, slots_between(world.spec, at("2026-01-23"), world.clock.time)[-1])
    assert (covered.since, covered.until) == (at("2026-01-22T09:00"), at("2026-01-26T09:00"))


async def test_channel_whose_slots_were_all_held_posts_the_next_one(world):
    long = Dates(first=FRIDAY - timedelta(days=60), last=FRIDAY - timedelta(days=1))
    world.spec = replace(NINE, rest=Rest(dates=(long,)))
    world.clock.time = at("2026-01-23T08:00")
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    await world.start()
    assert world.sender.texts() == ["2026-01-23"]


async def test_what_was_missed_or_left_is_not_posted_in_quiet_hours_but_after_them(world):
    world.spec = replace(NINE, rest=Rest(hours=parse_hours(["22:00-08:00"])))
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.errors = [SendError(SendReason.UNAVAILABLE) for _ in range(5)]
    await world.start()
    world.clock.time = at("2026-01-23T23:00")
    await world.start()
    assert world.sender.texts() == []
    world.clock.time = at("2026-01-24T08:00")
    await world.start()
    assert world.sender.texts() == ["2026-01-23"]


class Changing:
    """Channels that a test changes."""

    def __init__(self, *posts: Subscription) -> None:
        self.posts = list(posts)
        self.event = asyncio.Event()

    async def current(self):
        return tuple(self.posts)

    async def changed(self):
        await self.event.wait()
        self.event.clear()


async def test_channels_come_change_and_go_while_the_loop_runs(world, move):
    """With the real APScheduler."""
    channels = Changing()
    stop = asyncio.Event()

    def post(name: str, hour: int) -> Subscription:
        target = Target(name=name, sender=world.sender, chat=name)
        return at_target(target, Spec(at=time(hour), zone=ZoneInfo("UTC")))

    move("2026-01-23T09:30")
    with structlog.testing.capture_logs() as logs:
        running = asyncio.create_task(run(replace(world.work(), posts=channels), stop))
        channels.posts = [post("stays", 12), post("goes", 10)]
        channels.event.set()
        await until(lambda: len(world.ledger.slots) == 2)
        channels.posts = [post("stays", 10)]
        channels.event.set()
        await until(
            lambda: count(logs, "channel.scheduled") == 3 and count(logs, "channel.dropped")
        )
        move("2026-01-23T10:00")
        await until(lambda: world.sender.stands)
    stop.set()
    await running
    assert [chat for chat, _, _ in world.sender.stands] == ["stays"]


async def test_channels_that_are_watched_are_read_when_they_change(world):
    channels = Changing()
    current = CurrentChannels(channels)
    watching = asyncio.create_task(current.watch())
    channels.posts.append(world.post())
    channels.event.set()
    async with asyncio.timeout(120):
        while not current.posts:
            await asyncio.sleep(0)
    watching.cancel()
    assert list(current.posts) == ["team"]


async def test_paused_channel_goes_on_with_what_was_left_when_it_comes_back(world):
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.errors = [SendError(SendReason.UNAVAILABLE) for _ in range(5)]
    await world.start()
    channels = Changing()
    runner = Runner(replace(world.work(), posts=channels))
    await runner.sweep()
    assert world.sender.texts() == []
    channels.posts = [world.post()]
    await runner.sweep()
    assert world.sender.texts() == ["2026-01-23"]
