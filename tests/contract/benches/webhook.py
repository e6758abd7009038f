"""A custom webhook, with a receiver on loopback."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import SecretStr

from bot.platforms.webhook import Config, create
from tests.contract.bench import Bench
from tests.servers.webhook import PATH_SECRET, SECRET, WebhookServer


def bench(folder: Path) -> Bench:
    server = WebhookServer().__enter__()
    gone = WebhookServer().__enter__()
    gone.close()

    def sender(url: str = server.hook, secret: str = SECRET):
        return create(Config(url=SecretStr(url), secret=SecretStr(secret)))

    return Bench(
        sender=sender(),
        chat="team",
        seen=server.seen,
        broken=[sender(secret="wrong-secret"), sender(gone.hook), sender(f"{server.hook}x")],
        inert=inert,
        secrets=[PATH_SECRET, SECRET, "wrong-secret"],
        close=server.close,
    )


def inert(body: str) -> bool:
    """Nothing in the plain text moves a cursor or hides; its Markdown is tested elsewhere."""
    text = json.loads(body)["text"]
    return not any(
        (ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 or char in "\u202e\u2066"
        for char in text
    )
