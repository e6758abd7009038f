"""What a slot of a channel posts, and how its commits are accounted for afterwards.

A slot's digest is kept in the archive, with the tip it went up to and the state of each of its
commits, before anything is posted. A process that dies in between finds it there, posts the same
content and moves the channel's tip to the same commit: nothing is lost, nothing comes twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from bot.app import App
from bot.delivery import Delivered
from bot.frozen import freeze, thaw
from bot.reports import keep_report
from bot.roster import Post
from bot.runner import Ready
from bot.schedule import Slot, window
from bot.sections import Quiet, RepositoryConfig
from bot.store.digests import Heading, KeptDigest
from bot.subscription import Subscription
from digest.errors import SourceUnavailable, UserError
from digest.markdown import markdown
from digest.report import digest_document, report_document
from handlers.context import Context
from handlers.daily import Daily, due
from handlers.ports import State

if TYPE_CHECKING:
    from handlers.judgement import Judging

log = structlog.get_logger(__name__)


class Slots:
    """Builds and finishes the slots of subscriptions."""

    def __init__(self, app: App, subscription: Callable[[str], Subscription | None]) -> None:
        """``subscription`` knows what is served now, by the names of posts."""
        self._app = app
        self._subscription = subscription

    async def build(self, post: Post, slot: Slot) -> Sequence[Ready]:
        """The digests of a slot, one a repository; none for a quiet day that is to be silent.

        A repository that cannot be read is left for the next slot, which finds its commits by
        ancestry. Raises ``SourceUnavailable`` where none can be read.
        """
        channel = self._subscription(post.name)
        if channel is None:
            raise UserError(f"the subscription {post.name!r} is gone")
        ready: list[Ready] = []
        failed: list[SourceUnavailable] = []
        late = _Late(self._app, channel.channel)
        for repository in channel.repositories:
            try:
                kept = await self._kept(channel, repository, post, slot, late)
            except SourceUnavailable as error:
                log.error(  # noqa: TRY400 - the line says all; git's own words are in it
                    "repository.unavailable", repository=repository.name, error=str(error)
                )
                failed.append(error)
                continue
            posted = any(outcome.state is State.POSTED for outcome in kept.outcomes)
            if posted or channel.quiet is Quiet.LINE:
                document = thaw(kept.document).document
                ready.append(Ready(digest=kept.heading.name, document=document))
        if failed and len(failed) == len(channel.repositories):
            raise failed[0]
        return ready

    async def finish(self, post: Post, slot: Slot, results: Sequence[Delivered]) -> None:
        """Record how every commit of the slot ended, and move the channel's tips."""
        del results  # frozen is as good as posted: the delivery brings it to an end
        channel = self._subscription(post.name)
        for settings in channel.repositories if channel else ():
            assert channel is not None
            kept = await self._app.digests.get(_name(channel, settings, slot))
            if kept is not None:
                watched = await self._app.watch_configured(settings)
                await self._app.coverage.record(
                    watched.repository,
                    kept.heading.branch,
                    channel.name,
                    kept.tip or None,
                    kept.outcomes,
                )

    async def _kept(
        self,
        channel: Subscription,
        settings: RepositoryConfig,
        post: Post,
        slot: Slot,
        late: _Late,
    ) -> KeptDigest:
        name = _name(channel, settings, slot)
        if (kept := await self._app.digests.get(name)) is not None and kept.heading.frozen:
            return kept
        watched = await self._app.watch_configured(settings)
        await watched.source.sync()
        ctx = self._app.context(
            watched, zone=channel.spec.zone, language=channel.language, judging=late.judging()
        )
        daily = await due(ctx, channel.name, window(post.spec, slot), channel.least)
        return await self._app.digests.keep(self._frozen(name, channel, daily, ctx))

    def _frozen(self, name: str, channel: Subscription, daily: Daily, ctx: Context) -> KeptDigest:
        report = daily.report
        where = keep_report(channel.output or self._app.data / "reports", daily)
        counts = report.counts
        return KeptDigest(
            heading=Heading(
                name=name,
                repository=report.repository.name,
                branch=report.branch,
                window=report.window,
                created_at=ctx.clock.now(),
                counts={
                    "total": counts.total,
                    "high": counts.high,
                    "medium": counts.medium,
                    "low": counts.low,
                },
            ),
            document=freeze(
                digest_document(report, report.language, str(where), least=channel.least), ()
            ),
            markdown=markdown(report_document(report, report.language)),
            tip=daily.tip.sha or "",
            outcomes=daily.outcomes,
        )


class _Late:
    """How long a slot may still wait for a model: all its repositories together as long as one."""

    def __init__(self, app: App, channel: str) -> None:
        self._app = app
        self._channel = channel
        self._began = asyncio.get_running_loop().time()

    def judging(self) -> Judging | None:
        """The model on the channel's account, with what is left of its patience."""
        judging = self._app.judging(self._channel)
        if judging is None:
            return None
        waited = asyncio.get_running_loop().time() - self._began
        return replace(judging, patience=max(0.0, judging.patience - waited))


def _name(channel: Subscription, repository: RepositoryConfig, slot: Slot) -> str:
    """The stable name of what one channel gets of one repository in one slot."""
    kind = channel.spec.kind
    return f"{kind}:{repository.name}:{repository.branch or 'HEAD'}:{slot.name}:{channel.name}"
