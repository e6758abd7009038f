"""The access rules of the configuration. Chats, people and workspaces are named ``platform:id``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.config.channel_section import ChannelConfig
from bot.config.reader import Config


class Role(StrEnum):
    """A person's role in a chat: an admin changes its settings, a member asks."""

    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLimits:
    """The most questions of one person in a minute and in an hour; 0 is no limit."""

    minute: int = 0
    hour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The access rules.

    - ``channels``: chats that the configuration posts to, each with its repositories; answered.
    - ``chats``: further chats that are answered, about every repository.
    - ``anyone``: every chat is answered.
    - ``people``: if not empty, only they and admins are answered, also in direct chats.
    - ``workspaces``: if there are some of a platform, none of its others is answered.
    - ``admins``: of every chat; ``channel_admins``: of one chat. If neither is set there are no
      roles, and everybody who is answered may change the settings of a chat.
    - ``repositories``: every configured one, in order, and whether it is private.
    - ``trusted``: chats that may see private repositories although outsiders read them;
      ``shared``: chats that count as read by outsiders, or not, whatever their platform says.
    """

    channels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    chats: frozenset[str] = frozenset()
    anyone: bool = False
    people: frozenset[str] = frozenset()
    workspaces: frozenset[str] = frozenset()
    admins: frozenset[str] = frozenset()
    channel_admins: Mapping[str, frozenset[str]] = field(default_factory=dict)
    repositories: Mapping[str, bool] = field(default_factory=dict)
    trusted: frozenset[str] = frozenset()
    shared: Mapping[str, bool] = field(default_factory=dict)
    limits: QuestionLimits = QuestionLimits()

    @property
    def roles(self) -> bool:
        """Whether anybody is named an admin anywhere."""
        return bool(self.admins) or any(self.channel_admins.values())

    def role(self, person: str, chat: str) -> Role:
        """A person's role in a chat. The user of this machine's terminal is an admin there."""
        free = not self.roles or chat.startswith(LOCAL)
        return Role.ADMIN if free or self.appointed(person, chat) else Role.MEMBER

    def appointed(self, person: str, chat: str) -> bool:
        """Whether the configuration names a person as an admin of all chats or of this one."""
        return person in self.admins or person in self.channel_admins.get(chat, ())


LOCAL = "console:"
"""The prefix of names of chats on this machine's own terminal."""


def policy_of(config: Config, kinds: Mapping[str, str]) -> Policy:
    """The policy of a configuration.

    ``kinds`` maps the accounts, as channels name them, to the platform's name in their messages: a
    chat has the same name in both.
    """

    def key(channel: ChannelConfig) -> str:
        return f"{kinds.get(channel.platform, channel.platform)}:{channel.chat}"

    access, channels = config.access, config.channels
    return Policy(
        channels=_repositories_by_chat(
            config, key_of={channel.name: key(channel) for channel in channels}
        ),
        chats=frozenset(access.chats),
        anyone=access.anyone,
        people=frozenset(access.people),
        workspaces=frozenset(access.workspaces),
        admins=frozenset(access.admins),
        channel_admins={key(one): frozenset(one.admins) for one in channels if one.admins},
        repositories={one.name: one.private for one in config.repositories},
        trusted=frozenset(key(one) for one in channels if one.allow_private),
        shared={key(one): one.external for one in channels if one.external is not None},
        limits=QuestionLimits(minute=access.per_minute, hour=access.per_hour),
    )


def _repositories_by_chat(config: Config, key_of: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The repositories of each chat: those of all its channels, in the order of the file."""
    wanted: dict[str, set[str]] = {}
    for channel in config.channels:
        names = {one.name for one in config.watched(channel)}
        wanted.setdefault(key_of[channel.name], set()).update(names)
    return {
        chat: tuple(one.name for one in config.repositories if one.name in names)
        for chat, names in wanted.items()
    }
