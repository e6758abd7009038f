"""The model of a process, with what belongs to it: kept analyses, the books, the caps.

Only a process that has a model imports this.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bot.judged import note
from bot.models.config import ModelConfig
from bot.models.connection import connect
from bot.models.served import ServedModel
from bot.redaction import Secrets
from bot.store.analyses import SqlAnalyses
from bot.store.calls import SqlCalls
from bot.store.engine import Database
from handlers.judgement import Flights, Judging, Listener
from handlers.ports import Clock

_RULES = "secret-rules"
"""The folder, in the data folder, of the compiled rules by which secrets are found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """What every digest and answer of a process shares, so that none pays for another's work."""

    config: ModelConfig
    model: ServedModel
    analyses: SqlAnalyses
    redactor: Secrets
    flights: Flights = field(default_factory=Flights)

    def judging(self, channel: str, person: str = "", listener: Listener | None = None) -> Judging:
        """What a context is given to judge on the account of a channel or a person."""
        return Judging(
            model=self.model,
            analyses=self.analyses,
            redactor=self.redactor,
            flights=self.flights,
            patience=self.config.digest_patience,
            channel=channel,
            person=person,
            listener=listener,
            warm=self.warm,
            report=partial(note, channel=channel),
        )

    async def warm(self) -> None:
        """Load what takes long, beside other work: the client's library, the rules for secrets."""
        await asyncio.gather(self.model.warm(), asyncio.to_thread(self.redactor.load))

    async def aclose(self) -> None:
        """Let go of connections."""
        await self.model.aclose()


def open_mind(config: ModelConfig, database: Database, clock: Clock, data: Path) -> Mind:
    """Put it together; nothing is asked, imported or read before it is needed."""
    ledger = SqlCalls(database, config.price.currency)
    return Mind(
        config=config,
        model=connect(config, ledger, clock, data),
        analyses=SqlAnalyses(database),
        redactor=Secrets(data / _RULES),
    )
