"""A day judged for real: git, SQLite, the client and a scripted server on loopback."""

from __future__ import annotations

import asyncio
import importlib
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.app import open_workspace
from bot.config.model_section import ModelConfig
from bot.llm.calls import CappedBudget
from bot.llm.client import ServedModel
from bot.llm.openai_client import OpenAITransport
from bot.llm.runtime import ModelRuntime
from bot.llm.throttle import Breaker, Pauses
from bot.store.analyses import SqlAnalyses, SqlCalls
from bot.util.machine import FixedClock
from bot.util.machine import loop_time as now
from bot.workspace.workspace import Workspace
from digest.core.change import Change
from digest.core.enums import Language, Privacy
from digest.core.facts import Facts
from digest.llm.model_input import Masked
from handlers.context import Context
from handlers.digests.daily import Daily, digest_of_window
from tests.integration.handlers.llm.day import DAY, EVENING, build
from tests.servers.model import ModelServer
from tests.support.builders import RepositoryBuilder
from tests.support.fakes_model import FakeMemory

KEY = "sk-test-3f9a1c77d2e84b06"


@pytest.fixture(scope="session", autouse=True)
def _imported() -> None:
    """Import the library before a test sets a time limit for a call."""
    importlib.import_module("openai.resources.chat")


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("built") / "project").path


@pytest.fixture
def project(_built: Path, tmp_path: Path) -> RepositoryBuilder:
    """The day's repository; a test may add to it."""
    shutil.copytree(_built, tmp_path / "project")
    return RepositoryBuilder(tmp_path / "project")


@pytest.fixture
def serve() -> Iterator[Callable[..., ModelServer]]:
    with ExitStack() as stack:
        yield lambda *acts, **how: stack.enter_context(ModelServer(*acts, key=KEY, **how))


class Plain:
    """A redactor that finds nothing; that of the program has its own tests."""

    def __call__(self, change: Change, facts: Facts) -> Masked:
        return Masked(change=change, facts=facts, secrets=0)

    def load(self) -> None:
        """Nothing takes long."""


@dataclass
class Bench:
    """One data folder with one model; every call of :meth:`look` is a run of the program."""

    app: Workspace
    project: RepositoryBuilder
    settings: dict[str, Any]
    stack: AsyncExitStack

    async def look(self, *, language: Language = Language.EN, **how: Any) -> Daily:
        return await digest_of_window(await self.context(language=language, **how), DAY)

    async def waited(self, **how: Any) -> tuple[Daily, float]:
        """The day, and the seconds of all pauses that were made on the way, one after the other."""
        sleep, here, pauses = asyncio.sleep, asyncio.get_running_loop(), [0.0]

        async def counted(seconds: float, *given: Any) -> Any:
            if asyncio.get_running_loop() is here:
                pauses.append(seconds)
            return await sleep(seconds, *given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio, "sleep", counted)
            daily = await self.look(**how)
        return daily, sum(pauses)

    async def context(
        self,
        *,
        language: Language = Language.EN,
        privacy: Privacy = Privacy.REDACTED,
        channel: str = "team",
        person: str = "",
        redactor: Any = None,
        fresh: bool = True,
        **settings: Any,
    ) -> Context:
        """A context with a model of its own, as after a restart; ``fresh=False`` shares it."""
        runtime = (
            self.app.runtime if not fresh and self.app.runtime else self._mind(settings, redactor)
        )
        self.app = replace(self.app, runtime=runtime)
        watched = await self.app.watch(str(self.project.path), name="octo/project")
        return self.app.context(
            replace(watched, privacy=privacy),
            zone=ZoneInfo("UTC"),
            language=language,
            judging=self.app.judging(channel, person),
        )

    def _mind(self, settings: dict[str, Any], redactor: Any) -> ModelRuntime:
        config = ModelConfig.model_validate(self.settings | settings)
        ledger = SqlCalls(self.app.database)
        model = ServedModel(
            config,
            OpenAITransport(config),
            ledger,
            budget=CappedBudget(config.caps, ledger, self.app.clock),
            memory=FakeMemory(),
            clock=self.app.clock,
            pauses=Pauses(first=0.02, longest=0.1),
            breaker=Breaker(now),
        )
        self.stack.push_async_callback(model.aclose)
        return ModelRuntime(
            config=config,
            model=model,
            analyses=SqlAnalyses(self.app.database),
            redactor=redactor or Plain(),
        )


@pytest.fixture
async def bench(project: RepositoryBuilder) -> AsyncIterator[Callable[..., Any]]:
    async with AsyncExitStack() as stack:

        async def make(server: ModelServer | str, **settings: Any) -> Bench:
            url = server if isinstance(server, str) else server.url
            given = {
                "name": "m",
                "base_url": url,
                "key": KEY,
                "timeout": 30,
                "digest_patience": 120,
            }
            app = await stack.enter_async_context(open_workspace(clock=FixedClock(EVENING)))
            return Bench(app, project, given | settings, stack)

        yield make
