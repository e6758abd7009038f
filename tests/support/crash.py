"""Posts digests from processes that are killed at every step, and again at every later step.

For ``test_crash_platforms`` and ``benchmarks.crash``. The platforms are the strict test servers,
the ledger is an archive in a file, and processes end by SIGKILL. There is a step before and after
every write to the ledger and every call to the platform. Each run posts one digest of several
messages: two processes are killed, one after the other, and a third one finishes. Then every line
of the digest is counted among what people see.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import shutil
import signal
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging.rates import Rate
from bot.messaging.sender import Sender
from bot.platforms.feishu import Config as FeishuConfig
from bot.platforms.feishu import create as feishu
from bot.platforms.slack import Config as SlackConfig
from bot.platforms.slack import create as slack
from bot.platforms.slack import sender as slack_sender
from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_database
from bot.util.locks import FileLeases
from digest.document import Document, Item, Listing, Text
from tests.contract.benches.telegram import sender as telegram
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET
from tests.servers.slack import BOT_TOKEN, CHANNEL, SlackServer
from tests.servers.telegram import GROUP, TelegramServer

LINES = {"slack": 40, "telegram": 12, "feishu": 90}
"""The number of lines that make two messages or more."""

_LEAVING, _GONE = "mark sending", "send"
"""Between these steps a message is recorded as being sent: nobody can tell later if it was."""

UNCERTAIN = frozenset({"telegram"})
"""Platforms whose messages can neither be searched for nor identified by a key."""

_FAILED = 255
"""The exit status of a process whose work raised an error."""

_PATIENCE = Patience(first=0.001, attempts=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run: where its processes were killed, and the lines that appear twice or not at all.

    ``doubted`` are the messages that were being sent when a process was killed, at whatever step;
    several are sent at once.
    """

    platform: str
    killed: tuple[str, ...]
    doubted: int
    twice: int
    lost: int
    messages: int

    @property
    def stated(self) -> bool:
        """Whether a loss is the documented one."""
        return self.platform in UNCERTAIN and self.doubted > 0


class Zygote:
    """A process with everything imported and no threads, whose forks work and are killed."""

    def __init__(self, work: Callable[..., Coroutine[None, None, int]]) -> None:
        """``work`` is what a fork does with its argument; it returns the number of its steps."""
        # Platforms import their libraries on use: once here, and not in each fork.
        for library in ("aiohttp", "slack_sdk.web.async_client", "telegram"):
            importlib.import_module(library)
        mine, theirs = os.pipe(), os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(mine[1])
            os.close(theirs[0])
            _serve(work, os.fdopen(mine[0]), os.fdopen(theirs[1], "w"))
        os.close(mine[0])
        os.close(theirs[1])
        self._to, self._of = os.fdopen(mine[1], "w"), os.fdopen(theirs[0])

    def work(self, **task: Any) -> int:
        """Let a fork work; return its number of steps, or the negated signal that killed it.

        Raises ``AssertionError`` if its work failed: it has printed why.
        """
        self._to.write(json.dumps(task) + "\n")
        self._to.flush()
        told = int(self._of.readline())
        assert told != _FAILED, f"a process failed in its work on {task}"
        return told

    def close(self) -> None:
        """End the process."""
        self._to.close()
        os.waitpid(self._pid, 0)
        self._of.close()


def _serve(work: Callable[..., Coroutine[None, None, int]], tasks: Any, answers: Any) -> None:
    for line in tasks:
        child = os.fork()
        if child == 0:
            os._exit(_worked(work, json.loads(line)))
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        answers.flush()
    os._exit(0)


def _worked(work: Callable[..., Coroutine[None, None, int]], task: dict[str, Any]) -> int:
    try:
        return min(asyncio.run(work(**task)), _FAILED - 1)
    except BaseException:  # noqa: BLE001 - told by the exit status
        traceback.print_exc()
        return _FAILED


