"""The model of a process: connected, tested, and with its stored analyses, ledger and log lines.

The list of models is free and shows whether the address, the key and often the model are right.
Only a reply shows whether a server keeps to a schema: that takes a tiny request for each rung, a
few hundred tokens together, so it is only done if allowed. Only here is the reason logged why a
change was not analysed by the model.
"""

from __future__ import annotations

import asyncio
import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from functools import partial
from pathlib import Path

import structlog

from bot.config.model_section import ModelConfig
from bot.llm.calls import CappedBudget
from bot.llm.client import ServedModel
from bot.llm.openai_client import OpenAITransport
from bot.llm.redaction import Secrets
from bot.llm.response_format import DialectFile, Rung
from bot.llm.transport_values import ModelFault
from bot.store.analyses import SqlAnalyses, SqlCalls
from bot.store.database import Database
from digest.errors import UserError
from digest.frozen import frozen
from handlers.ports.analysis_port import AnalysisRun, Flights, Judging, Listener
from handlers.ports.model_port import (
    BillingAccount,
    CallKind,
    ModelError,
    ModelMessage,
    ModelReason,
    ModelRequest,
    Speaker,
    Usage,
)
from handlers.ports.storage import Clock


def connect(config: ModelConfig, ledger: SqlCalls, clock: Clock, data: Path) -> ServedModel:
    """The configured model with its caps; what is learned of its server is stored in ``data``."""
    # Nothing is imported or opened before the first question, or before ``warm``.
    budget, memory = CappedBudget(config.caps, ledger, clock), DialectFile(data, clock)

    def served(one: ModelConfig, reserve: ServedModel | None = None) -> ServedModel:
        transport = OpenAITransport(one)
        return ServedModel(
            one, transport, ledger, budget=budget, memory=memory, clock=clock, reserve=reserve
        )

    return served(config, served(config.reserve) if config.reserve else None)


async def look(config: ModelConfig, ledger: SqlCalls | None, clock: Clock, data: Path) -> Probe:
    """Probe the configured server anew. Raises ``UserError`` if it cannot be used.

    With a ledger this costs a few tokens, which it records.
    """
    transport = OpenAITransport(config)
    try:
        return await _probe(config, transport, ledger, clock, data)
    finally:
        await transport.aclose()


PROBE_TOKENS = 600  # the approximate most that a probe with spend costs, on all rungs together

_SCHEMA = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "green", "blue"]},
        "sides": {"type": "integer"},
    },
    "required": ["colour", "sides"],
    "additionalProperties": False,
}
_QUESTION = (
    ModelMessage(role=Speaker.SYSTEM, text="You answer briefly, in JSON."),
    # Without the schema in words a model cannot guess the keys: that reveals a server ignoring it.
    ModelMessage(role=Speaker.USER, text="Describe a blue triangle."),
)

# Enough for a model that thinks before it answers.
_ROOM = 512
_PATIENCE = 60.0


@frozen
class Probe:
    """The findings of a probe of a server that can be used."""

    model: bool  # whether the model is known to be there: a server may list none
    rung: Rung | None = None  # the one that works, if it was tried
    usage: Usage = field(default_factory=Usage)  # what the probe cost


async def _probe(
    config: ModelConfig,
    transport: OpenAITransport,
    ledger: SqlCalls | None,
    clock: Clock,
    data: Path,
) -> Probe:
    listed: Sequence[str] = ()
    try:
        listed = await transport.models()
    except ModelFault as fault:
        # Not every server lists its models.
        if fault.reason is not ModelReason.REJECTED:
            raise _unusable(config, fault.reason, fault.detail) from None
    if ledger is None:
        if listed and config.name not in listed:
            detail = f"the server has no model {config.name!r}"
            raise _unusable(config, ModelReason.UNKNOWN_MODEL, detail, listed)
        return Probe(model=bool(listed))
    budget, memory = CappedBudget(config.caps, ledger, clock), DialectFile(data, clock)
    model = ServedModel(config, transport, ledger, budget=budget, memory=memory, anew=True)
    request = ModelRequest(
        messages=_QUESTION,
        schema=_SCHEMA,
        name="shape",
        read=lambda found: found,
        account=BillingAccount(kind=CallKind.PROBE),
        output_tokens=_ROOM,
        patience=_PATIENCE,
    )
    try:
        reply = await model.complete(request)
    except ModelError as error:
        raise _unusable(config, error.reason, error.detail, listed) from error
    model.remember()
    return Probe(model=True, rung=model.dialect.rung, usage=reply.usage)


def _unusable(
    config: ModelConfig, reason: ModelReason, detail: str, listed: Sequence[str] = ()
) -> UserError:
    """The error for a server, with models that it has with names like a missing one."""
    unknown = reason is ModelReason.UNKNOWN_MODEL
    near = difflib.get_close_matches(config.name, listed, n=3, cutoff=0.4) if unknown else ()
    instead = f"; it has {', '.join(near)}" if near else ""
    return UserError(f"{config.base_url}: {reason}: {detail}{instead}")


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
    counts = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    every = len(judgement.missed) + len(judgement.analyses)
    return f"{len(judgement.missed)} of {every} changes were described from facts alone ({counts})"


_RULES = "secret-rules"
"""The folder, with the user's caches or within the data folder, of compiled rules for secrets."""


@frozen
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
        redactor=Secrets(data / _RULES, shared=True),
    )
