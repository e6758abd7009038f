"""Slots: one for every matching local date, in order, whatever the clocks do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import assume, given, settings

from bot.scheduler.rest import Dates, Rest, parse_hours
from bot.scheduler.schedule import (
    Spec,
    missed_slot,
    next_run,
    next_slot,
    slot_before,
    slots_after,
    slots_between,
    window,
)
from digest.core.enums import Frequency
from tests.support.strategies import moments, rests, specs, stretches

DAY = timedelta(days=1)
BERLIN = ZoneInfo("Europe/Berlin")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


def spec(at: str, zone: str | ZoneInfo = BERLIN, weekdays: str = "0123456") -> Spec:
    zone = ZoneInfo(zone) if isinstance(zone, str) else zone
    return Spec(at=time.fromisoformat(at), zone=zone, weekdays=frozenset(map(int, weekdays)))


def local_dates(spec: Spec, since: datetime, until: datetime) -> list[date]:
    """The dates that the zone's clock showed in the window, found by looking every hour."""
    seen: dict[date, None] = {}
    moment = since
    while moment < until:
        seen[moment.astimezone(spec.zone).date()] = None
        moment += timedelta(hours=1)
    return list(seen)


@settings(max_examples=100, deadline=None)
@given(spec=specs, after=moments)
def test_slots_are_strictly_increasing_and_one_per_matching_date(spec, after):
    slots = list(islice(slots_after(spec, after), 20))
    assert all(one.at > after for one in slots)
    assert all(one.at < other.at and one.day < other.day for one, other in pairwise(slots))
    assert all(slot.day.weekday() in spec.weekdays for slot in slots)


@settings(max_examples=50, deadline=None)
@given(spec=specs, since=moments)
def test_every_matching_local_date_has_a_slot(spec, since):
    until = since + timedelta(days=12)
    # The first and last dates are only partly in the window.
    dates = [day for day in local_dates(spec, since, until) if day.weekday() in spec.weekdays][1:-1]
    days = [slot.day for slot in slots_between(spec, since - timedelta(days=2), until)]
    assert [day for day in days if day in dates] == dates


@settings(max_examples=100, deadline=None)
@given(spec=specs, since=moments, length=stretches)
def test_windows_of_consecutive_slots_tile(spec, since, length):
    windows = [window(spec, slot) for slot in slots_between(spec, since, since + length)]
    assert all(one.since < one.until for one in windows)
    assert all(one.until == other.since for one, other in pairwise(windows))


@settings(max_examples=100, deadline=None)
@given(spec=specs, rest=rests, since=moments)
def test_with_a_rest_slots_are_those_outside_it_and_windows_cover_the_held_ones(spec, rest, since):
    assume(not rest.always(spec.at, spec.weekdays))
    resting, until = replace(spec, rest=rest), since + timedelta(days=40)
    every = slots_between(spec, since, until)
    free = slots_between(resting, since, until)
    assert free == tuple(one for one in every if not rest.holds(one.at.astimezone(spec.zone)))
    for one, other in pairwise(free):
        covered = window(resting, other)
        assert covered.since == max(one.at, other.at - resting.reach)
        assert covered.until == other.at


def test_reach_over_a_long_rest_is_bounded_and_slots_go_on_after_it():
    rest = Rest(dates=(Dates(first=date(2026, 2, 1), last=date(2026, 6, 30)),))
    held = replace(spec("09:00", "UTC"), rest=rest)
    slot = next_slot(held, utc(2026, 3, 1))
    assert slot.day == date(2026, 7, 1)
    assert window(held, slot).since == slot.at - held.reach
    assert slot_before(held, slot.at) is None


@pytest.mark.parametrize(
    ("kind", "days"),
    [
        (Frequency.DAILY, 35),
        (Frequency.WEEKLY, 35),
        (Frequency.FORTNIGHTLY, 70),
        (Frequency.MONTHLY, 100),
        (Frequency.MONTH_END, 100),
    ],
)
def test_first_digest_after_half_a_year_of_rest_goes_back_over_a_few_missed_ones(kind, days):
    rest = Rest(dates=(Dates(first=date(2026, 2, 1), last=date(2026, 7, 31)),))
    held = replace(spec("09:00", "UTC", weekdays="0"), kind=kind, rest=rest)
    covered = window(held, next_slot(held, utc(2026, 3, 1)))
    assert covered.until - covered.since == timedelta(days=days)


