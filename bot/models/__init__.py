"""Language models behind any server that speaks OpenAI's chat completions."""

from __future__ import annotations

from pathlib import Path

from bot.models.config import ModelConfig
from bot.models.memory import DialectFile
from bot.models.openai_client import OpenAITransport
from bot.models.purse import CappedPurse
from bot.models.served import ServedModel
from handlers.model_port import CallLedger
from handlers.ports import Clock

__all__ = ["ModelConfig", "connect"]


def connect(config: ModelConfig, ledger: CallLedger, clock: Clock, data: Path) -> ServedModel:
    """The configured model, with its caps; what is found out of its server is kept in ``data``.

    Nothing is imported or opened before the first question.
    """
    return ServedModel(
        config,
        OpenAITransport(config),
        ledger,
        purse=CappedPurse(config.caps, ledger, clock),
        memory=DialectFile(data, clock),
        clock=clock,
    )
