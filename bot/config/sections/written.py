"""The file as it is written, with its small sections."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from bot.config.sections.channels import ChannelConfig, Preferences
from bot.config.sections.repositories import RepositoryConfig
from bot.config.sections.values import Names
from bot.config.settings import Place, Settings

_SHORTEST = 64
"""Days for which digests are kept at the least: posts are amended for 56."""


class LogSettings(Settings):
    """How the program tells what it does."""

    format: Literal["auto", "human", "json"] = "auto"
    level: Literal["debug", "info", "warning", "error"] = "info"


class ArchiveSettings(Settings):
    """What is kept, and for how long."""

    remember: int = Field(default=90, ge=8, le=3650)
    """Days for which a forge's delivery, a line to the admin or an alert cannot come twice.

    Longer than a digest is caught up and a forge delivers again, at the least.
    """
    keep_digests: int = Field(default=0, ge=0, le=36_500)
    """Days for which a digest and its full report are kept; 0 is for ever.

    Longer than posts are amended and a month is looked back over, at the least.
    """

    @field_validator("keep_digests")
    @classmethod
    def _long_enough(cls, days: int) -> int:
        if 0 < days < _SHORTEST:
            raise ValueError(f"at least {_SHORTEST} days, or 0 to keep them for ever")
        return days


class AccessSettings(Settings):
    """Who is answered. The chats of ``[[channels]]`` and the terminal always are.

    Every name is ``platform:id``, such as ``slack:U0123456789``.
    """

    chats: Names = ()
    """Further chats, direct ones among them."""
    anyone: bool = False
    """Whether every chat that reaches the bot is answered."""
    people: Names = ()
    """Where given, nobody else is answered; these are in direct chats, too."""
    workspaces: Names = ()
    """Where given for a platform, none of its other workspaces is answered."""
    admins: Names = ()
    """People who may change settings in every chat."""
    per_minute: int = Field(default=20, ge=0)
    """The most questions of one person in a minute; 0 is no limit."""
    per_hour: int = Field(default=300, ge=0)
    """The most questions of one person in an hour; 0 is no limit."""


class AdminSettings(Settings):
    """Who is told of the program's own troubles."""

    channel: str = Field(min_length=1)
    """A channel by its name, or a chat as ``platform:chat``, such as ``telegram:12345``."""


class Written(Settings):
    """The file as it is written."""

    data: Place | None = None
    logs: LogSettings = LogSettings()
    archive: ArchiveSettings = ArchiveSettings()
    defaults: Preferences = Preferences()
    database: dict[str, Any] | None = None
    """What :class:`bot.store.config.DatabaseSettings` reads."""
    shared: dict[str, Any] | None = None
    """What :class:`bot.shared.config.SharedSettings` reads."""
    model: dict[str, Any] | None = None
    """What :class:`bot.models.config.ModelConfig` reads."""
    access: AccessSettings = AccessSettings()
    admin: AdminSettings | None = None
    web: dict[str, Any] | None = None
    """What :class:`bot.web.config.WebSettings` reads."""
    forges: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """What :class:`bot.forges.config.ForgeConfig` reads, by name."""
    repositories: tuple[RepositoryConfig, ...] = ()
    platforms: dict[str, dict[str, Any]] = Field(default_factory=dict)
    channels: tuple[ChannelConfig, ...] = ()
