from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.pages.charts import HEIGHT, WIDTH, columns, pulse, shares
from digest.document import Chart

FIRST = date(2026, 3, 1)

days = st.lists(st.tuples(*[st.integers(0, 400)] * 3), min_size=1, max_size=90)


@given(days)
def test_pulse_counts_every_change_and_stays_in_the_picture(rows):
    drawn = pulse(rows, FIRST)
    assert drawn.total == sum(map(sum, rows))
    assert drawn.high == sum(high for high, _, _ in rows)
    assert [bar.counts for bar in drawn.bars] == rows
    for bar in drawn.bars:
        for piece in bar.pieces:
            assert piece.x >= 0
            assert piece.x + piece.width <= WIDTH + 0.1
            assert 0 <= piece.y <= HEIGHT


def test_pulse_names_the_busiest_day():
    drawn = pulse([(0, 0, 0), (0, 2, 1), (1, 0, 0)], FIRST)
    assert drawn.peak.day == date(2026, 3, 2)


def test_pulse_of_nothing():
    drawn = pulse([(0, 0, 0)] * 3, FIRST)
    assert (drawn.total, drawn.most) == (0, 0)
    assert all(not bar.pieces for bar in drawn.bars)


def test_bar_is_as_high_as_its_share_of_the_greatest_and_stands_in_the_middle_of_its_slot():
    drawn = pulse([(1, 0, 3), (0, 2, 0), (0, 0, 0)], FIRST)
    assert [(bar.x, bar.width) for bar in drawn.bars] == [(0, 300), (300, 300), (600, 300)]
    shapes = [
        (one.kind, one.x, one.width, one.y, one.height) for b in drawn.bars for one in b.pieces
    ]
    assert shapes == [
        ("high", 33, 234, 112.5, 37.5),
        ("low", 33, 234, 0, 112.5),
        ("medium", 333, 234, 75, 75),
    ]


def test_smallest_number_stays_visible():
    (one,), (least,) = (bar.pieces for bar in pulse([(1000, 0, 0), (1, 0, 0)], FIRST).bars)
    assert (one.height, least.height, least.y) == (HEIGHT, 1.5, HEIGHT - 1.5)


def test_days_that_were_not_read_are_counted():
    drawn = pulse([(1, 0, 0), (2, 1, 0), (0, 0, 0)], FIRST, {date(2026, 3, 2), date(2026, 3, 3)})
    assert [bar.read for bar in drawn.bars] == [True, False, False]
    assert (drawn.unread, drawn.high, drawn.total) == (2, 3, 4)


def test_days_of_a_fortnight_are_marked_and_months_of_a_longer_time():
    marked = {count: pulse([(1, 0, 0)] * count, FIRST).marks for count in (2, 14, 15, 40)}
    assert marked[2] == ((0, "03-01"), (50, "03-02"))
    assert len(marked[14]) == 14
    assert marked[15] == ((0, "2026-03"),)
    assert marked[40] == ((0, "2026-03"), (77.5, "2026-04"))


@pytest.mark.parametrize(
    ("count", "marks"), [(0, ""), (1, "0"), (4, "0123"), (5, "024"), (8, "0246"), (9, "036")]
)
def test_at_most_four_labels_are_evenly_written_below(count, marks):
    labels = tuple(map(str, range(count)))
    chart = Chart(title="t", labels=labels, values=(1,) * count)
    assert "".join(label for _, label in columns(chart).marks) == marks
    assert columns(chart).title == "t"


def test_shares_are_of_the_greatest():
    assert [one.percent for one in shares([("a", 4), ("b", 1)])] == [100.0, 25.0]
    assert shares([]) == []


@given(st.lists(st.tuples(st.text(max_size=5), st.integers(0, 900)), max_size=80))
def test_columns_stand_on_the_ground_within_the_picture(points):
    chart = Chart(
        title="t", labels=tuple(label for label, _ in points), values=tuple(n for _, n in points)
    )
    drawn = columns(chart)
    assert [(one.label, one.total) for one in drawn.bars] == points
    assert drawn.total == sum(number for _, number in points)
    assert len(drawn.marks) <= 4
    for bar in drawn.bars:
        assert len(bar.pieces) == (bar.total > 0)
        for one in bar.pieces:
            assert 0 <= one.x <= one.x + one.width <= WIDTH + 0.1
            assert abs(one.y + one.height - HEIGHT) < 0.02
