"""Turns: exact windows, answers before posts, chats that do not wait for each other.

Time is virtual.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from bot.chat.reply import ReplyMessage
from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging import rates
from bot.messaging.rates import Booked, Pace, Paces, Rate, RateWindow, TooBusy
from bot.messaging.sender import SendError, SendReason
from bot.store.replies import MessageKey
from handlers.ports.storage import PartState
from tests.support.fakes_delivery import FakeLeases, FakeLedger, FakeSender, paragraphs
from tests.support.virtual import in_virtual_time

EVERY_20_MS = Rate(count=1, seconds=0.02)
QUICK = Rate(count=1, seconds=0.0005)
PAIR = Rate(count=2, seconds=0.05)


def now() -> float:
    return asyncio.get_running_loop().time()


async def times(pace: Pace, chats: list[str], limits: list[Rate], **kind) -> list[float]:
    async def one(chat: str) -> float:
        await pace.turn(chat, limits, **kind)
        return now()

    return sorted(await asyncio.gather(*map(one, chats)))


def most_within(moments: list[float], seconds: float) -> int:
    return max(sum(start <= at < start + seconds - 1e-9 for at in moments) for start in moments)


def test_a_window_is_free_again_when_its_first_message_leaves_it():
    window = RateWindow(PAIR)
    assert window.free_at() == 0
    window.take(10.0)
    assert window.free_at() == 0
    window.take(10.03)
    assert window.free_at() == pytest.approx(10.05)
    window.take(10.05)
    assert window.free_at() == pytest.approx(10.08)


@in_virtual_time
async def test_no_window_of_a_chat_holds_more_than_its_count():
    moments = await times(Pace(QUICK, QUICK), ["a"] * 7, [PAIR, Rate(count=1, seconds=0.01)])
    assert most_within(moments, 0.05) == 2
    assert most_within(moments, 0.01) == 1


@in_virtual_time
async def test_the_account_bounds_all_chats_together():
    begin = now()
    moments = await times(Pace(EVERY_20_MS, QUICK), [str(n) for n in range(6)], [])
    assert all(at >= begin + 0.02 * place - 1e-9 for place, at in enumerate(moments))


@in_virtual_time
async def test_a_busy_chat_keeps_no_other_waiting():
    pace = Pace(QUICK, QUICK)
    busy = asyncio.create_task(times(pace, ["busy"] * 4, [Rate(count=1, seconds=0.1)]))
    await asyncio.sleep(0.01)
    await pace.turn("idle", [Rate(count=1, seconds=0.1)])
    assert not busy.done()
    await busy


@in_virtual_time
async def test_an_answer_does_not_queue_behind_posts():
    pace = Pace(EVERY_20_MS, EVERY_20_MS)
    posts = asyncio.create_task(times(pace, [str(n) for n in range(10)], []))
    await asyncio.sleep(0)
    begin = now()
    await pace.turn("asker", [], answer=True)
    answered = now()
    moments = await posts
    assert answered - begin < 0.1
    assert sum(at > answered for at in moments) >= 5
    assert all(at >= begin + 0.02 * place - 1e-9 for place, at in enumerate(moments))


@in_virtual_time
async def test_callers_of_one_chat_go_in_their_order():
    pace = Pace(QUICK, QUICK)
    order: list[int] = []

    async def one(number: int) -> None:
        await pace.turn("a", [Rate(count=1, seconds=0.005)])
        order.append(number)

    await asyncio.gather(*map(one, range(8)))
    assert order == list(range(8))


@in_virtual_time
async def test_a_held_chat_is_silent_for_as_long_as_the_platform_wants():
    pace = Pace(QUICK, QUICK)
    begin = now()
    pace.hold("a", 0.2)
    await pace.turn("b", [])
    assert now() - begin < 0.001
    await pace.turn("a", [])
    assert now() - begin == pytest.approx(0.2)


@in_virtual_time
async def test_a_wait_that_is_too_long_is_refused_with_its_length():
    pace = Pace(QUICK, QUICK)
    pace.hold("a", 90)
    with pytest.raises(TooBusy) as raised:
        await pace.turn("a", [], longest=60)
    assert 89 < raised.value.wait <= 90
    assert str(raised.value) == "no turn for 90 s"
    minute = Rate(count=1, seconds=60)
    await pace.turn("b", [minute])
    with pytest.raises(TooBusy):
        await pace.turn("b", [minute], longest=1)


@in_virtual_time
async def test_a_cancelled_caller_leaves_the_chat_free():
    pace = Pace(QUICK, QUICK)
    await pace.turn("a", [Rate(count=1, seconds=0.05)])
    waiting = asyncio.create_task(pace.turn("a", [Rate(count=1, seconds=0.05)]))
    await asyncio.sleep(0.005)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(120):
        await pace.turn("a", [Rate(count=1, seconds=0.05)])


@in_virtual_time
async def test_idle_chats_are_forgotten_and_busy_ones_kept(monkeypatch):
    monkeypatch.setattr(rates, "_MOST_CHATS", 3)
    pace = Pace(QUICK, QUICK)
    pace.hold("held", 60)
    for number in range(10):
        await pace.turn(str(number), [Rate(count=1, seconds=0.0001)])
        await asyncio.sleep(0.001)
    assert "held" in pace._chats
    assert len(pace._chats) <= 3


@in_virtual_time
async def test_parts_of_an_account_do_not_wait_for_each_other():
    paces = Paces(Rate(count=1, seconds=3600), Rate(count=1, seconds=3600))
    async with asyncio.timeout(120):
        for part in ("first", "second"):
            await paces[part].turn("chat", [])
    assert list(paces) == ["first", "second"]


@in_virtual_time
async def test_parts_that_come_later_are_shared_as_well():
    booked: list[str] = []

    @dataclass
    class Shared:
        part: str

        async def book(self, chat, rates, overall, spare, *, answer):
            booked.append(self.part)
            return Booked(booked=True, wait=0.0)

    paces = Paces(QUICK, QUICK)
    await paces["early"].turn("chat", [])
    paces.share(Shared)
    for part in ("early", "late"):
        await paces[part].turn("chat", [])
    assert booked == ["early", "late"]


@in_virtual_time
async def test_idle_parts_are_forgotten_and_busy_ones_kept(monkeypatch):
    monkeypatch.setattr(rates, "_MOST_PARTS", 2)
    paces = Paces(QUICK, QUICK)
    paces["held"].hold("chat", 60)
    for part in ("first", "second", "third"):
        await paces[part].turn("chat", [])
        await asyncio.sleep(0.001)
    assert "held" in list(paces)
    assert len(paces) <= 3


@dataclass
class Slow(FakeSender):
    """A platform with turns. ``waiting`` is set while somebody waits for one."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    refuses: bool = False
    answers: list[bool] = field(default_factory=list)

    async def ready(self, chat: str, *, answer: bool = False) -> None:
        self.answers.append(answer)
        if self.refuses:
            raise SendError(SendReason.RATE_LIMITED, "later", retry_after=900)
        self.waiting.set()
        await self.gate.wait()


