"""Questions, and the reply that answers them, for tests that go to a server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from bot.models.config import ModelConfig
from bot.models.openai_client import OpenAITransport
from bot.models.served import ServedModel
from digest.language import Language
from handlers.model_port import Account, Kind, Message, ModelRequest, Role
from tests.fakes_model import FakeCallLedger, FakeMemory, FakePurse

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
            Message(role=Role.SYSTEM, text="You read changes."),
            Message(role=Role.USER, text="A diff."),
        ),
        "read": lambda found: found,
        "account": Account(kind=Kind.ANALYSIS, repository="a/b", channel="team", subject="c0ffee"),
        "schema": SCHEMA,
    }
    return ModelRequest(**(fields | changes))


def text_request(**changes: Any) -> ModelRequest[Any]:
    return request(schema=None, **changes)


def english(**changes: Any) -> ModelRequest[Any]:
    return request(language=Language.EN, **changes)


@dataclass
class Setup:
    """A model with what stands around it."""

    model: ServedModel
    transport: OpenAITransport
    config: ModelConfig
    ledger: FakeCallLedger
    purse: FakePurse
    memory: FakeMemory
