"""Closed sets that several packages share."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Language(StrEnum):
    """A language of output: BCP 47 primary tags."""

    EN = "en"
    ZH = "zh"


class Frequency(StrEnum):
    """How often a digest is posted."""

    DAILY = "daily"
    WEEKLY = "weekly"
    FORTNIGHTLY = "fortnightly"
    MONTHLY = "monthly"
    MONTH_END = "month-end"

    @property
    def one_day(self) -> bool:
        """Whether it is posted on one weekday."""
        return self in {Frequency.WEEKLY, Frequency.FORTNIGHTLY}


class ChatSetting(StrEnum):
    """A setting of a chat, by name."""

    LANGUAGE = "language"
    ZONE = "zone"
    TIME = "time"
    WEEKDAYS = "weekdays"
    LEVEL = "level"
    BRANCH = "branch"
    BOTS = "bots"
    PRIVATE = "private"


class Alerts(IntEnum):
    """Which changes of a profile a chat is notified of as soon as they are merged."""

    OFF = 0
    BREAKING = 1
    ALL = 2


class Effect(IntEnum):
    """How severely a change affects somebody, the most severe first."""

    MAY_BREAK = 0
    TOUCHES = 1


class ChangeKind(StrEnum):
    """A kind of change, the most important first."""

    ACTION = "action"
    BREAKING = "breaking"
    SECURITY = "security"
    DEPRECATIONS = "deprecations"
    REVERTS = "reverts"
    FEATURE = "feature"
    PERFORMANCE = "performance"
    FIX = "fix"
    DEPENDENCIES = "dependencies"


class TopicPlace(StrEnum):
    """Where a change states its topic, the strongest first."""

    TAG = "tag"
    SCOPE = "scope"
    TITLE = "title"
    FACT = "fact"
    AREA = "area"
    PATH = "path"
    IDENTIFIER = "identifier"
    KIND = "kind"
    LABEL = "label"


class Privacy(StrEnum):
    """How much of a repository a model may see."""

    FULL = "full"
    REDACTED = "redacted"
    METADATA = "metadata"
    NONE = "none"
