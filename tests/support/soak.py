"""A thousand channels on loopback servers with their platforms' limits, on a virtual clock.

For ``test_soak`` and ``benchmarks.delivery``: the time for all posts, compared with the least that
the limits allow.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Target
from bot.messaging.sender import Sender
from bot.platforms.slack import Config, create
from bot.platforms.telegram.sender import Telegram, TelegramAccount
from bot.store.database import Database
from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_database
from bot.util.locks import FileLeases
from digest.document import Document, Heading, Paragraph, Text
from handlers.ports.storage import DeliveryKey, DeliveryRecord, PartRecord
from tests.contract.benches.feishu import sender_for
from tests.servers.feishu import FeishuServer
from tests.servers.loopback import Fails
from tests.servers.slack import BOT_TOKEN, Channel, Limited, SlackServer, Slow
from tests.servers.telegram import TOKEN, Limits, TelegramServer
from tests.servers.telegram_http import too_many
from tests.support.fakes_delivery import FakeLeases, FakeLedger
from tests.support.virtual import VirtualLoop, timeless

_BUSY = Fails(
    429,
    {"code": 99991400, "msg": "request trigger frequency limit"},
    {"x-ogw-ratelimit-reset": "1"},
)


@dataclass(frozen=True)
class Soak:
    """The result of a fan-out. ``wall`` and ``least`` are seconds of the virtual clock.

    A refused call counts for the platform's limits like any other.
    """

    platform: str
    channels: int
    wall: float
    least: float
    work: float
    """Real seconds that everything took, including servers."""
    refused: int
    posts: dict[str, int]
    """How often each text was posted on the platform."""


@dataclass
class Fleet:
    """One account with its channels, and its server's record of what happened."""

    sender: Sender
    chats: Sequence[str]
    least: float
    stands: Callable[[], Sequence[str]]
    refused: Callable[[], int]


def telegram(stack: ExitStack, loop: VirtualLoop, channels: int, refusals: int) -> Fleet:
    """30 messages a second, 20 a minute to each channel."""
    server = stack.enter_context(TelegramServer(limits=Limits()))
    server._count_clock = loop.time
    chats = [str(-1_002_000_000_000 - n) for n in range(channels)]
    for chat in chats:
        server.add(int(chat), "channel", title=chat, posts=True)
    server.will("sendMessage", *_now_and_then(too_many(1), channels, refusals))
    return Fleet(
        sender=Telegram(TelegramAccount(token=TOKEN, api=server.url, listens=False)),
        chats=chats,
        least=(channels + refusals - 30) / 30,
        stands=lambda: [shown.text for shown in [*server.shown.values()]],
        refused=lambda: len(server.refused),
    )


def feishu(stack: ExitStack, loop: VirtualLoop, channels: int, refusals: int) -> Fleet:
    """50 messages a second and 1000 a minute, 5 a second to each group."""
    server = FeishuServer(*_now_and_then(_BUSY, channels, refusals))
    server.clock = loop.time
    stack.enter_context(server)
    chats = [f"oc_{n:06d}" for n in range(channels)]
    calls = channels + refusals
    for chat in chats:
        server.chats[chat] = {"name": chat, "chat_mode": "group", "external": False}
    return Fleet(
        sender=sender_for(server),
        chats=chats,
        least=max((calls - 50) / 50, 60.0 * math.floor((calls - 1) / 1000)),
        stands=server.seen,
        refused=lambda: refusals,
    )


def slack(stack: ExitStack, loop: VirtualLoop, channels: int, refusals: int) -> Fleet:
    """200 messages a minute in the workspace, one a second in each channel.

    Slack documents "several hundred", so this is the minimum.
    """
    most, seconds = 200, 60.0
    server = SlackServer(burst=1, workspace=(most, seconds), clock=loop.time)
    chats = [f"C{n:06d}" for n in range(channels)]
    server.channels.update({chat: Channel(chat.lower()) for chat in chats})
    acts = _now_and_then(Limited(after=1), channels, refusals)
    server.plan("chat.postMessage", *(act or Slow(seconds=0) for act in acts))
    stack.enter_context(server)
    calls = channels + refusals
    return Fleet(
        sender=create(Config(bot_token=SecretStr(BOT_TOKEN), api=server.url)),
        chats=chats,
        least=seconds * math.floor((calls - 1) / most),
        stands=lambda: [message.text for message in server.messages],
        refused=lambda: refusals + server.limited,
    )


