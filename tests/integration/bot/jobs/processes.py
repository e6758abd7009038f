"""A scheduler, a receiver and three workers at one PostgreSQL and one Redis, killed at random.

Run as a program, with a folder, the address of an empty archive, that of a Redis, a number of
channels and of questions, a seed, and the number of steps of which one kills (0: none). Processes
are forked, so that the libraries are imported once, and started again when they are killed. What
was posted is in ``posts.txt``, a line for each message; the platform can be asked what stands.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog

from bot.chat.message_service import Conversation
from bot.delivery.delivery import Delivery
from bot.delivery.part_sender import Patience, Target
from bot.jobs.job_engine import Engine
from bot.jobs.role_duties import DeferringLedger, DeferringReplies, MessageIntake, Scheduler, Worker
from bot.jobs.services import LoopServices
from bot.messaging.rates import Pace, Rate
from bot.messaging.receiver import Incoming
from bot.messaging.sender import Ability
from bot.scheduler.schedule import Spec
from bot.shared_state.redis_state import CachedRecords, RedisConnection, RedisWindows
from bot.store.job_queue import ANSWERS, CHANNELS, REPOSITORIES
from bot.store.ledger import SqlLedger
from bot.store.postgresql import PostgresDatabase, ServerLeases, open_postgres
from bot.store.replies import SqlReplies
from digest.core.enums import Language
from digest.errors import UserError
from tests.integration.dying_process import DUE, At, build, document, finish
from tests.integration.dying_process import Ledger as Dying
from tests.integration.working_processes import Board, Dice
from tests.support.channels import Fixed, at_target

WORKERS = 3

HEARTBEAT = 0.5


class Answers:
    """Answers with the question."""

    def language(self, account, asked):
        return Language.EN

    async def answer(self, account, asked, watch):
        return document(f"answer to {asked.id}")

    async def owed(self, account, asked):
        return True

    async def forget(self, account, asked):
        return


class Told(Board):
    """The board, at a pace that all processes share; what stands there can be changed."""

    name = "board"
    abilities = frozenset({Ability.EDIT, Ability.FIND})

    def __init__(self, file: Path, step: Dice, redis: RedisConnection) -> None:
        super().__init__(file, step)
        self.pace = Pace(Rate(count=200, seconds=1.0), Rate(count=200, seconds=1.0))
        self.pace.share(RedisWindows(redis, "board"))

    async def ready(self, chat, *, answer=False):
        await self.pace.turn(chat, (), answer=answer)

    async def edit(self, chat, receipt, part):
        self._step("before edit")
        assert f"{receipt.message} {chat}\n" in self._file.read_text()
        self._step("after edit")
        return receipt


class Stepping(DeferringLedger):
    """A ledger that may die around a claim."""

    step: Dice

    async def claim_slot(self, subscription, slot):
        self.step("before claim_slot")
        first = await super().claim_slot(subscription, slot)
        self.step("after claim_slot")
        return first


class Plan:
    """What a process is started with."""

    def __init__(self, arguments: list[str]) -> None:
        self.folder, self.url, self.redis = Path(arguments[0]), arguments[1], arguments[2]
        self.channels, self.questions, self.seed, self.sides = map(int, arguments[3:])
        self.started = 0

    def dice(self) -> Dice:
        self.started += 1
        return Dice(self.seed * 1000 + self.started, self.sides)

    def work(
        self, database: PostgresDatabase, leases: ServerLeases, sender: Told, ledger: SqlLedger
    ) -> LoopServices:
        targets = [Target(name=f"c{n}", chat=f"c{n}", sender=sender) for n in range(self.channels)]
        spec = Spec(at=time(9), zone=ZoneInfo("UTC"))
        clock = At(datetime.now(UTC))
        conversation = Conversation(
            Answers(), SqlReplies(database), leases, clock, {"board": sender},
            patience=Patience(first=0),
        )  # fmt: skip
        return LoopServices(
            posts=Fixed([at_target(target, spec) for target in targets]),
            build=build,
            finish=finish,
            hearing=conversation,
            delivery=Delivery(ledger, leases, targets, Patience(first=0)),
            ledger=ledger,
            leases=leases,
            clock=At(DUE),
        )


async def opened(plan: Plan, part, dice: Dice) -> None:
    """Run a part with everything open."""
    async with await open_postgres(plan.url) as database, Engine(
        database, heartbeat=HEARTBEAT
    ) as engine:  # fmt: skip
        redis, leases = RedisConnection(plan.redis), ServerLeases(database)
        sender = Told(plan.folder / "posts.txt", dice, redis)
        try:
            await part(plan, database, engine, leases, sender, redis, dice)
        finally:
            await leases.aclose()
            await redis.aclose()


async def scheduling(plan, database, engine, leases, sender, redis, dice) -> None:
    """Sweep and rescue until everything is done."""
    ledger = Stepping(database, engine)
    ledger.step = dice
    scheduler = Scheduler(plan.work(database, leases, sender, ledger), engine)
    while True:
        await scheduler.sweep()
        try:
            await engine.rescue()
            names = [f"finished:c{n}" for n in range(plan.channels)]
            ends = [await ledger.last_slot(name) for name in names]
            left = await SqlReplies(database).left("board")
            heard = (plan.folder / "heard").exists()
            if heard and not left and None not in ends and not await ledger.pending():
                return
        except UserError:
            (plan.folder / "unreachable").touch()
        await asyncio.sleep(0.3)


async def receiving(plan, database, engine, leases, sender, redis, dice) -> None:
    """Hear every question three times, as platforms say them; die between two."""
    records = CachedRecords(DeferringReplies(database, engine), redis)
    intake = MessageIntake(records, engine, At(datetime.now(UTC)), {"board": sender})
    for number in range(plan.questions):
        said = Incoming(
            platform="board", chat=f"q{number}", person="u", text="help",
            id=f"m{number}", at=datetime.now(UTC),
        )  # fmt: skip
        for _ in range(3):
            await intake.hear(sender, said)
            dice("after hearing")
    (plan.folder / "heard").touch()


async def working(plan, database, engine, leases, sender, redis, dice) -> None:
    """Do jobs until killed."""
    ledger = Dying(database)
    ledger.step = dice
    work = plan.work(database, leases, sender, ledger)
    worker = Worker(work, work.hearing, {"board": sender})
    engine.serve(worker.duties)
    await engine.work((CHANNELS, ANSWERS, REPOSITORIES), 4)


async def prepare(plan: Plan) -> None:
    """See every channel once before its slot is due."""

    async def seen(plan, database, engine, leases, sender, redis, dice) -> None:
        for number in range(plan.channels):
            await SqlLedger(database).claim_slot(f"first-seen:c{number}", "2026-01-21")

    await opened(plan, seen, Dice(0, 0))


def forked(plan: Plan, part, dice: Dice) -> int:
    if (child := os.fork()) == 0:
        asyncio.run(opened(plan, part, dice))
        os._exit(0)
    return child


def main(plan: Plan) -> int:
    """How many processes were killed until the work was done."""
    (plan.folder / "posts.txt").touch()
    asyncio.run(prepare(plan))
    parts = [scheduling, receiving, *[working] * WORKERS]
    running = {forked(plan, part, plan.dice()): part for part in parts}
    killed = 0
    while True:
        child, status = os.wait()
        part, code = running.pop(child), os.waitstatus_to_exitcode(status)
        if part is scheduling and code == 0:
            break
        if code == -signal.SIGKILL:
            killed += 1
            running[forked(plan, part, plan.dice())] = part
        elif code:
            end(running)
            raise AssertionError(f"{part.__name__} ended with {code}")
    end(running)
    return killed


def end(running: dict[int, object]) -> None:
    for child in running:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    plain = [structlog.processors.KeyValueRenderer()]
    log = (Path(sys.argv[1]) / "log").open("a")
    structlog.configure(plain, logger_factory=structlog.WriteLoggerFactory(log))
    print(main(Plan(sys.argv[1:])))
