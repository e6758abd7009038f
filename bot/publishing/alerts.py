"""What cannot wait for the next digest: merged changes that may break what a chat uses.

A chat that turned alerts on is told once of each stretch of history. How far an alert reaches is
claimed before it is made, and what was looked at is kept as soon as it is frozen in the ledger: a
process that dies in between makes the same alert again, under the same name.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import structlog

from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Target
from bot.messaging.sender import Sender
from bot.store.leases import ALERT, stretch
from bot.util.locks import Leases
from digest.core.enums import Language
from digest.errors import UserError
from digest.impact.impact_report import alert_document
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.ports.chat_port import StoredProfile
from handlers.ports.storage import DeliveryKey, Tip, Watched
from handlers.questions.impact import breaking
from handlers.questions.scope import seen

if TYPE_CHECKING:
    from bot.config.repository_section import RepositoryConfig
    from bot.workspace.workspace import Workspace


log = structlog.get_logger(__name__)

_CHANNEL = "alerts "
"""What stands before the owner in the name that the ledger knows an alert's chat by."""


class AlertSource(Protocol):
    """Knows what a chat may not be told."""

    async def withholds(self, target: Target, repository: str) -> bool:
        """Whether a repository is not to be posted to the target."""


class Spoken(Protocol):
    """Knows how chats are spoken to."""

    async def language(self, account: str, chat: str) -> Language:
        """The language of a chat of an account."""


class ImmediateAlerts:
    """Looks for what may break somebody, and tells them. Nothing but cancellation leaves it."""

    def __init__(
        self,
        app: Workspace,
        *,
        senders: Mapping[str, Sender],
        delivery: Delivery,
        leases: Leases,
        discretion: AlertSource,
        spoken: Spoken,
    ) -> None:
        """``senders`` are the open accounts by their names in the configuration."""
        self._app = app
        self._senders = senders
        self._delivery = delivery
        self._leases = leases
        self._discretion = discretion
        self._spoken = spoken
        self._turns: dict[str, asyncio.Lock] = {}

    async def look(self) -> None:
        """Look at every repository that somebody wants alerts about."""
        for settings in self._configured():
            await self._look_at(settings)

    async def look_at(self, repository: str) -> None:
        """Look at one repository, by its name; at none that is not configured any more."""
        for settings in self._configured():
            if settings.name == repository:
                await self._look_at(settings)

    async def wanted(self) -> Sequence[str]:
        """The names of the repositories that somebody wants alerts about."""
        configured = [settings.repository for settings in self._configured()]
        return [one.name for one in configured if await self._app.profiles.alerted(one)]

    async def moved(self, watched: Watched) -> None:
        """Look at one repository, whose newest changes were just fetched."""
        async with self._turn(watched.repository.name):
            await self._owners(watched, await self._app.profiles.alerted(watched.repository))

    @asynccontextmanager
    async def _turn(self, repository: str) -> AsyncIterator[None]:
        """One look at a repository at a time: a later one sees what the earlier came too soon for.

        What goes wrong is logged.
        """
        async with self._turns.setdefault(repository, asyncio.Lock()):
            try:
                yield
            except UserError as error:
                log.error("alert.failed", repository=repository, error=str(error))  # noqa: TRY400  # it says all
            except Exception:
                log.exception("alert.failed", repository=repository)

    def _configured(self) -> Sequence[RepositoryConfig]:
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
        for kept in wanted:
            target = self._target(kept)
            if target is None:
                continue
            name = f"alert\0{watched.repository.name}\0{kept.owner}"
            async with self._leases.hold(name) as mine:
                if mine:
                    await self._owner(kept.owner, target, watched)

    async def _owner(self, owner: str, target: Target, watched: Watched) -> None:
        """What is left of earlier alerts first, then what is new."""
        await self._delivery.resume(target, await self._delivery.left_of(target))
        # Read again now that nobody else is at it: another process may have told what was new.
        kept = await self._app.profiles.load(owner, watched.repository)
        ctx = await self._context(target, watched)
        tip = await self._reach(kept, await tip_of(ctx), watched)
        if not kept.alerts or tip.sha is None or tip.sha == kept.tip:
            return
        found = await breaking(ctx, kept, tip)
        name = watched.repository.name
        if found and not await self._discretion.withholds(target, name):
            await self._app.ledger.claim_slot(stretch(name, kept.owner, kept.tip), tip.sha)
            posting = Posting(
                target=target,
                digest=f"{ALERT}{name}:{kept.tip}:{tip.sha}",
                document=alert_document(found, seen(ctx, tip)),
                repository=name,
            )
            delivered = await self._delivery.deliver(posting)
            if not delivered.frozen:
                return
            log.info("alert.told", owner=owner, repository=name, changes=len(found))
        await self._app.profiles.reached(watched.repository, kept, tip.sha)

    async def _reach(self, kept: StoredProfile, tip: Tip, watched: Watched) -> Tip:
        """How far to look: as far as an alert that was begun reaches, else up to the tip."""
        name = stretch(watched.repository.name, kept.owner, kept.tip)
        begun = await self._app.ledger.last_slot(name)
        if begun is None or tip.sha is None:
            return tip
        still = await watched.source.is_ancestor(begun, tip.sha)
        return replace(tip, sha=begun) if still else tip

    async def _context(self, target: Target, watched: Watched) -> Context:
        assert self._app.config is not None
        language = await self._spoken.language(target.account, target.chat)
        return self._app.context(watched, zone=self._app.config.defaults.zone, language=language)

    def _target(self, kept: StoredProfile) -> Target | None:
        account, _, chat = kept.owner.partition(":")
        sender = self._senders.get(account)
        if sender is None or not chat:
            return None
        return Target(
            name=f"{_CHANNEL}{kept.owner}",
            sender=sender,
            chat=chat,
            account=account,
            person=kept.person,
        )


def takes_up(accounts: Collection[str], key: DeliveryKey) -> bool:
    """Whether a delivery that was left is an alert, to one of these accounts."""
    owner = key.channel.removeprefix(_CHANNEL)
    return owner != key.channel and owner.partition(":")[0] in accounts
