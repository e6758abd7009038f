"""A served model, the real library and a real server on loopback, with pauses that tests can bear."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from bot.models.breaker import Breaker
from bot.models.calls import now
from bot.models.config import ModelConfig
from bot.models.openai_client import OpenAITransport
from bot.models.retrying import Pauses
from bot.models.served import ServedModel
from digest.language import Language
from handlers.model_port import Account, Kind, Message, ModelRequest, Role
from tests.fakes_model import FakeCallLedger, FakeMemory, FakePurse
from tests.servers.model import ModelServer

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


@pytest.fixture
def serve() -> Iterator[Callable[..., ModelServer]]:
    with ExitStack() as stack:
        yield lambda *acts, **how: stack.enter_context(ModelServer(*acts, **how))


@pytest.fixture
async def connect() -> AsyncIterator[Callable[..., Setup]]:
    made: list[Setup] = []

    def build(server: ModelServer | str, memory: FakeMemory | None = None, **settings: Any):
        breaker = {name: settings.pop(name) for name in ("failures", "cooling") if name in settings}
        url = server if isinstance(server, str) else server.url
        config = ModelConfig.model_validate(
            {"name": "m", "base_url": url, "key": KEY, "timeout": 5, "patience": 20} | settings
        )
        setup = Setup(
            model=None,  # type: ignore[arg-type] - set below
            transport=OpenAITransport(config),
            config=config,
            ledger=FakeCallLedger(),
            purse=FakePurse(),
            memory=memory or FakeMemory(),
        )
        setup.model = ServedModel(
            config,
            setup.transport,
            setup.ledger,
            purse=setup.purse,
            memory=setup.memory,
            pauses=Pauses(first=0.02, longest=0.2),
            breaker=Breaker(now, **breaker),
        )
        made.append(setup)
        return setup

    yield build
    for setup in made:
        await setup.model.aclose()
        assert not setup.purse.held, "a hold was never settled"
