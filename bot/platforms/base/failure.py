"""Why a platform did not do what it was asked."""

from __future__ import annotations

from enum import StrEnum

from digest.errors import DigestbotError


class SendReason(StrEnum):
    """Why a message was not sent. A closed set: metrics and tests count on it."""

    RATE_LIMITED = "rate_limited"  # too many messages for now
    UNAVAILABLE = "unavailable"  # refused before it was taken: no connection, 5xx
    NO_ANSWER = "no_answer"  # handed over, and no word whether it was taken
    UNAUTHORIZED = "unauthorized"  # token or permission
    NO_CHANNEL = "no_channel"  # no such chat, the bot was removed, the chat is closed
    REJECTED = "rejected"  # the platform does not take this content
    UNSUPPORTED = "unsupported"  # the platform cannot do this at all
    BROKEN = "broken"  # the platform's answer makes no sense


_AGAIN = frozenset({SendReason.RATE_LIMITED, SendReason.UNAVAILABLE})


class SendError(DigestbotError):
    """A platform's failure, classified by its adapter. The delivery decides what follows.

    ``retry`` says that the same call may be repeated and cannot make a second message; by default
    so for ``RATE_LIMITED`` and ``UNAVAILABLE`` alone. ``retry_after`` is in seconds, where the
    platform names a time. ``detail`` is for logs and holds no secret.
    """

    def __init__(
        self,
        reason: SendReason,
        detail: str = "",
        *,
        retry: bool | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
        self.retry = reason in _AGAIN if retry is None else retry
        self.retry_after = retry_after
