"""Makes the data behind the pages: repositories, archive, admin data, and histories from git.

Pages are read by strangers, so nothing is cloned or fetched for them, and no more commits are
listed than a page can show. Readers at the machine or signed in can have missing changes read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import structlog
from typing_extensions import override

from bot.config.file_model import WebSettings
from bot.config.reader import Config
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Wake
from bot.git.address import identify, read_address
from bot.store.analyses import SqlCalls
from bot.store.browsing import SqlBrowsing
from bot.store.deliveries import SqlDeliveries, SqlUncertainDeliveries
from bot.subscriptions.channel_registry import ChannelRegistry
from bot.util.machine import SystemClock
from bot.util.page_links import path_of
from bot.web.pages.admin import AdminData
from bot.web.pages.search_page import READING
from bot.web.pages.site import HistorySpan, NotThere, Others, Site, SiteRepository
from bot.workspace.workspace import Workspace
from digest.answer.answers import Answer
from digest.core.change import Change
from digest.core.enums import Language
from digest.core.grade import Graded, Repository
from digest.errors import EmptyRange, RangeTooLarge, UserError
from digest.frozen import frozen
from digest.question.commit_range import Refs, Span
from digest.question.parser import parse
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import fill, tip_of
from handlers.ports.storage import Selection, Tip, Watched
from handlers.questions.scope import range_of
from handlers.router import ask


def configured_site(
    app: Workspace,
    config: Config,
    settings: WebSettings,
    channels: ChannelRegistry,
    wake: Wake | None = None,
) -> Site:
    """The pages of ``digestbot run``: every configured repository, and admin pages."""
    by_name = {one.name: one for one in config.repositories}

    async def opened(shown: SiteRepository) -> Context | None:
        settings = by_name.get(shown.repository.name)
        if settings is None or not app.sources.at_hand(settings.place):
            return None
        return app.context(await app.watch_configured(settings), zone=config.defaults.zone)

    return Site(
        repositories=[shown_of(one) for one in config.repositories],
        archive=app.archive,
        coverage=app.coverage,
        browsing=SqlBrowsing(app.database),
        digests=app.digests,
        requests=app.requests,
        clock=app.clock,
        zone=config.defaults.zone,
        language=config.defaults.language,
        public_url=settings.public_url,
        token=settings.token,
        histories=GitHistories(opened, app.begin, reads=False),
        office=AdminData(
            channels=channels,
            deliveries=SqlDeliveries(app.database),
            doubts=SqlUncertainDeliveries(app.database),
            calls=SqlCalls(app.database),
            clock=SystemClock(),
            config=config,
            wake=wake,
        ),
    )


def alone(app: Workspace, watched: Sequence[Watched], zone: str | None = None) -> Site:
    """The pages of repositories on this machine, for its user, who may see and read everything."""
    by_name = {one.repository.name: one for one in watched}

    async def opened(shown: SiteRepository) -> Context:
        return app.context(by_name[shown.repository.name], zone=app.zone(zone))

    return Site(
        repositories=[
            SiteRepository(
                repository=one.repository,
                private=False,
                branch=one.branch or "",
                thresholds=one.thresholds,
                aliases=one.aliases,
            )
            for one in watched
        ],
        archive=app.archive,
        coverage=app.coverage,
        browsing=SqlBrowsing(app.database),
        digests=app.digests,
        requests=app.requests,
        clock=app.clock,
        zone=app.zone(zone),
        language=app.language(None),
        histories=GitHistories(opened, app.begin, reads=True),
        strangers_read=True,
    )


@frozen
class SiteLinks(Repository):
    """A repository with its changes linked to their pages, and lines of files to patches."""

    @override
    def commit_url(self, sha: str) -> str:
        return path_of(self.name, change=sha[:12])

    @override
    def request_url(self, number: int) -> str:
        return path_of(self.name, change=str(number))

    @override
    def author_url(self, _name: str) -> str:
        return path_of(self.name, author=_name)

    @override
    def file_url(self, sha: str, path: str, line: int) -> str:
        return f"{self.commit_url(sha)}/diff"


def _read_only(question: str, ctx: Context) -> str:
    """The question, or one for help if it does not only read."""
    try:
        intent = parse(question, ctx.clock.now(), ctx.zone)
    except UserError:
        return question  # and the answer says what is wrong with it
    return question if isinstance(intent, READING) else "help"


def shown_of(settings: RepositoryConfig) -> SiteRepository:
    """A configured repository as pages show it. Links are known if its remote's address is."""
    found = Repository(name=settings.name)
    if urlsplit(settings.place).scheme or "@" in settings.place:
        found = identify(read_address(settings.place), folder=settings.name)
    return SiteRepository(
        repository=Repository(
            name=settings.name, web=settings.web or found.web, forge=settings.forge or found.forge
        ),
        private=settings.private,
        branch=settings.branch or "",
        thresholds=settings.levels,
        aliases=settings.aliases,
    )