class Steps:
    """Counts steps, and kills the process at one of them, whose name it records."""

    def __init__(self, folder: Path, last: int) -> None:
        self._folder, self._last, self.count = folder, last, 0
        self._doubted = 0

    def __call__(self, name: str) -> None:
        if self.count == self._last:
            with (self._folder / "killed").open("a") as file:
                file.write(f"{self._doubted} {name}\n")
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def around(self, name: str, call: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
        """Make the call, with a step before and after it."""

        async def stepping(*given: Any, **named: Any) -> Any:
            self(f"before {name}")
            self._doubted += name == _LEAVING
            told = await call(*given, **named)
            self._doubted -= name == _GONE
            self(f"after {name}")
            return told

        return stepping


def kills(folder: Path) -> tuple[tuple[str, ...], int]:
    """The steps at which processes were killed, and the messages being sent at that moment."""
    file = folder / "killed"
    lines = file.read_text().splitlines() if file.exists() else ()
    found = [line.split(" ", maxsplit=1) for line in lines]
    return tuple(name for _, name in found), sum(int(doubted) for doubted, _ in found)


class _Ledger(SqlLedger):
    step: Steps

    async def claim(self, *given: Any) -> Any:
        return await self.step.around("claim", super().claim)(*given)

    async def mark(self, key: Any, part: Any) -> None:
        await self.step.around(f"mark {part.state}", super().mark)(key, part)


async def _work(*, platform: str, url: str, folder: str, number: int, last: int) -> int:
    """Deliver the digest with a number; return the number of steps."""
    place = Path(folder)
    steps = Steps(place, last)
    async with await open_database(place) as database:
        ledger = _Ledger(database)
        ledger.step = steps
        sender: Any
        sender, chat = _sender(platform, url)
        sender.send = steps.around("send", sender.send)
        sender.find = steps.around("find", sender.find)
        leases = FileLeases(place / "leases")
        target = Target(name="team", sender=sender, chat=chat)
        posting = Posting(
            target=target, digest=f"day-{number}", document=document(platform, number)
        )
        await Delivery(ledger, leases, patience=_PATIENCE).deliver(posting)
        await sender.aclose()
    return steps.count


def _sender(platform: str, url: str) -> tuple[Sender, str]:
    match platform:
        case "slack":
            # The rate of messages is not tested here.
            slack_sender._IN_A_CHANNEL = (Rate(count=1000, seconds=1),)
            return slack(SlackConfig(bot_token=BOT_TOKEN, api=url)), CHANNEL
        case "telegram":
            return telegram(url), str(GROUP)
    config = FeishuConfig(app_id=APP, app_secret=SECRET, domain=url, listen=False)
    return feishu(config), "oc_team"


def document(platform: str, number: int) -> Document:
    """A digest of several messages with distinct lines."""
    lines = [f"run{number}line{n}. " + "word " * 90 for n in range(LINES[platform])]
    return Document(title="Today", blocks=(Listing(tuple(Item((Text(line),)) for line in lines)),))


def crash_runs(platform: str, runs: int, folder: Path) -> list[Outcome]:
    """Runs, spread evenly over all pairs of steps."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    zygote = Zygote(_work)
    try:
        with ExitStack() as stack:
            server = stack.enter_context(_server(platform))
            return _Matrix(platform, server, folder, zygote).runs(runs)
    finally:
        zygote.close()


def _server(platform: str) -> Any:
    match platform:
        case "slack":
            return SlackServer(burst=100_000, rate=100_000)
        case "telegram":
            return TelegramServer()
    return FeishuServer()


class _Matrix:
    def __init__(self, platform: str, server: Any, folder: Path, zygote: Zygote) -> None:
        self._platform, self._server, self._zygote = platform, server, zygote
        self._folder, self._number = folder, 0
        asyncio.run(empty(folder / "empty"))

    def runs(self, most: int) -> list[Outcome]:
        whole = self._run(())
        assert not whole[0].lost + whole[0].twice, whole
        assert whole[0].messages > 1, whole
        steps = whole[1]
        pairs = [(a, b) for a in range(steps) for b in range(steps)]
        chosen = [pairs[n * len(pairs) // most] for n in range(most)]
        return [self._run(pair)[0] for pair in chosen]

    def _run(self, lasts: Sequence[int]) -> tuple[Outcome, int]:
        self._number += 1
        folder = shutil.copytree(self._folder / "empty", self._folder / f"run-{self._number}")
        for last in (*lasts, -1):
            steps = self._zygote.work(
                platform=self._platform,
                url=self._server.url,
                folder=str(folder),
                number=self._number,
                last=last,
            )
        assert steps > 0, "the last process did not live"
        killed, doubted = kills(folder)
        shutil.rmtree(folder)
        return self._counted(killed, doubted), steps

    def _counted(self, killed: tuple[str, ...], doubted: int) -> Outcome:
        marks = [f"run{self._number}line{n}." for n in range(LINES[self._platform])]
        seen = [text for text in self._seen() if f"run{self._number}line" in text]
        counts = ["\n".join(seen).count(mark) for mark in marks]
        return Outcome(
            platform=self._platform,
            killed=killed,
            doubted=doubted,
            twice=sum(count > 1 for count in counts),
            lost=counts.count(0),
            messages=len(seen),
        )

    def _seen(self) -> list[str]:
        if self._platform == "telegram":
            return list(self._server.texts(GROUP))
        return list(self._server.seen())


async def empty(folder: Path) -> None:
    """An empty archive, to be copied."""
    async with await open_database(folder):
        return
