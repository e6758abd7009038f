"""The model of a process with its stored analyses, ledger and caps, and its log lines.

Only here is the reason logged why a change was not analysed by the model: a report only says that
it was not. Only processes with a model import this module.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import structlog

from bot.config.model_section import ModelConfig
from bot.llm.client import ServedModel
from bot.llm.probe import connect
from bot.llm.redaction import Secrets
from bot.store.analyses import SqlAnalyses
from bot.store.database import Database
from bot.store.model_calls import SqlCalls
from handlers.ports.analysis_port import AnalysisRun, Flights, Judging, Listener
from handlers.ports.storage import Clock

log = structlog.get_logger(__name__)


def note(judgement: AnalysisRun, repository: str, *, channel: str) -> None:
    """Log what was analysed and what was not."""
    about = {"repository": repository, "channel": channel}
    for missed in judgement.missed.values():
        log.warning(
            "analysis.missed", sha=missed.sha, reason=missed.reason, detail=missed.detail, **about
        )
    if judgement.unled is not None:
        unled = judgement.unled
        log.warning("lead.missed", reason=unled.reason.value, detail=unled.detail, **about)
    spent = judgement.spent
    log.info(
        "changes.judged",
        judged=len(judgement.analyses),
        missed=len(judgement.missed),
        secrets=judgement.secrets,
        calls=spent.calls,
        tokens=spent.tokens,
        cost=str(spent.cost),
        **about,
    )


def shortfall(judgement: AnalysisRun) -> str:
    """What the model did not describe and why, in one line; empty if nothing is missing."""
    reasons = Counter(missed.reason for missed in judgement.missed.values())
    if not reasons:
        unled = judgement.unled
        return f"the lead was written without the model ({unled.reason.value})" if unled else ""
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    every = len(judgement.missed) + len(judgement.analyses)
    return f"{len(judgement.missed)} of {every} changes were described from facts alone ({told})"


_RULES = "secret-rules"
"""The folder, within the data folder, of the compiled rules that find secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRuntime:
    """Shared by all digests and answers of a process, so that nothing is paid for twice."""

    config: ModelConfig
    model: ServedModel
    analyses: SqlAnalyses
    redactor: Secrets
    flights: Flights = field(default_factory=Flights)

    def judging(self, channel: str, person: str = "", listener: Listener | None = None) -> Judging:
        """What a context needs for analyses on the account of a channel or a person."""
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
        """Load slow parts in the background: the client library and the rules for secrets."""
        await asyncio.gather(self.model.warm(), asyncio.to_thread(self.redactor.load))

    async def aclose(self) -> None:
        """Close connections."""
        await self.model.aclose()


def open_runtime(config: ModelConfig, database: Database, clock: Clock, data: Path) -> ModelRuntime:
    """Create the runtime; nothing is requested, imported or read before it is needed."""
    ledger = SqlCalls(database, config.price.currency)
    return ModelRuntime(
        config=config,
        model=connect(config, ledger, clock, data),
        analyses=SqlAnalyses(database),
        redactor=Secrets(data / _RULES),
    )
