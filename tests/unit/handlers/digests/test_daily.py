"""One report for several digests, which show changes from different levels up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from digest.core.grade import Level
from digest.window import day_window
from handlers.digests.daily import digest_of_window, shown_from
from handlers.ports.storage import Outcome, State
from tests.support.fakes import FakeSource, change, context

NOON = datetime(2026, 1, 20, 12, tzinfo=UTC)
CHANGES = [
    change("a", "feat!: drop the old parser (#3)", {"src/app.py": 900}, NOON),
    change("b", "Fix a typo (#2)", {"src/app.py": 1}, NOON - timedelta(hours=1)),
]
OTHERS = (
    Outcome(sha="c", state=State.FAILED, why="its lines cannot be read"),
    Outcome(sha="d", state=State.FILTERED, why="bots"),
)


@pytest.mark.parametrize(
    ("least", "second"), [(Level.HIGH, State.ARCHIVED), (Level.LOW, State.POSTED)]
)
async def test_a_digest_posts_what_it_shows_and_what_failed_or_was_filtered_stays_so(least, second):
    ctx = context(FakeSource(CHANGES), at=NOON + timedelta(days=1))
    daily = await digest_of_window(ctx, day_window(NOON.date(), ZoneInfo("UTC")), Level.MEDIUM)
    shown = shown_from(replace(daily, outcomes=(*daily.outcomes, *OTHERS)), least)
    assert [(one.sha[:1], one.state) for one in shown.outcomes] == [
        ("a", State.POSTED),
        ("b", second),
        ("c", State.FAILED),
        ("d", State.FILTERED),
    ]
    assert shown.outcomes[-2:] == OTHERS
    coverage = shown.report.coverage
    assert coverage.posted == 1 + (second is State.POSTED)
