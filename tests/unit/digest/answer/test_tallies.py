"""Charts of how many changes there were over time."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from digest.answer.tallies import by_time
from digest.core.enums import Language
from tests.support.fakes import graded


@pytest.mark.parametrize(
    ("per", "until", "bars", "first"),
    [
        ("day", datetime(2026, 3, 4, tzinfo=UTC), 62, "2026-01-02"),
        ("day", datetime(2026, 3, 5, tzinfo=UTC), 10, "2025-12-29"),  # the Monday before
        ("week", datetime(2026, 1, 4, tzinfo=UTC), 1, "2025-12-29"),
        ("month", datetime(2026, 5, 1, tzinfo=UTC), 5, "2026-01"),
    ],
)
def test_days_of_long_periods_are_shown_by_week_and_months_as_asked(per, until, bars, first):
    begin = datetime(2026, 1, 2, 12, tzinfo=UTC)
    changes = [graded(sha, "Any", at=begin) for sha in ("a1", "a2")]
    span = {"zone": ZoneInfo("UTC"), "first": begin, "last": until}
    chart = by_time(changes, per, Language.EN, **span)
    assert (len(chart.labels), chart.labels[0]) == (bars, first)
    assert chart.values == (2, *[0] * (bars - 1))
