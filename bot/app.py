"""The composition root: every object of the program is made, joined and closed here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.folders import Environment, config_file, data_folder
from bot.forges.opening import Forges
from bot.places import Places
from bot.posting.announcing import KeptAnnouncements
from bot.sources.opening import open_source
from bot.sources.pool import Sources
from bot.store.archive import SqlArchive
from bot.store.conversations import SqlConversations
from bot.store.coverage import SqlCoverage
from bot.store.digests import SqlDigests
from bot.store.engine import Database, open_archive
from bot.store.ledger import SqlLedger
from bot.store.pages import SqlPages
from bot.store.profiles import SqlProfiles
from bot.store.requests import SqlRequests
from bot.times.clock import SystemClock
from bot.workers import Processes
from digest.errors import AmbiguousRepository, NotARepository, UserError
from digest.graded import Repository
from digest.language import Language
from digest.naming import called
from digest.window import zone_of
from handlers.context import Context, Silent
from handlers.ports import Clock, Progress
from handlers.watched import Watched

if TYPE_CHECKING:
    from bot.config.reading import Config
    from bot.config.sections import RepositoryConfig
    from bot.mind import Mind
    from bot.models.config import ModelConfig
    from handlers.judgement import Judging, Listener
    from handlers.profiling import Usage

_OWN_CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """Everything that a command or the loop of ``digestbot run`` works with.

    ``mind`` is the model with what belongs to it, where one is configured.
    """

    config: Config | None
    data: Path
    database: Database
    archive: SqlArchive
    coverage: SqlCoverage
    ledger: SqlLedger
    digests: SqlDigests
    conversations: SqlConversations
    profiles: SqlProfiles
    clock: Clock
    places: Places
    sources: Sources
    workers: Processes
    forges: Forges
    requests: SqlRequests
    mind: Mind | None = None

    async def watch(
        self, place: str | None, *, name: str | None = None, branch: str | None = None
    ) -> Watched:
        """A repository by folder, address or configured name, with its settings.

        Without a place it is the first configured one, this folder's, or the one used last.
        Raises ``NotARepository``, ``UserError``.
        """
        configured = self._configured(place)
        if configured is not None:
            return await self.watch_configured(configured, branch=branch)
        if place is None:
            return await self._watch_default(branch)
        return await self._open(place, name=name, branch=branch)

    async def watch_configured(
        self, settings: RepositoryConfig, *, branch: str | None = None
    ) -> Watched:
        """A repository of the configuration, under the name and with the settings it has there."""
        found, source = await self.sources.open(settings.place)
        repository = Repository(
            name=settings.name,
            web=settings.web or found.web,
            forge=settings.forge or found.forge,
        )
        self.places.note(settings.place, repository)
        return Watched(
            repository=repository,
            source=source,
            branch=branch or settings.branch,
            thresholds=settings.levels,
            aliases=settings.aliases,
            privacy=settings.privacy,
            forge=self.forges.of(repository),
        )

    async def _watch_default(self, branch: str | None) -> Watched:
        if self.config and self.config.repositories:
            return await self.watch_configured(self.config.repositories[0], branch=branch)
        here = str(Path.cwd())
        last = self.places.last()
        # In the program's own checkout a question is about what was looked at last.
        places = (last, here) if Path.cwd() == _OWN_CHECKOUT else (here, last)
        for place in filter(None, places):
            try:
                return await self._open(place, branch=branch)
            except NotARepository:
                continue
        raise UserError(
            "no repository is named, configured or here; "
            "name one with --repo, or run this inside a clone"
        )

    async def _open(
        self, place: str, *, name: str | None = None, branch: str | None = None
    ) -> Watched:
        key = _canonical(place)
        known = self.places.name_of(key)
        # A name that was once given holds until another is given.
        given = name or (known if known and "/" in known else None)
        repository, source = await open_source(place, self.data, name=given)
        repository = self.places.enter(key, repository)
        forge = self.forges.of(repository)
        return Watched(repository=repository, source=source, branch=branch, forge=forge)

    def _configured(self, place: str | None) -> RepositoryConfig | None:
        if place is None or self.config is None:
            return None
        known = {place, str(Path(place).absolute())}
        of = self.config.repositories
        found = next((r for r in of if r.name == place or r.place in known), None)
        if found is not None or Path(place).exists():
            return found
        fit = called(place, [one.name for one in of])
        if len(fit) > 1:
            raise AmbiguousRepository(fit)
        return next((one for one in of if one.name in fit), None)

    def context(
        self,
        watched: Watched,
        *,
        zone: ZoneInfo,
        language: Language = Language.EN,
        progress: Progress | None = None,
        judging: Judging | None = None,
        usage: Usage | None = None,
    ) -> Context:
        """What a use case is given for one repository and one asker, who is shown pages."""
        return Context(
            watched=watched,
            archive=self.archive,
            coverage=self.coverage,
            clock=self.clock,
            zone=zone,
            language=language,
            progress=progress or Silent(),
            workers=self.workers,
            every=False,
            judging=judging,
            conversations=self.conversations,
            profiles=self.profiles,
            usage=usage,
            requests=self.requests,
            announcements=self.announcements(),
        )

    def announcements(self) -> KeptAnnouncements:
        """Which digest told of a change, with its page where the web server has an address."""
        web = self.config.web if self.config else None
        return KeptAnnouncements(self.digests, web.public_url if web else "")

    def judging(
        self, channel: str, person: str = "", listener: Listener | None = None
    ) -> Judging | None:
        """What lets a context ask the model on somebody's account; ``None`` without a model."""
        return self.mind.judging(channel, person, listener) if self.mind else None

    def zone(self, name: str | None) -> ZoneInfo:
        """The zone by name, else the configured one, else this machine's.

        Raises ``UnknownZone``.
        """
        if name:
            return zone_of(name)
        return self.config.defaults.zone if self.config else local_zone()

    def language(self, asked: Language | None) -> Language:
        """The language asked for, else the configured one."""
        return asked or (self.config.defaults.language if self.config else Language.EN)

    def at(self, clock: Clock) -> App:
        """The same program at another time."""
        return replace(self, clock=clock)


