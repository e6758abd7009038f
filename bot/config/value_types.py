"""Types of values, parsed from what a person writes."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator

from bot.scheduler.rest import Dates, Hours, local_time, parse_holidays, parse_hours, weekdays
from digest.chat.chat_commands import read_rule
from digest.chat.chat_settings import Rule
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