def test_schedule_that_quiet_hours_would_hold_for_ever_is_refused():
    with pytest.raises(ValueError, match="quiet hours"):
        replace(spec("07:00"), rest=Rest(hours=parse_hours(["22:00-08:00"])))


def test_weekly_digest_covers_the_week_also_over_a_change_of_clocks():
    weekly = replace(spec("09:00", weekdays="0"), kind=Frequency.WEEKLY)
    slot = next_slot(weekly, utc(2026, 3, 25))
    covered = window(weekly, slot)
    assert (slot.day, covered.until - covered.since) == (date(2026, 3, 30), 7 * DAY - DAY / 24)


@pytest.mark.parametrize(
    ("kind", "weekdays", "days"),
    [
        (Frequency.FORTNIGHTLY, "4", ["01-09", "01-23", "02-06", "02-20", "03-06"]),
        (Frequency.MONTHLY, "0123456", ["01-01", "02-01", "03-01", "04-01", "05-01"]),
        (Frequency.MONTHLY, "01234", ["01-01", "02-02", "03-02", "04-01", "05-01"]),
        (Frequency.MONTHLY, "0", ["01-05", "02-02", "03-02", "04-06", "05-04"]),
        (Frequency.MONTH_END, "0123456", ["01-31", "02-28", "03-31", "04-30", "05-31"]),
        (Frequency.MONTH_END, "01234", ["01-30", "02-27", "03-31", "04-30", "05-29"]),
    ],
)
def test_longer_schedules_fall_on_their_days_and_their_windows_tile(kind, weekdays, days):
    made = replace(spec("09:00", weekdays=weekdays), kind=kind)
    slots = list(islice(slots_after(made, utc(2025, 12, 31, 12)), 5))
    assert [f"{slot.day:%m-%d}" for slot in slots] == days
    for one, other in pairwise(slots):
        assert (window(made, other).since, window(made, other).until) == (one.at, other.at)
    late = missed_slot(made, slots[0].name, slots[2].at + DAY, timedelta(hours=48))
    assert late == slots[2]
    assert missed_slot(made, slots[2].name, slots[2].at + DAY, timedelta(hours=48)) is None


def test_every_second_week_goes_on_over_the_end_of_a_year_and_is_held_by_a_rest():
    made = replace(spec("09:00", weekdays="0"), kind=Frequency.FORTNIGHTLY)
    slots = list(islice(slots_after(made, utc(2026, 11, 1)), 60))
    assert {other.day - one.day for one, other in pairwise(slots)} == {14 * DAY}
    rest = Rest(dates=(Dates(first=slots[1].day, last=slots[2].day),))
    assert window(replace(made, rest=rest), slots[3]).since == slots[0].at


def test_schedule_of_weeks_with_several_weekdays_is_refused():
    with pytest.raises(ValueError, match="one weekday"):
        replace(spec("09:00"), kind=Frequency.FORTNIGHTLY)


@settings(max_examples=100, deadline=None)
@given(spec=specs, since=moments, length=stretches)
def test_stepping_with_next_run_finds_what_slots_between_finds(spec, since, length):
    found, moment = [], since
    while (moment := next_run(spec, moment)) <= since + length:
        found.append(moment)
    assert found == [slot.at for slot in slots_between(spec, since, since + length)]


