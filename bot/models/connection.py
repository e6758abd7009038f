"""A model put together from what is configured: where the rest of the program begins."""

from __future__ import annotations

from pathlib import Path

from bot.models.config import ModelConfig
from bot.models.memory import DialectFile
from bot.models.openai_client import OpenAITransport
from bot.models.probe import Probe, probe
from bot.models.purse import CappedPurse
from bot.models.served import ServedModel
from handlers.model_port import CallLedger
from handlers.ports import Clock


def connect(config: ModelConfig, ledger: CallLedger, clock: Clock, data: Path) -> ServedModel:
    """The configured model, with its caps; what is found out of its server is kept in ``data``.

    Nothing is imported or opened before the first question, or before ``warm``.
    """
    return ServedModel(
        config,
        OpenAITransport(config),
        ledger,
        purse=CappedPurse(config.caps, ledger, clock),
        memory=DialectFile(data, clock),
        clock=clock,
    )


async def look(
    config: ModelConfig, ledger: CallLedger, clock: Clock, data: Path, *, spend: bool = False
) -> Probe:
    """What stands at the configured address; with ``spend`` at the cost of a few tokens."""
    transport = OpenAITransport(config)
    try:
        return await probe(
            config,
            transport,
            ledger,
            DialectFile(data, clock),
            purse=CappedPurse(config.caps, ledger, clock),
            spend=spend,
        )
    finally:
        await transport.aclose()
