"""What is put into an inbox is written down first, and nothing of it is lost or dealt with twice."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from structlog.testing import capture_logs

from bot.messaging import inbox as inboxes
from bot.messaging.inbox import AT_ONCE, OLDEST, TRIES, Arrival, Inbox, Unkept, hearing
from bot.messaging.receiver import Incoming
from bot.messaging.sender import SendError, SendReason
from bot.store.replies import SqlInbox
from tests.support.fakes_inbox import FullShelf, KeptShelf

AT = datetime(2026, 1, 23, 12, tzinfo=UTC)

EVER = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture
async def shelf(database):
    made = SqlInbox(database)
    yield made
    await made.aclose()


def said(content: str) -> Incoming:
    return Incoming(platform="desk", chat="c", person="p", text=content, id=content, at=AT)


async def read(arrival: Arrival) -> Incoming | None:
    return said(arrival.content)


async def all_left(shelf: SqlInbox, account: str = "desk") -> list[str]:
    return [one.content for one in await shelf.left(account, EVER)]


async def test_what_is_put_is_written_down_before_put_returns(shelf):
    inbox = Inbox("desk", shelf)
    await inbox.put('{"a": "\\u4f60 \0"}', "call")
    (kept,) = await shelf.left("desk", EVER)
    assert (kept.content, kept.kind, kept.account) == ('{"a": "\\u4f60 ?"}', "call", "desk")
    assert abs(kept.at - datetime.now(UTC)) < timedelta(minutes=1)
    assert kept.tries == 0
    assert await shelf.left("another", EVER) == []
    assert await shelf.left("desk", AT) == []


async def test_a_burst_is_written_down_in_order_and_few_transactions(shelf, database):
    inbox, writes = Inbox("desk", shelf), []
    append = database.append

    async def counted(table, rows):
        writes.append(len(rows))
        await append(table, rows)

    database.append = counted
    await asyncio.gather(*(inbox.put(str(number)) for number in range(300)))
    assert sum(writes) == 300
    assert len(writes) <= 3
    assert await all_left(shelf) == [str(number) for number in range(300)]


async def test_what_is_taken_is_forgotten_and_the_rest_is_left_for_the_next(shelf):
    inbox = Inbox("desk", shelf)
    for text in ("one", "two", "three"):
        await inbox.put(text)
    async with aclosing(hearing(inbox, read)) as heard:
        first = await anext(heard)
        assert first.text == "one"
        first.taken()
    await shelf.aclose()
    assert await all_left(shelf) == ["two", "three"]
    async with aclosing(hearing(Inbox("desk", shelf), read)) as heard:
        again = [await anext(heard), await anext(heard)]
        assert [one.text for one in again] == ["two", "three"]
        for one in again:
            one.taken()
    await shelf.aclose()
    assert await all_left(shelf) == []


async def test_what_says_nothing_to_the_bot_is_forgotten(shelf):
    inbox = Inbox("desk", shelf)

    async def no_message(arrival: Arrival) -> Incoming | None:
        return said(arrival.content) if arrival.content == "last" else None

    await inbox.put("noise")
    await inbox.put("last")
    async with aclosing(hearing(inbox, no_message)) as heard:
        await anext(heard)
    await shelf.aclose()
    assert await all_left(shelf) == ["last"]


async def test_a_database_that_takes_nothing_is_told_to_each_who_waits(shelf, database):
    async def refuse(_table, _rows):
        raise sqlite3.OperationalError("broken")

    inbox, database.append = Inbox("desk", shelf), refuse
    found = await asyncio.gather(*(inbox.put(str(n)) for n in range(3)), return_exceptions=True)
    assert [type(one) for one in found] == [sqlite3.OperationalError] * 3


async def test_what_cannot_be_written_down_is_not_kept():
    inbox = Inbox("desk", FullShelf())
    with capture_logs() as logs, pytest.raises(Unkept):
        await inbox.put("x")
    assert [one["event"] for one in logs] == ["inbox.unkept"]


async def test_a_flood_is_to_come_again(monkeypatch):
    monkeypatch.setattr(inboxes, "MOST", 2)
    inbox = Inbox("desk")
    await inbox.put("1")
    await inbox.put("2")
    with capture_logs() as logs, pytest.raises(Unkept):
        await inbox.put("3")
    assert [one["event"] for one in logs] == ["inbox.full"]


async def test_what_cannot_be_read_now_is_taken_up_again_and_given_up_at_last(monkeypatch):
    monkeypatch.setattr(inboxes, "LOOK", 0.01)
    shelf, tries = KeptShelf(), []
    inbox = Inbox("desk", shelf)

    async def unreadable(arrival: Arrival) -> Incoming | None:
        tries.append(arrival.content)
        raise SendError(SendReason.UNAVAILABLE)

    await inbox.put("x")
    with capture_logs() as logs:
        task = asyncio.create_task(inbox.deal(unreadable, lambda _: None))
        async with asyncio.timeout(120):
            while shelf.rows:
                # Rows tell whole seconds, and one of this very second is nobody's yet.
                shelf.rows = {
                    key: replace(one, at=one.at - timedelta(seconds=2))
                    for key, one in shelf.rows.items()
                }
                await asyncio.sleep(0.01)
        task.cancel()
    assert tries == ["x"] * (TRIES + 1)
    events = [one["event"] for one in logs]
    assert events.count("inbox.unread") == TRIES + 1
    assert events[-1] == "inbox.given_up"


async def test_what_is_a_day_old_is_given_up():
    shelf = KeptShelf()
    await Inbox("desk", shelf).put("x")
    shelf.rows = {k: replace(v, at=v.at - OLDEST) for k, v in shelf.rows.items()}
    with capture_logs() as logs:
        task = asyncio.create_task(Inbox("desk", shelf).deal(read, lambda _: None))
        while shelf.rows:  # a task empties it
            await asyncio.sleep(0.005)
        task.cancel()
    assert [one["event"] for one in logs] == ["inbox.given_up"]


async def test_so_many_are_read_at_a_time():
    inbox, under_way, most = Inbox("desk"), 0, 0

    async def slow(arrival: Arrival) -> Incoming | None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.005)
        under_way -= 1
        return said(arrival.content)

    for number in range(3 * AT_ONCE):
        await inbox.put(str(number))
    async with aclosing(hearing(inbox, slow)) as heard:
        found = [(await anext(heard)).text for _ in range(3 * AT_ONCE)]
    assert sorted(found, key=int) == [str(number) for number in range(3 * AT_ONCE)]
    assert most == AT_ONCE


async def test_the_error_of_what_brings_is_raised_and_its_end_is_the_end():
    async def broken() -> None:
        raise SendError(SendReason.UNAUTHORIZED)

    async def over() -> None:
        return

    with pytest.raises(SendError):
        async for _ in hearing(Inbox("desk"), read, broken()):
            pass
    assert [one async for one in hearing(Inbox("desk"), read, over())] == []
