from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.errors import InvalidDate
from digest.question.dates import month_of, number
from digest.question.periods import (
    DEFAULT_DAYS,
    Now,
    beside,
    default_period,
    find_periods,
    format_window,
)
from digest.window import Window, day_window, days_window

ZONE_NAMES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai", "UTC"]

ZONES = st.sampled_from(ZONE_NAMES).map(ZoneInfo)

NOWS = st.datetimes(datetime(2024, 1, 1), datetime(2027, 12, 31)).map(
    lambda m: m.replace(microsecond=0, tzinfo=UTC)
)


def find_period(text: str, now: datetime, zone: ZoneInfo):
    return next(find_periods(text, Now(now, zone)), None)


def window(words: str, now: datetime, zone: ZoneInfo) -> Window:
    found = find_period(words, now, zone)
    assert found is not None
    begin, end = found.at
    assert (words[:begin] + words[end:]).strip() == ""
    return found.window


@given(NOWS, ZONES)
def test_weeks_follow_each_other_across_changes_of_clocks(now, zone):
    this, last = window("this week", now, zone), window("last week", now, zone)
    before = window("上上周", now, zone)
    assert before.until == last.since
    assert last.until == this.since
    assert this.until == now
    days = [window(f"上周{d}", now, zone) for d in "一二三四五六日"]
    assert days[0].since == last.since
    assert days[-1].until == last.until
    assert all(a.until == b.since for a, b in pairwise(days))


@given(NOWS, ZONES)
def test_days_and_months_follow_each_other(now, zone):
    assert window("the day before yesterday", now, zone).until == window("昨天", now, zone).since
    assert window("yesterday", now, zone).until == window("today", now, zone).since
    assert window("last month", now, zone).until == window("本月", now, zone).since
    assert window("去年", now, zone).until == window("this year", now, zone).since


@given(NOWS, ZONES)
def test_weeks_begin_on_monday_at_midnight(now, zone):
    since = window("this week", now, zone).since.astimezone(zone)
    assert (since.weekday(), since.hour, since.minute) == (0, 0, 0)


@given(NOWS, ZONES, st.integers(1, 60))
def test_last_days_are_today_and_the_days_before(now, zone, count):
    found = window(f"last {count} days", now, zone)
    today = now.astimezone(zone).date()
    assert found == Window(
        since=day_window(today - timedelta(days=count - 1), zone).since, until=now, zone=zone
    )
    assert window(f"最近{count}天", now, zone) == found


@given(NOWS, ZONES)
def test_default_period_is_the_last_days(now, zone):
    assert default_period(now, zone) == window(f"past {DEFAULT_DAYS} days", now, zone)


@given(NOWS, ZONES, st.dates(date(2020, 1, 1), date(2023, 11, 20)), st.integers(0, 40))
def test_ranges_hold_both_days(now, zone, first, length):
    last = first + timedelta(days=length)
    expected = days_window(first, last, zone)
    for words in (
        f"{first}..{last}",
        f"from {first} to {last}",
        f"between {first} and {last}",
        f"{first}到{last}",
        f"{first.year}年{first.month}月{first.day}日至{last.year}年{last.month}月{last.day}号",
    ):
        assert window(words, now, zone) == expected


@given(NOWS, ZONES, st.integers(0, 10**9), st.integers(0, 10**7))
def test_written_windows_are_read_back(now, zone, age, length):
    until = now - timedelta(seconds=age)
    made = Window(since=until - timedelta(seconds=length), until=until, zone=zone)
    if made.since.year >= 1970:
        assert window(format_window(made), now, zone) == made


NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("in February", date(2026, 2, 1), date(2026, 2, 28)),
        ("in Feb 2024", date(2024, 2, 1), date(2024, 2, 29)),
        ("2月", date(2026, 2, 1), date(2026, 2, 28)),
        ("二月份", date(2026, 2, 1), date(2026, 2, 28)),
        ("十二月", date(2025, 12, 1), date(2025, 12, 31)),
        ("in December", date(2025, 12, 1), date(2025, 12, 31)),
        ("on March 29", date(2026, 3, 29), date(2026, 3, 29)),
        ("29 March 2026", date(2026, 3, 29), date(2026, 3, 29)),
        ("on April 1st", date(2025, 4, 1), date(2025, 4, 1)),
        ("3月29日", date(2026, 3, 29), date(2026, 3, 29)),
        ("三月二十九号", date(2026, 3, 29), date(2026, 3, 29)),
        ("last Tuesday", date(2026, 3, 24), date(2026, 3, 24)),
        ("on Monday", date(2026, 3, 30), date(2026, 3, 30)),
        ("上周三", date(2026, 3, 25), date(2026, 3, 25)),
        ("last month", date(2026, 2, 1), date(2026, 2, 28)),
        ("from Friday to Monday", date(2026, 3, 27), date(2026, 3, 30)),
        ("in 2025", date(2025, 1, 1), date(2025, 12, 31)),
        ("the week before last", date(2026, 3, 16), date(2026, 3, 22)),
        ("week of March 18", date(2026, 3, 16), date(2026, 3, 22)),
        ("from January to February", date(2026, 1, 1), date(2026, 2, 28)),
        ("between 2026-01 and 2026-02", date(2026, 1, 1), date(2026, 2, 28)),
        ("in january or february 2026", date(2026, 1, 1), date(2026, 2, 28)),
        ("1 to 10 March", date(2026, 3, 1), date(2026, 3, 10)),
        ("February", date(2026, 2, 1), date(2026, 2, 28)),
        ("on the 14th", date(2026, 3, 14), date(2026, 3, 14)),
        ("on the 30th", date(2026, 3, 30), date(2026, 3, 30)),
        ("early this month", date(2026, 3, 1), date(2026, 3, 10)),
        ("at the start of last month", date(2026, 2, 1), date(2026, 2, 10)),
    ],
)
def test_find_period_reads_days_and_months(words, first, last):
    assert window(words, NOW, BERLIN) == days_window(first, last, BERLIN)


def test_a_day_of_the_month_that_has_not_begun_is_that_of_the_month_before():
    early = NOW.replace(day=10)
    found = days_window(date(2026, 2, 14), date(2026, 2, 14), BERLIN)
    assert window("on the 14th", early, BERLIN) == found


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("since Monday", date(2026, 3, 30)),
        ("since Tuesday", date(2026, 3, 31)),
        ("周一以来", date(2026, 3, 30)),
        ("自3月1日以来", date(2026, 3, 1)),
        ("since last week", date(2026, 3, 23)),
        ("since February", date(2026, 2, 1)),
        ("2月以来", date(2026, 2, 1)),
        ("上个月以来", date(2026, 2, 1)),
        ("past week", date(2026, 3, 25)),
        ("最近一周", date(2026, 3, 25)),
        ("近半个月", date(2026, 3, 17)),
        ("past 2 months", date(2026, 2, 1)),
        ("近两个月", date(2026, 2, 1)),
        ("last few days", date(2026, 3, 29)),
        ("这几天", date(2026, 3, 29)),
        ("lately", date(2026, 3, 25)),
        ("as of March 10", date(2026, 3, 10)),
        ("in the last month", date(2026, 3, 1)),
        ("since mid March", date(2026, 3, 11)),
        ("最近", date(2026, 3, 25)),
    ],
)
def test_find_period_reads_what_lasts_until_now(words, first):
    since = day_window(first, BERLIN).since
    assert window(words, NOW, BERLIN) == Window(since=since, until=NOW, zone=BERLIN)


@pytest.mark.parametrize(
    ("words", "hours"), [("last 24 hours", 24), ("过去两小时", 2), ("past hour", 1)]
)
def test_find_period_counts_hours_exactly(words, hours):
    assert window(words, NOW, BERLIN).since == NOW - timedelta(hours=hours)


def test_find_period_reads_a_day_of_23_hours():
    found = window("on 2026-03-29", NOW, BERLIN)
    assert found.until - found.since == timedelta(hours=23)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "MoE",
        "may the scheduler march on",
        "monolith",
        "sunset",
        "v0.15.0",
        "三个模型",
        "12 kernels",
        "yesteryear",
    ],
)
def test_find_period_finds_none_where_none_is_named(words):
    assert find_period(words, NOW, BERLIN) is None


