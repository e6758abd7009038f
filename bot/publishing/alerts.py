"""Alerts: merged changes that affect what a chat uses, posted before the next digest.

A chat with alerts turned on is alerted once about each range of history. The range of an alert is
claimed before the alert is made, and progress is stored as soon as the alert is frozen in the
ledger: a process that dies in between makes the same alert again, under the same name.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from bot.delivery.delivery import Delivery, Posting, Withholds
from bot.delivery.part_sender import Target
from bot.messaging.sender import Sender
from bot.store.ledger import ALERT, alert_claim
from bot.util.locks import Leases
from digest.core.enums import Language
from digest.errors import UserError
from digest.impact.impact_report import alert_document
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.ports.chat_port import StoredProfile
from handlers.ports.storage import DeliveryKey, Tip, Watched
from handlers.questions.impact import unannounced
from handlers.questions.scope import viewpoint

if TYPE_CHECKING:
    from bot.config.repository_section import RepositoryConfig
    from bot.workspace.workspace import Workspace

log = structlog.get_logger(__name__)

_CHANNEL = "alerts "  # prefix of the owner in the ledger's name for an alert's channel

LanguageOf = Callable[[str, str], Awaitable[Language]]
"""The language of a chat, by its account and its id."""

Rests = Callable[[str, str], Awaitable[bool]]
"""Whether nothing is posted unprompted to a chat now, by its account and its id."""


class ImmediateAlerts:
    """Finds changes and alerts those affected. Raises nothing but cancellation."""

    def __init__(
        self,
        app: Workspace,
        *,
        senders: Mapping[str, Sender],
        delivery: Delivery,
        leases: Leases,
        withholds: Withholds,
        language_of: LanguageOf,
        rests: Rests,
    ) -> None:
        """``senders`` are the open accounts by their names in the configuration."""
        self._app = app
        self._senders = senders
        self._delivery = delivery
        self._leases = leases
        self._withholds = withholds
        self._language_of = language_of
        self._rests = rests
        self._turns: dict[str, asyncio.Lock] = {}

    async def look(self) -> None:
        """Check every repository with alerts turned on."""
        for settings in self._repositories():
            await self._look_at(settings)

    async def look_at(self, repository: str) -> None:
        """Check one repository, by name, if it is still configured."""
        for settings in self._repositories():
            if settings.name == repository:
                await self._look_at(settings)

    async def wanted(self) -> Sequence[str]:
        """The names of the repositories with alerts turned on."""
        configured = [settings.repository for settings in self._repositories()]
        return [
            repository.name
            for repository in configured
            if await self._app.profiles.alerted(repository)
        ]

    async def moved(self, watched: Watched) -> None:
        """Check one repository, whose newest changes were just fetched."""
        async with self._turn(watched.repository.name):
            await self._owners(watched, await self._app.profiles.alerted(watched.repository))

    @asynccontextmanager
    async def _turn(self, repository: str) -> AsyncIterator[None]:
        """Check a repository one call at a time; a later call catches up. Errors are logged."""
        async with self._turns.setdefault(repository, asyncio.Lock()):
            try:
                yield
            except UserError as error:
                log.error("alert.failed", repository=repository, error=str(error))  # noqa: TRY400  # the message suffices
            except Exception:
                log.exception("alert.failed", repository=repository)

    def _repositories(self) -> Sequence[RepositoryConfig]:
        assert self._app.config is not None
        return self._app.config.repositories

    async def _look_at(self, settings: RepositoryConfig) -> None:
        async with self._turn(settings.name):
            await self._repository(settings)

    async def _repository(self, settings: RepositoryConfig) -> None:
        wanted = await self._app.profiles.alerted(settings.repository)
        if not wanted:
            return
        watched = await self._app.watch_configured(settings)
        await watched.source.sync()
        await self._owners(watched, wanted)

    async def _owners(self, watched: Watched, wanted: Sequence[StoredProfile]) -> None:
        for profile in wanted:
            target = self._target(profile)
            if target is None:
                continue
            name = f"alert\0{watched.repository.name}\0{profile.owner}"
            async with self._leases.hold(name) as leased:
                if leased:
                    await self._owner(profile.owner, target, watched)

    async def _owner(self, owner: str, target: Target, watched: Watched) -> None:
        """Finish earlier alerts first, then send new ones; both wait for the end of a rest."""
        if await self._rests(target.account, target.chat):
            return
        await self._delivery.resume(target, await self._delivery.left_of(target))
        # Read again under the lease: another process may have sent the new alerts.
        profile = await self._app.profiles.load(owner, watched.repository)
        ctx = await self._context(target, watched)
        tip = await self._reach(profile, await tip_of(ctx), watched)
        if not profile.alerts or tip.sha is None or tip.sha == profile.tip:
            return
        changes = await unannounced(ctx, profile, tip)
        name = watched.repository.name
        if changes and not await self._withholds(target, name):
            await self._app.ledger.claim_slot(
                alert_claim(name, profile.owner, profile.tip), tip.sha
            )
            posting = Posting(
                target=target,
                digest=f"{ALERT}{name}:{profile.tip}:{tip.sha}",
                document=alert_document(changes, viewpoint(ctx, tip)),
                repository=name,
            )
            delivered = await self._delivery.deliver(posting)
            if not delivered.frozen:
                return
            log.info("alert.told", owner=owner, repository=name, changes=len(changes))
        await self._app.profiles.reached(watched.repository, profile, tip.sha)

    async def _reach(self, profile: StoredProfile, tip: Tip, watched: Watched) -> Tip:
        """How far to look: up to the end of an alert already begun, otherwise to the tip."""
        name = alert_claim(watched.repository.name, profile.owner, profile.tip)
        begun = await self._app.ledger.last_slot(name)
        if begun is None or tip.sha is None:
            return tip
        still = await watched.source.is_ancestor(begun, tip.sha)
        return replace(tip, sha=begun) if still else tip

    async def _context(self, target: Target, watched: Watched) -> Context:
        assert self._app.config is not None
        language = await self._language_of(target.account, target.chat)
        return self._app.context(watched, zone=self._app.config.defaults.zone, language=language)

    def _target(self, profile: StoredProfile) -> Target | None:
        account, _, chat = profile.owner.partition(":")
        sender = self._senders.get(account)
        if sender is None or not chat:
            return None
        return Target(
            name=f"{_CHANNEL}{profile.owner}",
            sender=sender,
            chat=chat,
            account=account,
            person=profile.person,
        )


def takes_up(accounts: Collection[str], key: DeliveryKey) -> bool:
    """Whether a pending delivery is an alert to one of these accounts."""
    owner = key.channel.removeprefix(_CHANNEL)
    return owner != key.channel and owner.partition(":")[0] in accounts
