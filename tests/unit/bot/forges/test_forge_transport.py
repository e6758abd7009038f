"""The limits of a forge as its answers state them: what is left, and until when to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.forges.forge_transport import ForgeLimits, Quota

NOW = datetime(2026, 1, 23, 9, tzinfo=UTC)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def waits(limits: ForgeLimits, status: int, text: str = "", **headers: object) -> float | None:
    """The seconds for which an answer of this moment closes the account."""
    named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    until = limits.heard(status, named, text, NOW)
    return None if until is None else (until - NOW).total_seconds()


def test_pauses_grow_to_an_hour_and_begin_anew_after_an_answer():
    limits = ForgeLimits()
    grown = [waits(limits, 429) for _ in range(8)]
    assert grown == [60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert waits(limits, 500) is None
    assert waits(limits, 429) == 3600, "an error is no answer"
    assert waits(limits, 399) is None
    assert waits(limits, 429) == 60


@pytest.mark.parametrize(
    ("status", "text", "headers", "seconds"),
    [
        (200, "rate limit exceeded", {}, None),
        (403, "forbidden", {}, None),
        (403, "You have exceeded a Secondary Rate Limit", {}, 60),
        (403, "abuse detection", {}, 60),
        (403, "API rate limit exceeded", {}, 60),
        (403, "forbidden", {"retry_after": 5}, 5),
        (429, "", {"retry_after": 0}, 1),
        (429, "", {"retry_after": 10**9}, 24 * 3600),
        (500, "", {"retry_after": 5}, None),
    ],
)
def test_refusal_says_or_implies_how_long_to_wait(status, text, headers, seconds):
    limits = ForgeLimits()
    assert waits(limits, status, text, **headers) == seconds
    assert limits.blocked(NOW) == (later(seconds) if seconds else None)
    if seconds:
        assert limits.blocked(later(seconds)) is None


@pytest.mark.parametrize("prefix", ["x_ratelimit_", "ratelimit_"])
def test_spent_quota_closes_the_account_until_it_is_filled_again(prefix):
    limits = ForgeLimits()
    reset = int(later(90).timestamp())
    given = {f"{prefix}limit": 60, f"{prefix}remaining": 1, f"{prefix}reset": reset}
    assert waits(limits, 200, **given) is None
    assert limits.quota == Quota(limit=60, remaining=1, resets_at=later(90))
    assert limits.blocked(NOW) is None
    assert waits(limits, 200, **given | {f"{prefix}remaining": 0}) is None
    assert limits.blocked(NOW) == limits.blocked(later(89)) == later(90)
    assert limits.blocked(later(90)) is None
    assert waits(limits, 403, "no", **given | {f"{prefix}remaining": 0}) == 90
    past = {f"{prefix}remaining": 0, f"{prefix}reset": int(later(-9).timestamp())}
    assert waits(limits, 403, "no", **past) == 1
