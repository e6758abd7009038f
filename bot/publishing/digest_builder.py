"""Builds digests: one edition for all channels with the same content.

However many channels and processes want a repository at an instant, git is read once, every change
is graded and analysed once for each language, and a document is laid out once for each level that
is shown. Full reports are also written as Markdown files.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Hashable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

from bot.delivery.payload import freeze
from bot.scheduler.schedule import Slot
from bot.store.digests import DigestHeading, KeptDigest
from bot.util.files import write_whole
from bot.util.locks import Leases, turn
from bot.util.tracing import span
from bot.workspace.workspace import Workspace
from digest.chat.chat_settings import PLAIN, RuleField, still_muted
from digest.core.enums import Frequency
from digest.core.grade import Level, Repository
from digest.errors import UnknownBranch
from digest.frozen import frozen
from digest.markdown import markdown
from digest.report.condensed import details_document, digest_document, shown_entries
from digest.report.full_report import report_document
from digest.report.roll_up import roll_up_document
from digest.topics.matching import Resolved
from digest.window import Window, span_of
from handlers.digests.daily import Daily, digest_since, filter_daily, shown_from, topics_of
from handlers.digests.ingest import Labels, labels_of, owners_of
from handlers.ports.storage import Source, Tip, Watched

if TYPE_CHECKING:
    from bot.config.repository_section import RepositoryConfig
    from bot.subscriptions.channel_registry import Subscription
    from handlers.ports.analysis_port import Judging

T = TypeVar("T")
_COUNTS = ("total", "high", "medium", "low")

_EDITIONS, _AT_ONCE = 256, 8
"""Editions that are cached, each some 50 kB; those that are read and analysed at a time."""


class SingleFlight:
    """Results by key: concurrent callers wait for one computation, later ones get its result."""

    # A key must include all that the result depends on. The last ``most`` finished results are
    # kept; a failure reaches those who wait, and is not kept.

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """The result of a key, computed by the first caller. Raises what ``make`` raises."""
        task: asyncio.Task[T] | None = self._made.get(key)
        if task is None or task.cancelled():
            task = asyncio.ensure_future(make())
            self._made[key] = task
            task.add_done_callback(lambda done: self._forget_old(key, done))
        self._made.move_to_end(key)
        # Shielded: cancelling one caller does not affect the others.
        return await asyncio.shield(task)

    def _forget_old(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        if (task.cancelled() or task.exception() is not None) and self._made.get(key) is task:
            del self._made[key]
        finished = [key for key, made in self._made.items() if made.done()]
        for old in finished[: -self._most]:
            del self._made[old]


def keep_report(folder: Path, daily: Daily, variant: str = "") -> Path:
    """Write the full report, named by repository, window, ``variant`` and language."""
    report = daily.report
    name = ".".join(filter(None, (_stem(report.window), variant, str(report.language), "md")))
    file = folder / slug(report.repository) / name
    write_whole(file, markdown(report_document(report, report.language)))
    return file


def aside(branch: str, window: Window, usual: str, zone: ZoneInfo) -> str:
    """Marks a report of another branch or time zone than the usual one; empty for the usual."""
    parts = [branch] if usual and branch != usual else []
    if window.zone.key != zone.key:
        parts.append(window.zone.key)
    return ".".join(re.sub(r"[^\w.+-]+", "_", part).strip("._") for part in parts)


async def usual_branch(source: Source) -> str:
    """The repository's default branch; empty if it is on none."""
    try:
        return (await source.tip()).branch
    except UnknownBranch:
        return ""


def slug(repository: Repository) -> str:
    """The repository's name as a folder name: letters, digits, dot, dash, underscore."""
    return re.sub(r"[^\w.-]+", "_", repository.name).strip(".") or "repository"


def _stem(window: Window) -> str:
    return re.sub(r"[^\w.+-]+", "_", span_of(window)).strip("_")


@frozen
class _Read:
    watched: Watched
    tip: Tip
    branch: str  # the default branch of the repository


