"""Slack, as a loopback server that enforces its limits."""

from __future__ import annotations

import json
from pathlib import Path

from bot.platforms.slack import Config, create
from tests.contract.bench import Bench
from tests.servers.slack import BOT_TOKEN, CHANNEL, SlackServer
from tests.servers.slack_blocks import Refused, check_blocks, notifying


def bench(folder: Path) -> Bench:
    server = SlackServer().__enter__()

    def sender(token: str = BOT_TOKEN, api: str = server.url):
        return create(Config(bot_token=token, api=api))

    return Bench(
        sender=sender(),
        chat=CHANNEL,
        seen=server.seen,
        broken=[sender(token="xoxb-wrong"), sender(api="http://127.0.0.1:9/api/")],
        inert=inert,
        secrets=[BOT_TOKEN, "xoxb-wrong"],
        close=lambda: server.__exit__(None, None, None),
    )


def inert(body: str) -> bool:
    blocks = json.loads(body)
    try:
        check_blocks(blocks)
    except Refused:
        return False
    return not list(notifying(blocks, {}))
