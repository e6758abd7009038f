"""Three workers at one PostgreSQL, each killed at random and started again, for ``test_crash_postgresql``.

Run as a program, with a folder, the address of an empty archive, a number of channels, a seed,
and the number of steps of which one kills (0: none).
Workers are forked, so that the libraries are imported once. What was posted is in ``posts.txt``,
a line for each message; the platform can be asked what stands there, as Slack can.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from datetime import time
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog

from bot.delivery.delivery import Delivery
from bot.delivery.part_sender import Patience, Target
from bot.jobs.loop import Runner
from bot.jobs.services import LoopServices
from bot.messaging.sender import Ability, Receipt
from bot.platforms.console import Console
from bot.scheduler.schedule import Spec
from bot.store.postgresql import ServerLeases, open_postgres
from digest.errors import UnreachableDatabase
from tests.integration.dying_process import DUE, At, Ledger, build, finish
from tests.support.channels import Fixed, at_target

WORKERS = 3

SLOT = "2026-01-23"


class Dice:
    """Kills the process at one step in ``sides``, never where there are none."""

    def __init__(self, seed: int, sides: int) -> None:
        self._random, self._sides = random.Random(seed), sides

    def __call__(self, name: str) -> None:
        if self._sides and self._random.randrange(self._sides) == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class Board(Console):
    """A file that many processes append to, and that can be searched."""

    abilities = frozenset({Ability.FIND})

    def __init__(self, file: Path, step: Dice) -> None:
        super().__init__(file.open("a", encoding="utf-8"))
        self._file, self._step = file, step

    async def send(self, chat, part, reply_to=None):
        self._step("before send")
        await asyncio.sleep(0.02)
        line = f"{part.identity} {chat}\n".encode()
        descriptor = os.open(self._file, os.O_APPEND | os.O_WRONLY)
        os.write(descriptor, line)
        os.close(descriptor)
        self._step("after send")
        return Receipt(message=part.identity)

    async def find(self, chat, part, reply_to=None):
        stands = f"{part.identity} {chat}\n" in self._file.read_text()
        return Receipt(message=part.identity) if stands else None


async def work(folder: Path, url: str, channels: int, dice: Dice, *, before: bool = False) -> None:
    """Sweep until every channel has its slot; ``before`` it is due, once."""
    async with await open_postgres(url) as database:
        ledger, leases = Ledger(database), ServerLeases(database)
        ledger.step = dice
        sender = Board(folder / "posts.txt", dice)
        targets = [Target(name=f"c{n}", chat=f"c{n}", sender=sender) for n in range(channels)]
        spec = Spec(at=time(9), zone=ZoneInfo("UTC"))
        duty = LoopServices(
            posts=Fixed([at_target(target, spec) for target in targets]),
            build=build,
            finish=finish,
            hearing=None,  # nobody asks
            delivery=Delivery(ledger, leases, targets, Patience(first=0)),
            ledger=ledger,
            leases=leases,
            clock=At(DUE.replace(day=22) if before else DUE),
        )
        # A process that cannot open its database at all ends, so nothing fails before all have.
        if not before:
            (folder / f"opened-{os.getpid()}").touch()
            while len([*folder.glob("opened-*")]) < WORKERS:
                await asyncio.sleep(0.01)
        while True:
            await Runner(duty).sweep()
            try:
                ends = [await ledger.last_slot(f"finished:{target.name}") for target in targets]
                if before or (set(ends) == {SLOT} and not await ledger.pending()):
                    break
            except UnreachableDatabase:
                (folder / "unreachable").touch()
            await asyncio.sleep(0.05)
        await leases.aclose()


def forked(folder: Path, url: str, channels: int, dice: Dice) -> int:
    """A worker in a process of its own; its id."""
    if (child := os.fork()) == 0:
        asyncio.run(work(folder, url, channels, dice))
        os._exit(0)
    return child


def main(folder: Path, url: str, channels: int, seed: int, sides: int) -> int:
    """How many workers were killed until the work was done."""
    (folder / "posts.txt").touch()
    asyncio.run(work(folder, url, channels, Dice(0, 0), before=True))
    working = {forked(folder, url, channels, Dice(seed + n, sides)) for n in range(WORKERS)}
    killed = 0
    while working:
        child, status = os.wait()
        working.discard(child)
        if os.waitstatus_to_exitcode(status) == -signal.SIGKILL:
            killed += 1
            working.add(forked(folder, url, channels, Dice(seed + WORKERS + killed, sides)))
        elif status:
            for other in working:
                os.kill(other, signal.SIGKILL)
            raise AssertionError(f"a worker ended with {status}")
    return killed


if __name__ == "__main__":
    # Tracebacks made pretty would take longer than all else.
    plain = [structlog.processors.KeyValueRenderer()]
    structlog.configure(plain, logger_factory=structlog.ReturnLoggerFactory())
    channels, seed, sides = map(int, sys.argv[3:])
    print(main(Path(sys.argv[1]), sys.argv[2], channels, seed, sides))
