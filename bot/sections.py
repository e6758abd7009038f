"""The sections of the configuration file, as pydantic models: what each key means and may be."""

from __future__ import annotations

import re
from datetime import time, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from bot.promise import Promise
from bot.rest import Dates, Hours, Rest, parse_holidays, parse_hours
from bot.schedule import Kind, Spec
from bot.settings import Place, Reading, Settings
from bot.sources.address import read_address
from bot.sources.identity import is_open
from bot.written_times import local_time, weekdays
from digest.commands import read_rule
from digest.errors import UnknownZone
from digest.filtering import Filters, Rule
from digest.grade import Level, Thresholds
from digest.graded import Repository
from digest.language import Language
from digest.privacy import Privacy
from digest.window import zone_of

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:", re.IGNORECASE)


def _zone(value: Any) -> ZoneInfo:
    try:
        return zone_of(str(value))
    except UnknownZone as error:
        raise ValueError(str(error)) from error


Zone = Annotated[ZoneInfo, BeforeValidator(_zone)]
LocalTime = Annotated[time, BeforeValidator(local_time)]
Weekdays = Annotated[frozenset[int], BeforeValidator(weekdays)]
QuietHours = Annotated[tuple[Hours, ...], BeforeValidator(parse_hours)]
Holidays = Annotated[tuple[Dates | str, ...], BeforeValidator(parse_holidays)]


def _named(names: tuple[str, ...]) -> tuple[str, ...]:
    for one in names:
        platform, colon, name = one.partition(":")
        if not (platform and colon and name):
            raise ValueError("write each as platform:id, such as telegram:12345")
    return names


Names = Annotated[tuple[str, ...], AfterValidator(_named)]
"""Chats, people or workspaces, each with its platform."""


