"""``[[channels]]`` and ``[defaults]``: where digests go, when, and with what content.

Reading a configuration imports no delivery code.
"""

from __future__ import annotations

from datetime import time, timedelta
from enum import StrEnum
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bot.scheduler.rest import Dates, Hours, Rest, local_time, parse_holidays, parse_hours, weekdays
from bot.scheduler.schedule import Spec
from bot.util.section import Place, Settings
from digest.chat.chat_commands import read_rule
from digest.chat.chat_settings import Filters, Rule
from digest.core.enums import Frequency, Language
from digest.core.grade import Level
from digest.errors import UnknownZone
from digest.window import zone_of


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


def _check_names(names: tuple[str, ...]) -> tuple[str, ...]:
    for one in names:
        platform, colon, name = one.partition(":")
        if not (platform and colon and name):
            raise ValueError("write each as platform:id, such as telegram:12345")
    return names


Names = Annotated[tuple[str, ...], AfterValidator(_check_names)]
"""Chats, people or workspaces, each with its platform."""


def _rules(value: Any) -> tuple[Rule, ...]:
    if not isinstance(value, list) or not all(isinstance(rule, str) for rule in value):
        raise ValueError("write a list, such as ['path src/**', 'author ada']")
    return tuple(read_rule(rule) for rule in value)


Rules = Annotated[tuple[Rule, ...], BeforeValidator(_rules)]  # filter rules, as chats write them


def subscription_name(channel: str, kind: Frequency) -> str:
    """The name of a channel's schedule of a kind. The daily one has the channel's own."""
    return channel if kind is Frequency.DAILY else f"{channel} ({kind})"


class Promise(StrEnum):
    """What to do if the outcome of a post is unknown."""

    AT_MOST_ONCE = "at-most-once"
    AT_LEAST_ONCE = "at-least-once"


class Quiet(StrEnum):
    """What to post on a day without changes that matter to the channel."""

    SILENT = "silent"
    LINE = "line"


class Preferences(Settings):
    """Settings of a channel; ``[defaults]`` sets them for all."""

    zone: Zone = Field(default_factory=lambda: ZoneInfo("UTC"))
    language: Language = Language.EN
    time: LocalTime = time(9, 0)
    weekdays: Weekdays = frozenset(range(7))
    least: Level = Level.HIGH
    quiet: Quiet = Quiet.SILENT
    promise: Promise = Promise.AT_MOST_ONCE
    catch_up: int = Field(default=24, ge=0, le=168)
    """Hours after which a missed digest is dropped; 0 catches nothing up."""
    quiet_hours: QuietHours = ()
    """When nothing is posted unprompted; see :func:`bot.scheduler.rest.parse_hours`."""
    holidays: Holidays = ()
    """Dates and countries; see :func:`bot.scheduler.rest.parse_holidays`."""
    include: Rules = ()
    """Rules for the only changes to show: ``path vllm/v1/**``, ``label kernel``, ``keyword cache``.
    """
    exclude: Rules = ()
    """Rules for changes to leave out, written the same way."""
    bots: bool = False
    """Whether to show changes made by programs."""

    @property
    def filters(self) -> Filters:
        """The filters for the channel's changes."""
        return Filters(include=self.include, exclude=self.exclude, bots=self.bots)

    @property
    def rest(self) -> Rest:
        """When nothing is posted to the channel."""
        return Rest(
            hours=self.quiet_hours,
            dates=tuple(holiday for holiday in self.holidays if isinstance(holiday, Dates)),
            countries=tuple(one for one in self.holidays if isinstance(one, str)),
        )


class ScheduleConfig(Settings):
    """One of several schedules of a channel; filters are the channel's."""

    kind: Frequency = Frequency.DAILY
    time: LocalTime | None = None
    weekdays: Weekdays | None = None
    least: Level | None = None

    @model_validator(mode="after")
    def _once_a_week(self) -> ScheduleConfig:
        _check_weekday(self.kind, self.weekdays)
        return self


class ChannelConfig(Preferences):
    """A destination of digests. Without ``repositories`` it covers all of them."""

    name: str = Field(min_length=1, max_length=100)
    platform: str
    chat: str = ""
    repositories: tuple[str, ...] = ()
    output: Place | None = None  # a folder for full reports
    kind: Frequency = Frequency.DAILY
    schedules: tuple[ScheduleConfig, ...] = ()
    """Several schedules; without them there is one, of the channel's ``kind``."""
    admins: Names = ()  # people who may change the settings of this chat
    external: bool | None = None
    """Whether people of other organisations read it; by default the platform is asked."""
    allow_private: bool = False  # whether to show private repositories even if it is external
    silent: bool = False  # whether posts notify nobody, on platforms that can do that

    @model_validator(mode="after")
    def _one_of_each_kind(self) -> ChannelConfig:
        own = self.model_fields_set
        given = "weekdays" in own and not self.schedules
        _check_weekday(self.kind, self.weekdays if given else None)
        kinds = [schedule.kind for schedule in self.schedules]
        if len(set(kinds)) < len(kinds):
            raise ValueError(
                "a channel can have only one schedule of each kind; use a second channel"
            )
        if kinds and "kind" in own:
            raise ValueError("kind is set in each schedule; remove the channel's own kind")
        return self

    @property
    def plans(self) -> tuple[tuple[Spec, Level], ...]:
        """When its digests are due, each with its lowest level. Raises ``ValueError`` if never."""
        schedules = self.schedules or (ScheduleConfig(kind=self.kind),)
        return tuple((self._spec(schedule), schedule.least or self.least) for schedule in schedules)

    def _spec(self, schedule: ScheduleConfig) -> Spec:
        days = schedule.weekdays or self.weekdays
        return Spec(
            at=schedule.time or self.time,
            zone=self.zone,
            # Of the weekdays of all its digests, one that comes on one has the first.
            weekdays=frozenset({min(days)}) if schedule.kind.one_day else days,
            kind=schedule.kind,
            rest=self.rest,
        )

    @property
    def patience(self) -> timedelta:
        """How long a missed digest is caught up."""
        return timedelta(hours=self.catch_up)


def _check_weekday(kind: Frequency, given: frozenset[int] | None) -> None:
    if kind.one_day and given is not None and len(given) != 1:
        raise ValueError(f"a {kind} digest is sent on one weekday, such as weekdays = ['mon']")