class DigestBuilder:
    """Builds editions."""

    def __init__(self, app: Workspace, leases: Leases | None = None) -> None:
        """``leases`` are shared by all building processes; ``None`` if there is only one."""
        self._app = app
        self._leases = leases
        # Channels come in any order: an edition is kept until the last of them had it.
        self._reads = SingleFlight(_EDITIONS)
        self._dailies = SingleFlight(16)
        self._made = SingleFlight(_EDITIONS)
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def edition(
        self,
        channel: Subscription,
        settings: RepositoryConfig,
        slot: Slot,
        window: Window,
        judging: Judging | None,
        *,
        earlier: Collection[str] = (),
    ) -> KeptDigest:
        """The edition of a repository for a channel in a slot: a digest without a name.

        ``judging`` is the account that pays for the model if this channel is the first to want the
        edition; ``earlier`` are commits of the slot's digests of other branches. Raises
        ``SourceUnavailable``.
        """
        place = (settings.name, settings.branch, slot.at)
        read = await self._reads.get(place, lambda: self._read(settings, slot))
        tip, repository = read.tip, read.watched.repository
        seen = await self._app.coverage.seen(repository, tip.branch, channel.name)
        content = (settings.name, tip, seen, window, channel.language)
        daily = partial(
            self._dailies.get, content, lambda: self._daily(read, seen, window, channel, judging)
        )
        folder = channel.output or self._app.data / "reports"
        topics = still_muted(channel.muted, channel.muted_until, slot.at)
        # Nothing is read or analysed for an edition that was made before, unless topics are muted:
        # they may come with its changes.
        by_label = channel.muted or channel.filters.by(RuleField.LABEL)
        labels = await self._labels(await daily()) if by_label else {}
        filters = channel.filters
        if filters.by(RuleField.OWNER):
            filters = replace(filters, owners=await owners_of(read.watched, tip))
        if settings.branches:
            shas = [outcome.sha for outcome in (await daily()).outcomes]
            told = await self._app.coverage.told(repository, tip.branch, channel.name, shas)
            filters = replace(filters, told=tuple(sorted(told.union(earlier).intersection(shas))))
        channel = replace(channel, filters=filters)
        muted = await topics_of(self._app.archive, read.watched, topics)
        variant = self._variant(channel, topics, window, read)
        form = (
            *(
                content,
                variant,
                channel.spec.kind,
                channel.least,
                folder,
                self._reads_files(channel),
            ),
            *(channel.filters, muted, tuple(sorted(labels.items()))),
        )

        async def make() -> KeptDigest:
            found = await daily()
            apart = bool(read.branch) and tip.branch != read.branch
            found = replace(found, report=replace(found.report, apart=apart))
            return await self._lay_out(found, channel, folder, muted, labels, variant=variant)

        return await self._made.get(form, make)

    async def _labels(self, daily: Daily) -> Labels:
        report = daily.report
        changes = (entry.graded for entry in report.entries)
        return await labels_of(self._app.requests, report.repository, changes)

    def _reads_files(self, channel: Subscription) -> bool:
        """Whether the channel's readers use this machine."""
        accounts = self._app.config.platforms if self._app.config else {}
        account = accounts.get(channel.platform)
        return account is not None and account.kind == "console"

    def _variant(
        self, channel: Subscription, topics: Sequence[str], window: Window, read: _Read
    ) -> str:
        """What distinguishes a channel's report from the usual one, or empty."""
        usual = self._app.config.defaults.least if self._app.config else Level.HIGH
        parts = [aside(read.tip.branch, window, read.branch, self._app.zone(None))]
        parts += [f"from-{channel.least}"] if channel.least is not usual else []
        if channel.filters != PLAIN or topics:
            chosen = repr((channel.filters, tuple(topics))).encode()
            parts.append(hashlib.sha256(chosen).hexdigest()[:12])
        return ".".join(filter(None, parts))

    async def _read(self, settings: RepositoryConfig, slot: Slot) -> _Read:
        watched = await self._app.watch_configured(settings)
        with span("fetch", repository=settings.name):
            await watched.source.sync(slot.at)
        tip, branch = await watched.source.tip(watched.branch), await usual_branch(watched.source)
        return _Read(watched=watched, tip=tip, branch=branch)

    async def _daily(
        self,
        read: _Read,
        seen: str | None,
        window: Window,
        channel: Subscription,
        judging: Judging | None,
    ) -> Daily:
        ctx = self._app.context(
            read.watched, zone=window.zone, language=channel.language, judging=judging
        )
        name = read.watched.repository.name
        async with self._places, AsyncExitStack() as stack:
            if self._leases is not None:
                subject = f"analyse\0{name}\0{read.tip.sha}\0{channel.language}"
                await stack.enter_async_context(turn(self._leases, subject))
            with span("analyse", repository=name):
                return await digest_since(ctx, read.tip, seen, window)

    async def _lay_out(
        self,
        daily: Daily,
        channel: Subscription,
        folder: Path,
        muted: Sequence[tuple[str, Resolved]],
        labels: Labels,
        *,
        variant: str,
    ) -> KeptDigest:
        # Imports all kinds of questions, for which a digest on the command line would wait.
        from digest.answer.buttons import explaining, with_buttons

        now = self._app.clock.now()

        def work() -> KeptDigest:
            ours = shown_from(filter_daily(daily, channel.filters, muted, labels), channel.least)
            report, counts = ours.report, ours.report.counts
            where = keep_report(folder, ours, variant)
            daily_one = channel.spec.kind is Frequency.DAILY
            lay_out = digest_document if daily_one else roll_up_document
            # A path is useful on this machine only; a digest that has a page links to it.
            here = self._reads_files(channel) and not self._app.web_of(report.repository.name)
            shown_path = str(where) if here else ""
            document = lay_out(report, report.language, shown_path, least=channel.least)
            listed = [entry.graded for entry in shown_entries(report, channel.least)]
            document = with_buttons(document, explaining(listed, report.language))
            details = details_document(report, report.language, least=channel.least)
            return KeptDigest(
                heading=DigestHeading(
                    name="",
                    repository=report.repository.name,
                    branch=report.branch,
                    window=report.window,
                    created_at=now,
                    counts={name: getattr(counts, name) for name in _COUNTS},
                ),
                document=freeze(document, (), details=details),
                markdown=markdown(report_document(report, report.language)),
                tip=ours.tip.sha or "",
                outcomes=ours.outcomes,
            )

        return await asyncio.to_thread(work)
