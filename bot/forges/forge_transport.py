"""HTTP requests to a forge, bounded in size and time, and its rate limits.

Sources: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.gitlab.com/security/rate_limits/. GitHub answers 403 or 429 for both of its limits: the
primary one is recognised by ``x-ratelimit-remaining: 0``, the secondary by ``retry-after`` or by
its message; then the wait is at least a minute, doubled each further time.

Redirects are followed only on the forge's own origin, so that no secret goes to another host.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import urljoin, urlsplit

from bot.messaging.sender import SendError, SendReason
from bot.messaging.wire import HttpClient, Reply
from digest.errors import ForgeDown
from digest.frozen import frozen

_LEAST_PAUSE = 60.0
_LONGEST_PAUSE = 3600.0
_SECONDARY_WORDS = ("secondary rate limit", "abuse detection", "rate limit exceeded")


@frozen
class Quota:
    """The rest of the primary limit, as the last answer stated; ``None`` if it did not."""

    limit: int | None = None
    remaining: int | None = None
    resets_at: datetime | None = None


class ForgeLimits:
    """The limits of one account."""

    def __init__(self) -> None:
        self.quota = Quota()
        self._until: datetime | None = None
        self._pause = _LEAST_PAUSE

    def blocked(self, now: datetime) -> datetime | None:
        """Until when no request may be sent; ``None`` if one may."""
        if self._until is not None and now < self._until:
            return self._until
        resets_at = self.quota.resets_at
        spent = self.quota.remaining == 0 and resets_at is not None and now < resets_at
        return resets_at if spent else None

    def heard(
        self, status: int, headers: Mapping[str, str], text: str, now: datetime
    ) -> datetime | None:
        """Process an answer; return until when to wait if a limit refused it."""
        # ``text`` is the beginning of the body.
        self._count(headers, now)
        until = self._open_again_at(status, headers, text, now)
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

    def _open_again_at(
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
        number = float(written or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 <= number < 1e11 else None


def _epoch(written: str | None, now: datetime) -> datetime | None:
    """A moment in seconds since 1970; one more than a day ahead is ignored."""
    seconds = _number(written)
    if seconds is None:
        return None
    return min(datetime.fromtimestamp(seconds, UTC), now + timedelta(days=1))


LARGEST = 20 * 2**20
"""The most bytes of an answer: a page of 100 files with patches takes a few million."""

_PATIENCE = 15.0  # seconds of a server's silence
_WHOLE = 40.0  # seconds for one answer with redirects, however slowly it arrives
_AT_ONCE = 4
_MOST_REDIRECTS = 3
_REDIRECTS = {301, 302, 307, 308}
_UNANSWERED = {SendReason.UNAVAILABLE, SendReason.NO_ANSWER}


class NoResponse(Exception):
    """There was no answer, but there may be one next time."""


class ForgeTransport:
    """The connections to one forge; ``base`` is the API's address. Opened at the first request."""

    def __init__(self, base: str, headers: Mapping[str, str]) -> None:
        """``headers`` go with every request."""
        self.host = urlsplit(base).netloc
        self._base = base
        self._headers = {"accept-encoding": "gzip", **headers}
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._http = HttpClient(patience=_PATIENCE, largest=LARGEST)

    def full(self, path: str) -> str:
        """An address on the forge's own origin, whatever link a forge gives."""
        if path.startswith("/"):
            return self._base + path
        if _origin(path) != _origin(self._base):
            raise ForgeDown(self.host, "it redirects to another host")
        return path

    async def ask(self, method: str, address: str, headers: Mapping[str, str]) -> Reply:
        """An answer that is no redirect. Raises ``NoResponse`` and ``ForgeDown``."""
        given = {**self._headers, **headers}
        try:
            async with asyncio.timeout(_WHOLE), self._places:
                for _ in range(_MOST_REDIRECTS + 1):
                    answer = await self._http.request(method, address, headers=given)
                    if answer.status not in _REDIRECTS:
                        return answer
                    address = self.full(urljoin(address, answer.headers.get("location", "")))
        except TimeoutError as error:
            raise NoResponse("no answer in time") from error
        except SendError as error:
            if error.reason in _UNANSWERED:
                raise NoResponse(error.detail) from error
            raise odd(self.host, error.detail) from error
        raise ForgeDown(self.host, "too many redirects")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def odd(host: str, why: str) -> ForgeDown:
    """The error for an answer that makes no sense."""
    return ForgeDown(host, f"invalid response: {why}")


def _origin(address: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", "", None
    standard = {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port or standard
