"""Once: whatever fails and wherever the process dies."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.config.channel_section import Promise
from bot.delivery.delivery import Delivery, Posting, Visibility, identity
from bot.delivery.part_sender import Patience, Target
from bot.delivery.payload import thaw
from bot.messaging.sender import SendError, SendReason
from handlers.ports.storage import DeliveryKey, PartState
from tests.support.fakes_delivery import (
    Crash,
    FakeClock,
    FakeLeases,
    FakeLedger,
    FakeSender,
    Killed,
    no_step,
    paragraphs,
    resume_pending,
)
from tests.support.virtual import in_virtual_time

HASTE = Patience(first=0, answer=60)
LEAD_AND_DETAILS = paragraphs("lead", "details", "more")


def a_delivery(ledger, sender, promise=Promise.AT_MOST_ONCE, leases=None, patience=HASTE):
    target = Target(name="team", sender=sender, chat="C1", promise=promise)
    delivery = Delivery(ledger, leases or FakeLeases(), [target], patience)
    posting = Posting(target=target, digest="daily:r:main:2026-01-23", document=LEAD_AND_DETAILS)
    return delivery, posting


async def test_deliver_posts_parts_in_order_and_keeps_receipts():
    ledger, sender = FakeLedger(), FakeSender()
    delivery, posting = a_delivery(ledger, sender)
    with capture_logs() as logs:
        result = await delivery.deliver(posting)
    assert sender.texts() == ["lead", "details", "more"]
    assert result.done
    assert result.new == 3
    assert [part.receipt for part in result.parts] == [
        '["C1/1", ""]', '["C1/2", ""]', '["C1/3", ""]',
    ]  # fmt: skip
    assert not any(part.silent for _, part, _ in sender.stands)
    assert [(line["event"], line["parts"], line["new"]) for line in logs] == [
        ("delivery.sent", 3, 3)
    ]


async def test_deliver_marks_sending_before_the_call_and_sent_at_once_after():
    crash = Crash()
    ledger, sender = FakeLedger(step=crash), FakeSender(step=crash)
    delivery, posting = a_delivery(ledger, sender)
    await delivery.deliver(posting)
    a_part = [
        "before mark sending", "after mark sending", "before send", "after send",
        "before mark sent", "after mark sent",
    ]  # fmt: skip
    assert crash.steps == ["before claim", "after claim", *a_part * 3]


async def test_deliver_again_sends_nothing():
    ledger, sender = FakeLedger(), FakeSender()
    delivery, posting = a_delivery(ledger, sender)
    await delivery.deliver(posting)
    again = await delivery.deliver(posting)
    assert again.done
    assert again.new == 0
    assert len(sender.stands) == 3


async def test_frozen_content_wins_over_a_newer_document():
    ledger, sender = FakeLedger(), FakeSender(errors=[SendError(SendReason.UNAUTHORIZED)])
    delivery, posting = a_delivery(ledger, sender)
    assert not (await delivery.deliver(posting)).done
    newer = Posting(target=posting.target, digest=posting.digest, document=paragraphs("other"))
    assert (await delivery.deliver(newer)).done
    assert sender.texts() == ["lead", "details", "more"]


async def test_later_parts_reply_to_the_first_also_after_a_restart():
    ledger, sender = FakeLedger(), FakeSender()
    delivery, posting = a_delivery(ledger, sender)
    sender.errors = []
    await delivery.deliver(posting)
    assert [reply and reply.message for _, _, reply in sender.stands] == [None, "C1/1", "C1/1"]

    ledger, sender = FakeLedger(), FakeSender(step=(crash := Crash(at=11)))
    delivery, posting = a_delivery(ledger, sender)
    ledger.step = crash
    with pytest.raises(Killed):
        await delivery.deliver(posting)
    ledger.step = sender.step = no_step
    delivery, _ = a_delivery(ledger, sender, Promise.AT_LEAST_ONCE)
    await resume_pending(delivery)
    assert [reply and reply.message for _, _, reply in sender.stands][-1] == "C1/1"


@pytest.mark.parametrize("reason", [SendReason.RATE_LIMITED, SendReason.UNAVAILABLE])
async def test_refused_for_now_is_repeated(reason):
    sender = FakeSender(errors=[SendError(reason), SendError(reason)])
    delivery, posting = a_delivery(FakeLedger(), sender)
    assert (await delivery.deliver(posting)).done
    assert sender.calls == 5
    assert sender.texts() == ["lead", "details", "more"]


async def test_every_attempt_waits_for_its_turn():
    class Paced(FakeSender):
        turns = 0

        async def ready(self, chat, *, answer=False):
            self.turns += 1

    sender = Paced(errors=[SendError(SendReason.UNAVAILABLE), SendError(SendReason.UNAVAILABLE)])
    delivery, posting = a_delivery(FakeLedger(), sender)
    assert (await delivery.deliver(posting)).done
    assert sender.turns == sender.calls == 5


@in_virtual_time
async def test_retry_after_is_honoured():
    sender = FakeSender(errors=[SendError(SendReason.RATE_LIMITED, retry_after=20)])
    delivery, posting = a_delivery(FakeLedger(), sender)
    await delivery.deliver(posting)
    assert asyncio.get_running_loop().time() == 20


def test_pause_is_as_long_as_the_platform_asks_up_to_the_longest():
    def pause(seconds):
        return Patience().pause(SendError(SendReason.RATE_LIMITED, retry_after=seconds))

    assert [pause(2.5), pause(60.0), pause(60.5), pause(None)] == [2.5, 60.0, False, True]


async def test_retry_after_beyond_patience_is_left_for_later():
    sender = FakeSender(errors=[SendError(SendReason.RATE_LIMITED, retry_after=3600)])
    ledger = FakeLedger()
    delivery, posting = a_delivery(ledger, sender)
    with capture_logs() as logs:
        result = await delivery.deliver(posting)
    assert ledger.states() == [PartState.FAILED, PartState.WAITING, PartState.WAITING]
    assert not result.lasting
    assert [line["event"] for line in logs] == ["delivery.refused", "delivery.held"]
    assert not await delivery.left({posting.key})
    assert list(await delivery.left()) == ["team"]
    await resume_pending(delivery)
    assert sender.texts() == ["lead", "details", "more"]


async def test_pause_before_a_repeat_is_no_call_in_doubt():
    """A crash in the pause after a 429 must not look like a message that may stand."""
    ledger = FakeLedger()
    sender = FakeSender(errors=[SendError(SendReason.RATE_LIMITED, retry_after=30)])
    delivery, posting = a_delivery(ledger, sender)
    task = asyncio.create_task(delivery.deliver(posting))
    while not sender.calls or ledger.marks[-1][1].state is PartState.SENDING:
        await asyncio.sleep(0.001)
    assert ledger.states()[0] is PartState.WAITING
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await resume_pending(delivery)
    assert sender.texts() == ["lead", "details", "more"]


@pytest.mark.parametrize(
    "reason", [SendReason.UNAUTHORIZED, SendReason.NO_CHANNEL, SendReason.REJECTED]
)
async def test_refused_for_good_is_not_repeated_and_holds_back_the_rest(reason):
    ledger, sender = FakeLedger(), FakeSender(errors=[SendError(reason, "why")])
    delivery, posting = a_delivery(ledger, sender)
    result = await delivery.deliver(posting)
    assert sender.calls == 1
    assert (result.error, result.lasting, result.done) == (f"{reason}: why", True, False)
    assert ledger.states() == [PartState.FAILED, PartState.WAITING, PartState.WAITING]


@pytest.mark.parametrize("taken", [True, False])
async def test_no_answer_is_looked_up_where_the_platform_can_find(taken):
    sender = FakeSender(can_find=True, taken=taken, errors=[SendError(SendReason.NO_ANSWER)])
    delivery, posting = a_delivery(FakeLedger(), sender)
    assert (await delivery.deliver(posting)).done
    assert sender.texts() == ["lead", "details", "more"]


@pytest.mark.parametrize(
    ("promise", "texts"),
    [
        (Promise.AT_MOST_ONCE, ["details", "more"]),
        (Promise.AT_LEAST_ONCE, ["lead", "details", "more"]),
    ],
)
async def test_a_chat_that_cannot_be_looked_through_gets_what_was_promised(promise, texts):
    class Closed(FakeSender):
        async def find(self, chat, part, reply_to=None):
            raise SendError(SendReason.UNSUPPORTED, "no permission to read the chat")

    sender = Closed(can_find=True, errors=[SendError(SendReason.NO_ANSWER)])
    delivery, posting = a_delivery(FakeLedger(), sender, promise)
    assert (await delivery.deliver(posting)).done
    assert sender.texts() == texts


async def test_why_a_chat_cannot_be_looked_through_is_recorded():
    class Closed(FakeSender):
        async def find(self, chat, part, reply_to=None):
            raise SendError(SendReason.UNSUPPORTED, "missing_scope, needed is channels:history")

    sender = Closed(can_find=True, taken=True, errors=[SendError(SendReason.NO_ANSWER)])
    delivery, posting = a_delivery(FakeLedger(), sender)
    result = await delivery.deliver(posting)
    assert result.parts[0].error == "unproven: missing_scope, needed is channels:history"


async def test_every_attempt_knows_when_the_delivery_was_frozen():
    ledger, sender, clock = (
        FakeLedger(),
        FakeSender(errors=[SendError(SendReason.BROKEN)]),
        FakeClock(),
    )
    target = Target(name="team", sender=sender, chat="C1")
    posting = Posting(target=target, digest="d", document=LEAD_AND_DETAILS)
    first = clock.now()
    for _ in range(2):
        await Delivery(ledger, FakeLeases(), [target], HASTE, clock).deliver(posting)
        clock.time += timedelta(hours=2)
    assert {part.since for _, part, _ in sender.stands} == {first}


async def test_no_answer_at_most_once_is_taken_as_sent_and_said_so():
    ledger = FakeLedger()
    sender = FakeSender(taken=True, errors=[SendError(SendReason.NO_ANSWER)])
    delivery, posting = a_delivery(ledger, sender)
    with capture_logs() as logs:
        result = await delivery.deliver(posting)
    assert "delivery.assumed" in [line["event"] for line in logs]
    assert result.parts[0].error == "unproven: this platform has no way to check"
    assert result.parts[0].receipt == ""
    assert sender.texts() == ["lead", "details", "more"]


async def test_no_answer_at_least_once_is_sent_again():
    sender = FakeSender(taken=True, errors=[SendError(SendReason.NO_ANSWER)])
    delivery, posting = a_delivery(FakeLedger(), sender, Promise.AT_LEAST_ONCE)
    with capture_logs() as logs:
        await delivery.deliver(posting)
    assert "delivery.sent_again" in [line["event"] for line in logs]
    assert sender.texts() == ["lead", "lead", "details", "more"]


async def test_a_platform_that_hangs_is_a_call_without_answer():
    sender = FakeSender(delay=3600)
    delivery, posting = a_delivery(FakeLedger(), sender, patience=Patience(first=0, answer=0.05))
    result = await asyncio.wait_for(delivery.deliver(posting), 120)
    assert {part.error for part in result.parts} == {"unproven: this platform has no way to check"}


async def test_doubt_stays_when_a_later_attempt_is_refused():
    """The first call may stand, so the refusal of the second must not make it "not sent"."""
    errors = [SendError(SendReason.NO_ANSWER, retry=True), SendError(SendReason.UNAUTHORIZED)]
    sender = FakeSender(taken=True, errors=errors)
    ledger = FakeLedger()
    delivery, posting = a_delivery(ledger, sender)
    await delivery.deliver(posting)
    assert sender.texts() == ["lead", "details", "more"]


async def test_never_answered_ends_and_stays_in_doubt():
    errors = [SendError(SendReason.NO_ANSWER) for _ in range(10)]
    ledger = FakeLedger()
    sender = FakeSender(can_find=True, errors=errors)
    delivery, posting = a_delivery(ledger, sender)
    result = await delivery.deliver(posting)
    assert sender.calls == 3
    assert result.error == "no_answer"
    assert ledger.states()[0] is PartState.SENDING


async def test_one_channel_that_breaks_stops_no_other():
    class Broken(FakeSender):
        async def send(self, chat, part, reply_to=None):
            raise ZeroDivisionError

    ledger, good = FakeLedger(), FakeSender(name="good")
    broken = Target(name="broken", sender=Broken(name="broken"))
    fine = Target(name="fine", sender=good)
    delivery = Delivery(ledger, FakeLeases(), [broken, fine], HASTE)
    results = await delivery.deliver_all(
        [Posting(target=one, digest="d", document=LEAD_AND_DETAILS) for one in (broken, fine)]
    )
    assert [result.done for result in results] == [False, True]
    assert results[0].error == "ZeroDivisionError"
    assert not results[0].frozen, "its slot must not be finished"
    assert good.texts() == ["lead", "details", "more"]


async def test_what_another_process_is_at_is_left_to_it():
    leases = FakeLeases()
    ledger, sender = FakeLedger(), FakeSender()
    delivery, posting = a_delivery(ledger, sender, leases=leases)
    key = posting.key
    leases.taken.add(f"{key.platform}\0{key.channel}\0{key.digest}")
    with capture_logs() as logs:
        result = await delivery.deliver(posting)
    assert (result.busy, result.done, sender.calls) == (True, False, 0)
    assert [line["event"] for line in logs] == ["delivery.busy"]


async def test_two_at_once_send_once():
    ledger, sender = FakeLedger(), FakeSender(delay=0.01)
    delivery, posting = a_delivery(ledger, sender)
    results = await asyncio.gather(*(delivery.deliver(posting) for _ in range(5)))
    assert sender.texts() == ["lead", "details", "more"]
    assert sorted(result.busy for result in results) == [False, True, True, True, True]


async def test_resume_leaves_channels_that_are_gone():
    ledger = FakeLedger()
    delivery, posting = a_delivery(ledger, FakeSender(errors=[SendError(SendReason.NO_CHANNEL)]))
    await delivery.deliver(posting)
    assert await resume_pending(Delivery(ledger, FakeLeases(), [], HASTE)) == ()


def test_identity_differs_by_everything_that_names_a_part():
    keys = [
        DeliveryKey(platform=p, channel=c, digest=d)
        for p in ("a", "ab") for c in ("b", "bb") for d in ("c", "")
    ]  # fmt: skip
    names = {identity(key, part) for key in keys for part in (0, 1)}
    assert len(names) == 16
    assert all(len(name) == 32 for name in names)


def steps_of_a_delivery(can_find: bool) -> int:
    """How many points there are at which the process can die."""
    crash = Crash()
    delivery, posting = a_delivery(
        FakeLedger(step=crash), FakeSender(can_find=can_find, step=crash)
    )
    asyncio.run(delivery.deliver(posting))
    return len(crash.steps)


POINTS = range(steps_of_a_delivery(can_find=False))


async def dies_and_resumes(at: int, *, can_find: bool, promise: Promise) -> tuple[list[str], str]:
    """What people see after a death at a point, a restart and the same slot built again."""
    crash = Crash(at=at)
    ledger, sender = FakeLedger(step=crash), FakeSender(can_find=can_find, step=crash)
    delivery, posting = a_delivery(ledger, sender, promise)
    with pytest.raises(Killed):
        await delivery.deliver(posting)
    ledger.step = sender.step = no_step
    delivery, posting = a_delivery(ledger, sender, promise)  # a new process: no lease is held
    await resume_pending(delivery)
    await delivery.deliver(posting)
    assert all(state is PartState.SENT for state in ledger.states())
    return sender.texts(), crash.steps[-1]


@pytest.mark.parametrize("at", POINTS)
async def test_death_at_any_point_where_messages_can_be_found_loses_and_doubles_nothing(at):
    seen, _ = await dies_and_resumes(at, can_find=True, promise=Promise.AT_MOST_ONCE)
    assert seen == ["lead", "details", "more"]


@pytest.mark.parametrize("at", POINTS)
async def test_death_at_most_once_doubles_nothing_and_loses_only_the_call_in_doubt(at):
    seen, point = await dies_and_resumes(at, can_find=False, promise=Promise.AT_MOST_ONCE)
    assert len(seen) == len(set(seen))
    in_doubt = point in {"after mark sending", "before send"}
    assert len(seen) == (2 if in_doubt else 3)


@pytest.mark.parametrize("at", POINTS)
async def test_death_at_least_once_loses_nothing_and_doubles_only_the_call_in_doubt(at):
    seen, point = await dies_and_resumes(at, can_find=False, promise=Promise.AT_LEAST_ONCE)
    assert sorted(set(seen)) == ["details", "lead", "more"]
    in_doubt = point in {"after send", "before mark sent"}
    assert len(seen) == (4 if in_doubt else 3)


async def test_details_follow_in_the_thread_frozen_with_their_digest():
    sender, ledger = FakeSender(can_find=True), FakeLedger()
    target = Target(name="team", sender=sender, chat="C1")
    delivery = Delivery(ledger, FakeLeases(), [target], Patience(first=0))
    posting = Posting(
        target=target, digest="d", document=paragraphs("post"), details=paragraphs("more", "end")
    )
    sender.errors = [SendError(SendReason.UNAVAILABLE)] * 5
    await delivery.deliver(posting)
    await resume_pending(delivery)
    assert sender.texts() == ["post", "more", "end"]
    assert [reply and reply.message for _, _, reply in sender.stands] == [None, "C1/1", "C1/1"]
    (record,) = ledger.records.values()
    assert (thaw(record.content).own, thaw(record.content).details) == (1, posting.details)


async def test_details_are_left_out_where_there_are_no_threads():
    sender = FakeSender()
    target = Target(name="team", sender=sender, chat="C1")
    delivery = Delivery(FakeLedger(), FakeLeases(), [target], Patience(first=0))
    await delivery.deliver(
        Posting(target=target, digest="d", document=paragraphs("post"), details=paragraphs("more"))
    )
    assert sender.texts() == ["post"]


@pytest.mark.parametrize(
    ("readable", "withheld"), [((), True), (("acme/engine",), False)], ids=["none", "the one"]
)
async def test_repository_is_withheld_where_a_chat_may_not_read_it(readable, withheld):
    class Gate:
        async def tellable(self, *_given, **_named):
            return readable

    target = Target(name="t", sender=FakeSender())
    with capture_logs() as logs:
        assert await Visibility(Gate()).withholds(target, "acme/engine") is withheld
    assert [line["event"] for line in logs] == ["repository.withheld"] * withheld
