"""The time of the machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Implements ``Clock``."""

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        return datetime.now(UTC)
