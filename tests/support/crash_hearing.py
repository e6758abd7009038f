"""Receives messages in processes that are killed between arrival, storage and answer.

For ``test_crash_hearing`` and ``benchmarks.crash``. The platforms are the strict test servers,
which deliver again exactly what is not acknowledged. The archive is in a file, and processes end by
SIGKILL. There is a step before and after each entry into the inbox, write, acknowledgement, read,
claim, mark, post and deletion. Each run has a few messages at once: two processes are killed, one
after the other, and a third one finishes. Then the answers that people see are counted.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import structlog
from sqlalchemy import select

from bot.chat.message_service import Conversation
from bot.config.file_model import Listen, WebSettings
from bot.messaging.inbox import Arrival, Inbox
from bot.messaging.rates import Rate
from bot.messaging.receiver import Called
from bot.platforms.feishu import Config as FeishuConfig
from bot.platforms.feishu import create as feishu
from bot.platforms.slack import Config as SlackConfig
from bot.platforms.slack import create as slack
from bot.platforms.slack import sender as slack_sender
from bot.platforms.telegram.client import Client
from bot.platforms.telegram.sender import Telegram, TelegramAccount, secret_of
from bot.store.replies import SqlInbox, SqlReplies, Stage
from bot.store.sqlite import open_database
from bot.store.tables.chat_tables import heard
from bot.util.locks import FileLeases
from bot.util.machine import SystemClock
from bot.web.server import application, serving
from digest.core.enums import Language
from digest.document import Document, Paragraph, Text
from tests.contract.benches.telegram import BRISK
from tests.integration.bot.platforms.feishu.test_web_events import KEY, TOKEN, request
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET, says
from tests.servers.slack import APP_TOKEN, BOT_TOKEN, BOT_USER, CHANNEL, PERSON, TEAM, SlackServer
from tests.servers.telegram import GROUP, TelegramServer
from tests.servers.telegram import TOKEN as TELEGRAM
from tests.support.crash import Outcome, Steps, Zygote, empty, kills

WAYS = (
    "slack socket",
    "slack hook",
    "feishu socket",
    "feishu hook",
    "telegram polling",
    "telegram hook",
)
"""The ways in which a message reaches the bot."""

MESSAGES = 3

_SIGNING = "signing-secret-31b1"

_PATIENCE, _LINGER = 20.0, 0.1


class _Answers:
    """Answers at once with the question that is answered."""

    def language(self, _account: str, _asked: Any) -> Language:
        return Language.EN

    async def answer(self, _account: str, asked: Any, watch: Any) -> Document:
        watch.admit(addressed=asked.addressed)
        words = f"this answers {asked.text}."
        return Document(title=words, blocks=(Paragraph((Text(words),)),))

    async def forget(self, _account: str, _asked: Any) -> None:
        return


class _Shelf(SqlInbox):
    step: Steps

    async def keep(self, arrival: Arrival) -> None:
        await self.step.around("write", super().keep)(arrival)

    def drop(self, key: str) -> None:
        self.step("before drop")
        super().drop(key)


class _Inbox(Inbox):
    step: Steps

    async def put(self, content: str, kind: str = "") -> None:
        await self.step.around("put", super().put)(content, kind)

    async def _deal(self, *given: Any) -> None:
        await self.step.around("read", super()._deal)(*given)


class _Records(SqlReplies):
    step: Steps

    async def claim(self, *given: Any) -> bool:
        first: bool = await self.step.around("claim", super().claim)(*given)
        return first

    async def mark(self, key: Any, stage: Stage, receipt: Any = None) -> None:
        await self.step.around(f"mark {stage.value}", super().mark)(key, stage, receipt)


async def _work(*, way: str, url: str, folder: str, last: int) -> int:
    """Receive until every message has its answer; return the number of steps."""
    place = Path(folder)
    step = Steps(place, last)
    sender: Any = _sender(way, url)
    _watch(way, step)
    sender.send = step.around("send", sender.send)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_database(place))
        shelf, records = _Shelf(database), _Records(database)
        stack.push_async_callback(shelf.aclose)
        inbox = _Inbox("here", shelf)
        shelf.step = records.step = inbox.step = step
        sender.inbox = inbox
        leases = FileLeases(place / "leases")
        accounts = {"here": sender}
        conversation = Conversation(_Answers(), records, leases, SystemClock(), accounts)
        if isinstance(sender, Called) and sender.web is not None:
            web = _stepping(sender.web, step)
            settings = WebSettings(listen=Listen("127.0.0.1", 0))
            address = await stack.enter_async_context(
                serving(application({"/events": web}), settings)
            )
            (place / "address").write_text(f"{address}/events")
        listening = asyncio.create_task(_listen(conversation, sender))
        recovering = asyncio.create_task(conversation.recover(sender))
        await _until_told(database)
        await asyncio.sleep(_LINGER)
        for task in (listening, recovering):
            task.cancel()
        await asyncio.gather(listening, recovering, return_exceptions=True)
        await sender.aclose()
    return step.count


async def _listen(conversation: Conversation, sender: Any) -> None:
    busy: set[asyncio.Task[None]] = set()
    async for incoming in sender.listen():
        task = asyncio.create_task(conversation.hear(sender, incoming))
        busy.add(task)
        task.add_done_callback(busy.discard)


async def _until_told(database: Any) -> None:
    told = select(heard.c.message).where(heard.c.state == Stage.TOLD.value)
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            while True:
                async with database.reading() as connection:
                    if len((await connection.execute(told)).all()) >= MESSAGES:
                        return
                await asyncio.sleep(0.02)


def _watch(way: str, step: Steps) -> None:
    """Put steps around acknowledgements, on platforms that acknowledge on a connection."""
    if way == "telegram polling":
        Client.updates = step.around("acknowledge", Client.updates)  # type: ignore[method-assign]  # a double of it
    elif way.endswith("socket"):
        name = "send_str" if way.startswith("slack") else "send_bytes"
        call = getattr(aiohttp.ClientWebSocketResponse, name)
        setattr(aiohttp.ClientWebSocketResponse, name, step.around("acknowledge", call))


def _stepping(web: Any, step: Steps) -> Any:
    """The application, with steps around each acknowledgement."""

    async def called(scope: Any, receive: Any, send: Any) -> None:
        await web(scope, receive, step.around("acknowledge", send))

    return called


def _sender(way: str, url: str) -> Any:
    match way.split():
        case ["slack", how]:
            # The rate of messages is not tested here.
            slack_sender._IN_A_CHANNEL = (Rate(count=1000, seconds=1),)
            keys = {"signing_secret": _SIGNING, "events": "http"}
            given = keys if how == "hook" else {"app_token": APP_TOKEN}
            return slack(SlackConfig.model_validate({"bot_token": BOT_TOKEN, "api": url, **given}))
        case ["feishu", how]:
            keys = {"events": "http", "encrypt_key": KEY, "verification_token": TOKEN}
            given = {"app_id": APP, "app_secret": SECRET, "domain": url}
            return feishu(FeishuConfig.model_validate(given | (keys if how == "hook" else {})))
        case [_, how]:
            hook = "https://bot.example/hook" if how == "hook" else ""
            return Telegram(TelegramAccount(token=TELEGRAM, api=url, webhook=hook, rates=BRISK))
    raise KeyError(way)


def hearing_runs(way: str, runs: int, folder: Path) -> list[Outcome]:
    """Runs, spread evenly over all pairs of steps."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    zygote = Zygote(_work)
    try:
        with ExitStack() as stack:
            server: Any = stack.enter_context(_server(way))
            pool = stack.enter_context(ThreadPoolExecutor(1 + MESSAGES))
            return _Matrix(way, server, folder, zygote, pool).runs(runs)
    finally:
        zygote.close()


