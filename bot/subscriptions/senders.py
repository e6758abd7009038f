"""Senders and subscriptions from the configuration."""

from __future__ import annotations

from collections.abc import Mapping

from bot import platforms
from bot.config.reader import Config
from bot.delivery.part_sender import Target
from bot.messaging.inbox import Inbox, InboxReceiver, InboxStore
from bot.messaging.receiver import Called
from bot.messaging.sender import Sender
from bot.subscriptions.channel_registry import Subscription, subscriptions_of
from digest.errors import UserError


def open_senders(config: Config) -> dict[str, Sender]:
    """The accounts of the configuration by name, including those that no channel uses.

    A chat that no channel names may still ask, and subscribe, if ``[access]`` allows it. Raises
    ``SendError``. The caller closes them with ``aclose``.
    """
    return {
        name: platforms.load(account.kind).create(account.settings)
        for name, account in config.platforms.items()
    }


def give_inboxes(senders: Mapping[str, Sender], shelf: InboxStore) -> None:
    """Give the accounts a store that keeps deliveries until they are handled."""
    for name, sender in senders.items():
        if isinstance(sender, InboxReceiver):
            sender.inbox = Inbox(name, shelf)


def targets(config: Config, senders: Mapping[str, Sender]) -> dict[str, Target]:
    """The channels that can be posted to, by name, in the order of the file."""
    return {
        channel.name: Target(
            name=channel.name,
            sender=senders[channel.platform],
            chat=channel.chat,
            promise=channel.promise,
            account=channel.platform,
        )
        for channel in config.channels
    }


def subscriptions(config: Config) -> list[Subscription]:
    """Every schedule of every channel, in the order of the file."""
    return [
        one
        for channel in config.channels
        for one in subscriptions_of(channel, config.watched(channel))
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
                f"{config.file}: {name} is to be called over HTTP, and there is no section [web]"
            )
