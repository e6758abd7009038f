"""Which slot of a channel is due, and when a channel has nothing to do."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta

import pytest
import structlog
from structlog.contextvars import merge_contextvars

from bot.delivery.delivery import Delivered
from bot.jobs.channel_worker import ChannelWorker, ClaimedSlot
from bot.jobs.services import traced
from bot.messaging.sender import SendError, SendReason
from bot.scheduler.rest import Rest, parse_hours
from bot.scheduler.schedule import Slot
from handlers.ports.storage import DeliveryKey
from tests.unit.bot.jobs.test_loop import FRIDAY, NINE, World, at


def slot(day: str) -> Slot:
    return Slot(day=at(day).date(), at=at(f"{day}T09:00"))


def world_at(moment: str, catch_up: timedelta, **notes: str) -> World:
    """A world whose ledger has these newest slots of the channel."""
    names = {"claimed": "team", "first": "first-seen:team", "finished": "finished:team"}
    world = World(catch_up=catch_up)
    world.clock.time = at(moment)
    world.ledger.slots = {names[note]: [day] for note, day in notes.items()}
    return world


DAY, NONE = timedelta(hours=24), timedelta(0)
OLD, NEW = "2026-01-22", "2026-01-23"


@pytest.mark.parametrize(
    ("moment", "catch_up", "notes", "due"),
    [
        ("2026-01-22T12:00", DAY, {"first": OLD}, None),
        ("2026-01-23T09:00", DAY, {"first": OLD}, ClaimedSlot(slot=slot(NEW))),
        ("2026-01-23T08:59", DAY, {"first": OLD}, None),
        ("2026-01-23T12:00", DAY, {"claimed": NEW, "finished": NEW}, None),
        ("2026-01-24T09:00", DAY, {"claimed": NEW, "finished": NEW},
         ClaimedSlot(slot=slot("2026-01-24"))),
        ("2026-01-23T12:00", DAY, {"claimed": NEW, "finished": OLD},
         ClaimedSlot(slot=slot(NEW), again=True)),
        ("2026-01-23T12:00", DAY, {"first": OLD, "claimed": NEW},
         ClaimedSlot(slot=slot(NEW), again=True)),
        ("2026-01-23T12:00", DAY, {"first": NEW, "claimed": OLD, "finished": OLD}, None),
        ("2026-01-23T09:14:59", NONE, {"claimed": NEW, "finished": OLD},
         ClaimedSlot(slot=slot(NEW), again=True)),
        ("2026-01-23T09:15:30", NONE, {"claimed": NEW, "finished": OLD}, None),
        ("2026-01-23T09:14:59", NONE, {"claimed": OLD, "finished": OLD},
         ClaimedSlot(slot=slot(NEW))),
        ("2026-01-23T09:15:30", NONE, {"claimed": OLD, "finished": OLD}, None),
    ],
)  # fmt: skip
async def test_the_slot_to_work_on_is_the_newest_that_is_not_finished(moment, catch_up, notes, due):
    world = world_at(moment, catch_up, **notes)
    unfinished = notes.get("claimed") != notes.get("finished")
    worker = ChannelWorker(world.work())
    assert await worker.idle(world.post()) is (due is None and not unfinished)
    assert await worker.due(world.post()) == due
    assert (NEW in world.ledger.slots.get("team", ())) is (
        notes.get("claimed") == NEW or due == ClaimedSlot(slot=slot(NEW))
    )


@pytest.mark.parametrize(
    ("notes", "finished"),
    [({"finished": OLD}, []), ({"finished": "2026-01-21"}, [OLD]), ({}, [OLD])],
)
async def test_slot_that_a_dead_process_left_is_finished_before_a_newer_one_is_claimed(
    notes: dict[str, str], finished: list[str]
):
    world = world_at("2026-01-23T12:00", DAY, claimed=OLD, **notes)
    assert await ChannelWorker(world.work()).due(world.post()) == ClaimedSlot(slot=slot(NEW))
    assert world.finished == finished


async def test_channel_never_seen_is_noted_and_begins_after_its_newest_slot():
    worker = ChannelWorker((world := World()).work())
    assert not await worker.idle(world.post())
    assert await worker.due(world.post()) is None
    assert world.ledger.slots == {"first-seen:team": ["2026-01-22"]}
    assert await worker.idle(world.post())


async def test_channel_whose_slots_were_all_held_begins_after_yesterday():
    weekend = Rest(hours=parse_hours(["sat-sun"]))
    world = World(spec=replace(NINE, weekdays=frozenset({FRIDAY.weekday()})))
    world.spec = replace(world.spec, at=time(9), rest=weekend)
    worker = ChannelWorker(world.work())
    await worker.due(world.post())
    assert world.ledger.slots == {"first-seen:team": ["2026-01-16"]}


async def test_slot_that_another_process_claimed_is_left_to_it_and_both_say_so():
    world = world_at("2026-01-23T09:00", DAY, first=OLD)
    workers = [ChannelWorker(world.work()) for _ in range(2)]
    world.ledger.claim_slot, claim = no_claim, world.ledger.claim_slot
    with structlog.testing.capture_logs() as logs:
        assert await workers[0].due(world.post()) is None
        world.ledger.claim_slot = claim
        due = await workers[1].due(world.post())
    assert due is not None
    assert (due.slot, due.again) == (slot(NEW), False)
    assert [(line["event"], line["channel"], line["slot"]) for line in logs] == [
        ("slot.taken", "team", NEW),
        ("slot.claimed", "team", NEW),
    ]


async def test_slot_is_logged_under_one_id_whoever_claims_or_finishes_it():
    world = world_at("2026-01-23T09:00", DAY, first=OLD)
    seen: list[tuple[str, str]] = []
    for count in range(2):
        with traced(), structlog.testing.capture_logs([merge_contextvars]) as logs:
            worker = ChannelWorker(world.work())
            due = await worker.due(world.post())
            assert due == ClaimedSlot(slot=slot(NEW), again=bool(count))
            if count:
                await worker.produce(world.post(), due.slot)
        seen += [(line["event"], line["trace"]) for line in logs]
    events, traces = zip(*seen, strict=True)
    assert (events[0], events[-1]) == ("slot.claimed", "slot.finished")
    assert len(set(traces)) == 1
    world.clock.time = at("2026-01-24T09:00")
    with traced(), structlog.testing.capture_logs([merge_contextvars]) as logs:
        await ChannelWorker(world.work()).due(world.post())
    assert logs[-1]["trace"] not in traces, "the next day's slot is another"


async def no_claim(_name: str, _slot: str) -> bool:
    return False


@pytest.mark.parametrize("method", ["idle", "due"])
async def test_slots_that_get_no_digest_are_told_once(method: str):
    world = world_at("2026-01-26T12:00", NONE, claimed=OLD, finished=OLD)
    worker = ChannelWorker(world.work())
    with structlog.testing.capture_logs() as logs:
        for _ in range(2):
            await getattr(worker, method)(world.post())
    missed = [(line["count"], line["slot"]) for line in logs if line["event"] == "slot.missed"]
    assert missed == [(4, "2026-01-26")]
    world.clock.time = at("2026-01-27T12:00")
    with structlog.testing.capture_logs() as logs:
        await getattr(worker, method)(world.post())
    assert [line["slot"] for line in logs if line["event"] == "slot.missed"] == ["2026-01-27"]


async def test_slot_that_is_worked_on_is_not_told_as_missed():
    world = world_at("2026-01-23T09:00", DAY, claimed=OLD, finished=OLD)
    with structlog.testing.capture_logs() as logs:
        await ChannelWorker(world.work()).due(world.post())
    assert "slot.missed" not in {line["event"] for line in logs}


class Parking:
    """Chats of which every one is parked, or none."""

    def __init__(self, *, parked: bool) -> None:
        self.parked = parked
        self.noted: list[Delivered] = []

    def holds(self, _target) -> bool:
        return self.parked

    async def note(self, _target, results) -> None:
        self.noted += results


@pytest.mark.parametrize(
    ("parked", "rests", "left_alone"),
    [(False, False, False), (True, False, True), (False, True, True), (None, False, False)],
)
async def test_channel_that_rests_or_is_parked_is_left_alone(parked, rests, left_alone):
    world = world_at("2026-01-23T09:00", DAY, first=OLD)
    if rests:
        world.spec = replace(NINE, rest=Rest(hours=parse_hours(["09:00-10:00"])), at=time(8))
    parking = None if parked is None else Parking(parked=parked)
    worker = ChannelWorker(replace(world.work(), parking=parking))
    assert worker.left_alone(world.post()) is left_alone
    assert await worker.idle(world.post()) is left_alone
    assert (await worker.due(world.post()) is None) is left_alone


@pytest.mark.parametrize(
    ("parking", "error", "given_up"),
    [
        (None, "rejected: why", True),
        (None, "no_channel", True),
        (None, "unavailable", False),
        (Parking(parked=False), "rejected: why", True),
        (Parking(parked=False), "no_channel", False),
    ],
)
async def test_refusal_that_lasts_is_given_up_unless_its_chat_is_probed(parking, error, given_up):
    world = World()
    key = DeliveryKey(platform="fake", channel="team", digest="d")

    class Refusing:
        async def resume(self, _target, _left):
            return (Delivered(key=key, error=error),)

    worker = ChannelWorker(replace(world.work(), parking=parking, delivery=Refusing()))
    await worker.resume(world.post(), ())
    assert worker.given_up == ({key} if given_up else set())
    assert parking is None or parking.noted


async def test_slot_is_finished_once_all_of_it_is_frozen_and_says_how_it_went():
    world = world_at("2026-01-23T09:00:01.23456", DAY, first=OLD)
    key = DeliveryKey(platform="fake", channel="team", digest="d")

    class Freezing:
        frozen = (True, False)

        async def deliver_all(self, _postings):
            return tuple(Delivered(key=key, frozen=one) for one in self.frozen)

    worker = ChannelWorker(replace(world.work(), delivery=Freezing()))
    with structlog.testing.capture_logs() as logs:
        await worker.produce(world.post(), slot(NEW))
        assert world.finished == []
        assert "finished:team" not in world.ledger.slots
        Freezing.frozen = (True, True)
        await worker.produce(world.post(), slot(NEW))
    assert world.finished == world.ledger.slots["finished:team"] == [NEW]
    (line,) = logs
    assert (line["event"], line["digests"], line["late"]) == ("slot.finished", 2, 1.235)


@pytest.mark.parametrize("breaks", [False, True])
async def test_earlier_posts_are_amended_as_soon_as_a_slot_is_finished(breaks):
    world, amended = world_at("2026-01-23T09:00", DAY, first=OLD), []

    async def amend(posts) -> None:
        amended.append([*posts])
        if breaks:
            raise ZeroDivisionError

    worker = ChannelWorker(replace(world.work(), amend=amend))
    with structlog.testing.capture_logs() as logs:
        await worker.produce(world.post(), slot(NEW))
    assert amended == [["team"]]
    assert [line["event"] for line in logs if "broken" in line["event"]] == breaks * [
        "amend.broken"
    ]


async def test_slot_is_built_though_its_post_is_refused_for_now():
    world = world_at("2026-01-23T09:00", DAY, first=OLD)
    world.sender.errors = [SendError(SendReason.UNAVAILABLE) for _ in range(5)]
    await ChannelWorker(world.work()).produce(world.post(), slot(NEW))
    assert world.finished == [NEW]
