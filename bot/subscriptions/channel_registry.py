"""Channels: their senders and subscriptions, and the registry that the loop posts from.

The registry may change at any time. The loop reads it at every sweep, and at once after
:meth:`ChannelRegistry.nudge`, so that a chat that subscribes, pauses or leaves needs no restart. On
platforms where the bot has a home page, the page shows the chats' digests with their next times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from bot import platforms
from bot.access.gate import Policy, may_see
from bot.config.channel_section import Promise, subscription_name
from bot.config.reader import Config
from bot.delivery.part_sender import Target
from bot.messaging.inbox import Inbox, InboxReceiver, InboxStore
from bot.messaging.receiver import Called
from bot.messaging.sender import Hosted, Sender
from bot.scheduler.schedule import Spec, next_run
from digest.chat.chat_settings import PLAIN, Filters
from digest.core.enums import Language
from digest.core.grade import Level
from digest.document import Block, Document, Heading, Item, Listing, Paragraph, Strong, Text
from digest.errors import UserError
from digest.frozen import frozen
from digest.i18n.chat_text import HOME, HOME_ASK, HOME_NONE, HOME_RUN
from digest.i18n.phrase import join
from handlers.ports.storage import Clock

if TYPE_CHECKING:
    from bot.config.channel_section import ChannelConfig, Quiet
    from bot.config.repository_section import RepositoryConfig
    from bot.subscriptions.chat_subscriptions import Subscribing


@frozen
class Subscription:
    """A schedule with its destination and content."""

    name: str  # in the ledger and the tips: a new name starts with its next slot
    channel: str  # the account that model usage is charged to
    platform: str  # an account's name in the configuration
    chat: str  # in the platform's notation
    spec: Spec
    repositories: tuple[RepositoryConfig, ...]
    quiet: Quiet
    language: Language = Language.EN
    least: Level = Level.HIGH
    promise: Promise = Promise.AT_MOST_ONCE
    catch_up: timedelta = timedelta(hours=24)  # missed slots that are older are dropped
    output: Path | None = None  # a folder for full reports
    filters: Filters = PLAIN  # exclude changes, as do muted topics until their ends
    muted: tuple[str, ...] = ()
    muted_until: Mapping[str, datetime] = field(default_factory=dict)
    silent: bool = False  # posts notify nobody
    sender: Sender | None = field(default=None, compare=False)  # set once it can be served

    @property
    def target(self) -> Target:
        """Where it is posted to."""
        assert self.sender is not None
        return Target(
            name=self.name,
            sender=self.sender,
            chat=self.chat,
            promise=self.promise,
            account=self.platform,
            silent=self.silent,
        )


def subscriptions_of(
    channel: ChannelConfig, repositories: Iterable[RepositoryConfig]
) -> tuple[Subscription, ...]:
    """The schedules of a channel, in their order. Raises ``ValueError`` as ``plans`` does."""
    watched = tuple(repositories)
    return tuple(
        Subscription(
            name=subscription_name(channel.name, spec.kind),
            channel=channel.name,
            platform=channel.platform,
            chat=channel.chat,
            spec=spec,
            repositories=watched,
            quiet=channel.quiet,
            language=channel.language,
            least=least,
            promise=channel.promise,
            catch_up=channel.patience,
            output=channel.output,
            filters=channel.filters,
            silent=channel.silent,
        )
        for spec, least in channel.plans
    )


log = structlog.get_logger(__name__)


class ChannelRegistry:
    """The channels that the loop posts to, as their source last gave them."""

    def __init__(self, senders: Mapping[str, Sender], source: Subscribing) -> None:
        """``senders`` are the open accounts by their names in the configuration."""
        self._senders = senders
        self._source = source
        self._last: Sequence[Subscription] = ()
        self._told: set[tuple[str, str]] = set()
        self._nudge = asyncio.Event()

    async def current(self) -> Sequence[Subscription]:
        """The subscriptions that can be served. A source that fails keeps its last state."""
        try:
            self._last = await self._source.subscriptions()
        except Exception:
            log.exception("roster.broken", source=type(self._source).__name__)
        served: dict[str, Subscription] = {}
        for one in self._last:
            if one.platform not in self._senders:
                self._tell("roster.no_platform", one)
            elif one.name in served:
                self._tell("roster.name_taken", one)
            else:
                served[one.name] = replace(one, sender=self._senders[one.platform])
        return tuple(served.values())

    def nudge(self) -> None:
        """Something changed: wake the loop now."""
        self._nudge.set()

    async def changed(self) -> None:
        """Return after a nudge, or at once if one came since the last return."""
        await self._nudge.wait()
        self._nudge.clear()

    def _tell(self, event: str, subscription: Subscription) -> None:
        if (event, subscription.name) not in self._told:
            self._told.add((event, subscription.name))
            log.error(event, channel=subscription.name, platform=subscription.platform)


def open_senders(config: Config) -> dict[str, Sender]:
    """The accounts of the configuration by name, including those that no channel uses.

    A chat that no channel names may still ask, and subscribe, if ``[access]`` allows it. Raises
    ``SendError``. The caller closes them with ``aclose``.
    """
    return {
        name: platforms.load(account.kind).create(account.settings)
        for name, account in config.platforms.items()
    }


def give_inboxes(senders: Mapping[str, Sender], store: InboxStore) -> None:
    """Give the accounts a store that keeps deliveries until they are handled."""
    for name, sender in senders.items():
        if isinstance(sender, InboxReceiver):
            sender.inbox = Inbox(name, store)


def subscriptions(config: Config) -> list[Subscription]:
    """Every schedule of every channel, in the order of the file."""
    return [
        subscription
        for channel in config.channels
        for subscription in subscriptions_of(channel, config.watched(channel))
    ]


def admin_target(config: Config, senders: Mapping[str, Sender]) -> Target | None:
    """The target for admin notices. The ledger keeps them apart from the chat's digests."""
    if config.admin is None:
        return None
    account, chat = config.admin
    sender = senders[account]
    return Target(name="for the admin", sender=sender, chat=chat, account=account)