def _canonical(place: str) -> str:
    """One spelling for each place: a folder's full path, an address as it is."""
    folder = Path(place).expanduser()
    return str(folder.resolve()) if folder.exists() else place


def local_zone() -> ZoneInfo:
    """This machine's zone, UTC where it cannot be told."""
    import tzlocal

    try:
        return ZoneInfo(tzlocal.get_localzone_name())
    except (LookupError, OSError, ValueError):
        return ZoneInfo("UTC")


def configuration(file: Path | None) -> Config | None:
    """The configuration that is named, or the one at its usual place, where there is one.

    Raises ``InvalidConfig``.
    """
    usual = file or config_file()
    if file is None and not usual.exists():
        return None
    from bot.config.reading import read

    return read(usual)


def model_settings(config: Config | None) -> ModelConfig | None:
    """The configured model, else the one that the environment names. Raises ``InvalidConfig``."""
    if config is not None:
        return config.model
    environment = Environment.read()
    if not environment.model:
        return None
    from bot.config.reading import environment_model

    return environment_model(environment)


@asynccontextmanager
async def opened(
    file: Path | None = None, clock: Clock | None = None, *, logging: bool = False
) -> AsyncIterator[App]:
    """The program, open for as long as the block lasts.

    ``logging`` says that logs are set up already; without it what a model meets goes to a file.
    Raises ``InvalidConfig``, ``UnwritableFolder``, ``NewerArchive``, ``BrokenArchive``
    and ``UnreachableDatabase``.
    """
    config = configuration(file)
    settings = model_settings(config)
    data = config.data if config else data_folder()
    url = config.database_url if config else Environment.read().database
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(await open_archive(data, url))
        workers = Processes()
        stack.callback(workers.close)
        clock = clock or SystemClock()
        known = config.forges if config else {}
        forges = Forges(known, SystemClock(), SqlPages(database, SystemClock()))
        stack.push_async_callback(forges.aclose)
        app = App(
            config=config,
            data=data,
            database=database,
            archive=SqlArchive(database),
            coverage=SqlCoverage(database),
            ledger=SqlLedger(database),
            digests=SqlDigests(database),
            conversations=SqlConversations(database),
            profiles=SqlProfiles(database),
            clock=clock,
            places=Places(data),
            sources=Sources(data),
            workers=workers,
            forges=forges,
            requests=SqlRequests(database),
        )
        if settings is not None:
            app = replace(app, mind=_mind(settings, app, stack, logging=logging))
        yield app


def _mind(settings: ModelConfig, app: App, stack: AsyncExitStack, *, logging: bool) -> Mind:
    """The model, closed with the stack; what it meets is logged to the file that crashes are in."""
    from bot.mind import open_mind
    from bot.watching.crash import LOG
    from bot.watching.logs import into_file

    if not logging:
        secrets = app.config.secrets() if app.config else settings.secrets()
        stack.enter_context(into_file(app.data / LOG, secrets))
    mind = open_mind(settings, app.database, app.clock, app.data)
    stack.push_async_callback(mind.aclose)
    return mind
