"""The policy that the configuration describes."""

from __future__ import annotations

from collections.abc import Mapping

from bot.access.policy import Limits, Policy
from bot.config.reading import Config
from bot.config.sections import ChannelConfig


def policy_of(config: Config, kinds: Mapping[str, str]) -> Policy:
    """The policy of a configuration.

    ``kinds`` leads from the accounts, as channels name them, to what their messages call the
    platform: a chat is named the same by both.
    """

    def key(channel: ChannelConfig) -> str:
        return f"{kinds.get(channel.platform, channel.platform)}:{channel.chat}"

    access, channels = config.access, config.channels
    return Policy(
        channels=_seen(config, key_of={channel.name: key(channel) for channel in channels}),
        chats=frozenset(access.chats),
        anyone=access.anyone,
        people=frozenset(access.people),
        workspaces=frozenset(access.workspaces),
        admins=frozenset(access.admins),
        channel_admins={key(one): frozenset(one.admins) for one in channels if one.admins},
        repositories={one.name: one.private for one in config.repositories},
        trusted=frozenset(key(one) for one in channels if one.allow_private),
        shared={key(one): one.external for one in channels if one.external is not None},
        limits=Limits(minute=access.per_minute, hour=access.per_hour),
    )


def _seen(config: Config, key_of: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The repositories of each chat: those of all its channels, in the order of the file."""
    wanted: dict[str, set[str]] = {}
    for channel in config.channels:
        names = {one.name for one in config.watched(channel)}
        wanted.setdefault(key_of[channel.name], set()).update(names)
    return {
        chat: tuple(one.name for one in config.repositories if one.name in names)
        for chat, names in wanted.items()
    }
