"""The configuration file as it is written, with its small sections.

``[database]`` is where the archive is kept if not in a file of the data folder, ``[shared]`` what
the processes of one installation share beside it, and ``[web]`` the web server and its access.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

from bot.config.channel_section import ChannelConfig, Names, Preferences
from bot.config.repository_section import RepositoryConfig
from bot.util.section import Place, ServerSettings, Settings, must
from digest.core.facts import FactKind
from digest.core.grade import Level
from digest.errors import InvalidConfig
from digest.grading.policy import GradingRule


class DatabaseSettings(ServerSettings):
    """The address of a PostgreSQL database; its password is a secret."""

    url: SecretStr


_SCHEMES = ("redis://", "rediss://", "unix://")


class SharedSettings(ServerSettings):
    """The address of a Redis server; its password is a secret."""

    redis_url: SecretStr

    @model_validator(mode="after")
    def _is_an_address(self) -> Self:
        if not self.redis_url.get_secret_value().startswith(_SCHEMES):
            raise ValueError("write redis_url as redis://host:6379/0, rediss://... or unix:///path")
        return self


LARGEST = 25 * 2**20
"""Bytes of a request's body: the most that GitHub sends to a webhook.
https://docs.github.com/en/webhooks/webhook-events-and-payloads"""

_SHORTEST_TOKEN = 16
_LISTEN = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9.-]*)):(?P<port>\d{1,5})")


class Listen(NamedTuple):
    """The server's address. Port 0 is any free port; an empty host is every interface."""

    host: str
    port: int


def _listen(value: Any) -> Any:
    if isinstance(value, Listen):
        return value
    match = _LISTEN.fullmatch(value) if isinstance(value, str) else None
    if not match or int(match["port"]) > 65_535:
        raise ValueError("write host and port, such as 127.0.0.1:8080 or [::1]:8080")
    return Listen(match["six"] or match["host"] or "", int(match["port"]))


def _network(value: str) -> str:
    try:
        ipaddress.ip_network(value)
    except ValueError as error:
        raise ValueError(f"{error}; write addresses or networks, such as 10.0.0.0/8") from None
    return value


WebToken = Annotated[
    SecretStr | None,
    must(
        lambda token: len(token) >= _SHORTEST_TOKEN,
        f"a token needs at least {_SHORTEST_TOKEN} characters; make one with: "
        "openssl rand -base64 24",
    ),
]


class WebSettings(Settings):
    """The web server; without the section there is none."""

    listen: Annotated[Listen, BeforeValidator(_listen)] = Listen("127.0.0.1", 8080)
    public_url: str = ""  # as seen from outside, for links and webhooks
    token: WebToken = None  # opens the admin pages; without one there are none
    metrics_token: WebToken = None  # for ``/metrics``, which is open without one
    # Addresses whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are trusted.
    proxies: tuple[Annotated[str, AfterValidator(_network)], ...] = ("127.0.0.1", "::1")
    max_body: int = Field(default=LARGEST, ge=1024, le=2**30)  # in bytes
    max_connections: int = Field(default=1000, ge=1)
    body_seconds: float = Field(default=30.0, gt=0, le=600)  # the time for sending a body

    @field_validator("public_url")
    @classmethod
    def _an_address(cls, url: str) -> str:
        if url and not re.fullmatch(r"https?://[^\s?#@]+", url):
            raise ValueError(
                "write the address at which others reach the pages, such as https://digest.example"
            )
        return url.rstrip("/")


def listening_at(settings: WebSettings, written: str) -> WebSettings:
    """The settings with another listening address. Raises ``InvalidConfig``."""
    try:
        return settings.model_copy(update={"listen": _listen(written)})
    except ValueError as error:
        raise InvalidConfig(f"--listen: {error}") from None


_SHORTEST = 64  # the least days to keep digests: posts are amended for 56


class LogSettings(Settings):
    """The format and level of the logs."""

    format: Literal["auto", "human", "json"] = "auto"
    level: Literal["debug", "info", "warning", "error"] = "info"


class ArchiveSettings(Settings):
    """How long data is kept."""

    remember: int = Field(default=90, ge=8, le=3650)
    """Days within which a forge's delivery, an admin notice or an alert is not repeated. Must be
    longer than digests are caught up and a forge redelivers."""
    keep_digests: int = Field(default=0, ge=0, le=36_500)
    """Days for which a digest and its full report are kept; 0 is forever. Must be longer than posts
    are amended and a month is looked back over."""

    @field_validator("keep_digests")
    @classmethod
    def _long_enough(cls, days: int) -> int:
        if 0 < days < _SHORTEST:
            raise ValueError(f"at least {_SHORTEST} days, or 0 to keep them for ever")
        return days


class GradingRuleSettings(Settings):
    """A level that every change has which meets all conditions; the first rule met counts."""

    level: Level
    path: str = ""
    label: str = ""
    author: str = ""
    keyword: str = ""
    kind: FactKind | None = None

    @model_validator(mode="after")
    def _conditional(self) -> GradingRuleSettings:
        if not (self.path or self.label or self.author or self.keyword or self.kind):
            raise ValueError("select changes with path, label, author, keyword or kind")
        return self

    @property
    def rule(self) -> GradingRule:
        """The rule as grading knows it."""
        return GradingRule(**self.model_dump())


class GradingSettings(Settings):
    """How changes are graded, in every repository."""

    rule: Annotated[tuple[GradingRuleSettings, ...], Field(max_length=100)] = ()
    learn: bool = True
    """Whether the notes of past releases of a repository teach weights for it."""


class AccessSettings(Settings):
    """Who is answered besides ``[[channels]]`` and the terminal; names are ``platform:id``."""

    chats: Names = ()
    """Further chats, direct ones among them."""
    anyone: bool = False
    """Whether every chat that reaches the bot is answered."""
    people: Names = ()
    """If set, only these people are answered, also in direct chats."""
    workspaces: Names = ()
    """If set for a platform, none of its other workspaces is answered."""
    admins: Names = ()
    """People who may change settings in every chat."""
    per_minute: int = Field(default=20, ge=0)
    """The most questions of one person in a minute; 0 is no limit."""
    per_hour: int = Field(default=300, ge=0)
    """The most questions of one person in an hour; 0 is no limit."""


class AdminSettings(Settings):
    """Who is notified of the program's own problems."""

    channel: str
    """A channel by its name, or a chat as ``platform:chat``, such as ``telegram:12345``."""


class Written(Settings):
    """The file as it is written."""

    data: Place | None = None
    logs: LogSettings = LogSettings()
    archive: ArchiveSettings = ArchiveSettings()
    grading: GradingSettings = GradingSettings()
    defaults: Preferences = Preferences()
    database: dict[str, Any] | None = None
    """Read by :class:`bot.config.file_model.DatabaseSettings`."""
    shared: dict[str, Any] | None = None
    """Read by :class:`bot.config.file_model.SharedSettings`."""
    model: dict[str, Any] | None = None
    """Read by :class:`bot.config.model_section.ModelConfig`."""
    access: AccessSettings = AccessSettings()
    admin: AdminSettings | None = None
    web: dict[str, Any] | None = None
    """Read by :class:`bot.config.file_model.WebSettings`."""
    forges: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Read by :class:`bot.config.forge_section.ForgeConfig`, by name."""
    repositories: tuple[RepositoryConfig, ...] = ()
    platforms: dict[str, dict[str, Any]] = Field(default_factory=dict)
    channels: tuple[ChannelConfig, ...] = ()