log = structlog.get_logger(__name__)

MOST = 5000
"""Most commits of a comparison: a second of processor time, and a busy quarter of a project."""

_BRIEFLY = 2.0
"""Seconds that a comparison waits for missing changes before it shows the reading's progress."""

_EVER = Window(
    since=datetime.fromtimestamp(0, UTC),
    until=datetime(9999, 1, 1, tzinfo=UTC),
    zone=ZoneInfo("UTC"),
)

Work = tuple[Context, Selection, Tip]
Opened = Callable[[SiteRepository], Awaitable[Context | None]]
"""The context of a repository, ``None`` if opening it would need another machine."""

Begin = Callable[[Coroutine[Any, Any, Any]], asyncio.Task[Any]]
"""Starts work that goes on after its request."""


@dataclass(slots=True, kw_only=True)
class _Reading:
    """A reading under way, with its progress for readers. Implements ``Progress``."""

    task: asyncio.Future[Any] = field(default_factory=asyncio.Future)
    done: int = 0
    total: int = 0

    def start(self, total: int) -> None:
        self.done, self.total = 0, total

    def advance(self, count: int) -> None:
        self.done += count

    def finish(self) -> None:
        """End the progress."""


class GitHistories:
    """Reads git for the pages: the histories of the repositories on this machine.

    ``reads`` says whether missing changes are read for anyone who asks.
    """

    def __init__(self, opened: Opened, begin: Begin, *, reads: bool) -> None:
        self._opened = opened
        self._start = begin
        self._reads = reads
        self._under_way: dict[str, _Reading] = {}
        self._answers: dict[tuple[str, str, Language, int], _Reading] = {}

    async def stretch(self, shown: SiteRepository, span: Span) -> HistorySpan | None:
        """The commits of a span; ``None`` if the repository is not on this machine.

        Raises ``UserError``, such as ``EmptyRange``, ``RangeTooLarge`` and ``UnknownBranch``.
        """
        if (ctx := await self._opened(shown)) is None:
            return None
        tip = await tip_of(ctx)
        selection: Selection = await range_of(span, ctx, tip) if isinstance(span, Refs) else span
        names = await ctx.watched.source.names(tip, selection)
        if not names:
            raise EmptyRange(*_ends(span), reversed_=False)
        if len(names) > MOST:
            raise RangeTooLarge(len(names), MOST)
        if self._reads:
            await self._read_briefly(shown, ctx, selection, tip)
        return HistorySpan(span=span, names=tuple(names), head=tip.sha or "")

    async def strays(self, shown: SiteRepository, others: Others) -> Sequence[str]:
        """The archived commits that are not on the branch; ``others`` finds those not named.

        Commits that the clone lacks are not among them: it may be shallow.
        """
        with _logged("web.no_branch", shown):
            if (ctx := await self._opened(shown)) is not None:
                tip, source = await tip_of(ctx), ctx.watched.source
                return await source.names(tip, await others(await source.names(tip, _EVER)))
        return ()

    async def releases(self, shown: SiteRepository) -> Sequence[str]:
        """Tags of final releases, newest first; empty if the repository is not on this machine."""
        ctx = await self._opened(shown)
        return [*await ctx.watched.source.releases()] if ctx else ()

    async def released(self, shown: SiteRepository, graded: Graded) -> tuple[str, Sequence[str]]:
        """The first release with a change, empty if none has it, and those with a copy of it."""
        subject = graded.commit.message.partition("\n")[0].strip()
        with _logged("web.no_releases", shown):
            if (ctx := await self._opened(shown)) is not None:
                tip = await tip_of(ctx)
                return await ctx.watched.source.released(tip, graded.sha, subject)
        return "", ()

    async def change(self, shown: SiteRepository, sha: str) -> Change | None:
        """A change with its lines; ``None`` if reading it would need another machine."""
        with _logged("web.no_diff", shown):
            if (ctx := await self._opened(shown)) is not None:
                async for batch in ctx.watched.source.changes(await tip_of(ctx), [sha]):
                    for change in batch:
                        return change
        return None

    async def texts(
        self, shown: SiteRepository, sha: str, paths: Sequence[str]
    ) -> Mapping[str, str]:
        """The files of a commit by path, without those that cannot be read or are no text."""
        with _logged("web.no_texts", shown):
            if (ctx := await self._opened(shown)) is not None:
                found = await ctx.watched.source.contents([(sha, path) for path in paths])
                return {path: text for (_, path), text in found.items()}
        return {}

    def read(self, shown: SiteRepository, span: Span) -> None:
        """Begin to read the part of a span that the archive lacks, unless reading is under way."""
        if self.reading(shown) is None:
            self._begin(shown, partial(self._span, shown, span))

    def reading(self, shown: SiteRepository) -> tuple[int, int] | None:
        """The numbers of changes read and in total (0: unknown); ``None`` if none is read."""
        found = self._under_way.get(shown.repository.name)
        return None if found is None or found.task.done() else (found.done, found.total)

    async def answered(
        self, shown: SiteRepository, question: str, language: Language, page: int, *, briefly: bool
    ) -> Answer | None:
        """A page of the answer to a question, without a model; if there is none, it says why.

        What it needs is read once for all who wait for it. ``None`` while that is being read, if
        the reader asked to wait only ``briefly``.
        """
        name, key = shown.repository.name, (shown.repository.name, question, language, page)
        if (found := self._answers.get(key)) is None:
            found = self._answers[key] = _Reading()
            found.task = self._start(self._answer(shown, question, language, page, found))
        await asyncio.wait({found.task}, timeout=_BRIEFLY if briefly else None)
        if not found.task.done():
            if self.reading(shown) is None:
                self._under_way[name] = found
            return None
        self._answers.pop(key, None)
        result: Answer = found.task.result()
        return result

    async def _answer(
        self, shown: SiteRepository, question: str, language: Language, page: int, reading: _Reading
    ) -> Answer:
        if (ctx := await self._opened(shown)) is None:
            raise NotThere
        links = SiteLinks(name=shown.repository.name, web=ctx.watched.repository.web)
        ctx = replace(
            ctx,
            watched=replace(ctx.watched, repository=links),
            language=language,
            page=page,
            progress=reading,
        )
        return await ask(_read_only(question, ctx), ctx, language)

    async def _span(self, shown: SiteRepository, span: Span) -> Work | None:
        if (ctx := await self._opened(shown)) is None:
            return None
        await ctx.watched.source.sync()
        tip = await tip_of(ctx)
        selection: Selection = await range_of(span, ctx, tip) if isinstance(span, Refs) else span
        return ctx, selection, tip

    async def _read_briefly(
        self, shown: SiteRepository, ctx: Context, selection: Selection, tip: Tip
    ) -> None:
        """Read missing changes; a long reading continues while the reader sees its progress."""
        if self.reading(shown) is None:

            async def known() -> Work:
                return ctx, selection, tip

            self._begin(shown, known)
        await asyncio.wait({self._under_way[shown.repository.name].task}, timeout=_BRIEFLY)

    def _begin(self, shown: SiteRepository, work: Callable[[], Awaitable[Work | None]]) -> None:
        reading = self._under_way[shown.repository.name] = _Reading()
        reading.task = self._start(_fill(work, reading, shown))


@contextmanager
def _logged(event: str, shown: SiteRepository) -> Iterator[None]:
    """Log errors that a user can act on instead of raising them."""
    try:
        yield
    except UserError as error:
        log.warning(event, repository=shown.repository.name, error=str(error))


async def _fill(
    work: Callable[[], Awaitable[Work | None]], progress: _Reading, shown: SiteRepository
) -> None:
    with _logged("web.not_read", shown):
        if (found := await work()) is not None:
            ctx, selection, tip = found
            # A reader waits: what an older version of the program read is good enough.
            await fill(replace(ctx, coarse=True, progress=progress), selection, tip)


def _ends(span: Span) -> tuple[str, str]:
    if isinstance(span, Refs):
        return span.base, span.tip
    since, until = (moment.astimezone(span.zone).date() for moment in (span.since, span.until))
    return since.isoformat(), until.isoformat()