def check_called(config: Config, senders: Mapping[str, Sender]) -> None:
    """Raises ``UserError`` if a platform is to call a web server that is not configured."""
    for name, sender in senders.items():
        if config.web is None and isinstance(sender, Called) and sender.web is not None:
            raise UserError(
                f"{config.file}: {name} receives calls over HTTP, but there is no section "
                "[web]; add one"
            )


def offer_pages(
    senders: Mapping[str, Sender], subscribed: Subscribing, policy: Policy, clock: Clock
) -> None:
    """Give every platform with a home page the function that makes its content."""
    for account, sender in senders.items():
        if isinstance(sender, Hosted):
            sender.page = page_for(account, sender.name, subscribed, policy, clock)


def page_for(
    account: str, kind: str, subscribed: Subscribing, policy: Policy, clock: Clock
) -> Callable[[str], Awaitable[Document | None]]:
    """Makes the home page of an account for a person, by the person's id."""

    async def page(person: str) -> Document | None:
        mine = [
            subscription
            for subscription in await subscribed.subscriptions()
            if subscription.platform == account
        ]
        told = [one for one in mine if _may_see(one, kind, person, policy)]
        return home_document(told, clock.now())

    return page


def home_document(subscriptions: Sequence[Subscription], now: datetime) -> Document:
    """The page: a line per subscription, the next one due first."""
    language = subscriptions[0].language if subscriptions else Language.EN
    coming = sorted(
        (next_run(subscription.spec, now), subscription.name, subscription)
        for subscription in subscriptions
    )
    title = HOME.template(language)
    blocks: list[Block] = [Heading(1, (Text(title),))]
    if coming:
        blocks.append(Listing(tuple(_line(one, at, language) for at, _, one in coming)))
    else:
        blocks.append(Paragraph((Text(HOME_NONE.template(language)),)))
    blocks.append(Paragraph((Text(HOME_ASK.template(language)),), aside=True))
    return Document(title=title, blocks=tuple(blocks), language=str(language))


def _line(subscription: Subscription, at: datetime, language: Language) -> Item:
    zone = subscription.spec.zone
    when = f"{at.astimezone(zone):%Y-%m-%d %H:%M} ({zone.key})"
    names = ", ".join(settings.name for settings in subscription.repositories)
    return Item(
        join([Strong(subscription.name), " · ", HOME_RUN(language, names=names, when=when)])
    )


def _may_see(subscription: Subscription, kind: str, person: str, policy: Policy) -> bool:
    """Whether a person may see a subscription, as in the chat: private ones are for its admins."""
    who, where = f"{kind}:{person}", f"{kind}:{subscription.chat}"
    named = {settings.name for settings in subscription.repositories}
    if not named <= {*may_see(policy, where, who)}:
        return False
    if not any(policy.repositories.get(name, True) for name in named):
        return True
    # If no admins are named, all members of a chat are admins; the page cannot know which chats the
    # person is in.
    return policy.appointed(who, where)
