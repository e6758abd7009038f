from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from bot.web.pages.charts import HEIGHT, WIDTH, pulse, shares
from digest.grade import Level

FIRST = date(2026, 3, 1)
START = datetime(2026, 3, 1, tzinfo=UTC)

moments = st.lists(
    st.tuples(
        st.integers(0, 30 * 24 * 60 - 1).map(lambda m: START + timedelta(minutes=m)),
        st.sampled_from(Level),
    )
)


@given(moments)
def test_pulse_counts_every_change_and_stays_in_the_picture(found):
    drawn = pulse(found, FIRST, 30, ZoneInfo("UTC"))
    assert drawn.total == len(found)
    assert drawn.high == sum(level is Level.HIGH for _, level in found)
    for bar in drawn.bars:
        for piece in bar.pieces:
            assert piece.x >= 0
            assert piece.x + piece.width <= WIDTH + 0.1
            assert 0 <= piece.y <= HEIGHT


def test_pulse_counts_days_of_the_zone():
    late = [(datetime(2026, 3, 1, 20, tzinfo=UTC), Level.LOW)]
    drawn = pulse(late, FIRST, 3, ZoneInfo("Asia/Shanghai"))
    assert [bar.total for bar in drawn.bars] == [0, 1, 0]
    assert drawn.busiest.day == date(2026, 3, 2)


def test_pulse_of_nothing():
    drawn = pulse([], FIRST, 3, ZoneInfo("UTC"))
    assert (drawn.total, drawn.most) == (0, 0)
    assert all(not bar.pieces for bar in drawn.bars)


def test_shares_are_of_the_greatest():
    assert [one.percent for one in shares([("a", 4), ("b", 1)])] == [100.0, 25.0]
    assert shares([]) == []