@in_virtual_time
async def test_a_process_that_ends_while_waiting_for_a_turn_leaves_nothing_in_doubt():
    ledger, sender = FakeLedger(), Slow()
    target = Target(name="c", sender=sender, chat="c")
    posting = Posting(target=target, digest="d", document=paragraphs("one"))
    first = asyncio.create_task(Delivery(ledger, FakeLeases()).deliver(posting))
    await sender.waiting.wait()
    assert ledger.states() == [PartState.WAITING]
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    sender.gate.set()
    result = await Delivery(ledger, FakeLeases()).deliver(posting)
    assert result.done
    assert sender.texts() == ["one"]


@in_virtual_time
async def test_waiting_for_a_turn_is_not_taken_for_a_platform_without_an_answer():
    ledger, sender = FakeLedger(), Slow()
    delivery = Delivery(ledger, FakeLeases(), patience=Patience(answer=0.01))
    target = Target(name="c", sender=sender, chat="c")
    posting = Posting(target=target, digest="d", document=paragraphs("one"))
    task = asyncio.create_task(delivery.deliver(posting))
    await asyncio.sleep(0.05)
    sender.gate.set()
    assert (await task).done
    assert ledger.records[posting.key].parts[0].receipt


@in_virtual_time
async def test_a_turn_that_is_refused_leaves_the_part_to_the_next_resume():
    ledger, sender = FakeLedger(), Slow(refuses=True)
    target = Target(name="c", sender=sender, chat="c")
    posting = Posting(target=target, digest="d", document=paragraphs("one"))
    result = await Delivery(ledger, FakeLeases()).deliver(posting)
    assert not result.done
    assert not result.lasting
    assert ledger.states() == [PartState.FAILED]
    assert sender.calls == 0


class Unkept:
    """Records that nobody reads again."""

    async def mark(self, *_: object) -> None:
        """Forget it."""


@in_virtual_time
async def test_answers_ask_for_their_own_turns():
    sender = Slow()
    sender.gate.set()
    key = MessageKey(account="a", chat="c", message="1")
    await ReplyMessage(sender, key, Unkept(), Patience()).become(paragraphs("one"))
    assert sender.answers == [True]


@in_virtual_time
async def test_free_chats_are_forgotten_only_for_a_new_one_beyond_the_bound(monkeypatch):
    monkeypatch.setattr(rates, "_MOST_CHATS", 2)
    pace, known = Pace(QUICK, QUICK), []
    for chat in ("a", "b", "a", "c", "c"):
        await pace.turn(chat, [QUICK])
        await asyncio.sleep(0.005)
        known.append("".join(sorted(pace._chats)))
    assert known == ["a", "ab", "ab", "c", "c"]