@pytest.mark.parametrize(
    ("written_as", "value"),
    [
        ("7", 7),
        ("两", 2),
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("三十一", 31),
        ("一百零五", 105),
    ],
)
def test_number_reads_chinese_numerals(written_as, value):
    assert number(written_as) == value


@given(NOWS, ZONES)
def test_weekends_have_begun_and_follow_each_other(now, zone):
    this, last = window("the weekend", now, zone), window("last weekend", now, zone)
    assert this.since.astimezone(zone).weekday() == 5
    assert this.since <= now
    assert last.until <= now
    assert last == this or last.until <= this.since


@pytest.mark.parametrize(("day", "saturday"), [(16, 10), (17, 10), (18, 10), (19, 17)])
def test_the_last_weekend_is_over(day, saturday):
    found = window("last weekend", datetime(2026, 1, day, 12, tzinfo=UTC), ZoneInfo("UTC"))
    assert found == days_window(date(2026, 1, saturday), date(2026, 1, saturday + 1), found.zone)


@given(NOWS, ZONES)
def test_quarters_follow_each_other(now, zone):
    this, last = window("this quarter", now, zone), window("上季度", now, zone)
    assert last.until == this.since
    assert this.until == now
    assert this.since.astimezone(zone).month in {1, 4, 7, 10}


@pytest.mark.parametrize(
    ("words", "unit", "later", "first", "last"),
    [
        ("this week", "period", False, "2026-01-12", "2026-01-18"),
        ("last week", "period", False, "2026-01-05", "2026-01-11"),
        ("last week", "month", False, "2025-12-01", "2025-12-31"),
        ("in December", "period", False, "2025-11-01", "2025-11-30"),
        ("in November", "period", True, "2025-12-01", "2025-12-31"),
        ("yesterday", "period", False, "2026-01-21", "2026-01-21"),
        ("in December", "week", False, "2025-11-24", "2025-11-30"),
        ("in December", "week", True, "2026-01-01", "2026-01-07"),
        ("last 3 days", "period", False, "2026-01-18", "2026-01-20"),
        ("1 to 7 December", "period", False, "2025-11-24", "2025-11-30"),
        ("1 to 8 December", "period", False, "2025-11-01", "2025-11-30"),
        ("2 to 3 January", "period", False, "2025-12-31", "2026-01-01"),
        ("1 December to 1 January", "period", False, "2025-10-30", "2025-11-30"),
    ],
)
def test_the_period_beside_another_is_as_long_or_of_the_calendar(words, unit, later, first, last):
    zone = ZoneInfo("Asia/Shanghai")
    now = Now(datetime(2026, 1, 23, 9, 30, tzinfo=UTC), zone)
    found = beside(window(words, now.at, zone), unit, now, later=later)
    assert found == days_window(date.fromisoformat(first), date.fromisoformat(last), zone)


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("last summer", date(2025, 6, 1), date(2025, 9, 1)),
        ("last spring", date(2026, 3, 1), date(2026, 6, 1)),
        ("last autumn", date(2025, 9, 1), date(2025, 12, 1)),
        ("last fall", date(2025, 9, 1), date(2025, 12, 1)),
        ("last winter", date(2025, 12, 1), date(2026, 3, 1)),
        ("since spring", date(2026, 3, 1), date(2026, 8, 17)),
        ("since the spring", date(2026, 3, 1), date(2026, 8, 17)),
        ("去年秋天", date(2025, 9, 1), date(2025, 12, 1)),
        ("去年下半年", date(2025, 7, 1), date(2026, 1, 1)),
    ],
)
def test_part_of_a_year_has_whole_months(words, since, until):
    found = window(words, datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC"))
    assert (found.since.date(), found.until.date()) == (since, until)


@pytest.mark.parametrize(
    ("vague", "exact"),
    [
        ("last couple of weeks", "last 2 weeks"),
        ("past few days", "past 3 days"),
        ("past several days", "past 3 days"),
        ("最近几天", "最近3天"),
    ],
)
def test_vague_number_of_days_stands_for_a_certain_one(vague, exact):
    now, zone = datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC")
    assert window(vague, now, zone) == window(exact, now, zone)


@pytest.mark.parametrize(("year", "month"), [(2026, 13), (2026, 0), (0, 5), (20_260, 1)])
def test_month_that_no_calendar_has_is_no_date(year, month):
    with pytest.raises(InvalidDate):
        month_of(year, month, date(2026, 8, 17), "it")


@pytest.mark.parametrize("words", ["10号", "十号", "10日"])
def test_a_day_of_the_month_is_written_in_digits_or_in_characters(words):
    now = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
    assert window(words, now, ZoneInfo("UTC")) == day_window(date(2026, 1, 10), ZoneInfo("UTC"))


def test_a_number_in_characters_is_no_day():
    now = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
    assert find_period("第一号", now, ZoneInfo("UTC")) is None
    assert find_period("二日游", now, ZoneInfo("UTC")) is None


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (1, 15, "the first half of July, 7月上半月"),
        (16, 31, "the second half of July, 7月下半月"),
        (1, 7, "the first week of July, 7月第一周"),
        (8, 14, "the second week of July, 7月第二周"),
        (15, 21, "the third week of July, 7月第三周"),
        (22, 28, "7月第四周"),
        (25, 31, "the last week of July"),
        (1, 10, "the beginning of July, the start of July, early July, 7月上旬, 7月初"),
        (1, 10, "the first 10 days of July"),
        (1, 31, "the first 40 days of July"),
        (11, 20, "the middle of July, mid-July, 7月中旬, 7月中"),
        (21, 31, "the end of July, late July, 7月下旬, 7月底, 7月末"),
        (1, 3, "the first three days of July, 7月前3天"),
        (29, 31, "the last three days of July, 7月最后3天"),
    ],
)
def test_part_of_a_month_has_its_days_in_both_languages(first, last, said):
    now, zone = datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC")
    days = days_window(date(2026, 7, first), date(2026, 7, last), zone)
    assert {words: window(words, now, zone) for words in said.split(", ")} == dict.fromkeys(
        said.split(", "), days
    )


