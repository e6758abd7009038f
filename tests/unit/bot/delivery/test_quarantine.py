"""Dead chats: parked for good reason, probed ever less often, told once, and back when they are."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
import structlog

from bot.delivery.delivery import Delivered
from bot.delivery.part_sender import Target
from bot.delivery.quarantine import LASTING, Quarantine, parked_chats, pause
from bot.jobs.loop import Runner
from bot.messaging.sender import SendError, SendReason
from bot.store.deliveries import ChatRefusal
from handlers.ports.storage import DeliveryKey
from tests.support.fakes_delivery import FakeClock, FakeSender
from tests.unit.bot.jobs.test_loop import World, at

KEY = DeliveryKey(platform="fake", channel="team", digest="d")
GONE = Delivered(key=KEY, error="no_channel: channel_not_found")
POSTED = Delivered(key=KEY, new=1)
PLACE = ("fake", "C1")


@dataclass
class Kept:
    """Refusals in memory, outliving a process."""

    held: dict[tuple[str, str], ChatRefusal] = field(default_factory=dict)

    async def all(self):
        return tuple(self.held.values())

    async def keep(self, refusal):
        self.held[refusal.place] = refusal

    async def forget(self, account, chat):
        return self.held.pop((account, chat), None) is not None


@pytest.fixture
def clock():
    return FakeClock()


@dataclass
class Probed(FakeSender):
    """A platform whose chat is probed; ``dead`` says how."""

    dead: SendReason | None = SendReason.NO_CHANNEL
    probes: list[datetime] = field(default_factory=list)
    clock: FakeClock = field(default_factory=FakeClock)

    async def probe(self, chat):
        self.probes.append(self.clock.time)
        if self.dead:
            raise SendError(self.dead)
        return "there"


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def target(clock):
    return Target(name="team", sender=Probed(clock=clock), chat="C1")


async def struck(kept, clock, target, times=3):
    parking = Quarantine(kept, clock)
    for _ in range(times):
        await parking.note(target, [GONE])
        clock.time += LASTING
    return parking


async def test_chat_that_refuses_three_times_is_parked_and_told_once(kept, clock, target):
    with structlog.testing.capture_logs() as logs:
        parking = Quarantine(kept, clock)
        for _ in range(3):
            assert parked_chats(await kept.all()) == []
            await parking.note(target, [GONE])
            clock.time += LASTING / 2
    assert parking.holds(target)
    assert [line["event"] for line in logs] == ["chat.parked"]
    assert parked_chats(await kept.all()) == [(kept.held[PLACE], clock.time - LASTING / 2)]
    again = Quarantine(kept, clock)
    await again.look({})
    assert again.holds(target)


async def test_refusals_of_one_moment_park_nothing(kept, clock, target):
    parking = Quarantine(kept, clock)
    for _ in range(10):
        await parking.note(target, [GONE, GONE])
    assert not parking.holds(target)


async def test_post_that_arrives_clears_what_was_held_against_the_chat(kept, clock, target):
    parking = await struck(kept, clock, target, times=2)
    await parking.note(target, [GONE, POSTED])
    assert kept.held == {}
    await parking.note(target, [GONE])
    assert not parking.holds(target)


@pytest.mark.parametrize("error", ["unavailable: 503", "rate_limited", "rejected: too long", ""])
async def test_other_failures_are_no_refusals(kept, clock, target, error):
    parking = Quarantine(kept, clock)
    await parking.note(target, [Delivered(key=KEY, error=error)])
    assert kept.held == {}


async def test_parked_chat_is_probed_at_growing_intervals(kept, clock, target):
    parking = await struck(kept, clock, target)
    begin = kept.held[PLACE].parked_at
    for _ in range(24 * 12 * 4):
        clock.time += timedelta(minutes=5)
        await parking.look({PLACE: target})
    gaps = [
        one - other
        for one, other in zip(target.sender.probes, [begin, *target.sender.probes], strict=False)
    ]
    assert gaps[:4] == [timedelta(minutes=m) for m in (15, 60, 240, 960)]
    assert set(gaps[4:]) == {timedelta(days=1)}


async def test_probe_that_succeeds_brings_the_chat_back_and_one_refusal_parks_it_again(
    kept, clock, target
):
    parking = await struck(kept, clock, target)
    target.sender.dead = None
    clock.time += pause(0)
    with structlog.testing.capture_logs() as logs:
        await parking.look({PLACE: target})
    assert [line["event"] for line in logs] == ["chat.back"]
    assert not parking.holds(target)
    await parking.note(target, [GONE])
    assert parking.holds(target)
    assert kept.held[PLACE].next_probe == clock.time + pause(1)


async def test_admin_unparks_in_another_process(kept, clock, target):
    parking = await struck(kept, clock, target)
    await kept.forget(*PLACE)
    await parking.look({PLACE: target})
    assert not parking.holds(target)


async def test_loop_sends_nothing_to_a_parked_chat_and_catches_up_once_it_is_back(kept):
    world = World()
    world.sender = sender = Probed(can_find=True, clock=world.clock)
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    sender.errors = [SendError(SendReason.NO_CHANNEL) for _ in range(100)]
    runner = Runner(replace(world.work(), parking=Quarantine(kept, world.clock)))
    for _ in range(12 * 30):
        await runner.sweep()
        world.clock.time += timedelta(minutes=5)
    assert sender.calls == 3
    sender.errors, sender.dead = [], None
    for _ in range(12 * 24):
        await runner.sweep()
        world.clock.time += timedelta(minutes=5)
    assert sender.texts() == ["2026-01-23", "2026-01-24", "2026-01-25"]
    assert kept.held == {}


@pytest.mark.parametrize(("reason", "calls"), [("NO_CHANNEL", 2), ("REJECTED", 1)])
async def test_refused_post_is_tried_again_and_a_rejected_one_is_given_up(kept, reason, calls):
    world = World()
    await world.start()
    world.clock.time = at("2026-01-23T09:00")
    world.sender.errors = [SendError(SendReason[reason]) for _ in range(9)]
    runner = Runner(replace(world.work(), parking=Quarantine(kept, world.clock)))
    await runner.sweep()
    await runner.sweep()
    assert world.sender.calls == calls


async def test_chat_is_parked_from_five_minutes_after_its_first_refusal(kept, clock, target):
    parking = Quarantine(kept, clock)
    for minutes in (0, 2, 2.999, 0.001):
        clock.time += timedelta(minutes=minutes)
        assert not parking.holds(target)
        await parking.note(target, [GONE])
    assert parking.holds(target)
    assert kept.held[PLACE].strikes == 4
    assert (kept.held[PLACE].reason, kept.held[PLACE].detail) == ("no_channel", "channel_not_found")
    assert kept.held[PLACE].next_probe == clock.time + timedelta(minutes=15)


async def test_probe_that_fails_is_told_and_one_that_is_not_due_is_not_made(kept, clock, target):
    parking = await struck(kept, clock, target)
    clock.time = kept.held[PLACE].next_probe - timedelta(seconds=1)
    await parking.look({PLACE: target})
    assert target.sender.probes == []
    clock.time += timedelta(seconds=1)
    await parking.look({("fake", "another"): target})
    assert target.sender.probes == []
    with structlog.testing.capture_logs() as logs:
        await parking.look({PLACE: target})
    assert target.sender.probes == [clock.time]
    assert [(line["event"], line["chat"]) for line in logs] == [("chat.still_parked", "C1")]
    assert kept.held[PLACE].probes == 1


async def test_refusals_of_one_chat_do_not_count_against_another(kept, clock, target):
    parking = await struck(kept, clock, target)
    assert not parking.holds(replace(target, chat="C2"))
    await parking.note(replace(target, chat="C2"), [POSTED])
    assert parking.holds(target)


async def test_eight_dead_chats_are_probed_at_once_and_the_others_after_them(kept, clock):
    begun, go = [], asyncio.Event()

    class Waiting(FakeSender):
        async def probe(self, chat):
            begun.append(chat)
            await go.wait()
            return "there"

    for number in range(10):
        one = ChatRefusal(
            account="fake", chat=f"C{number}", reason="no_channel", detail="", strikes=3,
            since=clock.time, parked_at=clock.time, next_probe=clock.time,
        )  # fmt: skip
        await kept.keep(one)
    targets = {place: Target(name="n", sender=Waiting(), chat=place[1]) for place in kept.held}
    looking = asyncio.create_task(Quarantine(kept, clock).look(targets))
    for _ in range(30):
        await asyncio.sleep(0)
    assert len(begun) == 8
    go.set()
    await looking
    assert len(begun) == 10
    assert parked_chats(await kept.all()) == []
