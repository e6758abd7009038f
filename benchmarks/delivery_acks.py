"""From an event to its acknowledgement, while everything that was asked waits for a model.

The platform is a process of its own, and times are taken there. What the bot does with each event
is all that it does in earnest: it is written down in an archive in a file, its placeholder is
posted, and the answer is waited for.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from benchmarks.delivery_platform import SIGNING, WAYS
from bot.clock import SystemClock
from bot.conversation import Conversation
from bot.conversation.watch import Watch
from bot.lease import FileLeases
from bot.platforms.base import Asgi, Called, Incoming, Receiver, Sender
from bot.platforms.feishu import Config as FeishuConfig
from bot.platforms.feishu import create as feishu
from bot.platforms.slack import Config as SlackConfig
from bot.platforms.slack import create as slack
from bot.platforms.telegram import Telegram
from bot.platforms.telegram.sender import Account
from bot.store.engine import open_database
from bot.store.replies import SqlReplies
from bot.web.config import Listen, WebSettings
from bot.web.server import application, serving
from digest.document import Document
from digest.language import Language
from tests.servers.feishu_events import APP, SECRET
from tests.servers.slack import APP_TOKEN, BOT_TOKEN
from tests.servers.telegram import TOKEN

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """So many events at once. All are milliseconds, of the bot's own processor time ``work``."""

    way: str
    count: int
    spent: list[float]
    work: float

    def ranked(self, share: float) -> float:
        """The time that so many of a hundred events were acknowledged within."""
        ranked = sorted(self.spent)
        return ranked[min(len(ranked) - 1, int(len(ranked) * share / 100))]


async def acknowledged(way: str, counts: tuple[int, ...]) -> list[Acknowledged]:
    """How long each of so many events at once took to be acknowledged, for one way to come in."""
    found = []
    async with _platform(way) as platform, _bot(way, platform.url) as (heard, where):
        await platform.send(where, 5)  # what is imported at the first event is no part of it
        for count in counts:
            await _until(lambda: len(heard) == platform.sent)
            await asyncio.sleep(1)
            began = time.process_time()
            spent = await platform.send(where, count)
            work = (time.process_time() - began) * 1000 / count
            spent = [seconds * 1000 for seconds in spent]
            found.append(Acknowledged(way=way, count=count, spent=spent, work=work))
        await _until(lambda: len(heard) == platform.sent)
    return found


class _Platform:
    """The other process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.sent = 0
        self.url = ""

    async def send(self, where: str, count: int) -> list[float]:
        """Send so many events at once; the seconds of each."""
        told = {"first": self.sent, "count": count, "where": where}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told).encode() + b"\n")
        self.sent += count
        spent: list[float] = await self.line()
        return spent

    async def line(self) -> Any:
        """What it tells next."""
        assert self._process.stdout is not None
        async with asyncio.timeout(_PATIENCE):
            return json.loads(await self._process.stdout.readline())


@asynccontextmanager
async def _platform(way: str) -> AsyncIterator[_Platform]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.delivery_platform",
        way,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    platform = _Platform(process)
    try:
        platform.url = await platform.line()
        yield platform
    finally:
        process.kill()
        await process.wait()


class _Waiting:
    """Answers that wait for a model which says nothing."""

    def __init__(self) -> None:
        self.model = asyncio.Event()

    def language(self, account: str, asked: Incoming) -> Language:  # noqa: ARG002  # always the same
        return Language.EN

    async def answer(self, account: str, asked: Incoming, watch: Watch) -> Document | None:  # noqa: ARG002  # no question is read
        watch.admit(addressed=asked.addressed)
        await self.model.wait()
        return None

    async def forget(self, account: str, asked: Incoming) -> None:
        """Nothing is remembered."""


class _Counted(SqlReplies):
    """The archive's records, and which messages they were made for."""

    heard: list[str]

    async def claim(self, key: Any, asked: Incoming, now: Any) -> bool:
        first = await super().claim(key, asked, now)
        assert first, "an event came twice"
        self.heard.append(key.message)
        return first


@asynccontextmanager
async def _bot(way: str, url: str) -> AsyncIterator[tuple[list[str], str]]:
    """The bot, listening; the messages that it wrote down, and where it can be called."""
    sender = _sender(way, url)
    assert isinstance(sender, Receiver)
    web = sender.web if isinstance(sender, Called) else None
    with tempfile.TemporaryDirectory() as folder:
        async with await open_database(Path(folder)) as database, _called(web) as where:
            records = _Counted(database)
            records.heard = []
            leases = FileLeases(Path(folder) / "leases")
            conversation = Conversation(
                _Waiting(), records, leases, SystemClock(), {"here": sender}
            )
            listening = asyncio.create_task(_listen(conversation, sender))
            try:
                await asyncio.sleep(2)
                yield records.heard, where
            finally:
                listening.cancel()
                with suppress(asyncio.CancelledError):
                    await listening
                await sender.aclose()
                leases.close()


async def _listen(conversation: Conversation, sender: Any) -> None:
    """As the program's loop does."""
    busy: set[asyncio.Task[None]] = set()
    try:
        async for incoming in sender.listen():
            busy.add(asyncio.create_task(conversation.hear(sender, incoming)))
    finally:
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)


@asynccontextmanager
async def _called(web: Asgi | None) -> AsyncIterator[str]:
    if web is None:
        yield ""
        return
    settings = WebSettings(listen=Listen("127.0.0.1", 0))
    async with serving(application({"/events": web}), settings) as address:
        yield f"{address}/events"


def _sender(way: str, url: str) -> Sender:
    token, signing = SecretStr(BOT_TOKEN), SecretStr(SIGNING)
    match way:
        case "slack socket":
            return slack(SlackConfig(bot_token=token, app_token=SecretStr(APP_TOKEN), api=url))
        case "slack hook":
            called = SlackConfig(bot_token=token, signing_secret=signing, events="http", api=url)
            return slack(called)
        case "feishu socket":
            config = FeishuConfig(app_id=APP, app_secret=SecretStr(SECRET), domain=url)
            return feishu(config)
        case "telegram hook":
            return Telegram(Account(token=TOKEN, api=url, webhook="https://bot.example/hook"))
    raise KeyError(way)


async def _until(condition: Any) -> None:
    async with asyncio.timeout(_PATIENCE):
        while not condition():  # noqa: ASYNC110  # tasks make it true
            await asyncio.sleep(0.01)


__all__ = ["WAYS", "Acknowledged", "acknowledged"]
