from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from bot.web.pages.charts import HEIGHT, WIDTH, pulse, shares

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
    assert drawn.busiest.day == date(2026, 3, 2)


def test_pulse_of_nothing():
    drawn = pulse([(0, 0, 0)] * 3, FIRST)
    assert (drawn.total, drawn.most) == (0, 0)
    assert all(not bar.pieces for bar in drawn.bars)


def test_shares_are_of_the_greatest():
    assert [one.percent for one in shares([("a", 4), ("b", 1)])] == [100.0, 25.0]
    assert shares([]) == []