def _rules(value: Any) -> tuple[Rule, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("write a list, such as ['path src/**', 'author ada']")
    return tuple(read_rule(one) for one in value)


Rules = Annotated[tuple[Rule, ...], BeforeValidator(_rules)]
"""Filter rules, as chats write them."""


class Quiet(StrEnum):
    """What a channel gets on a day without changes that matter to it."""

    SILENT = "silent"
    LINE = "line"


class ThresholdSettings(Settings):
    """The least scores of the levels of a repository."""

    high: float = Field(default=Thresholds().high, ge=0, le=1)
    medium: float = Field(default=Thresholds().medium, ge=0, le=1)

    @model_validator(mode="after")
    def _in_order(self) -> ThresholdSettings:
        if self.medium > self.high:
            raise ValueError(f"medium ({self.medium}) is above high ({self.high}); exchange them")
        return self


class RepositoryConfig(Settings):
    """A repository to watch. ``place`` is a folder or an address that git can clone."""

    place: str = Field(min_length=1)
    name: str = ""
    branch: str | None = None
    web: str = ""
    forge: Literal["", "github", "gitlab", "gitea"] = ""
    thresholds: ThresholdSettings | None = None
    aliases: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    privacy: Privacy = Privacy.REDACTED
    """What a model may see of the repository."""
    visibility: Literal["", "public", "private"] = ""
    """Who may hear of it; by default as :attr:`private` guesses."""

    @field_validator("place")
    @classmethod
    def _resolved(cls, place: str, info: ValidationInfo) -> str:
        if place.startswith("-") or any(ord(char) < 32 for char in place):
            raise ValueError("write a folder or an address such as https://host/owner/name")
        if _ADDRESS.match(place) or not isinstance(info.context, Reading):
            return place
        return str(info.context.folder / Path(place).expanduser())

    @field_validator("branch")
    @classmethod
    def _no_option(cls, branch: str | None) -> str | None:
        if branch is not None and (not branch or branch.startswith("-")):
            raise ValueError("write a branch's name, or leave it out for the default branch")
        return branch

    @field_validator("web")
    @classmethod
    def _a_page(cls, web: str) -> str:
        if web and not web.startswith(("https://", "http://")):
            raise ValueError("write the address of the repository's pages, https://...")
        return web.rstrip("/")

    @field_validator("aliases")
    @classmethod
    def _folded(cls, aliases: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name.casefold(): topics for name, topics in aliases.items()}

    @model_validator(mode="after")
    def _named(self) -> RepositoryConfig:
        return self if self.name else self.model_copy(update={"name": _name_of(self.place)})

    @property
    def private(self) -> bool:
        """Whether people of other organisations may not hear of it.

        Where the file does not say, public is what can be cloned from a well-known forge over https
        without a user name; folders, ssh addresses and all other hosts are private.
        """
        return self.visibility != "public" if self.visibility else not is_open(self.place)

    def secrets(self) -> tuple[str, ...]:
        """What stands before the host of the address, and the password in it."""
        address = read_address(self.place)
        if address is None or not address.secret:
            return ()
        given = urlsplit(self.place)
        return tuple(filter(None, (given.netloc.rpartition("@")[0], given.password)))

    @property
    def repository(self) -> Repository:
        """The repository as the rest of the program knows it."""
        return Repository(name=self.name, web=self.web, forge=self.forge)

    @property
    def levels(self) -> Thresholds | None:
        """The thresholds, where the file sets them."""
        if self.thresholds is None:
            return None
        return Thresholds(high=self.thresholds.high, medium=self.thresholds.medium)


def _name_of(place: str) -> str:
    """``owner/name`` of an address; a folder's own name."""
    cleaned = place.rstrip("/").removesuffix(".git").rstrip("/")
    if not (found := _ADDRESS.match(place)):
        return Path(cleaned).name or cleaned
    path = (
        cleaned[found.end() :] if "://" not in place else cleaned[found.end() :].partition("/")[2]
    )
    return "/".join(path.strip("/").split("/")[-2:]) or cleaned


class Preferences(Settings):
    """What a channel may set for itself, and ``[defaults]`` for all."""

    zone: Zone = Field(default_factory=lambda: ZoneInfo("UTC"))
    language: Language = Language.EN
    time: LocalTime = time(9, 0)
    weekdays: Weekdays = frozenset(range(7))
    least: Level = Level.HIGH
    quiet: Quiet = Quiet.SILENT
    promise: Promise = Promise.AT_MOST_ONCE
    catch_up: int = Field(default=24, ge=0, le=168)
    """Hours after which a missed digest is let go; 0 catches nothing up."""
    quiet_hours: QuietHours = ()
    """When nothing is posted by itself, as :func:`bot.rest.parse_hours` reads it."""
    holidays: Holidays = ()
    """Dates and countries, as :func:`bot.rest.parse_holidays` reads them."""
    include: Rules = ()
    """What a digest is about alone: ``path vllm/v1/**``, ``label kernel``, ``keyword cache``."""
    exclude: Rules = ()
    """What it leaves out, written the same way."""
    bots: bool = False
    """Whether it shows changes that programs made."""

    @property
    def filters(self) -> Filters:
        """Which changes the channel wants to hear of."""
        return Filters(include=self.include, exclude=self.exclude, bots=self.bots)

    @property
    def rest(self) -> Rest:
        """When the channel is left alone."""
        return Rest(
            hours=self.quiet_hours,
            dates=tuple(one for one in self.holidays if isinstance(one, Dates)),
            countries=tuple(one for one in self.holidays if isinstance(one, str)),
        )


class ScheduleConfig(Settings):
    """One of the schedules of a channel; what it leaves out is as the channel has it."""

    kind: Kind = Kind.DAILY
    time: LocalTime | None = None
    weekdays: Weekdays | None = None
    least: Level | None = None

    @model_validator(mode="after")
    def _once_a_week(self) -> ScheduleConfig:
        _check_weekly(self.kind, self.weekdays)
        return self


class ChannelConfig(Preferences):
    """Where a digest goes. Without ``repositories`` it is about all of them."""

    name: str = Field(min_length=1, max_length=100)
    platform: str
    chat: str = ""
    repositories: tuple[str, ...] = ()
    output: Place | None = None
    """A folder for full reports."""
    kind: Kind = Kind.DAILY
    schedules: tuple[ScheduleConfig, ...] = ()
    """Where the channel has several; else it has one, of its own ``kind``."""
    admins: Names = ()
    """People who may change the settings of this chat."""
    external: bool | None = None
    """Whether people of other organisations read it; by default the platform is asked."""
    allow_private: bool = False
    """Whether it is told of private repositories even so."""

    @model_validator(mode="after")
    def _one_of_each_kind(self) -> ChannelConfig:
        own = self.model_fields_set
        given = "weekdays" in own and not self.schedules
        _check_weekly(self.kind, self.weekdays if given else None)
        kinds = [one.kind for one in self.schedules]
        if len(set(kinds)) < len(kinds):
            raise ValueError("a channel has one schedule of each kind; use a second channel")
        if kinds and "kind" in own:
            raise ValueError("kind stands in each of the schedules; remove the channel's own")
        return self

    @property
    def plans(self) -> tuple[tuple[Spec, Level], ...]:
        """When its digests are due, each with the least level that it shows.

        Raises ``ValueError`` where quiet hours would hold all of them.
        """
        schedules = self.schedules or (ScheduleConfig(kind=self.kind),)
        return tuple((self._spec(one), one.least or self.least) for one in schedules)

    def _spec(self, schedule: ScheduleConfig) -> Spec:
        days = schedule.weekdays or self.weekdays
        return Spec(
            at=schedule.time or self.time,
            zone=self.zone,
            # Of the weekdays of all its digests, a weekly one comes on the first.
            weekdays=frozenset({min(days)}) if schedule.kind is Kind.WEEKLY else days,
            kind=schedule.kind,
            rest=self.rest,
        )

    @property
    def patience(self) -> timedelta:
        """How long a missed digest is caught up."""
        return timedelta(hours=self.catch_up)


def _check_weekly(kind: Kind, given: frozenset[int] | None) -> None:
    if kind is Kind.WEEKLY and given is not None and len(given) != 1:
        raise ValueError("a weekly digest comes on one weekday, such as weekdays = ['mon']")


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
