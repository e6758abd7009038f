"""The digests of a channel's slot, and the coverage of its commits afterwards.

A slot's digest is stored in the archive, with its tip and the state of each of its commits, before
anything is posted. After a crash the next process posts the same content and moves the channel's
tip to the same commit: nothing is lost, nothing comes twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import structlog

from bot.config.channel_section import Quiet
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Delivered, Posting, Visibility
from bot.delivery.part_sender import Target
from bot.delivery.payload import thaw
from bot.messaging.receiver import Receiver
from bot.publishing.digest_builder import DigestBuilder
from bot.publishing.revert_notes import RevertNotes
from bot.scheduler.schedule import Slot, window
from bot.store.digests import DigestHeading, KeptDigest
from bot.subscriptions.channel_registry import Subscription
from bot.util.locks import Leases
from bot.util.machine import Newest, loop_time
from bot.util.page_links import page_of_digest
from bot.workspace.workspace import Workspace
from digest.answer.buttons import digest_buttons, report_link, with_buttons, without_buttons
from digest.core.enums import Language
from digest.errors import SourceUnavailable, UnknownBranch
from handlers.ports.storage import DeliveryKey, State

if TYPE_CHECKING:
    from handlers.ports.analysis_port import Judging

_COUNTED = frozenset({State.POSTED, State.ARCHIVED})
_MOST_BRANCHES = 50  # further branches of a repository in one slot; the others follow in the next
_HELD = 256  # digests cached between building and finishing; others are read again
log = structlog.get_logger(__name__)


class Slots:
    """Builds and finishes the slots of subscriptions."""

    def __init__(
        self,
        app: Workspace,
        amending: RevertNotes | None = None,
        visibility: Visibility | None = None,
        leases: Leases | None = None,
    ) -> None:
        """With ``visibility``, repositories that it withholds from a chat are not posted there.

        With ``leases``, processes that want the same digest do not build it concurrently.
        """
        self._visibility = visibility
        self._app = app
        self._editions = DigestBuilder(app, leases)
        self._built: Newest[str, KeptDigest] = Newest(_HELD)
        self._amending = amending

    async def build(self, channel: Subscription, slot: Slot) -> Sequence[Posting]:
        """The digests of a slot, one for each repository; none for a silent quiet day.

        A repository that cannot be read, or is withheld from the chat, is left for the next slot,
        which finds its commits by ancestry. Raises ``SourceUnavailable`` if none can be read.
        """
        ready: list[Posting] = []
        failed: list[SourceUnavailable] = []
        late = _Late(self._app, channel.channel)
        told: defaultdict[str, set[str]] = defaultdict(set)
        repositories = await self._branches(channel, slot.at)
        for repository in repositories:
            name = repository.name
            if self._visibility and await self._visibility.withholds(channel.target, name):
                continue
            try:
                digest = await self._keep_digest(
                    channel, repository, slot, late, earlier=told[name]
                )
            except SourceUnavailable as error:
                log.error(  # noqa: TRY400 - the message has git's own error
                    "repository.unavailable", repository=repository.name, error=str(error)
                )
                failed.append(error)
                continue
            told[name].update(one.sha for one in digest.outcomes if one.state in _COUNTED)
            if _is_told(digest, channel, repository):
                ready.append(self._ready(digest, channel.target))
        if failed and len(failed) == len(repositories):
            raise failed[0]
        return ready

    async def _branches(
        self, channel: Subscription, since: datetime | None = None
    ) -> Sequence[RepositoryConfig]:
        """The repositories, each followed by its further branches that changed since their digest.

        With ``since``, what is new is fetched first.
        """
        found: list[RepositoryConfig] = []
        for settings in channel.repositories:
            found.append(settings)
            if settings.branches:
                with suppress(SourceUnavailable, UnknownBranch):
                    found += await self._further(channel, settings, since)
        return found

    async def _further(
        self, channel: Subscription, settings: RepositoryConfig, since: datetime | None
    ) -> Sequence[RepositoryConfig]:
        watched = await self._app.watch_configured(settings)
        source, seen = watched.source, self._app.coverage.seen
        if since is not None:
            await source.sync(since)
        usual = (await source.tip(settings.branch)).branch
        return [
            settings.model_copy(update={"branch": name})
            for name, sha in (await source.branches()).items()
            if name != usual
            and any(fnmatchcase(name, pattern) for pattern in settings.branches)
            and sha != await seen(watched.repository, name, channel.name)
        ][:_MOST_BRANCHES]

    def _ready(self, digest: KeptDigest, target: Target) -> Posting:
        """A stored digest with the buttons that are useful in its channel."""
        frozen, heading = thaw(digest.document), digest.heading
        language = Language(frozen.document.language)
        where = self._address(digest.heading, language)
        if isinstance(target.sender, Receiver):
            buttons = digest_buttons(heading.mark, language, where=where)
            document = with_buttons(frozen.document, buttons)
        else:
            document = with_buttons(without_buttons(frozen.document), report_link(language, where))
        return Posting(
            target=target,
            digest=heading.name,
            document=document,
            details=frozen.details,
            repository=heading.repository,
        )

    def _address(self, heading: DigestHeading, language: Language) -> str:
        """The page of a digest; empty if no pages are served."""
        return page_of_digest(self._app.web_of(heading.repository), heading.mark, str(language))

    async def finish(self, channel: Subscription, slot: Slot, results: Sequence[Delivered]) -> None:
        """Record how every commit of the slot ended, move the channel's tips, plan amendments."""
        # Once frozen, the delivery completes it. Without ``results``, a digest whose delivery was
        # never begun is left for the next slot.
        for settings in await self._branches(channel):
            name = digest_name(channel, settings, slot.name)
            digest = self._built.pop(name, None) or await self._app.digests.get(name)
            if digest is not None and (
                results or await self._is_settled(digest, channel, settings)
            ):
                if self._amending is not None:
                    await self._amending.plan(channel, settings, digest)
                watched = await self._app.watch_configured(settings)
                await self._app.coverage.record(
                    watched.repository,
                    digest.heading.branch,
                    channel.name,
                    digest.tip or None,
                    digest.outcomes,
                )

    async def _is_settled(
        self, digest: KeptDigest, channel: Subscription, settings: RepositoryConfig
    ) -> bool:
        """Whether nobody is to be told of a digest, or its delivery has begun."""
        target, name = channel.target, digest.heading.name
        key = DeliveryKey(platform=target.sender.name, channel=target.name, digest=name)
        told = _is_told(digest, channel, settings)
        return not told or await self._app.ledger.record(key) is not None

    async def amend(self, channels: Mapping[str, Subscription]) -> None:
        """Carry out the amendments planned in the channels, which are by name."""
        if self._amending is not None:
            await self._amending.carry_out(channels)

    async def _keep_digest(
        self,
        channel: Subscription,
        settings: RepositoryConfig,
        slot: Slot,
        late: _Late,
        *,
        earlier: Collection[str],
    ) -> KeptDigest:
        name = digest_name(channel, settings, slot.name)
        if (kept := await self._app.digests.get(name)) is not None and kept.heading.frozen:
            return kept
        digest = await self._editions.edition(
            channel, settings, slot, window(channel.spec, slot), late.judging(), earlier=earlier
        )
        kept = await self._app.digests.keep(digest.named(name))
        # Cache a frozen digest until the slot is finished, usually a moment later.
        if kept.heading.frozen:
            self._built[kept.heading.name] = kept
        return kept


def _is_told(digest: KeptDigest, channel: Subscription, settings: RepositoryConfig) -> bool:
    """Whether a digest is posted; a further branch without news never is."""
    posted = any(outcome.state is State.POSTED for outcome in digest.outcomes)
    return posted or (channel.quiet is Quiet.LINE and settings in channel.repositories)


class _Late:
    """How long a slot may still wait for a model: one allowance for all its repositories."""

    def __init__(self, app: Workspace, channel: str) -> None:
        self._app = app
        self._channel = channel
        self._began = loop_time()

    def judging(self) -> Judging | None:
        judging = self._app.judging(self._channel)
        if judging is None:
            return None
        waited = loop_time() - self._began
        return replace(judging, patience=max(0.0, judging.patience - waited))


def digest_name(channel: Subscription, repository: RepositoryConfig, slot: str) -> str:
    """The stable name of a channel's digest of one repository in one slot."""
    return name_of(str(channel.spec.kind), repository, slot, channel.name)


def name_of(kind: str, repository: RepositoryConfig, slot: str, subscription: str) -> str:
    """The same, from the name of a subscription."""
    return f"{kind}:{repository.name}:{repository.branch or 'HEAD'}:{slot}:{subscription}"
