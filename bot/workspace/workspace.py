"""The opened program, the lookup of digests that showed a change, and usages of packages."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import date
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bot.forges.forge_registry import Forges
from bot.git.open_source import RepositoryRegistry, Sources, open_source
from bot.store.archive import SqlArchive, SqlCoverage
from bot.store.chat_records import SqlConversations, SqlProfiles
from bot.store.database import Database
from bot.store.feedback import SqlWeights
from bot.store.forge_records import SqlRequests
from bot.store.ledger import SqlLedger
from bot.util.machine import Processes
from bot.util.page_links import page_of_digest
from digest.core.enums import Language
from digest.core.grade import Graded, Repository, Thresholds
from digest.core.profile import InvalidEntry, ProfileEntry, patched_file
from digest.errors import AmbiguousRepository, NotARepository, UserError
from digest.frozen import frozen
from digest.grading.policy import GradingPolicy
from digest.question.repository_names import match_names
from digest.window import zone_of
from handlers.context import Context, Silent
from handlers.ports.storage import Clock, Progress, Source, Tip, Watched

if TYPE_CHECKING:
    from bot.config.reader import Config
    from bot.config.repository_section import RepositoryConfig
    from bot.llm.runtime import ModelRuntime
    from bot.store.digests import DigestHeading, SqlDigests
    from handlers.ports.analysis_port import Judging, Listener
    from handlers.ports.chat_port import Usage
    from handlers.ports.status_port import Announced

_OWN_CHECKOUT = Path(__file__).resolve().parent.parent


@frozen
class Workspace:
    """Everything that a command or the loop works with; ``runtime`` is the model's, if any."""

    config: Config | None
    data: Path
    database: Database
    archive: SqlArchive
    coverage: SqlCoverage
    ledger: SqlLedger
    conversations: SqlConversations
    profiles: SqlProfiles
    clock: Clock
    places: RepositoryRegistry
    sources: Sources
    workers: Processes
    forges: Forges
    requests: SqlRequests
    weights: SqlWeights
    runtime: ModelRuntime | None = None
    _begun: set[asyncio.Task[Any]] = field(default_factory=set)

    def begin(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start work that nobody waits for and that ends, or is cancelled, before the archive."""
        task = asyncio.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        return task

    async def end_work(self) -> None:
        """Cancel what was begun and is not done: it may hold a connection of the archive."""
        under_way = list(self._begun)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    @property
    def digests(self) -> SqlDigests:
        """The stored digests, which most commands do not need."""
        from bot.store.digests import SqlDigests

        return SqlDigests(self.database)

    async def watch(
        self, place: str | None, *, name: str | None = None, branch: str | None = None
    ) -> Watched:
        """A repository by folder, address or configured name, with its settings.

        Without a place it is the first configured one, this folder's, or the one used last. Raises
        ``NotARepository``, ``UserError``.
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
        """A repository of the configuration, under its name and with its settings there."""
        found, source = await self.sources.open(settings.place)
        repository = Repository(
            name=settings.name, web=settings.web or found.web, forge=settings.forge or found.forge
        )
        self.places.note(settings.place, repository)
        return Watched(
            repository=repository,
            source=source,
            branch=branch or settings.branch,
            grading=await self._grading(repository, settings.levels),
            aliases=settings.aliases,
            privacy=settings.privacy,
            forge=self.forges.of(repository),
            place=settings.place,
            descriptions=settings.descriptions,
        )

    async def _watch_default(self, branch: str | None) -> Watched:
        if self.config and self.config.repositories:
            return await self.watch_configured(self.config.repositories[0], branch=branch)
        here = str(Path.cwd())
        last = self.places.last()
        # In the program's own checkout a question is about the repository used last.
        places = (last, here) if Path.cwd() == _OWN_CHECKOUT else (here, last)
        for place in filter(None, places):
            try:
                return await self._open(place, branch=branch)
            except NotARepository:
                continue
        raise UserError("no repository given; use --repo, or run this inside a clone")

    async def _open(
        self, place: str, *, name: str | None = None, branch: str | None = None
    ) -> Watched:
        key = _canonical(place)
        known = self.places.name_of(key)
        # A name given once stays until another is given.
        given = name or (known if known and "/" in known else None)
        repository, source = await open_source(place, self.data, name=given)
        if known and not name and "/" not in repository.name:
            repository = replace(repository, name=known)  # its archive has that name
        repository = self.places.enter(key, repository)
        forge = self.forges.of(repository)
        return Watched(
            repository=repository,
            source=source,
            branch=branch,
            forge=forge,
            place=place,
            grading=await self._grading(repository),
        )

    async def _grading(
        self, repository: Repository, thresholds: Thresholds | None = None
    ) -> GradingPolicy:
        """How changes are graded: by the file's thresholds and rules, and what the past taught."""
        rules = self.config.grading.rule if self.config else ()
        return GradingPolicy(
            thresholds=thresholds,
            rules=tuple(settings.rule for settings in rules),
            local=tuple(await self.weights.recent(repository)) if self._learns else (),
        )

    def _configured(self, place: str | None) -> RepositoryConfig | None:
        if place is None or self.config is None:
            return None
        known = {place, str(Path(place).absolute())}
        of = self.config.repositories
        configured = next((r for r in of if r.name == place or r.place in known), None)
        if configured is not None or Path(place).exists():
            return configured
        fit = match_names(place, [one.name for one in of])
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
        """The context of a use case for one repository and one asker."""
        return Context(
            watched=watched,
            archive=self.archive,
            coverage=self.coverage,
            clock=self.clock,
            zone=zone,
            language=language,
            progress=progress or Silent(),
            workers=self.workers,
            cpu_clock=time.thread_time,
            every=False,
            judging=judging,
            conversations=self.conversations,
            profiles=self.profiles,
            usage=usage,
            requests=self.requests,
            weights=self.weights if self._learns else None,
            announcements=self,
        )

    @property
    def _learns(self) -> bool:
        """Whether the past of a repository may teach weights for it."""
        return self.config is None or self.config.grading.learn

    async def announced(
        self, repository: Repository, change: Graded, language: Language
    ) -> Announced | None:
        """The first digest that showed a change, with its page. Raises ``BrokenArchive``."""
        from handlers.ports.status_port import Announced

        committed_at = change.commit.committed_at
        heading = await self.digests.announced(repository.name, change.sha, committed_at)
        if heading is None:
            return None
        page = page_of_digest(self.web_of(repository.name), heading.mark, str(language))
        return Announced(day=day_of(heading), page=page)

    async def beside(self, repository: Repository, change: Graded) -> Sequence[str]:
        """The commits of the first digest that covered a change. Raises ``BrokenArchive``."""
        committed_at = change.commit.committed_at
        return await self.digests.covered_with(repository.name, change.sha, committed_at)

    def web_of(self, repository: str) -> str:
        """The public address of a repository's pages; empty if nobody could open them."""
        if self.config is None or self.config.web is None:
            return ""
        web = self.config.web
        hidden = any(
            configured.private
            for configured in self.config.repositories
            if configured.name == repository
        )
        return "" if hidden and web.token is None else web.public_url

    def judging(
        self, channel: str, person: str = "", listener: Listener | None = None
    ) -> Judging | None:
        """Lets a context ask the model on an account; ``None`` without a model."""
        return self.runtime.judging(channel, person, listener) if self.runtime else None

    def zone(self, name: str | None) -> ZoneInfo:
        """The zone of that name, the configured one, or this machine's. Raises ``UnknownZone``."""
        if name:
            return zone_of(name)
        return self.config.defaults.zone if self.config else local_zone()

    def language(self, asked: Language | None) -> Language:
        """The language asked for, otherwise the configured one."""
        return asked or (self.config.defaults.language if self.config else Language.EN)

    def at(self, clock: Clock) -> Workspace:
        """The same program with another clock."""
        return replace(self, clock=clock)


def _canonical(place: str) -> str:
    """One spelling for each place: a folder's full path, an address as it is."""
    folder = Path(place).expanduser()
    return str(folder.resolve()) if folder.exists() else place


_LINK = Path("/etc/localtime")


def local_zone() -> ZoneInfo:
    """This machine's zone; UTC if it is unknown."""
    try:
        # Most systems have a link to it; ``tzlocal`` knows the rest, but imports fifteen modules.
        if "TZ" not in os.environ and (name := str(_LINK.resolve()).partition("/zoneinfo/")[2]):
            return ZoneInfo(name)
        import tzlocal

        return ZoneInfo(tzlocal.get_localzone_name())
    except (LookupError, OSError, ValueError):
        return ZoneInfo("UTC")


def day_of(heading: DigestHeading) -> date:
    """The day that a digest is about: the first of its window."""
    return heading.window.since.astimezone(heading.window.zone).date()


_CODE = frozenset({".py", ".pyi", ".rs", ".go", ".js", ".mjs", ".ts", ".tsx", ".java", ".tf"})
_SETTINGS = frozenset({".sh", ".bash", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".env"})
_NAMED = ("Dockerfile", "Containerfile", "Makefile", "Procfile")
_MOST_FILES = 5_000
_AT_ONCE = 200


def places_of(app: Workspace) -> dict[str, str]:
    """The places of the configured repositories, by name."""
    configured = app.config.repositories if app.config else ()
    return {repository.name: repository.place for repository in configured}


class Usages:
    """Reads usages for profiles; implements ``Usage``. ``anywhere`` is for the terminal."""

    # For people in chats only configured names are read: otherwise they could make this machine
    # fetch whatever they name.

    def __init__(self, data: Path, known: dict[str, str], *, anywhere: bool = False) -> None:
        """``known`` are the places of configured repositories, by name."""
        self._data = data
        self._known = known
        self._anywhere = anywhere

    async def __call__(
        self, place: str, packages: frozenset[str], upstream: Source, tip: Tip
    ) -> frozenset[ProfileEntry]:
        """What the code at a place uses of packages. Raises ``UserError`` for an unknown place.

        Of a fork of ``upstream`` it is what its own files use, and the files that it changes.
        """
        if place not in self._known and not self._anywhere:
            names = ", ".join(sorted(self._known)) or "none"
            raise UserError(f"{place} is not configured; configured repositories: {names}")
        _, source = await open_source(self._known.get(place, place), self._data)
        await source.sync()
        own = await source.tip(None)
        files, base = await source.files(own), await _forked_from(source, own, upstream, tip)
        before = await source.files(replace(own, sha=base)) if base else {}
        chosen = [blob for path, blob in files.items() if path not in before and _is_code(path)]
        chosen = chosen[:_MOST_FILES]
        entries: set[ProfileEntry] = set()
        patched = [path for path, blob in before.items() if files.get(path) != blob]
        for file in await source.difference(base, own.sha or "", patched) if patched else ():
            with suppress(InvalidEntry):
                known = "" if file.omitted else base
                entries.add(patched_file(file.old_path or file.path, known, file.old_runs))
        for some in (chosen[start : start + _AT_ONCE] for start in range(0, len(chosen), _AT_ONCE)):
            texts = await source.texts(some)
            entries |= await asyncio.to_thread(_used, texts.values(), packages)
        return frozenset(entries)


async def _forked_from(source: Source, own: Tip, upstream: Source, tip: Tip) -> str:
    """The newest commit of upstream's mainline that a fork has; empty without one."""
    mainline = [sha for sha, _ in await upstream.log(tip, mainline=True)]
    newest, end = 0, len(mainline)
    while newest < end and own.sha is not None:
        middle = (newest + end) // 2
        if await source.is_ancestor(mainline[middle], own.sha):
            end = middle
        else:
            newest = middle + 1
    return mainline[newest] if newest < len(mainline) else ""


def _is_code(path: str) -> bool:
    name = PurePosixPath(path).name
    return PurePosixPath(path).suffix.lower() in _CODE | _SETTINGS or name.startswith(_NAMED)


def _used(texts: Collection[str], packages: frozenset[str]) -> set[ProfileEntry]:
    from digest.impact.impact_rules import find_usage

    return {entry for text in texts for entry in find_usage(text, packages)}
