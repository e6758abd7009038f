"""What the loop does beside slots: listening, sweeps, alerts, notes, and what it says of itself."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass, field, replace
from datetime import time, timedelta

import pytest
from structlog.testing import capture_logs

from bot.jobs.loop import Listening, Runner, run, stop_on_signals
from bot.jobs.services import TaskTracker
from bot.scheduler.rest import Rest, parse_hours
from digest.errors import SourceUnavailable
from tests.support.fakes_delivery import FakeLeases, FakeSender
from tests.support.virtual import run_in_virtual_time
from tests.unit.bot.jobs.test_loop import NINE, Changing, Hearing, World, at, message


def events(logs, *names: str) -> list[str]:
    return [line["event"] for line in logs if not names or line["event"] in names]


async def until(found) -> None:
    async with asyncio.timeout(120):
        while not found():
            await asyncio.sleep(0)


@dataclass
class Breaking(FakeSender):
    """A line that breaks so often, gives a message, breaks once more, and closes."""

    breaks: int = 8

    async def listen(self):
        self.breaks -= 1
        if self.breaks == 0:
            yield message("one")
        if self.breaks >= -1:
            raise ConnectionError("lost")


def test_line_is_taken_up_again_after_growing_pauses_until_it_closes():
    world = World()

    async def listened(loop) -> float:
        await Listening(world.work(), TaskTracker()).listen(Breaking())
        return loop.time()

    with capture_logs() as logs:
        took = run_in_virtual_time(listened)
    pauses = [line["pause"] for line in logs if line["event"] == "listen.broken"]
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 1, 2]
    assert took == sum(pauses)
    assert (world.asked, logs[-1]["event"]) == (["one"], "listen.closed")


def test_account_of_another_process_is_listened_to_once_that_process_is_gone():
    world, hearing = World(), Breaking(breaks=-9)
    leases = FakeLeases({"listen\0desk"})
    work = replace(world.work(), leases=leases, elected={"other": FakeSender(), "desk": hearing})

    async def listened(loop) -> float:
        loop.call_later(12, leases.taken.clear)
        await Listening(work, TaskTracker()).listen(hearing)
        return loop.time()

    with capture_logs() as logs:
        assert run_in_virtual_time(listened) == 15, "every five seconds it looks"
    assert events(logs) == ["listen.elected", "listen.closed"]
    assert logs[0]["account"] == "desk"


async def test_account_that_all_processes_may_listen_to_needs_no_election():
    leases = FakeLeases({"listen\0", "listen\0desk"})
    work = replace(World().work(), leases=leases, elected={"desk": FakeSender()})
    async with asyncio.timeout(120):
        await Listening(work, TaskTracker()).listen(Breaking(breaks=-9))


async def test_replies_that_cannot_be_completed_are_told():
    class Broken(World):
        async def recover(self, sender):
            raise ZeroDivisionError

    with capture_logs() as logs:
        await Listening(Broken().work(), TaskTracker()).recover(FakeSender())
    assert events(logs) == ["recover.broken"]


@dataclass
class Duties:
    """What a sweep does beside channels; some of it breaks."""

    breaks: bool = False
    done: list[object] = field(default_factory=list)

    async def _do(self, what: object) -> None:
        self.done.append(what)
        if self.breaks:
            raise ZeroDivisionError

    async def tidy(self) -> None:
        await self._do("tidy")

    async def refresh(self) -> None:
        await self._do("refresh")

    async def amend(self, posts) -> None:
        await self._do(sorted(posts))

    async def look(self, _targets=None) -> None:
        self.done.append("look")

    def holds(self, _target) -> bool:
        return False

    async def note(self, *_: object) -> None:
        self.done.append("note")


@pytest.mark.parametrize("breaks", [False, True])
async def test_sweep_does_every_duty_though_one_breaks_and_says_which(breaks: bool):
    world, duties = World(), Duties(breaks=breaks)
    rests = replace(NINE, rest=Rest(hours=parse_hours(["11:00-13:00"])))
    posts = [
        replace(world.post(), name=name, spec=spec)
        for name, spec in (("awake", NINE), ("rests", rests))
    ]
    work = replace(
        world.work(), posts=Changing(*posts), tidy=duties.tidy, refresh=duties.refresh,
        amend=duties.amend, alerts=duties,
    )  # fmt: skip
    with capture_logs() as logs:
        await Runner(work).sweep()
    assert sorted(map(str, duties.done)) == ["['awake']", "look", "refresh", "tidy"]
    broken = ["amend.broken", "refresh.broken", "tidy.broken"] if breaks else []
    assert sorted(events(logs, "amend.broken", "refresh.broken", "tidy.broken")) == broken
    (swept,) = (line for line in logs if line["event"] == "sweep.done")
    assert (swept["left"], 0 <= swept["seconds"] < 60) == (0, True)


async def test_sweep_reads_parked_chats_and_goes_on_where_deliveries_cannot_be_read():
    world, duties = World(), Duties()
    await world.start()
    world.clock.time = at("2026-01-23T09:00")

    class Unread:
        async def left(self, *_: object):
            raise SourceUnavailable("locked")

        async def resume(self, *_: object):
            return ()

        async def deliver_all(self, postings):
            return await world.work().delivery.deliver_all(postings)

    runner = Runner(replace(world.work(), parking=duties, delivery=Unread()))
    with capture_logs() as logs:
        await runner.sweep()
    assert "sweep.broken" in events(logs)
    assert duties.done[0] == "look"
    assert world.sender.texts() == ["2026-01-23"]


async def test_channel_that_rests_is_not_taken_up():
    world = World(spec=replace(NINE, at=time(8), rest=Rest(hours=parse_hours(["09:00-10:00"]))))
    await world.start()
    world.clock.time = at("2026-01-23T09:30")
    await world.start()
    assert (world.built, world.sender.calls) == ([], 0)
    world.clock.time = at("2026-01-23T10:30")
    await world.start()
    assert world.built == ["2026-01-23"]


async def test_slot_that_another_process_holds_is_left_to_it():
    world = World()
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.leases = FakeLeases({"slot\0team"})
    runner = Runner(world.work())
    await runner.sweep()
    await runner.attend_named("a channel that is gone")
    assert world.built == []
    world.leases.taken.clear()
    await runner.attend_named("team")
    assert world.built == ["2026-01-23"]


@pytest.mark.parametrize(
    ("error", "traceback"), [(SourceUnavailable("no network"), False), (ZeroDivisionError(), True)]
)
async def test_slot_that_fails_is_told_with_a_traceback_only_where_nobody_expected_it(
    error, traceback
):
    world = World()
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.build_errors = [error]
    with capture_logs() as logs:
        await world.start()
    (line,) = (line for line in logs if line["event"] == "slot.failed")
    assert (line["channel"], bool(line.get("exc_info"))) == ("team", traceback)


async def test_channel_that_was_told_of_and_breaks_does_not_end_the_waking():
    world = World()
    await world.start()
    work = world.work()
    looks = []

    class Broken:
        async def left_of(self, target):
            looks.append(target.name)
            raise ZeroDivisionError

    runner = Runner(replace(work, delivery=Broken()))
    await runner.channels.look()
    waking = asyncio.create_task(runner.wake())
    with capture_logs() as logs:
        for name in ("team", "gone", "team"):
            await work.waking.tell(name)
        await until(lambda: len(looks) == 2)
        await asyncio.sleep(0)
    waking.cancel()
    assert events(logs, "wake.broken") == ["wake.broken"] * 2


async def test_changed_channels_are_attended_to_and_alerts_looked_at():
    world, duties, channels = World(), Duties(), Changing()
    world.ledger.slots = {"first-seen:team": ["2026-01-22"]}
    world.clock.time = at("2026-01-23T09:00")
    runner = Runner(replace(world.work(), posts=channels, alerts=duties))
    following = asyncio.create_task(runner.follow())
    await asyncio.sleep(0)
    assert duties.done == []
    channels.posts.append(world.post())
    channels.event.set()
    await until(lambda: world.finished)
    following.cancel()
    assert duties.done == ["look"]


async def test_run_sweeps_again_and_again_says_how_it_goes_and_leaves_nothing_behind():
    world, duties = World(), Duties()
    before = asyncio.all_tasks()
    hearing, stop = Hearing(), asyncio.Event()
    work = replace(world.work(), receivers=[hearing], tidy=duties.tidy)
    with capture_logs() as logs:
        running = asyncio.create_task(run(work, stop, sweep=timedelta(milliseconds=5)))
        await until(lambda: len(duties.done) >= 3)
        assert not running.done()
        stop.set()
        await asyncio.wait_for(running, 120)
        done = len(duties.done)
        await asyncio.sleep(0.02)
    assert len(duties.done) == done
    assert asyncio.all_tasks() == before
    said = [line for line in logs if line["event"].startswith(("run.", "channel."))]
    assert events(said) == ["channel.scheduled", "run.started", "run.stopping", "run.stopped"]
    assert said[0]["next"] == "2026-01-23T09:00:00+00:00"
    assert (said[1]["channels"], said[1]["receivers"]) == (1, 1)


async def test_channel_that_goes_is_dropped_and_said_so():
    world, channels, stop = World(), Changing(), asyncio.Event()
    channels.posts = [world.post()]
    with capture_logs() as logs:
        running = asyncio.create_task(run(replace(world.work(), posts=channels), stop))
        await until(lambda: "run.started" in events(logs))
        channels.posts = []
        channels.event.set()
        await until(lambda: "channel.dropped" in events(logs))
        stop.set()
        await running
    assert [line["channel"] for line in logs if line["event"] == "channel.dropped"] == ["team"]


async def test_second_signal_is_not_kept_from_ending_the_process():
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    with capture_logs() as logs:
        stop_on_signals(stop)
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(stop.wait(), 120)
            assert not loop.remove_signal_handler(signal.SIGTERM)
        finally:
            loop.remove_signal_handler(signal.SIGINT)
    assert [(line["event"], line["signal"]) for line in logs] == [("run.signal", "SIGTERM")]
