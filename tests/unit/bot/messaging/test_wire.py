"""What the status of an answer says of a message."""

from __future__ import annotations

import pytest

from bot.messaging.sender import SendReason
from bot.messaging.wire import Reply, reason_of


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (302, SendReason.BROKEN),
        (400, SendReason.REJECTED),
        (401, SendReason.UNAUTHORIZED),
        (403, SendReason.UNAUTHORIZED),
        (404, SendReason.NO_CHANNEL),
        (407, SendReason.UNAUTHORIZED),
        (408, SendReason.NO_ANSWER),
        (410, SendReason.NO_CHANNEL),
        (429, SendReason.RATE_LIMITED),
        (500, SendReason.UNAVAILABLE),
        (502, SendReason.NO_ANSWER),
        (503, SendReason.UNAVAILABLE),
        (504, SendReason.NO_ANSWER),
    ],
)
def test_a_status_says_why_a_message_was_not_taken(status: int, reason: SendReason) -> None:
    assert reason_of(status) is reason


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("0", 0.0), ("1.5", 1.5), ("-1", None), ("inf", None), ("nan", None), ("soon", None)],
)
def test_a_wait_that_a_server_asks_for_is_a_number_from_zero(written, seconds) -> None:
    reply = Reply(status=429, headers={"retry-after": written}, body=b"")
    assert reply.seconds("retry-after") == seconds
    assert reply.seconds("x-retry-after") is None
