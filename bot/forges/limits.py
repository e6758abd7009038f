"""When a forge may be asked again, from what its answers say. No I/O; moments come from outside.

Sources: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.gitlab.com/security/rate_limits/. GitHub answers 403 or 429 for both of its limits:
the primary one is known by ``x-ratelimit-remaining: 0``, the secondary by ``retry-after`` or by
its words, and then at least a minute passes, twice as long each further time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_LEAST_PAUSE = 60.0
_LONGEST_PAUSE = 3600.0
_SECONDARY_WORDS = ("secondary rate limit", "abuse detection", "rate limit exceeded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What is left of the primary limit, as the last answer said; ``None`` where it did not."""

    limit: int | None = None
    remaining: int | None = None
    resets_at: datetime | None = None


class Limits:
    """The limits of one account."""

    def __init__(self) -> None:
        self.quota = Quota()
        self._until: datetime | None = None
        self._pause = _LEAST_PAUSE

    def blocked(self, now: datetime) -> datetime | None:
        """Until when nothing may be asked; ``None`` where something may."""
        if self._until is not None and now < self._until:
            return self._until
        resets_at = self.quota.resets_at
        spent = self.quota.remaining == 0 and resets_at is not None and now < resets_at
        return resets_at if spent else None

    def heard(
        self, status: int, headers: Mapping[str, str], text: str, now: datetime
    ) -> datetime | None:
        """Take in an answer; until when to wait, where it refused by a limit.

        ``headers`` have names in small letters; ``text`` is the begin of the body.
        """
        self._count(headers, now)
        until = self._refused(status, headers, text, now)
        if until is None and status < 400:
            self._pause = _LEAST_PAUSE
        if until is not None:
            self._until = until
        return until

    def _count(self, headers: Mapping[str, str], now: datetime) -> None:
        """GitHub and Gitea write ``x-ratelimit-*``, GitLab ``ratelimit-*``."""
        for prefix in ("x-ratelimit-", "ratelimit-"):
            remaining = _number(headers.get(f"{prefix}remaining"))
            if remaining is None:
                continue
            limit = _number(headers.get(f"{prefix}limit"))
            self.quota = Quota(
                limit=None if limit is None else int(limit),
                remaining=int(remaining),
                resets_at=_epoch(headers.get(f"{prefix}reset"), now),
            )
            return

    def _refused(
        self, status: int, headers: Mapping[str, str], text: str, now: datetime
    ) -> datetime | None:
        if status not in {403, 429}:
            return None
        after = _number(headers.get("retry-after"))
        if after is not None:
            return now + timedelta(seconds=min(max(after, 1.0), 24 * _LONGEST_PAUSE))
        if self.quota.remaining == 0 and self.quota.resets_at is not None:
            return max(self.quota.resets_at, now + timedelta(seconds=1))
        if status == 429 or any(words in text.lower() for words in _SECONDARY_WORDS):
            pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
            return now + timedelta(seconds=pause)
        return None


def _number(written: str | None) -> float | None:
    try:
        found = float(written or "")
    except ValueError:
        return None
    return found if math.isfinite(found) and 0 <= found < 1e11 else None


def _epoch(written: str | None, now: datetime) -> datetime | None:
    """A moment in seconds since 1970; one that is more than a day ahead is not believed."""
    seconds = _number(written)
    if seconds is None:
        return None
    return min(datetime.fromtimestamp(seconds, UTC), now + timedelta(days=1))
