"""The time from an event to its acknowledgement, while all questions wait for a model.

The platform is a separate process. The bot does all of its real work for each event: it stores the
delivery in an archive in a file, acknowledges it, reads it, stores the message, posts a placeholder
and waits for the answer.

There are two measurements. From outside: from when an event leaves the platform's process until its
acknowledgement arrives there, including that process's own work. Our side: from the same moment
until the acknowledgement is handed to the kernel. For comparison, each burst of calls is also sent
to a bare Starlette application in the same server, which reads the body and answers 200: nothing in
this process can be faster.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.delivery_platform import SIGNING, Sent
from bot.chat.message_service import Conversation
from bot.chat.responder import AnswerProgress
from bot.config.file_model import Listen, WebSettings
from bot.messaging.inbox import Inbox, InboxReceiver
from bot.messaging.receiver import (
    Asgi,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    Called,
    Incoming,
    Receiver,
)
from bot.messaging.sender import Sender
from bot.platforms.feishu import Config as FeishuConfig
from bot.platforms.feishu import create as feishu
from bot.platforms.feishu.connection import SocketFrame
from bot.platforms.slack import Config as SlackConfig
from bot.platforms.slack import create as slack
from bot.platforms.telegram.sender import Telegram, TelegramAccount
from bot.store.replies import SqlInbox, SqlReplies
from bot.store.sqlite import open_database
from bot.util.locks import FileLeases
from bot.util.machine import SystemClock
from bot.web.server import application, serving
from digest.core.enums import Language
from digest.document import Document
from tests.integration.bot.platforms.feishu.test_web_events import KEY
from tests.integration.bot.platforms.feishu.test_web_events import TOKEN as VERIFICATION
from tests.servers.feishu_events import APP, SECRET
from tests.servers.slack import APP_TOKEN, BOT_TOKEN
from tests.servers.telegram import TOKEN

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """A number of simultaneous events. Times are in milliseconds.

    ``work`` is our processor time per event until the last acknowledgement.
    """

    outside: list[float]
    inside: list[float]
    work: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """Bursts of one way, and those sent to a bare application for comparison."""

    way: str
    count: int
    ours: list[Burst]
    bare: list[Burst]


def ranked(times: Sequence[float], share: float) -> float:
    """The time within which the given percentage lies."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share / 100))]


def middle(bursts: Sequence[Burst], side: str, share: float) -> float:
    """The median over several bursts."""
    return statistics.median(ranked(getattr(one, side), share) for one in bursts)


async def acknowledged(way: str, counts: tuple[int, ...], rounds: int) -> list[Acknowledged]:
    """The acknowledgement times of a number of simultaneous events, for one way of delivery."""
    found = []
    async with _platform(way) as platform, _bot(way, platform.url) as bot:
        await _burst(platform, bot, 5, "/events")  # exclude what is imported by the first event
        for count in counts:
            ours, bare = [], []
            for _ in range(rounds):
                await _until(lambda: len(bot.heard) == platform.asked)
                await asyncio.sleep(1)
                ours.append(await _burst(platform, bot, count, "/events"))
                if bot.address:
                    await asyncio.sleep(1)
                    bare.append(await _burst(platform, bot, count, "/bare"))
            found.append(Acknowledged(way=way, count=count, ours=ours, bare=bare))
        await _until(lambda: len(bot.heard) == platform.asked)
    return found


async def _burst(platform: _Platform, bot: _Bot, count: int, path: str) -> Burst:
    bot.times.clear()
    began = time.process_time()
    sent = await platform.send(f"{bot.address}{path}", count, asks=path != "/bare")
    ended = bot.times.ended or time.process_time()
    return Burst(
        outside=[spent * 1000 for _, _, spent in sent],
        inside=[(bot.times.told[name] - left) * 1000 for name, left, _ in sent],
        work=(ended - began) * 1000 / count,
    )


