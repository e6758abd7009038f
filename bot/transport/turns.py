"""Waiting for a platform's turn, with a queue that is too long told as a platform tells it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bot.platforms.base import SendError, SendReason
from bot.transport.rates import TooBusy


@contextmanager
def queued() -> Iterator[None]:
    """Have a turn that would come too late raise ``SendError``, as a refusal does."""
    try:
        yield
    except TooBusy as error:
        raise SendError(SendReason.RATE_LIMITED, "a long queue", retry_after=error.wait) from error
