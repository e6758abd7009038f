"""Feishu's app bot, with its test server on loopback."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import SecretStr

from bot.platforms.feishu import Config, create
from tests.contract.bench import Bench
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_cards import check, see
from tests.servers.feishu_events import APP, SECRET
from tests.servers.loopback import Fails


def sender_for(server: FeishuServer, secret: str = SECRET):
    return create(Config(app_id=APP, app_secret=SecretStr(secret), domain=server.url, listen=False))


def bench(folder: Path) -> Bench:
    server = FeishuServer().__enter__()
    busy = FeishuServer(Fails(429, {"code": 99991400, "msg": f"slow down {SECRET}"})).__enter__()
    gone = FeishuServer().__enter__()
    gone.close()

    def close() -> None:
        server.close()
        busy.close()

    return Bench(
        sender=sender_for(server),
        chat="oc_team",
        seen=server.seen,
        broken=[sender_for(server, "wrong-secret"), sender_for(busy), sender_for(gone)],
        inert=inert,
        secrets=[SECRET, "wrong-secret", "t-1"],
        close=close,
    )


def inert(body: str) -> bool:
    card = json.loads(body)
    check(card)
    return not see(card).acts
