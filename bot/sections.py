"""The sections of the configuration file, as pydantic models: what each key means and may be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from bot.promise import Promise
from bot.schedule import Kind, Spec
from bot.settings import Place, Reading, Settings
from digest.errors import UnknownZone
from digest.grade import Level, Thresholds
from digest.graded import Repository
from digest.language import Language
from digest.privacy import Privacy
from digest.window import zone_of

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:", re.IGNORECASE)


def _zone(value: Any) -> ZoneInfo:
    try:
        return zone_of(str(value))
    except UnknownZone as error:
        raise ValueError(str(error)) from error


def _local_time(value: Any) -> time:
    if isinstance(value, time):
        return value
    found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if not found:
        raise ValueError("write hours and minutes from 00:00 to 23:59, such as '09:00'")
    hour, minute, second = (int(part or 0) for part in found.groups())
    return time(hour, minute, second)


def _weekdays(value: Any) -> frozenset[int]:
    named = [value] if isinstance(value, str) else value
    if not isinstance(named, list) or not named:
        raise ValueError("write a list of weekdays, such as ['mon', 'wed'] or ['mon-fri']")
    return frozenset(day for entry in named for day in _days(entry))


def _days(entry: Any) -> Sequence[int]:
    first, dash, last = str(entry).casefold().partition("-")
    start, end = _day(first), _day(last if dash else first)
    return [(start + step) % 7 for step in range((end - start) % 7 + 1)]


def _day(word: str) -> int:
    word = word.strip()
    found = [day for day, name in enumerate(_WEEKDAYS) if len(word) >= 3 and name.startswith(word)]
    if not found:
        short = [name[:3] for name in _WEEKDAYS]
        raise ValueError(
            f"{word!r} is no weekday; write {', '.join(short)} or a range like mon-fri"
        )
    return found[0]


Zone = Annotated[ZoneInfo, BeforeValidator(_zone)]
LocalTime = Annotated[time, BeforeValidator(_local_time)]
Weekdays = Annotated[frozenset[int], BeforeValidator(_weekdays)]


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


class ChannelConfig(Preferences):
    """Where a digest goes. Without ``repositories`` it is about all of them."""

    name: str = Field(min_length=1, max_length=100)
    platform: str
    chat: str = ""
    repositories: tuple[str, ...] = ()
    output: Place | None = None
    """A folder for full reports."""

    @property
    def spec(self) -> Spec:
        """When the digest is due."""
        return Spec(at=self.time, zone=self.zone, weekdays=self.weekdays, kind=Kind.DAILY)

    @property
    def patience(self) -> timedelta:
        """How long a missed digest is caught up."""
        return timedelta(hours=self.catch_up)


class LogSettings(Settings):
    """How the program tells what it does."""

    format: Literal["auto", "human", "json"] = "auto"
    level: Literal["debug", "info", "warning", "error"] = "info"


class AccessSettings(Settings):
    """Who is answered. The chats of ``[[channels]]`` and the terminal always are."""

    chats: tuple[str, ...] = ()
    """Further chats, direct ones among them, as ``platform:chat``, such as ``telegram:12345``."""
    anyone: bool = False
    """Whether every chat that reaches the bot is answered, by whomever it is written."""

    @field_validator("chats")
    @classmethod
    def _named(cls, chats: tuple[str, ...]) -> tuple[str, ...]:
        for chat in chats:
            platform, colon, name = chat.partition(":")
            if not (platform and colon and name):
                raise ValueError("write each as platform:chat, such as telegram:12345")
        return chats


class Written(Settings):
    """The file as it is written."""

    data: Place | None = None
    logs: LogSettings = LogSettings()
    defaults: Preferences = Preferences()
    model: dict[str, Any] | None = None
    """What :class:`bot.models.config.ModelConfig` reads."""
    access: AccessSettings = AccessSettings()
    web: dict[str, Any] | None = None
    """What :class:`bot.web.config.WebSettings` reads."""
    repositories: tuple[RepositoryConfig, ...] = ()
    platforms: dict[str, dict[str, Any]] = Field(default_factory=dict)
    channels: tuple[ChannelConfig, ...] = ()
