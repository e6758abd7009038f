"""What the commands write."""

from __future__ import annotations

from enum import StrEnum


class DigestFormat(StrEnum):
    """What ``digestbot digest`` writes."""

    CONDENSED = "condensed"
    MARKDOWN = "markdown"
    JSON = "json"


class AnswerFormat(StrEnum):
    """What ``explain`` and ``ask`` write."""

    TEXT = "text"
    JSON = "json"
