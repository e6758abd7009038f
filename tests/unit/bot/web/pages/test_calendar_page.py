"""The pages of the calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest

from bot.store.browsing import Extent
from bot.web.pages import calendar_page
from bot.web.pages.charts import BarChart
from digest.core.enums import Language
from tests.support.fakes import FakeClock


@pytest.mark.parametrize(
    ("begun", "today", "pages"),
    [
        ((2024, 11, 15), (2026, 1, 31), [6, 6, 3]),
        ((2024, 12, 31), (2025, 11, 1), [6, 6]),
        ((2025, 2, 28), (2025, 2, 28), [1]),
    ],
)
async def test_pages_of_six_months_hold_each_day_once(begun, today, pages, monkeypatch):
    first, last = (datetime(*day, 12, tzinfo=UTC) for day in (begun, today))
    asked = SimpleNamespace(
        shown=lambda: SimpleNamespace(repository=SimpleNamespace(name="ada/engine")),
        language=Language.EN,
        site=SimpleNamespace(zone=UTC, clock=FakeClock(last)),
        page=1,
    )
    drawn: list[tuple[date, date]] = []

    async def extent_of(_asked, _shown):
        return Extent(total=2, first=first, last=last)

    async def days_of(_asked, _shown, since, until):
        drawn.append((since, until))
        return BarChart(bars=(), most=0)

    monkeypatch.setattr(calendar_page, "extent_of", extent_of)
    monkeypatch.setattr(calendar_page, "days_of", days_of)
    for asked.page in range(1, len(pages) + 2):
        page = await calendar_page.calendar_page(asked)
        assert (page.values["page"], page.values["pages"]) == (
            min(asked.page, len(pages)),
            len(pages),
        )
    assert drawn.pop() == drawn[-1]  # behind the last page there is no other
    days = [
        since + timedelta(days=n)
        for since, until in reversed(drawn)
        for n in range((until - since).days + 1)
    ]
    begin = first.date().replace(day=1)
    assert days == [begin + timedelta(days=n) for n in range((last.date() - begin).days + 1)]
    months = [
        (until.year - since.year) * 12 + until.month - since.month + 1 for since, until in drawn
    ]
    assert months == pages
