"""Times of day and weekdays as people write them in the configuration.

Each function takes what TOML gives and raises ``ValueError`` with a line that says what to write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time
from typing import Any

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")


def local_time(value: Any) -> time:
    """``09:00``, or TOML's own local time."""
    if isinstance(value, time):
        return value
    found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if not found:
        raise ValueError("write hours and minutes from 00:00 to 23:59, such as '09:00'")
    hour, minute, second = (int(part or 0) for part in found.groups())
    return time(hour, minute, second)


def weekdays(value: Any) -> frozenset[int]:
    """A list of weekdays and ranges of them; 0 is Monday."""
    named = [value] if isinstance(value, str) else value
    if not isinstance(named, list) or not named:
        raise ValueError("write a list of weekdays, such as ['mon', 'wed'] or ['mon-fri']")
    return frozenset(day for entry in named for day in days(entry))


def days(entry: Any) -> Sequence[int]:
    """A weekday, or a range such as ``fri-mon``, in order."""
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
