"""Whether the sections of the configuration fit together: what one names, another has."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from bot.config.complaint import near
from bot.config.sections import ChannelConfig, Written
from bot.subscriptions.subscription import subscription_name
from digest.errors import InvalidConfig


def check_names(file: Path, written: Written) -> None:
    """Names are unique, and what a channel names is there. Raises ``InvalidConfig``."""
    if written.channels and not written.repositories:
        raise InvalidConfig(f"{file}: no [[repositories]]; name at least one with its place")
    repositories = [one.name for one in written.repositories]
    for section, names in (
        ("repositories", repositories),
        ("channels", [one.name for one in written.channels]),
    ):
        for name in names:
            if names.count(name) > 1:
                raise InvalidConfig(f"{file}: {section}: the name {name!r} is given twice")
    for channel in written.channels:
        for name in channel.repositories:
            if name not in repositories:
                guess = near(name, repositories) or f"; known: {', '.join(repositories)}"
                raise InvalidConfig(
                    f"{file}: channels {channel.name!r}, repositories: unknown {name!r}{guess}"
                )


def check_schedules(file: Path, channels: Iterable[ChannelConfig]) -> None:
    """Every schedule has slots, and no two the same name in the ledger.

    Raises ``InvalidConfig``.
    """
    names: set[str] = set()
    for channel in channels:
        try:
            plans = channel.plans
        except ValueError as error:
            raise InvalidConfig(f"{file}: channels {channel.name!r}: {error}") from None
        for spec, _ in plans:
            name = subscription_name(channel.name, spec.kind)
            if name in names:
                raise InvalidConfig(f"{file}: channels: the name {name!r} is given twice")
            names.add(name)


def admin_of(file: Path, written: Written, accounts: Collection[str]) -> tuple[str, str] | None:
    """The account and chat of the admin: those of a channel, or named outright.

    Raises ``InvalidConfig``.
    """
    if written.admin is None:
        return None
    wanted = written.admin.channel
    for channel in written.channels:
        if channel.name == wanted:
            return channel.platform, channel.chat
    platform, colon, chat = wanted.partition(":")
    if colon and platform in accounts:
        return platform, chat
    names = [channel.name for channel in written.channels]
    raise InvalidConfig(
        f"{file}: admin.channel = {wanted!r} is no channel, and no chat of a platform such as "
        f"telegram:12345{near(wanted, names)}"
    )
