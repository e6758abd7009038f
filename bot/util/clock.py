"""The time of the machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Implements ``Clock``."""

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        return datetime.now(UTC)


class FixedClock:
    """A clock that always shows one moment, to answer as of that moment."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The moment, aware, in UTC."""
        return self._moment
