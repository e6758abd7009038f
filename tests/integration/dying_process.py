"""``digestbot run`` in small, for ``test_crash``: a console that writes to a file, a real ledger.

A step is before or after every write to the ledger and every post. Run as a program, with a folder
as its argument, it does this for every step: a child process works until that step and kills
itself with SIGKILL, a second one goes on from there. What then stands in the file is printed as
JSON. Children are forked, so that the libraries are imported once and not eighty times.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from datetime import UTC, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import structlog

from bot.config.channel_section import Promise
from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.jobs.loop import Runner
from bot.jobs.services import LoopServices
from bot.platforms.console import Console
from bot.scheduler.schedule import Spec
from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_database
from bot.util.locks import FileLeases
from digest.document import Document, Paragraph, Text
from tests.support.channels import Fixed, at_target

DUE = datetime(2026, 1, 23, 9, 30, tzinfo=UTC)


class Steps:
    """Counts steps, and kills the process at one of them."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.names: list[str] = []

    def __call__(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) - 1 == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


class Ledger(SqlLedger):
    """The ledger, with a step around every write."""

    step: Steps

    async def claim(self, key, content, parts):
        self.step("before claim")
        record = await super().claim(key, content, parts)
        self.step("after claim")
        return record

    async def mark(self, key, part):
        self.step(f"before mark {part.state}")
        await super().mark(key, part)
        self.step(f"after mark {part.state}")

    async def claim_slot(self, subscription, slot):
        self.step("before claim_slot")
        first = await super().claim_slot(subscription, slot)
        self.step("after claim_slot")
        return first


class Writing(Console):
    """The console, with a step around every post."""

    step: Steps

    async def send(self, chat, part, reply_to=None):
        self.step("before send")
        receipt = await super().send(chat, part, reply_to)
        self.step("after send")
        return receipt


class At:
    """A clock that stands still."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


async def build(post, slot):
    return [
        Posting(
            target=post.target,
            digest=f"daily:r:main:{slot.name}",
            document=document(f"digest of {slot.name}"),
        )
    ]


async def finish(post, slot, results):
    return


def document(text: str) -> Document:
    return Document(title=text, blocks=(Paragraph((Text(text),)),))


async def work(folder: Path, promise: Promise, last: int, until: datetime = DUE) -> list[str]:
    """Sweep at noon of the day before and after the slot; the steps that this took."""
    steps = Steps(last)
    async with await open_database(folder) as database:
        ledger = Ledger(database)
        ledger.step = steps
        sender = Writing((folder / "posts.txt").open("a", encoding="utf-8"))
        sender.step = steps
        target = Target(name="team", sender=sender, promise=promise)
        leases = FileLeases(folder / "leases")
        clock = At(DUE.replace(day=22))
        duty = LoopServices(
            posts=Fixed([at_target(target, Spec(at=time(9), zone=ZoneInfo("UTC")))]),
            build=build,
            finish=finish,
            hearing=None,
            delivery=Delivery(ledger, leases, [target], Patience(first=0)),
            ledger=ledger,
            leases=leases,
            clock=clock,
        )
        if await ledger.last_slot("first-seen:team") is None:
            await Runner(duty).sweep()
        clock.moment = until
        await Runner(duty).sweep()
        await sender.aclose()
    return steps.names


def in_a_child(folder: Path, promise: Promise, last: int) -> int:
    """Work in a process of its own; what ``waitpid`` says of its end."""
    child = os.fork()
    if child == 0:
        asyncio.run(work(folder, promise, last))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


async def make(folder: Path) -> None:
    """An archive without anything in it, to be copied: making one takes longer than a post."""
    async with await open_database(folder):
        return


def race(folder: Path, processes: int) -> int:
    """How often a slot is posted that many processes find due at the same moment."""
    shutil.copytree(folder.parent / "empty", folder)
    asyncio.run(work(folder, Promise.AT_MOST_ONCE, -1, until=DUE.replace(day=22)))
    children = []
    for _ in range(processes):
        if (child := os.fork()) == 0:
            asyncio.run(work(folder, Promise.AT_MOST_ONCE, -1))
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return (folder / "posts.txt").read_text().count("digest of 2026-01-23")


def main(folder: Path) -> list[dict[str, object]]:
    """Every step with every promise."""
    whole = shutil.copytree(folder / "empty", folder / "whole")
    names = asyncio.run(work(whole, Promise.AT_MOST_ONCE, -1))
    outcomes: list[dict[str, object]] = []
    for promise in Promise:
        for step, name in enumerate(names):
            place = shutil.copytree(folder / "empty", folder / f"{promise}-{step}")
            killed = in_a_child(place, promise, step)
            resumed = in_a_child(place, promise, -1)
            posts = (place / "posts.txt").read_text().count("digest of 2026-01-23")
            ends = [killed, resumed]
            outcomes.append({"step": name, "promise": promise, "ends": ends, "posts": posts})
    return outcomes


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    place = Path(sys.argv[1])
    asyncio.run(make(place / "empty"))
    races = [race(place / f"race-{number}", processes=4) for number in range(3)]
    sys.stdout.write(json.dumps({"steps": main(place), "races": races}))
