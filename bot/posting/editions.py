"""Digests as they are made: one edition for all channels that get the same.

However many channels want a repository at an instant, git is asked once, every change is graded
and judged once for each language, and a document is laid out once for each level that is shown.
Where several processes want it, one grades and judges; the others wait, and find it archived.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import App
from bot.config.sections import RepositoryConfig
from bot.lease import Leases, turn
from bot.posting.frozen import freeze
from bot.posting.reports import aside, keep_report, usual_branch
from bot.posting.sharing import Shared
from bot.store.digests import Heading, KeptDigest
from bot.subscriptions.subscription import Subscription
from bot.times.schedule import Kind, Slot
from bot.watching.tracing import span
from digest.buttons import explaining, with_buttons
from digest.filtering import PLAIN, Field
from digest.grade import Level
from digest.markdown import markdown
from digest.match import Resolved
from digest.report import digest_document, report_document, shown, weekly_document
from digest.report.details import details_document
from digest.window import Window
from handlers.daily import Daily, come, shown_from
from handlers.labelling import Labels, labels_of
from handlers.ports import Tip
from handlers.sifting import sifted, topics_of
from handlers.watched import Watched

if TYPE_CHECKING:
    from handlers.judgement import Judging


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A digest but for its name, which is each channel's own."""

    kept: KeptDigest

    def named(self, name: str) -> KeptDigest:
        """It as one channel's."""
        return replace(self.kept, heading=replace(self.kept.heading, name=name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A repository as it stands at a slot."""

    watched: Watched
    tip: Tip
    branch: str
    """The usual one of the repository."""


class Editions:
    """Makes editions."""

    def __init__(self, app: App, leases: Leases | None = None) -> None:
        """``leases`` are those of all processes that make editions; without them it is alone."""
        self._app = app
        self._leases = leases
        self._reads = Shared(64)
        self._dailies = Shared(16)
        self._made = Shared(32)

    async def edition(
        self,
        channel: Subscription,
        settings: RepositoryConfig,
        slot: Slot,
        window: Window,
        judging: Judging | None,
    ) -> Edition:
        """What a channel gets of a repository in a slot.

        ``judging`` is on whose account a model is asked, if this channel is the first to want it.
        Raises ``SourceUnavailable``.
        """
        place = (settings.name, settings.branch, slot.at)
        read = await self._reads.get(place, lambda: self._read(settings, slot))
        tip, repository = read.tip, read.watched.repository
        seen = await self._app.coverage.seen(repository, tip.branch, channel.name)
        content = (settings.name, tip, seen, window, channel.language)
        daily = await self._dailies.get(
            content, lambda: self._daily(read, seen, window, channel, judging)
        )
        folder = channel.output or self._app.data / "reports"
        muted = await topics_of(self._app.archive, read.watched, channel.muted)
        labels = await self._labels(daily, channel)
        variant = self._variant(channel, daily, read.branch)
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
        return await self._made.get(
            form, lambda: self._lay_out(daily, channel, folder, muted, labels, variant=variant)
        )

    async def _labels(self, daily: Daily, channel: Subscription) -> Labels:
        """What the forge calls the changes, where the channel's choice may rest on that."""
        if not (channel.muted or channel.filters.by(Field.LABEL)):
            return {}
        report = daily.report
        changes = (entry.graded for entry in report.entries)
        return await labels_of(self._app.requests, report.repository, changes)

    def _reads_files(self, channel: Subscription) -> bool:
        """Whether those who read the channel sit at this machine."""
        accounts = self._app.config.platforms if self._app.config else {}
        account = accounts.get(channel.platform)
        return account is not None and account.kind == "console"

    def _variant(self, channel: Subscription, daily: Daily, branch: str) -> str:
        """What tells a channel's report from the usual one; empty where it is the usual one."""
        usual = self._app.config.defaults.least if self._app.config else Level.HIGH
        parts = [aside(daily.report, branch, self._app.zone(None))]
        parts += [f"from-{channel.least}"] if channel.least is not usual else []
        if channel.filters != PLAIN or channel.muted:
            chosen = repr((channel.filters, channel.muted)).encode()
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
        async with AsyncExitStack() as stack:
            if self._leases is not None:
                subject = f"analyse\0{name}\0{read.tip.sha}\0{channel.language}"
                await stack.enter_async_context(turn(self._leases, subject))
            with span("analyse", repository=name):
                return await come(ctx, read.tip, seen, window)

    async def _lay_out(
        self,
        daily: Daily,
        channel: Subscription,
        folder: Path,
        muted: Sequence[tuple[str, Resolved]],
        labels: Labels,
        *,
        variant: str,
    ) -> Edition:
        now = self._app.clock.now()

        def work() -> Edition:
            ours = shown_from(sifted(daily, channel.filters, muted, labels), channel.least)
            report, counts = ours.report, ours.report.counts
            where = keep_report(folder, ours, variant)
            lay_out = weekly_document if channel.spec.kind is Kind.WEEKLY else digest_document
            # A path of this machine is of use on this machine alone.
            shown_path = str(where) if self._reads_files(channel) else ""
            document = lay_out(report, report.language, shown_path, least=channel.least)
            listed = [entry.graded for entry in shown(report, channel.least)]
            document = with_buttons(document, explaining(listed, report.language))
            details = details_document(report, report.language, least=channel.least)
            return Edition(
                kept=KeptDigest(
                    heading=Heading(
                        name="",
                        repository=report.repository.name,
                        branch=report.branch,
                        window=report.window,
                        created_at=now,
                        counts={
                            "total": counts.total,
                            "high": counts.high,
                            "medium": counts.medium,
                            "low": counts.low,
                        },
                    ),
                    document=freeze(document, (), details=details),
                    markdown=markdown(report_document(report, report.language)),
                    tip=ours.tip.sha or "",
                    outcomes=ours.outcomes,
                )
            )

        return await asyncio.to_thread(work)