def _server(way: str) -> Any:
    match way.split(maxsplit=1)[0]:
        case "slack":
            return SlackServer(burst=100_000, rate=100_000)
        case "telegram":
            return TelegramServer()
    return FeishuServer()


class _Matrix:
    def __init__(
        self, way: str, server: Any, folder: Path, zygote: Zygote, pool: ThreadPoolExecutor
    ) -> None:
        self._way, self._server, self._zygote, self._pool = way, server, zygote, pool
        self._folder, self._number = folder, 0
        asyncio.run(empty(folder / "empty"))

    def runs(self, most: int) -> list[Outcome]:
        whole, steps = self._run(())
        assert not whole.lost + whole.twice, whole
        assert steps > 10 * MESSAGES, steps
        pairs = [(a, b) for a in range(steps) for b in range(steps)]
        chosen = [pairs[(2 * n + 1) * len(pairs) // (2 * most)] for n in range(most)]
        return [self._run(pair)[0] for pair in chosen]

    def _run(self, lasts: Sequence[int]) -> tuple[Outcome, int]:
        self._number += 1
        folder = shutil.copytree(self._folder / "empty", self._folder / f"run-{self._number}")
        marks = [f"run{self._number}message{n}" for n in range(MESSAGES)]
        with _delivering(self._pool, [self._delivery(mark, folder) for mark in marks]):
            for last in (*lasts, -1):
                steps = self._zygote.work(
                    way=self._way, url=self._server.url, folder=str(folder), last=last
                )
        assert steps >= 0, "the last process did not live"
        killed, doubted = kills(folder)
        shutil.rmtree(folder)
        return self._counted(marks, killed, doubted), steps

    def _counted(self, marks: Sequence[str], killed: tuple[str, ...], doubted: int) -> Outcome:
        seen = "\n".join(self._seen())
        counts = [seen.count(f"this answers {mark}.") for mark in marks]
        return Outcome(
            platform=self._way.split()[0],
            killed=killed,
            doubted=doubted,
            twice=sum(count > 1 for count in counts),
            lost=counts.count(0),
            messages=sum(counts),
        )

    def _seen(self) -> list[str]:
        if self._way.startswith("telegram"):
            return list(self._server.texts(GROUP))
        return list(self._server.seen())

    def _delivery(self, mark: str, folder: Path) -> Callable[[], bool]:
        """A function that delivers a message and returns whether it was acknowledged."""
        server = self._server
        match self._way:
            case "telegram polling":
                server.say(f"@digest_bot {mark}", GROUP)
                return lambda: True  # it waits there until it is confirmed
            case "telegram hook":
                update = _update(mark, self._number)
                headers = {"X-Telegram-Bot-Api-Secret-Token": secret_of(TELEGRAM)}
                return lambda: _called(folder, json.dumps(update).encode(), headers)
            case "feishu socket" | "feishu hook":
                asked = server.post("oc_team", {}, sender="ou_ann")
                event = says(f"@_user_1 {mark}", number=asked.id)
                if self._way == "feishu socket":
                    return lambda: _pushed(server, event)
                return lambda: _called(folder, *request(event, nonce=str(time.time_ns())))
        event = _slack_event(mark, server.say(mark).ts)
        if self._way == "slack hook":
            return lambda: _called(folder, *_slack_request(event))
        server.sockets.patience = 0.3
        server.sockets.deliver("events_api", event, attempts=1000)
        return lambda: True  # the server sends it until it is acknowledged


@contextmanager
def _delivering(
    pool: ThreadPoolExecutor, deliveries: Sequence[Callable[[], bool]]
) -> Iterator[None]:
    """Deliver each message until it is acknowledged, and then never again."""
    over: list[bool] = []

    def deliver(delivery: Callable[[], bool]) -> None:
        while not over and not delivery():
            time.sleep(0.02)

    busy: list[Future[None]] = [pool.submit(deliver, delivery) for delivery in deliveries]
    try:
        yield
    finally:
        over.append(True)
        for one in busy:
            one.result()


def _called(folder: Path, body: bytes, headers: dict[str, str]) -> bool:
    address = folder / "address"
    if not address.exists() or not (url := address.read_text()):
        return False
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=3) as told:
            return bool(told.status == 200)
    except OSError:
        return False


def _pushed(server: FeishuServer, event: dict[str, Any]) -> bool:
    if not server.connections:
        return False
    with suppress(ConnectionError, IndexError):
        return server.push(event, wait=0.5) is not None
    return False


def _slack_event(mark: str, stamp: str) -> dict[str, Any]:
    event = {
        "type": "app_mention",
        "text": f"<@{BOT_USER}> {mark}",
        "user": PERSON,
        "channel": CHANNEL,
        "ts": stamp,
    }
    return {"type": "event_callback", "team_id": TEAM, "event_id": f"Ev{mark}", "event": event}


def _slack_request(event: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    # Redeliveries are signed again, here even within a second.
    body, stamp = json.dumps({**event, "sent": time.time_ns()}).encode(), str(int(time.time()))
    signed = hmac.new(_SIGNING.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256)
    return body, {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={signed.hexdigest()}",
    }


def _update(mark: str, run: int) -> dict[str, Any]:
    number = run * 100 + int(mark[-1]) + 1
    message = {
        "message_id": number,
        "date": int(time.time()),
        "chat": {"id": GROUP, "type": "supergroup", "title": "G"},
        "from": {"id": 7, "is_bot": False, "first_name": "Ada"},
        "text": f"@digest_bot {mark}",
        "entities": [{"type": "mention", "offset": 0, "length": 11}],
    }
    return {"update_id": number, "message": message}
