"""What processes share in a real Redis, and how they go on while it is away."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import structlog
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.messaging.rates import Pace, Rate, TooBusy
from bot.messaging.receiver import Incoming
from bot.ops.check import Weight
from bot.ops.doctor import redis as doctor
from bot.shared_state.redis_state import (
    CachedRecords,
    RedisConnection,
    RedisQuestionCounts,
    RedisWindows,
    WakeUps,
)
from bot.shared_state.shared_parts import open_common
from bot.store.replies import MessageKey, SqlReplies, Stage
from bot.store.sqlite import open_database
from bot.telemetry.metrics import Metrics
from digest.errors import InvalidConfig

QUICK = Rate(count=1000, seconds=1.0)

PAIR = Rate(count=2, seconds=0.2)

# The server's clock and the loop's are read at different moments.
SLACK = 0.03


def paces(pair: tuple[RedisConnection, RedisConnection], overall: Rate = QUICK) -> list[Pace]:
    made = [Pace(overall, overall) for _ in pair]
    for pace, connection in zip(made, pair, strict=True):
        pace.share(RedisWindows(connection, "bot"))
    return made


async def moments(paces: list[Pace], chats: list[str], rates: list[Rate]) -> list[float]:
    """When messages of both processes went, sorted, in seconds since the first could have gone."""
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def one(number: int, chat: str) -> float:
        await paces[number % len(paces)].turn(chat, rates)
        return loop.time() - began

    return sorted(await asyncio.gather(*(one(n, chat) for n, chat in enumerate(chats))))


async def test_two_processes_share_the_rate_of_a_chat(pair) -> None:
    went = await moments(paces(pair), ["a"] * 6, [PAIR])
    assert all(at >= n // 2 * PAIR.seconds - SLACK for n, at in enumerate(went))


async def test_two_processes_share_the_rate_of_the_account_over_all_chats(pair) -> None:
    went = await moments(paces(pair, PAIR), [f"c{n}" for n in range(6)], [])
    assert all(at >= n // 2 * PAIR.seconds - SLACK for n, at in enumerate(went))


async def test_answers_take_the_spare_turns_of_all_processes(pair) -> None:
    one, other = paces(pair, Rate(count=1, seconds=3600))
    await one.turn("a", [])
    await asyncio.wait_for(other.turn("b", [], answer=True), 120)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(other.turn("c", [], answer=True), 0.2)


async def test_chat_that_waits_books_nothing_of_the_account(pair) -> None:
    one, other = paces(pair, Rate(count=1, seconds=0.001))
    await one.turn("busy", [Rate(count=1, seconds=3600)])
    with pytest.raises(TooBusy):
        await other.turn("busy", [Rate(count=1, seconds=3600)], longest=1)
    await asyncio.wait_for(other.turn("idle", []), 120)


async def test_silence_that_a_platform_asked_for_holds_for_all(pair, server) -> None:
    one, other = paces(pair)
    one.hold("a", 90)
    for _ in range(6000):
        if server.client.keys("*:hold:a"):
            break
        await asyncio.sleep(0.01)
    with pytest.raises(TooBusy) as raised:
        await other.turn("a", [])
    assert 60 < raised.value.wait <= 90


async def test_pace_counts_alone_while_redis_is_away_and_together_again(pair, server) -> None:
    one, other = paces(pair)
    await one.turn("a", [])
    server.stop()
    went = await moments([one], ["a"] * 4, [PAIR])
    assert went[2] >= PAIR.seconds - SLACK
    assert pair[0].trouble
    server.start()
    assert not await pair[0].look()
    went = await moments([one, other], ["a"] * 4, [PAIR])
    assert went[2] >= PAIR.seconds - SLACK


async def test_person_is_counted_by_all_processes_and_refusals_are_not(pair) -> None:
    one, other = RedisQuestionCounts(pair[0]), RedisQuestionCounts(pair[1])
    assert (await one.count("p:1")).minute == 0
    assert (await other.count("p:1")).minute == 1
    await other.uncount("p:1")
    assert (await one.count("p:1")).minute == 1
    assert (await one.count("p:2")).minute == 0
    assert not await one.told_lately("p:1")
    assert await other.told_lately("p:1")


async def test_person_at_two_processes_at_once_gets_one_last_question(pair) -> None:
    both = [RedisQuestionCounts(connection) for connection in pair]
    loads = await asyncio.gather(*(both[n % 2].count("p:1") for n in range(20)))
    assert sorted(load.minute for load in loads) == list(range(20))


async def test_person_is_still_counted_while_redis_is_away(pair, server) -> None:
    now = [0.0]
    asked = RedisQuestionCounts(pair[0], lambda: now[0])
    await asked.count("p:1")
    server.stop()
    assert (await asked.count("p:1")).minute == 1
    server.start()
    await pair[0].look()
    # It began anew, and what this process knows holds.
    assert (await asked.count("p:1")).minute == 2


def asking(number: str) -> tuple[MessageKey, Incoming]:
    said = Incoming(
        platform="p", chat="c", person="u", text="help", id=number, at=datetime.now(UTC)
    )
    return MessageKey(account="p", chat="c", message=number), said


class Counting(SqlReplies):
    """Records that count how often the database is asked for a claim."""

    claims = 0
    broken = False

    async def claim(self, key, asked, now):
        self.claims += 1
        if self.broken:
            raise OSError("the database is away")
        return await super().claim(key, asked, now)


async def test_message_that_comes_again_does_not_reach_the_database(pair, server, tmp_path) -> None:
    async with await open_database(tmp_path) as database:
        records = Counting(database)
        one, other = (CachedRecords(records, connection) for connection in pair)
        key, said = asking("1")
        assert await one.claim(key, said, said.at)
        assert not await other.claim(key, said, said.at)
        assert records.claims == 1
        server.stop()
        assert not await other.claim(key, said, said.at)
        assert records.claims == 2
        await one.ask_again(key, replace(said, text="status"))
        assert (await other.get(key)).asked.text == "status"
        await other.mark(key, Stage.TOLD)
        assert (await one.get(key)).stage is Stage.TOLD
        assert not await one.left("p")


async def test_message_that_the_database_did_not_take_is_not_remembered(pair, tmp_path) -> None:
    async with await open_database(tmp_path) as database:
        records = Counting(database)
        one, other = (CachedRecords(records, connection) for connection in pair)
        key, said = asking("1")
        records.broken = True
        with pytest.raises(OSError, match="away"):
            await one.claim(key, said, said.at)
        records.broken = False
        assert await other.claim(key, said, said.at)


async def test_nudge_reaches_every_process_also_after_redis_was_away(pair, server) -> None:
    told = [asyncio.Event(), asyncio.Event()]
    one, other = (WakeUps(pair[n], told[n].set) for n in range(2))
    async with one.heard(), other.heard():
        await until_heard(server, 2)
        for round_ in range(2):
            for event in told:
                event.clear()
            one.tell()
            assert told[0].is_set()
            await asyncio.wait_for(told[1].wait(), 120)
            if not round_:
                server.stop()
                one.tell()  # heard by nobody else, and breaks nothing
                await asyncio.sleep(0.1)
                server.start()
                await until_heard(server, 2)


async def until_heard(server, count: int) -> None:
    """Until so many processes listen."""
    for _ in range(1000):
        if server.client.pubsub_numsub("digestbot:nudge")[0][1] >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("nobody listens")


async def test_loss_is_logged_once_and_counted(pair, server) -> None:
    metrics, (connection, _) = Metrics("0", process=False), pair
    with capture_logs() as logs:
        server.stop()
        for _ in range(3):
            await connection.look()
        assert await connection.ask(lambda redis: redis.get("a")) is None
        server.start()
        for _ in range(3):
            assert not await connection.look()
    assert [one["event"] for one in logs] == ["shared.lost", "shared.found"]
    up = []
    for one in logs:
        metrics(structlog.get_logger(), "info", one)
        up.append(metrics.registry.get_sample_value("digestbot_shared_up"))
    assert up == [0, 1]


async def test_redis_that_hangs_costs_one_call_its_patience_and_no_other(server) -> None:
    time, reached, heard = [100.0], [], []
    connection = RedisConnection(server.url, clock=lambda: time[0])

    async def ask(redis: Redis) -> object:
        reached.append(1)
        return await redis.get("a") or "nothing"

    try:
        async with WakeUps(connection, lambda: heard.append(1)).heard():
            await until_heard(server, 1)
            assert await connection.ask(ask)
            os.kill(server.pid, signal.SIGSTOP)
            assert await connection.ask(ask) is None
            # Whoever listens hears nothing, which says nothing.
            await asyncio.sleep(1.2)
            assert [await connection.ask(ask) for _ in range(3)] == [None] * 3
            assert len(reached) == 2
            time[0] += 2.1
            assert await asyncio.gather(*(connection.ask(ask) for _ in range(5))) == [None] * 5
            assert len(reached) == 3
            os.kill(server.pid, signal.SIGCONT)
            time[0] += 3.1
            assert await connection.ask(ask)
            assert not connection.trouble
    finally:
        os.kill(server.pid, signal.SIGCONT)
        await connection.aclose()


async def test_address_that_is_none_is_refused_and_one_that_is_silent_is_not(tmp_path) -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(InvalidConfig, match="Redis"):
            await open_common("http://nowhere", {}, stack)
        common = await open_common(f"unix://{tmp_path}/none", {}, stack)
        assert common.look is not None
        assert await common.look()


def test_library_of_redis_is_not_imported_without_an_address() -> None:
    lines = "import sys, bot.cli.run_service, bot.config.reader; assert 'redis' not in sys.modules"
    subprocess.run([sys.executable, "-c", lines], check=True)


async def test_doctor_tells_of_redis_and_worries_where_it_is_away(server) -> None:
    (found,) = await doctor(server.url)
    assert found.weight is Weight.OK
    assert "Redis" in found.text
    server.stop()
    (found,) = await doctor(server.url)
    assert found.weight is Weight.WARNING
    assert "counts alone" in found.text
    (found,) = await doctor("redis://host:none")
    assert found.weight is Weight.ERROR
