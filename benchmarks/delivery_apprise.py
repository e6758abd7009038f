"""The same texts sent by Apprise, a library that posts to about a hundred services.

It posts one text to a list of addresses, one after the other or in threads, and keeps no record. So
this compares the cost of one message, and what happens to a message that is refused for a second.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any, cast

from apprise import Apprise
from apprise.plugins.telegram import NotifyTelegram

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Target
from bot.messaging.rates import Rate
from bot.platforms.telegram.sender import Rates, Telegram, TelegramAccount
from bot.store.ledger import SqlLedger
from digest.document import Document, Paragraph, Text
from tests.servers.telegram import TelegramServer
from tests.servers.telegram_http import Act, too_many
from tests.support.fakes_delivery import FakeLeases, FakeLedger

CHANNELS = 200

# Faster than Telegram allows, and not slowed down by a small number of parallel requests.
_POSTS, _ANY = Rate(count=1, seconds=0.01), Rate(count=1, seconds=0.0001)

_BRISK = Rates(posts=_POSTS, answers=_ANY, chat=_ANY, group=Rate(count=10_000, seconds=1.0))

# A Telegram token in the form that Apprise accepts.
_TOKEN = "123456789:" + "A" * 35


class _Lenient(TelegramServer):
    """Also accepts markup, which our own test server refuses."""

    def _on_sendMessage(self, given: dict[str, Any]) -> Any:  # noqa: N802  # the method's name
        for name in ("parse_mode", "disable_web_page_preview"):
            given.pop(name, None)
        given["link_preview_options"] = {"is_disabled": True}
        return super()._on_sendMessage(given)


def sent_by_apprise() -> Iterator[str]:
    """Lines that compare the two."""
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    _imported()
    for name, refusals in (("nothing refused", 0), ("every 20th refused for 1 s", CHANNELS // 20)):
        for who, send in (("digestbot", _ours), ("apprise", _theirs)):
            with _Lenient(token=_TOKEN) as server:
                chats = _chats(server)
                step: list[Act | None] = [*[None] * 19, too_many(1)]
                server.will("sendMessage", *step * refusals)
                began, work = time.perf_counter(), time.process_time()
                send(server, chats)
                spent, work = time.perf_counter() - began, time.process_time() - work
                stand = sum(len(server.texts(chat)) == 1 for chat in chats)
                yield (
                    f"{name:27} {who:10} {CHANNELS} channels in {spent:5.1f} s, "
                    f"{work / CHANNELS * 1000:5.1f} ms of work each, {stand} got it once"
                )


def _imported() -> None:
    """Import the libraries of both before the clock runs."""
    import_module("bot.platforms.telegram.client")
    Apprise().add(f"tgram://{_TOKEN}/1")


def _chats(server: TelegramServer) -> list[int]:
    chats = [-1_002_000_000_000 - n for n in range(CHANNELS)]
    for chat in chats:
        server.add(chat, "channel", title=str(chat), posts=True)
    return chats


def _text(chat: int) -> str:
    return f"A day of {-chat}: 5 changes of high importance among 47 commits."


def _ours(server: TelegramServer, chats: list[int]) -> None:
    async def work() -> None:
        account = TelegramAccount(token=server.token, api=server.url, listens=False, rates=_BRISK)
        sender = Telegram(account)
        delivery = Delivery(cast("SqlLedger", FakeLedger()), FakeLeases())
        postings = [
            Posting(
                target=Target(name=str(chat), sender=sender, chat=str(chat)),
                digest="d",
                document=Document(title="t", blocks=(Paragraph((Text(_text(chat)),)),)),
            )
            for chat in chats
        ]
        await delivery.deliver_all(postings)
        await sender.aclose()

    asyncio.run(work())


def _theirs(server: TelegramServer, chats: list[int]) -> None:
    NotifyTelegram.notify_url = f"{server.url}/bot"
    # Its own pause before each request would dominate the measurement.
    NotifyTelegram.request_rate_per_sec = 0
    for chat in chats:
        service = Apprise()
        service.add(f"tgram://{server.token}/{chat}")
        service.notify(body=_text(chat))
