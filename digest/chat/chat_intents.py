"""What a chat can be told about itself: subscriptions, settings, filters, muted topics.

Imports ``chat``, ``days``, ``filtering`` and values.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from zoneinfo import ZoneInfo

from digest.chat.chat_settings import AS_USUAL, DigestTiming, Rule
from digest.chat.schedule_parser import WEEKDAY_NAMES
from digest.core.enums import ChatSetting, Language
from digest.core.grade import Level

Value = Language | ZoneInfo | time | frozenset[int] | Level | bool | str
"""What a setting is set to: each has one type of these; a branch is a ``str``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe:
    """Send this chat a digest of a repository; without a name, of all that it may see."""

    repository: str = ""
    weekly: bool = False
    timing: DigestTiming = AS_USUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsubscribe:
    """Send no more digests of a repository; without a name, of any."""

    repository: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscriptions:
    """What this chat gets, and when next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Send nothing by itself until further notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Send again what was paused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute:
    """Leave a topic out of digests; its changes stay counted."""

    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmute:
    """Show a topic again."""

    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowSettings:
    """How this chat is set up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """Set something of this chat."""

    setting: ChatSetting
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Add a rule to the filters; unless ``save`` is said, only show what it would keep."""

    rule: Rule
    include: bool
    save: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfilter:
    """Take a rule away; without one, all of them."""

    rule: Rule | None = None


Managing = (
    Subscribe
    | Unsubscribe
    | Subscriptions
    | Pause
    | Resume
    | Mute
    | Unmute
    | ShowSettings
    | Set
    | Filter
    | Unfilter
)

_FIXED: dict[type, str] = {
    Subscriptions: "subscriptions",
    Pause: "pause",
    Resume: "resume",
    ShowSettings: "settings",
}


def format_managing(intent: Managing) -> str:
    """An English command that is read back as the same intent."""
    match intent:
        case Subscribe():
            name, kind = intent.repository, "weekly" if intent.weekly else "daily"
            return " ".join(filter(None, ["subscribe", name, kind, *_timing(intent.timing)]))
        case Unsubscribe(repository=name):
            return f"unsubscribe {name}".rstrip()
        case Mute(topic=topic):
            return f"mute {topic}"
        case Unmute(topic=topic):
            return f"unmute {topic}"
        case Set(setting=setting, value=value):
            return f"settings {setting} {spelled(value)}"
        case Filter(rule=rule, include=include, save=save):
            return f"{'save ' if save else ''}{'include' if include else 'exclude'} {rule}"
        case Unfilter(rule=rule):
            return f"remove filter {rule}" if rule else "clear filters"
        case _:
            return _FIXED[type(intent)]


def spelled(value: Value) -> str:
    """A setting's value as it is written in a command."""
    match value:
        case bool():
            return "on" if value else "off"
        case time():
            return f"{value:%H:%M}"
        case frozenset():
            return ",".join(WEEKDAY_NAMES[day] for day in sorted(value))
        case ZoneInfo():
            return value.key
        case _:
            return str(value)


def _timing(timing: DigestTiming) -> list[str]:
    found = [spelled(v) for v in (timing.weekdays, timing.at, timing.zone) if v is not None]
    if timing.least is not None:
        found.append(f"level {timing.least}")
    return [*found, *([f"branch {timing.branch}"] if timing.branch else [])]
