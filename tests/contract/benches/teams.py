"""A workflow of Microsoft Teams, with its test server on loopback."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

from pydantic import SecretStr

from bot.platforms.teams import Config, create
from tests.contract.bench import Bench
from tests.servers.loopback import Fails
from tests.servers.teams import SECRET, TeamsServer, see


def bench(folder: Path) -> Bench:
    server = TeamsServer().__enter__()
    busy = TeamsServer(Fails(429, SECRET, {"retry-after": "3"})).__enter__()
    gone = TeamsServer().__enter__()
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
        inert=inert,
        secrets=[SECRET],
        close=close,
    )


def inert(body: str) -> bool:
    """A card of plain text runs, whose links lead to the web and whose text hides nothing."""
    card = see(json.loads(body))
    return not any(
        unicodedata.category(char) == "Cc" or char in "\u202e\u2066"
        for char in card.text.replace("\n", "")
    )
