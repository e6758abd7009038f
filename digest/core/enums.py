"""Closed sets that several packages share."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Language(StrEnum):
    """A language of output: BCP 47 primary tags."""

    EN = "en"
    ZH = "zh"


class ChatSetting(StrEnum):
    """What of a chat can be set by name."""

    LANGUAGE = "language"
    ZONE = "zone"
    TIME = "time"
    WEEKDAYS = "weekdays"
    LEVEL = "level"
    BRANCH = "branch"
    BOTS = "bots"
    PRIVATE = "private"


class Effect(IntEnum):
    """How hard a change reaches somebody, the hardest first."""

    MAY_BREAK = 0
    TOUCHES = 1


class ChangeKind(StrEnum):
    """A kind of change, the weightiest first."""

    BREAKING = "breaking"
    SECURITY = "security"
    DEPRECATIONS = "deprecations"
    REVERTS = "reverts"
    FEATURE = "feature"
    PERFORMANCE = "performance"
    FIX = "fix"
    DEPENDENCIES = "dependencies"


class TopicPlace(StrEnum):
    """Where a change says what it is about, the strongest first."""

    TAG = "tag"
    SCOPE = "scope"
    TITLE = "title"
    FACT = "fact"
    AREA = "area"
    PATH = "path"
    IDENTIFIER = "identifier"
    KIND = "kind"
    LABEL = "label"
