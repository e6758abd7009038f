"""A Discord webhook, with its test server on loopback."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from bot.platforms.discord import Config, create
from tests.contract.bench import Bench
from tests.servers.discord import TOKEN, DiscordServer, see
from tests.servers.loopback import Fails


def bench(folder: Path) -> Bench:
    server = DiscordServer().__enter__()
    busy = DiscordServer(Fails(429, {"message": TOKEN, "retry_after": 3})).__enter__()
    gone = DiscordServer().__enter__()
    gone.close()

    def sender(url: str = server.hook):
        return create(Config(url=SecretStr(url)))

    def close() -> None:
        server.close()
        busy.close()

    return Bench(
        sender=sender(),
        chat="",
        seen=server.seen,
        broken=[sender(f"{server.hook}-wrong"), sender(busy.hook), sender(gone.hook)],
        inert=lambda body: not see("", body).acts,
        secrets=[TOKEN],
        close=close,
    )