def test_around_every_change_of_clocks_each_date_fires_once():
    """All zones of the database, at the half hours in which clocks change."""
    begin = utc(2026, 1, 1, 12)
    changes = 0
    for name in sorted(available_timezones()):
        zone = ZoneInfo(name)
        days = [begin + timedelta(days=n) for n in range(365)]
        for day, following in pairwise(days):
            if day.astimezone(zone).utcoffset() == following.astimezone(zone).utcoffset():
                continue
            changes += 1
            for at in ("00:00", "00:30", "01:30", "02:30", "23:30"):
                slots = slots_between(spec(at, zone), day - 2 * DAY, day + 4 * DAY)
                assert [one.day for one in slots] == [
                    slots[0].day + n * DAY for n in range(len(slots))
                ]
                assert all(one.at < other.at for one, other in pairwise(slots))
                assert len(slots) in {5, 6, 7}
    assert changes > 100


def test_time_in_a_gap_fires_at_the_first_instant_after_it():
    # 2026-03-29, clocks go from 02:00 to 03:00, which is 01:00 UTC.
    slot = next_slot(spec("02:30"), utc(2026, 3, 28, 12))
    assert slot.at == utc(2026, 3, 29, 1)
    assert next_run(spec("02:30"), slot.at) == utc(2026, 3, 30, 0, 30)


def test_time_in_an_overlap_fires_at_the_first_occurrence_only():
    # 2026-10-25, clocks go from 03:00 back to 02:00, which is 01:00 UTC.
    first = next_run(spec("02:30"), utc(2026, 10, 24, 12))
    assert first == utc(2026, 10, 25, 0, 30)
    assert next_run(spec("02:30"), first) == utc(2026, 10, 26, 1, 30)


def test_midnight_in_a_gap_belongs_to_its_own_date():
    # Cairo's clocks go from 00:00 to 01:00 on 2026-04-24.
    slot = next_slot(spec("00:00", "Africa/Cairo"), utc(2026, 4, 23, 12))
    assert (slot.day, slot.at) == (date(2026, 4, 24), utc(2026, 4, 23, 22))


def test_a_date_that_a_zone_skipped_has_no_slot():
    samoa = spec("09:00", "Pacific/Apia")
    days = [slot.day for slot in slots_between(samoa, utc(2011, 12, 28), utc(2012, 1, 1, 12))]
    assert days == [
        date(2011, 12, 28), date(2011, 12, 29), date(2011, 12, 31), date(2012, 1, 1),
    ]  # fmt: skip


def test_weekdays_are_those_of_the_zone():
    # Friday 20:00 UTC is Saturday in Auckland.
    slot = next_slot(spec("09:00", "Pacific/Auckland", "5"), utc(2026, 1, 22))
    assert slot.day == date(2026, 1, 24)
    assert slot.at == utc(2026, 1, 23, 20)


def test_a_monday_window_after_a_weekend_reaches_back_to_friday():
    working_days = spec("09:00", "UTC", "01234")
    monday = next_slot(working_days, utc(2026, 1, 23, 12))
    assert window(working_days, monday).since == utc(2026, 1, 23, 9)
    assert window(working_days, monday).until == utc(2026, 1, 26, 9)


DAILY = spec("09:00", "UTC")
HOURS = timedelta(hours=1)


@pytest.mark.parametrize(
    ("last", "now", "hours", "due"),
    [
        (None, utc(2026, 1, 23, 10), 24, None),
        ("2026-01-22", utc(2026, 1, 23, 8, 59), 24, None),
        ("2026-01-22", utc(2026, 1, 23, 9), 24, "2026-01-23"),
        ("2026-01-23", utc(2026, 1, 23, 10), 24, None),
        ("2026-01-10", utc(2026, 1, 23, 10), 24, "2026-01-23"),  # the newest of thirteen
        ("2026-01-22", utc(2026, 1, 23, 20), 10, None),  # too long ago
        ("2026-01-22", utc(2026, 1, 23, 20), 12, "2026-01-23"),
    ],
)
def test_missed_slot_is_the_newest_within_reach(last, now, hours, due):
    slot = missed_slot(DAILY, last, now, hours * HOURS)
    assert (slot.name if slot else None) == due


def test_spec_without_weekdays_is_refused():
    with pytest.raises(ValueError, match="weekdays"):
        Spec(at=time(9), zone=BERLIN, weekdays=frozenset())
