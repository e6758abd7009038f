import contextlib
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digest.errors import InvalidDate, InvalidWindow, UnknownZone
from digest.window import (
    Window,
    day_window,
    days_window,
    instant,
    parse_date,
    parse_moment,
    zone_of,
)

ZONES = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
DAYS = st.dates(date(1970, 1, 2), date(2037, 12, 31))
TIMES = st.times()


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@given(day=DAYS, at=TIMES, zone=ZONES)
@example(day=date(2026, 3, 29), at=time(2, 30), zone=ZoneInfo("Europe/Berlin"))
@example(day=date(2026, 10, 25), at=time(2, 30), zone=ZoneInfo("Europe/Berlin"))
@example(day=date(2011, 12, 30), at=time(12), zone=ZoneInfo("Pacific/Apia"))
def test_instant_is_the_first_moment_that_shows_the_time_or_a_later_one(day, at, zone):
    moment = instant(day, at, zone)
    wanted = datetime.combine(day, at)
    shown = moment.astimezone(zone).replace(tzinfo=None)
    before = (moment - timedelta(microseconds=1)).astimezone(zone)
    if shown == wanted:
        # In an overlap the first occurrence is meant.
        assert before.utcoffset() == moment.astimezone(zone).utcoffset() or before.fold == 0
        assert moment.astimezone(zone).fold == 0
    else:
        # In a gap: the very first instant after it.
        assert shown > wanted
        assert before.replace(tzinfo=None) < wanted
        assert before.utcoffset() != moment.astimezone(zone).utcoffset()


@given(day=DAYS, zone=ZONES)
def test_day_windows_follow_each_other_without_gap_or_overlap(day, zone):
    today, tomorrow = day_window(day, zone), day_window(day + timedelta(days=1), zone)
    assert today.until == tomorrow.since
    assert timedelta(0) <= today.until - today.since <= timedelta(hours=48)


@pytest.mark.parametrize(
    ("zone", "day", "at", "expected"),
    [
        ("Europe/Berlin", date(2026, 3, 29), time(2, 30), utc(2026, 3, 29, 1)),
        ("Europe/Berlin", date(2026, 10, 25), time(2, 30), utc(2026, 10, 25, 0, 30)),
        # Lord Howe moves by half an hour.
        ("Australia/Lord_Howe", date(2026, 10, 4), time(2, 15), utc(2026, 10, 3, 15, 30)),
        ("Australia/Lord_Howe", date(2026, 4, 5), time(1, 45), utc(2026, 4, 4, 14, 45)),
        # Monrovia left an offset of 44 minutes and 30 seconds at midnight: 00:00 to 00:44:30.
        ("Africa/Monrovia", date(1972, 1, 7), time(0, 20), utc(1972, 1, 7, 0, 44, 30)),
        # Samoa skipped the 30th of December 2011 as a whole.
        ("Pacific/Apia", date(2011, 12, 30), time(12, 0), utc(2011, 12, 30, 10)),
        # Clocks that go forward at midnight.
        ("America/Sao_Paulo", date(2018, 11, 4), time(0, 0), utc(2018, 11, 4, 3)),
    ],
)
def test_instant_at_a_change_of_clocks_is_exact(zone, day, at, expected):
    assert instant(day, at, ZoneInfo(zone)) == expected


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("Australia/Lord_Howe", date(2026, 10, 4), 23.5),
        ("Pacific/Apia", date(2011, 12, 30), 0),
        ("Asia/Shanghai", date(2026, 1, 23), 24),
    ],
)
def test_day_window_length_counts_the_change_of_clocks(zone, day, hours):
    window = day_window(day, ZoneInfo(zone))
    assert window.until - window.since == timedelta(hours=hours)


def test_window_is_half_open():
    window = day_window(date(2026, 1, 23), ZoneInfo("UTC"))
    assert window.since in window
    assert window.until not in window


def test_window_refuses_naive_times_and_a_wrong_order():
    zone = ZoneInfo("UTC")
    with pytest.raises(ValueError, match="aware"):
        Window(since=datetime(2026, 1, 1), until=utc(2026, 1, 2), zone=zone)
    with pytest.raises(InvalidWindow, match="swap"):
        Window(since=utc(2026, 1, 2), until=utc(2026, 1, 1), zone=zone)
    with pytest.raises(InvalidWindow):
        days_window(date(2026, 1, 2), date(2025, 12, 31), zone)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-23", utc(2026, 1, 22, 16)),
        ("2026-01-23T08:00", utc(2026, 1, 23)),
        ("2026-01-23 08:00:30", utc(2026, 1, 23, 0, 0, 30)),
        ("2026-01-23T08:00Z", utc(2026, 1, 23, 8)),
        ("2026-01-23t08:00z", utc(2026, 1, 23, 8)),
        ("2026-01-23T08:00+08:00", utc(2026, 1, 23)),
        ("2026-01-23T08:00-0530", utc(2026, 1, 23, 13, 30)),
        (" 2026-01-23 ", utc(2026, 1, 22, 16)),
    ],
)
def test_parse_moment_reads_dates_and_times(text, expected):
    assert parse_moment(text, ZoneInfo("Asia/Shanghai")) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-1-23",
        "2026-02-30",
        "2026-13-01",
        "1969-12-31",
        "9999-12-31",
        "2026-01-23T25:00",
        "2026-01-23T08:00+99:00",
        "2026-01-23T08",
        "20260123",
        "２０２６-01-23",
        "2026-01-23Z",
        "2026-01-23; rm -rf /",
        "--exec=x",
    ],
)
def test_parse_moment_refuses_what_is_no_date(text):
    with pytest.raises(InvalidDate) as caught:
        parse_moment(text, ZoneInfo("UTC"))
    assert caught.value.text == text


def test_parse_date_reads_days_only():
    assert parse_date("2026-01-23") == date(2026, 1, 23)
    with pytest.raises(InvalidDate):
        parse_date("2026-01-23T08:00")


@given(st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1)), ZONES)
def test_parse_moment_reads_back_what_isoformat_writes(moment, zone):
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    written = moment.astimezone(ZoneInfo("Asia/Kolkata")).isoformat()
    assert parse_moment(written, zone) == moment


@given(st.text(max_size=40))
def test_parse_moment_refuses_any_other_text_with_its_own_error(text):
    with contextlib.suppress(InvalidDate):
        assert parse_moment(text, ZoneInfo("UTC")).tzinfo is UTC


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Asia/Shanghi", "Asia/Shanghai"),
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
    ],
)
def test_zone_of_names_the_nearest_zone(name, near):
    with pytest.raises(UnknownZone, match=near):
        zone_of(name)


@pytest.mark.parametrize("name", ["", "Nowhere/Else", "../../etc/passwd", "/etc/passwd", "a\0b"])
def test_zone_of_refuses_what_is_no_zone(name):
    with pytest.raises(UnknownZone):
        zone_of(name)


def test_zone_of_finds_a_zone():
    assert zone_of("Asia/Shanghai").key == "Asia/Shanghai"
