from datetime import date

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
