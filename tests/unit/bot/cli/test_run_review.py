"""What ``digestbot deliveries`` says of posts that did not arrive, or perhaps not."""

from __future__ import annotations

import pytest

from bot.cli.run_review import _part_outcome
from bot.store.deliveries import UncertainDelivery
from handlers.ports.storage import PartState

MISSING = "Perhaps missing: the platform did not confirm it"

NOT_AGAIN = "It is not posted again automatically."


@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        (
            PartState.SENT,
            "unproven: no scope",
            f"{MISSING} (no scope). {NOT_AGAIN}",
        ),
        (
            PartState.SENT,
            "unproven: taken as sent",
            f"{MISSING}. {NOT_AGAIN}",
        ),
        (PartState.FAILED, "unauthorized", "Not posted: unauthorized."),
        (PartState.WAITING, "", "Not posted yet. It will be retried."),
        (PartState.SENDING, "no answer", "Being posted, or interrupted: no answer."),
    ],
)
def test_what_happened_to_a_part_is_said_in_plain_words(state, error, said) -> None:
    one = UncertainDelivery(
        delivery=1, platform="slack", channel="team", digest="d", part=0, state=state, error=error
    )
    assert _part_outcome(one) == said
