"""What a delivery says of each part, what it records, and which deliveries it leaves alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from structlog.testing import capture_logs

from bot.config.channel_section import Promise
from bot.delivery.delivery import WITHHELD, Delivered, Delivery, Posting, Visibility, WakeQueue
from bot.delivery.part_sender import Patience, Target
from bot.messaging.sender import SendError, SendReason
from handlers.ports.storage import DeliveryKey, PartRecord, PartState
from tests.support.fakes_delivery import (
    FakeLeases,
    FakeLedger,
    FakeSender,
    paragraphs,
    resume_pending,
)

AGAIN, LOST = SendReason.UNAVAILABLE, SendReason.NO_ANSWER
KEY = DeliveryKey(platform="fake", channel="team", digest="d")


@dataclass
class Platform(FakeSender):
    """A platform that may fail to look through its chats."""

    unseen: list[SendError] = field(default_factory=list)

    async def find(self, chat, part, reply_to=None):
        if self.unseen:
            raise self.unseen.pop(0)
        return await super().find(chat, part, reply_to)


def a_delivery(sender: FakeSender, ledger: FakeLedger, promise=Promise.AT_MOST_ONCE, **more):
    target = Target(name="team", sender=sender, chat="C1", promise=promise)
    posting = Posting(target=target, digest="d", document=paragraphs("one", "two"))
    return Delivery(ledger, FakeLeases(), [target], Patience(first=0), **more), posting


@pytest.mark.parametrize(
    ("platform", "promise", "events", "states"),
    [
        ({}, "at_most_once", ["sent"], ["sent", "sent"]),
        ({"errors": [AGAIN]}, "at_most_once", ["refused", "sent"], ["sent", "sent"]),
        ({"errors": [AGAIN] * 4}, "at_most_once", [*["refused"] * 4, "sent"], ["sent", "sent"]),
        ({"errors": [AGAIN] * 5}, "at_most_once", [*["refused"] * 5, "held"],
         ["failed", "waiting"]),
        ({"errors": [LOST], "can_find": True, "taken": True}, "at_most_once",
         ["refused", "found", "sent"], ["sent", "sent"]),
        ({"errors": [LOST], "can_find": True}, "at_most_once", ["refused", "sent"],
         ["sent", "sent"]),
        ({"errors": [LOST]}, "at_least_once", ["refused", "sent_again", "sent"],
         ["sent", "sent"]),
        ({"errors": [LOST]}, "at_most_once", ["refused", "assumed", "sent"], ["sent", "sent"]),
        ({"errors": [LOST], "can_find": True, "unseen": [SendError(AGAIN, "503")]},
         "at_most_once", ["refused", "unresolved", "held"], ["sending", "waiting"]),
        ({"errors": [LOST] * 3, "can_find": True}, "at_most_once", [*["refused"] * 3, "held"],
         ["sending", "waiting"]),
    ],
)  # fmt: skip
async def test_each_step_is_told_with_its_part_and_recorded(platform, promise, events, states):
    errors = [SendError(reason, "why") for reason in platform.get("errors", ())]
    sender, ledger = Platform(**platform | {"errors": errors[:]}), FakeLedger()
    delivery, posting = a_delivery(sender, ledger, Promise[promise.upper()])
    with capture_logs() as lines:
        result = await delivery.deliver(posting)
    logs = [line for line in lines if line["event"].startswith("delivery.")]
    assert [line["event"] for line in logs] == [f"delivery.{event}" for event in events]
    assert {line["part"] for line in logs[:-1]} <= {0}
    assert {(line["platform"], line["channel"], line["digest"]) for line in logs} == {
        ("fake", "team", "d")
    }
    assert [line["error"] for line in logs if line["event"] == "delivery.refused"] == [
        f"{error.reason}: why" for error in errors
    ]
    assert [part.state for part in result.parts] == states == ledger.states()
    assert result.new == len([part for part in result.parts if part.receipt])
    assert result.done is (states == ["sent", "sent"])


async def test_part_that_was_refused_for_now_waits_with_the_reason_recorded():
    sender, ledger = Platform(errors=[SendError(AGAIN, "503")]), FakeLedger()
    delivery, posting = a_delivery(sender, ledger)
    await delivery.deliver(posting)
    marks = [(mark.part, mark.state, mark.error) for _, mark in ledger.marks]
    assert marks == [
        (0, "sending", ""),
        (0, "waiting", "unavailable: 503"),
        (0, "sending", ""),
        (0, "sent", ""),
        (1, "sending", ""),
        (1, "sent", ""),
    ]


async def test_part_in_doubt_is_left_as_it_is_where_the_chat_cannot_be_read_now():
    sender, ledger = Platform(can_find=True), FakeLedger()
    sender.errors, sender.unseen = [SendError(LOST)], [SendError(AGAIN, "503")] * 2
    delivery, posting = a_delivery(sender, ledger)
    for _ in range(2):
        result = await delivery.deliver(posting)
        assert result.error == "unavailable: 503"
    assert sender.calls == 1
    assert (await delivery.deliver(posting)).done
    assert sender.texts() == ["one", "two"]


def test_place_of_a_channel_is_its_account_or_platform_and_its_chat():
    target = Target(name="team", sender=FakeSender(name="fake"), chat="C1")
    assert target.place == ("fake", "C1")
    assert replace(target, account="desk").place == ("desk", "C1")


@pytest.mark.parametrize("error", [ZeroDivisionError(), SendError(SendReason.REJECTED)])
def test_call_that_is_useless_to_repeat_is_not_repeated(error):
    assert Patience().pause(error) is False


async def test_silent_channel_gets_silent_parts():
    sender = FakeSender()
    delivery, posting = a_delivery(sender, FakeLedger())
    target = replace(posting.target, silent=True)
    await delivery.deliver(replace(posting, target=target))
    assert [part.silent for _, part, _ in sender.stands] == [True, True]


class Paced(FakeSender):
    """A platform whose first turns come too late."""

    late = 1
    turns = 0

    async def ready(self, chat, *, answer=False):
        self.turns += 1
        if self.turns <= self.late:
            raise SendError(SendReason.RATE_LIMITED, "later", retry_after=1000)


async def test_turn_that_came_too_late_is_asked_for_again_in_the_attempts():
    sender = Paced()
    delivery, posting = a_delivery(sender, FakeLedger())
    assert (await delivery.deliver(posting)).done
    assert (sender.turns, sender.calls) == (3, 2)


async def test_delivery_without_a_channel_is_told_once_unless_another_part_resumes_it():
    ledger = FakeLedger()
    failing, posting = a_delivery(FakeSender(errors=[SendError(SendReason.REJECTED)]), ledger)
    await failing.deliver(posting)
    for elsewhere, told in ((None, ["delivery.orphaned"]), (lambda key: key == KEY, [])):
        delivery = Delivery(ledger, FakeLeases(), [], Patience(first=0), elsewhere=elsewhere)
        with capture_logs() as logs:
            assert [await delivery.left() for _ in range(2)] == [{}, {}]
        assert [line["event"] for line in logs] == told
    found = await Delivery(ledger, FakeLeases()).left(targets=[posting.target])
    assert [record.key for record in found["team"]] == [KEY]
    other = replace(posting.target, name="other")
    delivery = Delivery(ledger, FakeLeases())
    assert [record.key for record in await delivery.left_of(posting.target)] == [KEY]
    assert await delivery.left_of(other) == []


async def test_delivery_that_failed_is_skipped_until_its_state_changes():
    ledger = FakeLedger()
    delivery, posting = a_delivery(FakeSender(errors=[SendError(SendReason.REJECTED)]), ledger)
    await delivery.deliver(posting)
    assert await delivery.left({KEY}) == {}
    assert list(await delivery.left({replace(KEY, digest="another")})) == ["team"]
    await ledger.mark(KEY, PartRecord(part=0, state=PartState.WAITING))
    assert list(await delivery.left({KEY})) == ["team"]


async def test_delivery_that_is_done_or_breaks_says_so():
    ledger, sender = FakeLedger(), FakeSender()
    delivery, posting = a_delivery(sender, ledger)
    await delivery.deliver(posting)
    sender.render = None  # type: ignore[assignment]
    with capture_logs() as logs:
        (broken,) = await delivery.deliver_all([posting])
    assert (broken.done, broken.frozen, broken.error) == (False, False, "TypeError")
    del sender.render
    with capture_logs() as more:
        assert (await delivery.deliver(posting)).done
    assert [line["event"] for line in (*logs, *more)] == ["delivery.broken", "delivery.repeated"]


@pytest.mark.parametrize(
    ("repository", "withholds", "asked", "texts"),
    [
        ("a/b", True, ["a/b"], []),
        ("a/b", False, ["a/b"], ["one", "two"]),
        ("", True, [], ["one", "two"]),
        ("a/b", None, [], ["one", "two"]),
    ],
)
async def test_delivery_that_goes_on_later_asks_whether_the_chat_may_still_read_it(
    repository, withholds, asked, texts
):
    questions = []

    async def withheld(target, name):
        questions.append(name)
        return withholds

    sender, ledger = FakeSender(errors=[SendError(SendReason.REJECTED)]), FakeLedger()
    more = {} if withholds is None else {"withholds": withheld}
    delivery, posting = a_delivery(sender, ledger, **more)
    await delivery.deliver(replace(posting, repository=repository))
    assert questions == [], "what is posted at once was just asked about"
    with capture_logs() as logs:
        (result,) = await resume_pending(delivery)
    assert (questions, sender.texts()) == (asked, texts)
    assert result.error == ("" if texts else WITHHELD)
    assert (logs[-1]["event"], logs[-1]["parts"], logs[-1]["new"]) == (
        ("delivery.sent", 2, 2) if texts else ("delivery.held", 2, 0)
    )


@pytest.mark.parametrize("external", [True, False])
async def test_chat_that_outsiders_read_is_asked_about_as_such(external: bool):
    class Discerning(FakeSender):
        async def external(self, chat):
            return external

    given = []

    class Gate:
        async def tellable(self, *where, **named):
            given.append((*where, named["external"]))
            return ["a/b"]

    target = Target(name="t", sender=Discerning(), chat="C1", account="desk")
    assert not await Visibility(Gate()).withholds(target, "a/b")
    assert given == [("desk", "fake:C1", ["a/b"], external)]


async def test_channels_are_told_in_the_order_in_which_they_came():
    queue = WakeQueue()
    for name in ("b", "a"):
        await queue.tell(name)
    assert [await queue.told() for _ in range(2)] == ["b", "a"]


@pytest.mark.parametrize(
    ("error", "done", "lasting"),
    [("", True, False), ("rejected: too: long", False, True), ("unavailable", False, False)],
)
def test_delivery_is_done_without_an_error_and_hopeless_with_some(error, done, lasting):
    result = Delivered(key=KEY, error=error)
    assert (result.done, result.lasting, result.new, result.busy) == (done, lasting, 0, False)
