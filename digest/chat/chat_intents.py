"""Commands about a chat as values: subscriptions, settings, filters, muted topics."""

from __future__ import annotations

from datetime import time, timedelta
from zoneinfo import ZoneInfo

from digest.chat.chat_settings import AS_USUAL, DigestTiming, Rule
from digest.chat.schedule_parser import WEEKDAY_NAMES, PauseEnd
from digest.core.enums import ChatSetting, Frequency, Language
from digest.core.grade import Level
from digest.frozen import frozen

Value = Language | ZoneInfo | time | frozenset[int] | Level | bool | str
"""The value of a setting: each has one type of these; a branch is a ``str``."""


@frozen
class Subscribe:
    """Subscribe the chat to a repository; without a name, to all that it may see."""

    repository: str = ""
    kind: Frequency = Frequency.DAILY
    timing: DigestTiming = AS_USUAL


@frozen
class Unsubscribe:
    """Remove subscriptions to a repository; without a name, to all. ``kind`` restricts them."""

    repository: str = ""
    kind: Frequency | None = None


@frozen
class Subscriptions:
    """List the chat's digests, and when each is next due."""


@frozen
class Pause:
    """Post nothing unprompted until further notice, or until an end."""

    until: PauseEnd | None = None


@frozen
class Resume:
    """Resume what was paused."""


@frozen
class Mute:
    """Leave a topic out of digests, for good or until an end; its changes are still counted."""

    topic: str
    until: PauseEnd | None = None


@frozen
class Unmute:
    """Show a topic again."""

    topic: str


@frozen
class ShowSettings:
    """Show the chat's settings."""


@frozen
class Set:
    """Change a setting of the chat."""

    setting: ChatSetting
    value: Value


@frozen
class Filter:
    """Add a rule to the filters; without ``save``, only show what it would keep."""

    rule: Rule
    include: bool
    save: bool = False


@frozen
class Unfilter:
    """Remove a rule; without one, all of them."""

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
    """An English command that is parsed as the same intent."""
    match intent:
        case Subscribe():
            name, kind = intent.repository, str(intent.kind)
            return " ".join(filter(None, ["subscribe", name, kind, *_timing(intent.timing)]))
        case Unsubscribe(repository=name, kind=limit):
            return " ".join(filter(None, ["unsubscribe", name, limit and str(limit)]))
        case Pause(until=end) if end is not None:
            return f"pause {_ending(end)}"
        case Mute(topic=topic, until=end):
            return f"mute {topic}" if end is None else f"mute {topic} {_ending(end)}"
        case Unmute(topic=topic):
            return f"unmute {topic}"
        case Set(setting=setting, value=value):
            return f"settings {setting} {format_value(value)}"
        case Filter(rule=rule, include=include, save=save):
            return f"{'save ' if save else ''}{'include' if include else 'exclude'} {rule}"
        case Unfilter(rule=rule):
            return f"remove filter {rule}" if rule else "clear filters"
        case _:
            return _FIXED[type(intent)]


def _ending(end: PauseEnd) -> str:
    if isinstance(end, timedelta):
        return f"for {end // timedelta(hours=1)} hours"
    return f"until {end}"


def format_value(value: Value) -> str:
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
    parts = [format_value(v) for v in (timing.weekdays, timing.at, timing.zone) if v is not None]
    if timing.least is not None:
        parts.append(f"level {timing.least}")
    return [*parts, *([f"branch {timing.branch}"] if timing.branch else [])]
