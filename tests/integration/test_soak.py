"""A thousand channels, limits that are kept to the message, and refusals on the way."""

from __future__ import annotations

import pytest

from tests.support.soak import FLEETS, soak

CHANNELS, REFUSALS = 1000, 20
"""For each platform."""


@pytest.mark.slow
@pytest.mark.parametrize("platform", sorted(FLEETS))
def test_a_fan_out_delivers_to_every_channel_once_and_as_fast_as_the_limits_let_it(
    platform,
):
    done = soak(platform, CHANNELS, REFUSALS)
    assert done.posts == {f"{n:06d}": 1 for n in range(CHANNELS)}
    assert done.refused == REFUSALS, "the limits themselves refused something"
    assert done.wall <= 1.2 * done.least


@pytest.mark.slow
def test_a_fan_out_with_the_ledger_in_a_file_delivers_to_every_channel_once():
    done = soak("slack", 100, 5, in_file=True)
    assert done.posts == {f"{n:06d}": 1 for n in range(100)}
    assert done.refused == 5