@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        (date(2025, 3, 1), date(2025, 6, 1), "去年春天, 去年春季"),
        (date(2025, 6, 1), date(2025, 9, 1), "去年夏天, 去年夏季"),
        (date(2025, 9, 1), date(2025, 12, 1), "去年秋天, 去年秋季, over the fall, in autumn"),
        (date(2025, 12, 1), date(2026, 3, 1), "去年冬天, 去年冬季, last winter, in the winter"),
        (date(2026, 3, 1), date(2026, 6, 1), "今年春天, this spring, in spring"),
        (date(2026, 1, 1), date(2026, 7, 1), "今年上半年, in the first half of the year"),
        (date(2025, 1, 1), date(2025, 7, 1), "去年上半年"),
        (date(2025, 7, 1), date(2026, 1, 1), "last second half of the year"),
    ],
)
def test_seasons_and_halves_of_a_year_are_the_same_in_both_languages(since, until, said):
    now, zone = datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC")
    for words in said.split(", "):
        found = window(words, now, zone)
        assert (words, found.since.date(), found.until.date()) == (words, since, until)


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (0, "today, 今天, 今日, 今早, 今晚"),
        (1, "yesterday, 昨天, 昨日, 昨晚"),
        (2, "the day before yesterday, 前天, 前日"),
        (3, "大前天"),
    ],
)
def test_days_by_their_names_are_counted_from_today(ago, said):
    now, zone = datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC")
    for words in said.split(", "):
        assert (words, window(words, now, zone).since.date()) == (words, date(2026, 8, 17 - ago))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        *enumerate(
            [
                "〇 零",
                "一 one 1",
                "二 两 two",
                "三 three",
                "四 four",
                "五 five",
                "六 six",
                "七 seven",
                "八 eight",
                "九 nine",
                "十 ten",
                "十一 eleven 11",
                "十二 twelve",
            ]
        ),
        (20, "二十"),
        (100, "百 一百"),
        (305, "三百零五 305"),
    ],
)
def test_numbers_are_read_in_digits_words_and_characters(value, said):
    assert {number(written) for written in said.split()} == {value}
