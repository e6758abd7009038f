"""Feishu's custom bot, with its test server on loopback."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import SecretStr

from bot.platforms.feishu_webhook import Config, create
from tests.contract.bench import Bench
from tests.servers.feishu_cards import check, see
from tests.servers.feishu_webhook import HOOK, SECRET, FeishuWebhookServer


def bench(folder: Path) -> Bench:
    server = FeishuWebhookServer().__enter__()
    gone = FeishuWebhookServer().__enter__()
    gone.close()

    def sender(url: str = server.hook, secret: str = SECRET):
        return create(Config(url=SecretStr(url), secret=SecretStr(secret)))

    return Bench(
        sender=sender(),
        chat="",
        seen=server.seen,
        broken=[sender(secret="wrong-secret"), sender(gone.hook), sender(f"{server.hook}x")],
        inert=inert,
        secrets=[HOOK, SECRET, "wrong-secret"],
        close=server.close,
    )


def inert(body: str) -> bool:
    card = json.loads(body)
    check(card, callbacks=False)
    return not see(card).acts