@dataclass(slots=True)
class _Times:
    """When each event was acknowledged, and our processor time at the last one."""

    told: dict[str, float] = field(default_factory=dict)
    ended: float = 0.0

    def clear(self) -> None:
        self.told.clear()
        self.ended = 0.0

    def around(self, app: Asgi) -> Asgi:
        """The application; its answers are recorded once they are handed to the kernel."""

        async def noting(scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
            await app(scope, receive, send)
            if scope["type"] == "http":
                self.note(str(scope["client"][1]))

        return noting

    def note(self, name: str) -> None:
        """Record that an event was acknowledged now."""
        self.told[name] = time.perf_counter()
        self.ended = time.process_time()

    @contextmanager
    def on_connections(self) -> Iterator[None]:
        """Record what connections send, by the name of what it acknowledges."""
        kept = aiohttp.ClientWebSocketResponse.send_str, aiohttp.ClientWebSocketResponse.send_bytes

        async def send_str(socket: Any, text: str, *more: Any) -> None:
            await kept[0](socket, text, *more)
            self.note(json.loads(text).get("envelope_id", ""))

        async def send_bytes(socket: Any, data: bytes, *more: Any) -> None:
            await kept[1](socket, data, *more)
            self.note(SocketFrame.parse(data).headers.get("message_id", ""))

        response: Any = aiohttp.ClientWebSocketResponse
        response.send_str, response.send_bytes = send_str, send_bytes
        try:
            yield
        finally:
            response.send_str, response.send_bytes = kept


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bot:
    """The listening bot, the messages that it stored, and its address."""

    heard: list[str]
    address: str
    times: _Times


class _Platform:
    """The other process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._sent = 0
        self.asked = 0
        self.url = ""

    async def send(self, where: str, count: int, *, asks: bool) -> list[Sent]:
        """Send simultaneous events, to the bot if it ``asks``; return the times of each."""
        told = {"first": self._sent, "count": count, "where": where}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told).encode() + b"\n")
        self._sent += count
        self.asked += count if asks else 0
        return [(name, left, spent) for name, left, spent in await self.line()]

    async def line(self) -> Any:
        """The next line of its output."""
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
    """Answers that wait for a model that never replies."""

    def __init__(self) -> None:
        self.model = asyncio.Event()

    def language(self, account: str, asked: Incoming) -> Language:  # noqa: ARG002  # always the same
        return Language.EN

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document | None:  # noqa: ARG002  # no question is read
        watch.admit(addressed=asked.addressed)
        await self.model.wait()
        return None

    async def owed(self, account: str, asked: Incoming) -> bool:  # noqa: ARG002  # nobody waits here
        """Nobody waits."""
        return False

    async def forget(self, account: str, asked: Incoming) -> None:
        """Nothing is remembered."""


class _Counted(SqlReplies):
    """The archive's records, and the messages for which they were made."""

    heard: list[str]

    async def claim(self, key: Any, asked: Incoming, now: Any) -> bool:
        first = await super().claim(key, asked, now)
        assert first, "an event came twice"
        self.heard.append(key.message)
        return first


@asynccontextmanager
async def _bot(way: str, url: str) -> AsyncIterator[_Bot]:
    sender = _sender(way, url)
    assert isinstance(sender, Receiver)
    web, times = sender.web if isinstance(sender, Called) else None, _Times()
    with tempfile.TemporaryDirectory() as folder:
        async with await open_database(Path(folder)) as database, _called(web, times) as address:
            assert isinstance(sender, InboxReceiver)
            shelf = SqlInbox(database)
            sender.inbox = Inbox("here", shelf)
            records = _Counted(database)
            records.heard = []
            leases = FileLeases(Path(folder) / "leases")
            conversation = Conversation(
                _Waiting(), records, leases, SystemClock(), {"here": sender}
            )
            listening = asyncio.create_task(_listen(conversation, sender))
            try:
                await asyncio.sleep(2)
                yield _Bot(heard=records.heard, address=address, times=times)
            finally:
                listening.cancel()
                with suppress(asyncio.CancelledError):
                    await listening
                await sender.aclose()
                await shelf.aclose()


async def _listen(conversation: Conversation, sender: Any) -> None:
    """Listen as the program's loop does."""
    busy: set[asyncio.Task[None]] = set()
    try:
        async for incoming in sender.listen():
            busy.add(asyncio.create_task(conversation.hear(sender, incoming)))
    finally:
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)


@asynccontextmanager
async def _called(web: Asgi | None, times: _Times) -> AsyncIterator[str]:
    if web is None:
        with times.on_connections():
            yield ""
        return

    async def bare(request: Request) -> Response:
        await request.body()
        return Response()

    settings = WebSettings(listen=Listen("127.0.0.1", 0))
    # The bare application is beside the program's own guard and routes, not behind them.
    ours, other = (
        application({"/events": web}),
        Starlette(routes=[Route("/bare", bare, methods=["POST"])]),
    )
    apps: Mapping[str, Asgi] = {"/events": ours, "/bare": other}

    async def either(scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await apps[scope["path"]](scope, receive, send)

    async with serving(times.around(either), settings) as address:
        yield address


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
        case "feishu hook":
            called_feishu = FeishuConfig(
                app_id=APP,
                app_secret=SecretStr(SECRET),
                domain=url,
                events="http",
                encrypt_key=SecretStr(KEY),
                verification_token=SecretStr(VERIFICATION),
            )
            return feishu(called_feishu)
        case "telegram hook":
            return Telegram(
                TelegramAccount(token=TOKEN, api=url, webhook="https://bot.example/hook")
            )
    raise KeyError(way)


async def _until(condition: Any) -> None:
    async with asyncio.timeout(_PATIENCE):
        while not condition():  # noqa: ASYNC110  # tasks make it true
            await asyncio.sleep(0.01)
