"""Time that was read, in stretches, and the gaps between them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from digest.window import Window, gaps, merge_windows

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def window(first: int, last: int) -> Window:
    since, until = (BEGIN + timedelta(hours=n) for n in (first, last))
    return Window(since=since, until=until, zone=ZoneInfo("UTC"))


hours = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)

stretches = st.lists(hours, max_size=8)


def read_hours(windows) -> set[int]:
    return {
        n
        for one in windows
        for n in range(60)
        if one.since <= BEGIN + timedelta(hours=n, minutes=30) < one.until
    }


@given(stretches)
def test_joined_stretches_hold_the_same_time_and_do_not_touch(pairs):
    given_ = [window(*pair) for pair in pairs]
    found = merge_windows(given_)
    assert read_hours(found) == read_hours(given_)
    assert all(a.until < b.since for a, b in pairwise(found))
    assert all(one.since < one.until for one in found)


@given(stretches, hours)
def test_every_hour_of_a_window_is_either_read_or_in_a_gap(pairs, asked):
    wanted, read = window(*asked), merge_windows(window(*pair) for pair in pairs)
    found = gaps(wanted, read)
    assert read_hours(found) == read_hours([wanted]) - read_hours(read)
    assert all(wanted.since <= one.since < one.until <= wanted.until for one in found)
