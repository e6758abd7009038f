"""Messages that were heard: each has one who is first, however many come at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Receipt
from bot.store.replies import KEPT, MessageKey, SqlReplies, Stage, dump, load
from bot.store.sqlite import open_database
from digest.errors import UnwritableFolder

NOW = datetime(2026, 1, 23, 9, 30, tzinfo=UTC)


def asked(number: int, **more) -> Incoming:
    return Incoming(
        platform="slack", chat="C1", person="U1", text="help", id=f"m{number}", at=NOW, **more
    )


def key(number: int) -> MessageKey:
    return MessageKey(account="team", chat="C1", message=f"m{number}")


@pytest.fixture
async def database(tmp_path):
    async with await open_database(tmp_path) as opened:
        yield opened


class Counting(SqlReplies):
    """Records, and how many were written down at a time."""

    def __init__(self, database) -> None:
        super().__init__(database)
        self.batches: list[int] = []

    async def _made(self, batch):
        self.batches.append(len(batch))
        return await super()._made(batch)


async def test_claims_that_come_at_once_share_transactions_and_one_of_each_is_first(database):
    records = Counting(database)
    numbers = [n % 300 for n in range(600)]
    told = await asyncio.gather(*(records.claim(key(n), asked(n), NOW) for n in numbers))
    assert told == [True] * 300 + [False] * 300
    assert len(records.batches) <= 4
    assert len(await records.left("team")) == 300
    assert not await records.claim(key(7), asked(7), NOW)


async def test_claims_of_two_processes_have_one_first_each(database, tmp_path):
    async with await open_database(tmp_path) as other:
        mine, theirs = SqlReplies(database), SqlReplies(other)
        calls = [one.claim(key(n), asked(n), NOW) for n in range(40) for one in (mine, theirs)]
        told = await asyncio.gather(*calls)
    assert [told[n] + told[n + 1] for n in range(0, 80, 2)] == [1] * 40


async def test_a_claim_whose_caller_is_cancelled_takes_nothing_from_the_others(database):
    records = SqlReplies(database)
    first, second = (asyncio.create_task(records.claim(key(n), asked(n), NOW)) for n in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second
    assert not await records.claim(key(0), asked(0), NOW), "it was written down all the same"


async def test_everybody_who_waits_learns_that_nothing_could_be_written(database):
    class Full(SqlReplies):
        async def _on_recorded(self, connection, added):
            raise UnwritableFolder("archive", "no space left")

    records = Full(database)
    told = await asyncio.gather(
        *(records.claim(key(n), asked(n), NOW) for n in range(3)), return_exceptions=True
    )
    assert [type(one) for one in told] == [UnwritableFolder] * 3


async def test_what_is_older_than_platforms_repeat_is_forgotten(database):
    records = SqlReplies(database)
    await records.claim(key(1), asked(1), NOW)
    assert await records.claim(key(2), asked(2), NOW + KEPT + timedelta(seconds=1))
    assert await records.get(key(1)) is None


async def test_records_are_deleted_at_most_once_a_minute(database):
    records = SqlReplies(database)
    for number, after in enumerate([KEPT, timedelta(seconds=1), KEPT + timedelta(seconds=30)]):
        assert await records.claim(key(number), asked(number), NOW + after)
    assert await records.get(key(1)) is not None
    assert await records.claim(key(3), asked(3), NOW + KEPT + timedelta(seconds=60))
    assert await records.get(key(1)) is None


async def test_a_message_is_kept_as_it_came(database):
    whole = asked(
        1,
        receipt=Receipt(message="m1", thread="t"),
        direct=True,
        also=("#general",),
        external=True,
        fate=MessageEvent.EDITED,
    )
    assert load(dump(whole)) == whole
    records = SqlReplies(database)
    await records.claim(key(1), whole, NOW)
    kept = await records.get(key(1))
    assert kept.asked == whole
    assert (kept.stage, kept.receipt, kept.at) == (Stage.HEARD, None, NOW)
