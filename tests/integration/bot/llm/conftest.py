"""A served model, the real library and a real server on loopback, with pauses that tests can bear."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from bot.config.model_section import ModelConfig
from bot.llm.client import ServedModel
from bot.llm.openai_client import OpenAITransport
from bot.llm.throttle import Breaker, Pauses
from bot.util.machine import loop_time as now
from tests.integration.bot.llm.asking import KEY, HandClock, Setup
from tests.servers.model import ModelServer
from tests.support.fakes_model import FakeCallLedger, FakeMemory, FakePurse


@pytest.fixture(scope="session", autouse=True)
def _imported() -> None:
    """Import the library before any test measures time."""
    importlib.import_module("openai.resources.chat")


@pytest.fixture
def serve() -> Iterator[Callable[..., ModelServer]]:
    with ExitStack() as stack:
        yield lambda *acts, **how: stack.enter_context(ModelServer(*acts, **how))


@pytest.fixture
async def hand_clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    """The time of the running loop from now on."""
    loop = asyncio.get_running_loop()
    clock = HandClock(loop.time())
    monkeypatch.setattr(loop, "time", lambda: clock.at)
    return clock


@pytest.fixture
async def connect() -> AsyncIterator[Callable[..., Setup]]:
    made: list[Setup] = []

    def build(server: ModelServer | str, memory: FakeMemory | None = None, **settings: Any):
        clock = settings.pop("clock", now)
        breaker = {name: settings.pop(name) for name in ("failures", "cooling") if name in settings}
        url = server if isinstance(server, str) else server.url
        config = ModelConfig.model_validate(
            {"name": "m", "base_url": url, "key": KEY, "timeout": 60, "patience": 120} | settings
        )
        setup = Setup(
            model=None,  # type: ignore[arg-type] - set below
            transport=OpenAITransport(config),
            config=config,
            ledger=FakeCallLedger(),
            budget=FakePurse(),
            memory=memory or FakeMemory(),
        )
        setup.model = ServedModel(
            config,
            setup.transport,
            setup.ledger,
            budget=setup.budget,
            memory=setup.memory,
            pauses=Pauses(first=0.02, longest=0.2),
            breaker=Breaker(clock, **breaker),
        )
        made.append(setup)
        return setup

    yield build
    for setup in made:
        await setup.model.aclose()
        assert not setup.budget.held, "a hold was never settled"
