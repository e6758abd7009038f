"""Jobs on a real PostgreSQL: with the claim or not at all, once, again after a death."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import partial
from io import StringIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import structlog
from procrastinate.exceptions import AlreadyEnqueued
from sqlalchemy import text

from bot.delivery.delivery import Delivery
from bot.delivery.part_sender import Patience, Target
from bot.delivery.payload import freeze
from bot.forges.hooks import Arrived
from bot.jobs.job_engine import Engine
from bot.jobs.loop import Listening
from bot.jobs.role_duties import (
    DeferringArrivals,
    DeferringLedger,
    DeferringReplies,
    MessageIntake,
    RetryLater,
    Scheduler,
    Worker,
)
from bot.jobs.services import LoopServices, TaskTracker
from bot.messaging.receiver import Incoming, MessageEvent
from bot.platforms.console import Console
from bot.scheduler.schedule import Spec
from bot.store.job_queue import ANSWERS, CHANNELS, PERIODIC, REPOSITORIES, SWEEPS, JobKind, depth
from bot.store.ledger import SqlLedger
from bot.store.postgresql import PostgresDatabase, ServerLeases, open_postgres
from bot.store.replies import MessageKey, SqlReplies
from digest.document import Document, Paragraph, Text
from handlers.ports.storage import DeliveryKey
from tests.integration.bot.chat.talk import Talk
from tests.integration.bot.chat.talk import said as heard_as
from tests.integration.dying_process import DUE, At, build, finish
from tests.support.channels import Fixed, at_target


class Done:
    """Jobs that were done, by their kind and what they were given; a few fail before."""

    def __init__(self, fails: int = 0) -> None:
        self.jobs: list[tuple[str, dict[str, Any]]] = []
        self.traces: list[str] = []
        self._fails = fails

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [given for done, given in self.jobs if done == kind]

    def __getattr__(self, kind: str):
        async def do(**given: Any) -> None:
            if self._fails:
                self._fails -= 1
                raise RetryLater("not now")
            if kind in PERIODIC:
                return
            self.jobs.append((kind, given))
            self.traces.append(structlog.contextvars.get_contextvars()["trace"])

        return do


async def waiting(database: PostgresDatabase) -> int:
    """How many jobs nobody is at, but for those that the library puts down by itself."""
    found = await depth(database)
    return sum(one.waiting for kind, one in found.items() if kind not in PERIODIC)


@pytest.fixture
async def database(address: str) -> AsyncIterator[PostgresDatabase]:
    async with await open_postgres(address) as opened:
        yield opened


@pytest.fixture
async def engine(database: PostgresDatabase) -> AsyncIterator[Engine]:
    async with Engine(database, heartbeat=0.1) as opened:
        yield opened


@asynccontextmanager
async def at_work(engine: Engine, done: Done, at_once: int = 4) -> AsyncIterator[None]:
    engine.serve({kind: getattr(done, kind) for kind in JobKind if kind is not JobKind.RESCUE})
    task = asyncio.create_task(engine.work((CHANNELS, ANSWERS, REPOSITORIES), at_once))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(found) -> None:
    async with asyncio.timeout(120):
        while not found():
            await asyncio.sleep(0.02)


def said(number: str, fate: MessageEvent = MessageEvent.SAID) -> Incoming:
    return Incoming(
        platform="p", chat="c", person="u", text="help", id=number, at=datetime.now(UTC), fate=fate
    )


async def test_channel_waits_once_however_often_it_is_put_down(database, engine) -> None:
    for _ in range(3):
        await engine.put_channel("team")
    assert await waiting(database) == 1
    done = Done()
    async with at_work(engine, done):
        await until(lambda: done.jobs)
    assert done.jobs == [("channel", {"name": "team", "left": False})]
    assert await waiting(database) == 0


async def test_second_opening_finds_the_tables(database: PostgresDatabase) -> None:
    async with Engine(database) as one, Engine(database):
        await one.put_channel("team")
        assert await waiting(database) == 1


async def test_claim_and_job_are_there_together_or_not_at_all(database, engine) -> None:
    ledger = DeferringLedger(database, engine)
    assert await ledger.claim_slot("team", "2026-01-23")
    assert not await ledger.claim_slot("team", "2026-01-23")
    assert await waiting(database) == 1
    # What waits already serves the next slot as well, and the claim stands.
    assert await ledger.claim_slot("team", "2026-01-24")
    assert await ledger.last_slot("team") == "2026-01-24"
    await ledger.claim_slot("finished:team", "2026-01-23")
    assert await waiting(database) == 1

    class Undone(DeferringLedger):
        async def _on_claimed(self, connection, claims):
            await super()._on_claimed(connection, claims)
            raise RuntimeError("the process dies")

    with pytest.raises(RuntimeError):
        await Undone(database, engine).claim_slot("other", "2026-01-23")
    assert await ledger.last_slot("other") is None
    assert await waiting(database) == 1


async def test_message_is_put_down_with_its_record_once(database, engine) -> None:
    sender = Console(StringIO())
    intake = MessageIntake(DeferringReplies(database, engine), engine, At(DUE), {"desk": sender})
    for number in ("1", "1", "2"):
        await intake.hear(sender, said(number))
    await intake.hear(sender, said("1", MessageEvent.EDITED))
    assert await waiting(database) == 3
    done = Done()
    async with at_work(engine, done):
        await until(lambda: len(done.jobs) == 3)
    keys = [(one["account"], one["chat"], one["message"]) for one in done.of("answer")]
    assert sorted(keys) == [("desk", "c", "1"), ("desk", "c", "2")]
    assert done.of("change")[0]["account"] == "desk"
    record = await DeferringReplies(database, engine).get(
        MessageKey(account="desk", chat="c", message="1")
    )
    assert record is not None


async def test_job_that_fails_is_done_again_by_the_library(database, engine) -> None:
    done = Done(fails=1)
    await engine.put_channel("team", left=True)
    async with at_work(engine, done):
        await until(lambda: done.jobs)
    assert done.of("channel") == [{"name": "team", "left": True}]


async def test_job_of_a_worker_that_died_is_put_down_again(database, engine) -> None:
    await engine.put_channel("team")
    async with database.writing() as connection:
        # As a worker leaves it whose own row is gone.
        await connection.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
    assert await waiting(database) == 0
    assert await engine.rescue() == 1
    assert await engine.rescue() == 0
    assert await waiting(database) == 1


async def test_job_of_a_dead_worker_gives_way_to_one_that_waits(database, engine) -> None:
    await engine.put_channel("team")
    async with database.writing() as connection:
        await connection.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
    await engine.put_channel("team")
    assert await engine.rescue() == 1
    assert await engine.rescue() == 0
    assert await waiting(database) == 1


async def test_job_that_fails_gives_way_to_one_of_its_channel_that_waits(
    database, engine, caplog
) -> None:
    class Met(Done):
        """While it is at the first job the next is put down; then the first fails."""

        async def channel(self, **given: Any) -> None:
            self.jobs.append(("channel", given))
            if len(self.jobs) == 1:
                await engine.put_channel("team")
                raise RetryLater("another process is working on it")

    done = Met()
    await engine.put_channel("team")
    async with at_work(engine, done, at_once=1):
        # The one that waits is not delayed by the failure of the other.
        await until(lambda: len(done.jobs) == 2)
    found = (await depth(database))["channel"]
    assert (found.waiting, found.doing) == (0, 0)
    gc.collect()  # a task whose error nobody looked at tells so when it goes
    assert "never retrieved" not in caplog.text


async def test_job_that_waits_to_be_tried_again_is_tried_at_once_when_more_comes(
    database, engine
) -> None:
    ledger = DeferringLedger(database, engine)
    for more in (
        partial(engine.put_channel, "team"),
        partial(ledger.claim_slot, "team", "2026-01-23"),
    ):
        await engine.put_channel("team")
        async with database.writing() as connection:
            later = "UPDATE procrastinate_jobs SET scheduled_at = now() + interval '1 hour'"
            await connection.execute(text(later))
        await more()
        assert await waiting(database) == 1
        done = Done()
        async with at_work(engine, done):
            await until(lambda seen=done: seen.jobs)


async def test_question_that_failed_too_often_ends_in_one_apology(database, engine) -> None:
    talk = Talk(database)
    keys = [
        MessageKey(account="board", chat="C9", message=one)
        for one in ("old", "new", "older", "job")
    ]
    ages = [timedelta(minutes=11), timedelta(minutes=1), timedelta(days=1), timedelta(minutes=11)]
    records, now = SqlReplies(database), datetime.now(UTC)
    talk.clock.time = now
    for key, age in zip(keys, ages, strict=True):
        await records.claim(key, heard_as("what?", key.message), now - age)
    async with database.writing() as connection:
        await engine.put_answers([("board", "C9", "job")], connection)
    # Of those without a job one is too young to be given up, and one is too old to be told of.
    assert await engine.put_abandoned() == 1
    assert await engine.put_abandoned() == 0
    conversation = talk.start()

    class Answering(Done):
        async def answer(self, account: str, chat: str, message: str) -> None:
            key = MessageKey(account=account, chat=chat, message=message)
            if not await conversation.take_up(talk.sender, key):
                raise RetryLater("the reply was not sent")
            self.jobs.append(("answer", {}))

    done = Answering()
    async with at_work(engine, done):
        await until(lambda: len(done.jobs) == 2)
    assert await engine.put_abandoned() == 0
    assert talk.sender.texts() == ["I was interrupted before I could answer; please ask again."] * 2


async def test_periodic_sweep_is_done_once_for_two_processes(engine, database) -> None:
    async with Engine(database) as other:
        for one in (engine, other):
            manager = one._app.job_manager
            job = one._app.tasks["digestbot.sweep"].configure(task_kwargs={"timestamp": 300}).job
            with suppress(AlreadyEnqueued):
                await manager.defer_periodic_job(job, periodic_id="", defer_timestamp=300)
        [job] = await manager.list_jobs_async(queue=SWEEPS)
        assert job.task_name == "digestbot.sweep"
    swept = asyncio.Event()

    async def sweep() -> None:
        swept.set()

    engine.serve({JobKind.SWEEP: sweep})
    working = asyncio.create_task(engine.work([SWEEPS], 1))
    await asyncio.wait_for(swept.wait(), 120)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


def duty(ledger: SqlLedger, leases: ServerLeases, sender: Console) -> LoopServices:
    target = Target(name="team", chat="", sender=sender)
    spec = Spec(at=time(9), zone=ZoneInfo("UTC"))
    return LoopServices(
        posts=Fixed([at_target(target, spec)]),
        build=build,
        finish=finish,
        hearing=None,
        delivery=Delivery(ledger, leases, [target], Patience(first=0)),
        ledger=ledger,
        leases=leases,
        clock=At(DUE),
    )


async def test_scheduler_claims_and_a_worker_posts(database, engine, tmp_path) -> None:
    with (tmp_path / "posts.txt").open("w") as stream:
        sender, leases = Console(stream), ServerLeases(database)
        ledger, plain = DeferringLedger(database, engine), SqlLedger(database)
        await plain.claim_slot("first-seen:team", "2026-01-21")
        scheduler = Scheduler(duty(ledger, leases, sender), engine)
        await scheduler.sweep()
        assert await waiting(database) == 1
        assert await plain.last_slot("finished:team") is None
        worker = Worker(duty(plain, leases, sender), None, {"desk": sender})
        async with leases.hold("slot\0team"):
            await scheduler.sweep()
            with pytest.raises(RetryLater):
                await worker.channel("team", False)
        await worker.channel("team", False)
        await worker.channel("team", True)
        assert await plain.last_slot("finished:team") == "2026-01-23"
        await leases.aclose()
    assert (tmp_path / "posts.txt").read_text().count("digest of 2026-01-23") == 1


async def test_what_admins_send_again_is_a_job_of_its_own(database, engine, tmp_path) -> None:
    with (tmp_path / "posts.txt").open("w") as stream:
        sender, leases, ledger = Console(stream), ServerLeases(database), SqlLedger(database)
        document = Document(title="t", blocks=(Paragraph((Text("once more"),)),))
        key = DeliveryKey(platform=sender.name, channel="team", digest="daily:r:main:2026-01-22")
        await ledger.claim(key, freeze(document, sender.render(document)), 1)
        await engine.put_channel("team")
        for _ in range(2):
            await engine.put_left("team")
        assert await waiting(database) == 2
        worker = Worker(duty(ledger, leases, sender), None, {"desk": sender})
        await worker.channel("team", True)
        assert await ledger.pending() == ()
        await leases.aclose()
    assert (tmp_path / "posts.txt").read_text().count("once more") == 1


class Socket(Console):
    """Hears by a connection; counts how many are open."""

    open = 0

    async def listen(self):
        Socket.open += 1
        try:
            await asyncio.Event().wait()
            yield said("1")
        finally:
            Socket.open -= 1


async def test_account_is_heard_by_one_process_and_by_another_after_it(
    database, monkeypatch
) -> None:
    monkeypatch.setattr("bot.jobs.loop.ELECTION", 0.05)
    every = [ServerLeases(database) for _ in range(2)]
    tasks = []
    for leases in every:
        sender = Socket(StringIO())
        work = duty(SqlLedger(database), leases, sender)
        object.__setattr__(work, "elected", {"desk": sender})
        tasks.append(asyncio.create_task(Listening(work, TaskTracker()).listen(sender)))
        await until(lambda: Socket.open)
    await asyncio.sleep(0.2)
    assert Socket.open == 1
    tasks[0].cancel()
    await asyncio.gather(tasks[0], return_exceptions=True)
    await every[0].aclose()
    await until(lambda: Socket.open == 1)
    assert not tasks[1].done()
    tasks[1].cancel()
    await asyncio.gather(tasks[1], return_exceptions=True)
    assert Socket.open == 0
    await every[1].aclose()


async def test_what_a_forge_told_is_put_down_with_its_claim_once(database, engine) -> None:
    taking = DeferringArrivals(database, engine)
    pushed = Arrived(host="github.com", repository="octo/engine", moved=True)
    assert await taking.take("github", "1", pushed)
    assert not await taking.take("github", "1", pushed)
    # Another delivery of the same sort is served by the job that waits, and is claimed all the same.
    assert await taking.take("github", "2", pushed)
    assert not await taking.take("github", "2", pushed)
    assert await waiting(database) == 1
    done = Done()
    async with at_work(engine, done):
        await until(lambda: done.jobs)
    given = {"host": "github.com", "repository": "octo/engine", "moved": True}
    assert done.jobs == [("arrived", given)]


async def test_job_is_logged_once_and_not_by_the_library_as_well(engine, caplog) -> None:
    caplog.set_level(logging.INFO)
    done = Done()
    await engine.put_channel("team")
    async with at_work(engine, done):
        await until(lambda: done.jobs)
    assert not [one for one in caplog.records if one.name.startswith("procrastinate")]


async def test_job_is_done_under_the_id_of_what_it_was_put_down_for(engine) -> None:
    with structlog.contextvars.bound_contextvars(trace="0123456789abcdef"):
        await engine.put_alert("octo/engine")
    await engine.put_amendments()
    done = Done()
    async with at_work(engine, done):
        await until(lambda: len(done.jobs) == 2)
    traces = dict(zip((kind for kind, _ in done.jobs), done.traces, strict=True))
    assert traces["alert"] == "0123456789abcdef"
    assert traces["amend"] not in {"", traces["alert"]}


async def test_depth_tells_of_every_kind_how_much_waits_and_for_how_long(database, engine) -> None:
    assert (await depth(database))["channel"].waiting == 0
    await engine.put_channel("team")
    await engine.put_channel("other")
    await engine.put_alert("octo/engine")
    async with database.writing() as connection:
        await connection.execute(
            text("UPDATE procrastinate_events SET at = at - interval '90 seconds' WHERE job_id = 1")
        )
        await connection.execute(
            text("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = 3")
        )
    found = await depth(database)
    assert (found["channel"].waiting, found["channel"].doing) == (2, 0)
    assert 90 <= found["channel"].oldest < 120
    assert (found["alert"].waiting, found["alert"].doing, found["alert"].oldest) == (0, 1, 0)
    assert found["answer"].waiting == 0


async def test_depth_is_nothing_where_no_process_ever_had_a_role(database) -> None:
    assert await depth(database) == {}


class Alarm:
    """Knows one repository about which somebody wants alerts."""

    async def wanted(self):
        return ["octo/engine"]


async def test_scheduler_leaves_alerts_and_amendments_to_workers(database, engine) -> None:
    leases, ledger = ServerLeases(database), DeferringLedger(database, engine)

    async def amend(posts) -> None:
        raise AssertionError("the scheduler itself amends")

    work = replace(duty(ledger, leases, Console(StringIO())), alerts=Alarm(), amend=amend)
    await Scheduler(work, engine).sweep()
    await Scheduler(work, engine).sweep()
    await leases.aclose()
    done = Done()
    async with at_work(engine, done):
        await until(lambda: len(done.jobs) == 2)
    assert sorted(done.jobs) == [("alert", {"repository": "octo/engine"}), ("amend", {})]


async def test_job_under_way_at_a_stop_is_ended_or_handed_back(database, monkeypatch) -> None:
    monkeypatch.setattr("bot.jobs.job_engine.PATIENCE", 1.0)
    began, ended = asyncio.Event(), []

    class Slow(Done):
        async def channel(self, name: str, left: bool) -> None:
            began.set()
            await asyncio.sleep(0.05 if name == "short" else 3600)
            ended.append(name)

    async with Engine(database, heartbeat=0.1) as engine:
        await engine.put_channel("short")
        await engine.put_channel("long")
        async with at_work(engine, Slow()):
            await began.wait()
        assert ended == ["short"]
        found = await depth(database)
        assert (found["channel"].waiting, found["channel"].doing) == (1, 0)