def _now_and_then(act: Any, channels: int, refusals: int) -> list[Any]:
    """A number of refusals among the first four fifths of the calls."""
    step = max(1, channels * 4 // 5 // max(1, refusals))
    return [act if n % step == step - 1 else None for n in range(step * refusals)]


FLEETS = {"telegram": telegram, "feishu": feishu, "slack": slack}


class _Ledger(SqlLedger):
    """The ledger in a file. Virtual time stands still while it is read and written."""

    def __init__(self, database: Database, loop: VirtualLoop) -> None:
        super().__init__(database)
        self._loop = loop

    async def claim(self, key: DeliveryKey, content: str, parts: int) -> DeliveryRecord:
        with self._loop.working():
            return await super().claim(key, content, parts)

    async def mark(self, key: DeliveryKey, part: PartRecord) -> None:
        with self._loop.working():
            await super().mark(key, part)

    async def record(self, key: DeliveryKey) -> DeliveryRecord | None:
        with self._loop.working():
            return await super().record(key)


def document(number: int) -> Document:
    """A digest that differs from all others."""
    title = f"digest {number:06d} of the day"
    return Document(title=title, blocks=(Heading(1, (Text(title),)), Paragraph((Text("Quiet."),))))


def soak(platform: str, channels: int, refusals: int, *, in_file: bool = False) -> Soak:
    """Post one digest to each of the channels at once.

    The ledger is in memory, which is faster, or an archive ``in_file``.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner, ExitStack() as stack:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        fleet = FLEETS[platform](stack, loop, channels, refusals)
        return runner.run(_soak(platform, fleet, loop, in_file=in_file))


@asynccontextmanager
async def _delivery(loop: VirtualLoop, *, in_file: bool) -> AsyncIterator[Delivery]:
    if not in_file:
        yield Delivery(FakeLedger(), FakeLeases())
        return
    with TemporaryDirectory() as folder:
        with loop.working():
            database = await open_database(Path(folder))
        leases = FileLeases(Path(folder) / "leases")
        yield Delivery(_Ledger(database, loop), leases)
        with loop.working():
            await database.aclose()


async def _soak(platform: str, fleet: Fleet, loop: VirtualLoop, *, in_file: bool) -> Soak:
    with loop.working():
        # What is fetched once, such as a token, is not part of a fan-out.
        await fleet.sender.probe(fleet.chats[0])
    fleet.sender.send = timeless(loop, fleet.sender.send)  # type: ignore[method-assign]  # a clock is no part of a sender
    async with _delivery(loop, in_file=in_file) as delivery:
        wall, work = await _posted(fleet, loop, delivery)
    posts: dict[str, int] = {}
    for text in fleet.stands():
        name = next(w for w in text.split() if w.isdigit())
        posts[name] = posts.get(name, 0) + 1
    return Soak(
        platform=platform,
        channels=len(fleet.chats),
        wall=wall,
        least=fleet.least,
        work=work,
        refused=fleet.refused(),
        posts=posts,
    )


async def _posted(fleet: Fleet, loop: VirtualLoop, delivery: Delivery) -> tuple[float, float]:
    """Post to all, and once more, which must post nothing; return the seconds of both clocks."""
    postings = [
        Posting(
            target=Target(name=chat, sender=fleet.sender, chat=chat),
            digest=f"soak:{chat}",
            document=document(number),
        )
        for number, chat in enumerate(fleet.chats)
    ]
    began, at = time.perf_counter(), loop.time()
    results = await delivery.deliver_all(postings)
    wall, work = loop.time() - at, time.perf_counter() - began
    again = await delivery.deliver_all(postings)
    assert all(one.done and not one.new for one in again)
    assert all(result.done for result in results), [one.error for one in results if not one.done][
        :3
    ]
    with loop.working():
        await fleet.sender.aclose()
    return wall, work
