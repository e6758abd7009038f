"""What ``digestbot check`` says of the model: whether it is there, and which rung it stands on."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from bot.models.config import ModelConfig
from bot.models.connection import look
from bot.models.ladder import Rung
from bot.models.memory import DialectFile
from bot.models.probe import PROBE_TOKENS, Probe
from bot.store.calls import SqlCalls
from bot.store.engine import open_database
from digest.errors import UserError
from handlers.model_port import Call, Usage
from handlers.ports import Clock

_RUNGS = {
    Rung.STRICT: "keeps to a JSON schema by itself (rung 1 of 3)",
    Rung.OBJECT: "answers in JSON, the schema is told in words (rung 2 of 3)",
    Rung.TEXT: "answers in words, JSON is looked for in them (rung 3 of 3)",
}


class _NoCalls:
    """The books of a look that makes no call."""

    async def add(self, call: Call) -> None:
        raise AssertionError(f"a look without spending sent {call.account.kind}")

    async def spent(
        self,
        since: datetime,  # noqa: ARG002 - the port's names
        *,
        channel: str | None = None,  # noqa: ARG002
        person: str | None = None,  # noqa: ARG002
    ) -> Usage:
        return Usage()


async def look_at_model(config: ModelConfig, clock: Clock, data: Path, *, spend: bool) -> str:
    """What stands at the address, in a line. Raises ``UserError`` where it cannot be used.

    Only with ``spend`` are tokens used, a few hundred, and then they are on the books.
    """
    if spend:
        async with await open_database(data) as database:
            ledger = SqlCalls(database, config.price.currency)
            found = await look(config, ledger, clock, data, spend=True)
    else:
        found = await look(config, _NoCalls(), clock, data)
    if not found.usable:
        near = f"; it has {', '.join(found.near)}" if found.near else ""
        raise UserError(f"{config.base_url}: {found.problem}: {found.detail}{near}")
    return f"{config.base_url}: {_manner(found, config, clock, data)}"


def _manner(found: Probe, config: ModelConfig, clock: Clock, data: Path) -> str:
    """How the server is made to answer in JSON, as found now or remembered."""
    if found.rung is not None:
        tokens = f"{'about ' if found.usage.estimated else ''}{found.usage.tokens} tokens"
        return f"{_RUNGS[found.rung]}; {tokens} spent"
    there = "has the model" if found.model else "answers, and keeps no list of models"
    known = DialectFile(data, clock).recall(config.base_url, config.name)
    if known is not None:
        return f"{there}; {_RUNGS[known.rung]}"
    return (
        f"{there}; how it keeps to a schema is found out at the first call, or by "
        f"digestbot check --spend (at most about {PROBE_TOKENS} tokens)"
    )
