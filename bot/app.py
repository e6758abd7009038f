"""The composition root: every object of the program is created, connected and closed here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.forges.forge_registry import Forges
from bot.git.open_source import RepositoryRegistry, Sources
from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.chat_records import SqlConversations, SqlProfiles
from bot.store.feedback import SqlWeights
from bot.store.forge_records import SqlPages, SqlRequests
from bot.store.ledger import SqlLedger
from bot.store.sqlite import open_archive
from bot.util.files import Environment, config_file, data_folder
from bot.util.machine import Processes, SystemClock
from bot.workspace.workspace import Workspace
from handlers.ports.storage import Clock

if TYPE_CHECKING:
    from bot.config.model_section import ModelConfig
    from bot.config.reader import Config
    from bot.llm.runtime import ModelRuntime


def configuration(file: Path | None) -> Config | None:
    """The named configuration, or the usual one if it exists. Raises ``InvalidConfig``."""
    usual = file or config_file()
    if file is None and not usual.exists():
        return None
    from bot.config.reader import read

    return read(usual)


def model_settings(config: Config | None) -> ModelConfig | None:
    """The configured model, or else the one named by the environment. Raises ``InvalidConfig``."""
    if config is not None:
        return config.model
    environment = Environment.read()
    if not environment.model:
        return None
    from bot.config.reader import environment_model

    return environment_model(environment)


@asynccontextmanager
async def open_workspace(
    file: Path | None = None, clock: Clock | None = None, *, logging: bool = False
) -> AsyncIterator[Workspace]:
    """The program, open during the block.

    ``logging`` says that this is a service, whose logs are set up already and whose indexes are
    rebuilt beside its work; without it the model's events are logged to a file. Raises
    ``InvalidConfig``, ``UnwritableFolder``, ``NewerArchive``, ``BrokenArchive`` and
    ``UnreachableDatabase``.
    """
    config = configuration(file)
    settings = model_settings(config)
    data = config.data if config else data_folder()
    url = config.database_url if config else Environment.read().database
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_archive(data, url))
        archive = SqlArchive(database, beside=logging)
        stack.push_async_callback(archive.aclose)
        workers = Processes()
        stack.callback(workers.close)
        clock = clock or SystemClock()
        known = config.forges if config else {}
        forges = Forges(known, SystemClock(), SqlPages(database, SystemClock()))
        stack.push_async_callback(forges.aclose)
        app = Workspace(
            config=config,
            data=data,
            database=database,
            archive=archive,
            coverage=SqlCoverage(database),
            ledger=SqlLedger(database),
            conversations=SqlConversations(database),
            profiles=SqlProfiles(database),
            clock=clock,
            places=RepositoryRegistry(data),
            sources=Sources(data),
            workers=workers,
            forges=forges,
            requests=SqlRequests(database),
            weights=SqlWeights(database),
        )
        if settings is not None:
            app = replace(app, runtime=_runtime(settings, app, stack, logging=logging))
        stack.push_async_callback(app.end_work)
        yield app


def _runtime(
    settings: ModelConfig, app: Workspace, stack: AsyncExitStack, *, logging: bool
) -> ModelRuntime:
    """The model, closed with the stack; its events are logged to the file of crashes."""
    from bot.llm.runtime import open_runtime
    from bot.telemetry.logs import LOG, into_file

    if not logging:
        secrets = app.config.secrets() if app.config else settings.secrets()
        stack.enter_context(into_file(app.data / LOG, secrets))
    runtime = open_runtime(settings, app.database, app.clock, app.data)
    stack.push_async_callback(runtime.aclose)
    return runtime
