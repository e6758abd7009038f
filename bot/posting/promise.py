"""What a channel is promised. Apart, so that reading a configuration imports no delivery."""

from __future__ import annotations

from enum import StrEnum


class Promise(StrEnum):
    """What a channel gets where an outcome cannot be known."""

    AT_MOST_ONCE = "at-most-once"
    AT_LEAST_ONCE = "at-least-once"
