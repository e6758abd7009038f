import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.throttle import MINUTE, MinuteWindow, Pauses, RateGate, Tries
from bot.llm.transport_values import ModelFault

STEPS = st.lists(
    st.tuples(st.floats(0, 40), st.integers(1, 12), st.none() | st.integers(0, 12)), max_size=60
)


@given(st.integers(12, 40), STEPS)
def test_no_minute_holds_more_than_the_limit(limit, steps):
    window = MinuteWindow(limit)
    now = 0.0
    passed = []
    for pause, amount, corrected in steps:
        now += pause
        while (wait := window.wait(now, amount)) > 0:
            now += wait
        entry = window.take(now, amount)
        if corrected is not None:
            entry.amount = min(corrected, amount)
        passed.append(entry)
    for last in passed:
        held = sum(e.amount for e in passed if last.at - 60 < e.at <= last.at)
        assert held <= limit


@given(st.integers(1, 40), STEPS)
def test_nobody_waits_for_more_than_a_minute_after_the_last(limit, steps):
    window = MinuteWindow(limit)
    now = 0.0
    for pause, amount, _ in steps:
        now += pause
        assert window.wait(now, amount) <= MINUTE + 1e-6
        now += window.wait(now, amount)
        window.take(now, amount)


def test_window_without_a_limit_keeps_nobody():
    window = MinuteWindow(None)
    assert all(window.wait(0, 10**9) == 0 and window.take(0, 10**9) for _ in range(100))


def test_an_amount_waits_only_until_just_enough_has_left_the_minute():
    window = MinuteWindow(10)
    assert window.wait(0.0, 99) == 0, "nothing else has passed"
    window.take(0.0, 4)
    assert window.wait(1.0, 6) == 0
    window.take(1.0, 6)
    waits = [window.wait(2.0, amount) for amount in (1, 4, 5, 10, 99)]
    assert waits == [MINUTE - 2, MINUTE - 2, MINUTE - 1, MINUTE - 1, MINUTE - 1]
    assert window.wait(MINUTE, 4) == 0


async def test_request_that_cannot_pass_in_time_is_not_tried_again():
    gate = RateGate(1)
    gate.close_for(900)
    with pytest.raises(ModelFault) as raised:
        async with gate.turn(1, asyncio.get_running_loop().time() + 30):
            pass
    assert Tries(Pauses()).pause(raised.value) is None
