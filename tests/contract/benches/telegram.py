"""Telegram, with its test server on loopback."""

from __future__ import annotations

import json
from pathlib import Path

from bot.messaging.rates import Rate
from bot.platforms.telegram.sender import Rates, Telegram, TelegramAccount
from tests.contract.bench import Bench
from tests.servers.telegram import GROUP, TOKEN, TelegramServer
from tests.servers.telegram_http import Drops, Fails, Garbled, Hangs, too_many
from tests.servers.telegram_text import MOST_ENTITIES, checked, found, link, nested

# Far above the platform's, for tests that are not about them.
BRISK = Rates(
    posts=Rate(count=1, seconds=0.0001),
    answers=Rate(count=1, seconds=0.0001),
    chat=Rate(count=1, seconds=0.0001),
    group=Rate(count=10_000, seconds=1.0),
)
BAD = "123456:AAwrongWRONGwrong-0123456789abcdefg"


# Every way in which a call can fail, one after the other.
FAILURES = (
    too_many(3),
    Fails(500, "Internal Server Error: restart"),
    Fails(502, html=True),
    Fails(400, "Bad Request: chat not found"),
    Fails(403, "Forbidden: bot was kicked from the supergroup chat"),
    Fails(409, "Conflict: terminated by setWebhook request"),
    Garbled(),
    Garbled(f'{{"ok": true, "said": "{TOKEN}"}}'),
    Hangs(),
    Drops(),
)


def sender(url: str, token: str = TOKEN, answer: float = 1.0) -> Telegram:
    """An account that never waits longer than necessary."""
    return Telegram(TelegramAccount(token=token, api=url, answer=answer, rates=BRISK))


def bench(folder: Path) -> Bench:
    server, failing = TelegramServer().__enter__(), TelegramServer().__enter__()
    failing.will("sendMessage", *FAILURES)

    def close() -> None:
        server.close()
        failing.close()

    return Bench(
        sender=sender(server.url),
        chat=str(GROUP),
        seen=lambda: server.texts(GROUP),
        broken=[
            *(sender(failing.url, answer=0.3) for _ in FAILURES),
            sender(server.url, BAD),
            sender("http://127.0.0.1:9", answer=0.3),
        ],
        inert=inert,
        secrets=(TOKEN, BAD),
        close=close,
    )


def inert(body: str) -> bool:
    """Telegram finds nothing active in the text; entities and buttons are acceptable."""
    content = json.loads(body)
    entities = [checked(content["text"], one) for one in content["entities"]]
    nested(entities)
    keys = [key for row in content["buttons"] for key in row]
    for key in keys:
        if "url" in key:
            link(key["url"], "button")
    return (
        len(entities) <= MOST_ENTITIES
        and not found(content["text"], entities)
        and all(0 < len(key.get("data", "x").encode()) <= 64 for key in keys)
    )
