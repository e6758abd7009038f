"""Which failures of a platform may be tried again."""

from __future__ import annotations

import pytest

from bot.messaging.sender import SendError, SendReason


@pytest.mark.parametrize("reason", SendReason)
def test_only_what_posted_nothing_for_sure_is_tried_again(reason):
    again = reason in {SendReason.RATE_LIMITED, SendReason.UNAVAILABLE}
    assert SendError(reason, "later").retry is again
    assert SendError(reason, "later", retry=not again).retry is not again
