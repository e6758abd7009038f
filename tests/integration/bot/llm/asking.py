"""Questions, and the reply that answers them, for tests that go to a server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.config.model_section import ModelConfig
from bot.llm.client import ServedModel
from bot.llm.openai_client import OpenAITransport
from digest.core.enums import Language
from handlers.ports.model_port import BillingAccount, CallKind, ModelMessage, ModelRequest, Speaker
from tests.support.fakes_model import FakeCallLedger, FakeMemory, FakePurse

KEY = "sk-test-3f9a1c77d2e84b06"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}, "risk": {"type": "integer"}},
    "required": ["summary", "risk"],
    "additionalProperties": False,
}
GOOD = json.dumps({"summary": "The default of the flag is changed.", "risk": 2})


def request(**changes: Any) -> ModelRequest[Any]:
    fields: dict[str, Any] = {
        "messages": (
            ModelMessage(role=Speaker.SYSTEM, text="You read changes."),
            ModelMessage(role=Speaker.USER, text="A diff."),
        ),
        "read": lambda found: found,
        "account": BillingAccount(
            kind=CallKind.ANALYSIS, repository="a/b", channel="team", subject="c0ffee"
        ),
        "schema": SCHEMA,
    }
    return ModelRequest(**(fields | changes))


def text_request(**changes: Any) -> ModelRequest[Any]:
    return request(schema=None, **changes)


def english(**changes: Any) -> ModelRequest[Any]:
    return request(language=Language.EN, **changes)


async def until(condition: Callable[[], Any], meanwhile: Callable[[], None] | None = None) -> None:
    """Wait for what a server or a task does, at most two minutes of the machine's time."""
    for _ in range(24_000):
        if condition():
            return
        if meanwhile is not None:
            meanwhile()
        await asyncio.to_thread(time.sleep, 0.005)
    raise AssertionError("it did not come to that")


class HandClock:
    """The time of a loop, which only a test moves."""

    def __init__(self, at: float) -> None:
        self.at = at

    def forward(self, seconds: float) -> None:
        self.at += seconds


@dataclass
class Setup:
    """A model with what stands around it."""

    model: ServedModel
    transport: OpenAITransport
    config: ModelConfig
    ledger: FakeCallLedger
    budget: FakePurse
    memory: FakeMemory
