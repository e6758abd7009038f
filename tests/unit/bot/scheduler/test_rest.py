"""Rest times as a file writes them, and the moments from which and up to which they hold."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from bot.scheduler.rest import (
    Dates,
    Rest,
    days,
    holidays_of,
    local_time,
    parse_holidays,
    parse_hours,
    weekdays,
)

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def holds(hours: str, day: int, clock: str) -> bool:
    """Whether hours hold on a day of the week, 0 is Monday, at a time."""
    at = datetime.combine(MONDAY + timedelta(days=day), time.fromisoformat(clock), UTC)
    return Rest(hours=parse_hours([hours])).holds(at)


@pytest.mark.parametrize(
    ("hours", "within", "outside"),
    [
        ("12:00-13:30", [(0, "12:00"), (6, "13:29")], [(0, "11:59"), (6, "13:30")]),
        ("22:00-08:00", [(0, "22:00"), (1, "07:59"), (0, "00:00")], [(0, "08:00"), (1, "21:59")]),
        ("sat-sun", [(5, "00:00"), (6, "23:59")], [(4, "23:59"), (0, "00:00")]),
        ("fri 18:00-24:00", [(4, "18:00"), (4, "23:59")], [(4, "17:59"), (5, "00:00"), (3, "18:00")]),
        ("fri 18:00-06:00", [(4, "18:00"), (5, "05:59")], [(5, "06:00"), (5, "18:00"), (4, "05:59")]),
        ("sun 20:00-06:00", [(6, "20:00"), (0, "05:59")], [(0, "06:00"), (1, "05:59")]),
        ("MON - wed", [(0, "00:00"), (2, "23:59")], [(3, "00:00"), (6, "23:59")]),
    ],
)  # fmt: skip
def test_hours_hold_from_their_start_up_to_their_end(hours, within, outside):
    assert all(holds(hours, *at) for at in within)
    assert not any(holds(hours, *at) for at in outside)


@pytest.mark.parametrize(
    ("written", "read"),
    [("09:00", time(9)), ("9:05", time(9, 5)), ("23:59:58", time(23, 59, 58)), (time(7), time(7))],
)
def test_times_are_those_of_a_clock(written, read):
    assert local_time(written) == read


@pytest.mark.parametrize("written", ["24:00", "9", "09:60", "09:00:60", "", 9, None])
def test_what_is_no_time_is_refused(written):
    with pytest.raises(ValueError, match="from 00:00 to 23:59"):
        local_time(written)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("mon", [0]),
        ("Tuesday", [1]),
        ("mon-fri", [0, 1, 2, 3, 4]),
        ("fri-mon", [4, 5, 6, 0]),
        ("sun-sun", [6]),
        ("sun - mon", [6, 0]),
    ],
)
def test_ranges_of_weekdays_go_on_over_the_weekend(written, read):
    assert list(days(written)) == read
    assert weekdays(written) == weekdays([written]) == frozenset(read)


@pytest.mark.parametrize("written", ["mo", "day", "mon-", "-", "", 3])
def test_what_is_no_weekday_is_refused(written):
    with pytest.raises(
        ValueError, match="is not a weekday; write mon, tue, wed, thu, fri, sat, sun or"
    ):
        days(written)


@pytest.mark.parametrize("written", [[], {}, 3, None])
def test_weekdays_are_a_list(written):
    with pytest.raises(ValueError, match="write a list of weekdays"):
        weekdays(written)


def test_dates_hold_on_their_first_and_last_day():
    (dates,) = parse_holidays(["2026-12-24 .. 2027-01-01"])
    assert dates == Dates(first=date(2026, 12, 24), last=date(2027, 1, 1))
    rest = Rest(dates=(dates,))
    ends = [datetime(2026, 12, 24, tzinfo=UTC), datetime(2027, 1, 1, 23, 59, tzinfo=UTC)]
    assert all(map(rest.holds, ends))
    assert not rest.holds(ends[0] - timedelta(minutes=1))
    assert not rest.holds(ends[1] + timedelta(minutes=1))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2026-01-01..2027-01-01", None),  # 366 days
        ("2026-01-01..2027-01-02", "longer than a year"),
        ("2026-01-02..2026-01-01", "ends before it begins"),
        ("2026-01-01..2026-01-01", None),
        ("tomorrow", "is not a holiday"),
        ("2026-13-01", "is not a holiday"),
        ("XX", "has no known holidays"),
        ("DE-XX", "has no known holidays"),
        ("DE-BY", None),
        (date(2026, 1, 1), None),
    ],
)
def test_holidays_are_dates_ranges_and_countries(written, said):
    if said is None:
        assert len(parse_holidays([written])) == 1
    else:
        with pytest.raises(ValueError, match=said):
            parse_holidays([written])


@pytest.mark.parametrize("parse", [parse_hours, parse_holidays])
def test_rest_times_are_lists(parse):
    with pytest.raises(ValueError, match="write a list, such as"):
        parse("sat-sun")


@pytest.mark.parametrize("written", ["", "noon", "25:00-26:00", "08:00", "mon 08:00"])
def test_what_is_no_range_of_hours_is_refused(written):
    with pytest.raises(ValueError, match=r"range|weekday|hours"):
        parse_hours([written])


def test_holidays_of_a_region_hold_there_alone():
    epiphany = datetime(2026, 1, 6, 12, tzinfo=UTC)
    assert Rest(countries=("DE-BY",)).holds(epiphany)
    assert not Rest(countries=("DE",)).holds(epiphany)
    assert date(2026, 12, 25) in holidays_of("DE", 2026)


def test_pause_holds_from_its_start_up_to_its_end():
    rest = Rest(pause=(MONDAY, MONDAY + timedelta(hours=2)))
    minute = timedelta(minutes=1)
    assert rest.holds(MONDAY)
    assert rest.holds(MONDAY + timedelta(hours=2) - minute)
    assert not rest.holds(MONDAY - minute)
    assert not rest.holds(MONDAY + timedelta(hours=2))


def test_time_that_every_weekday_rests_is_always_held():
    nights = Rest(hours=parse_hours(["22:00-08:00", "sat-sun"]))
    assert nights.always(time(7, 59), range(7))
    assert nights.always(time(9), [5, 6])
    assert not nights.always(time(9), [4, 5])
    assert not nights.always(time(8), range(5))
