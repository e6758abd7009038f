import pytest

from bot.llm.throttle import Breaker
from bot.llm.transport_values import ModelFault
from handlers.ports.model_port import ModelReason

GONE = ModelFault(reason=ModelReason.UNAVAILABLE, detail="refused")

LATE = ModelFault(reason=ModelReason.TIMEOUT, detail="late", charged=True)


class Ticking:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Ticking()


@pytest.fixture
def breaker(clock):
    return Breaker(clock, failures=3, cooling=60)


def refused(breaker):
    try:
        breaker.admit()
    except ModelFault as fault:
        return fault
    return None


def fail(breaker, clock, fault=GONE, after=1.0):
    sent = clock.now
    clock.now += after
    breaker.failed(fault, sent)


def test_failures_one_after_the_other_open_it(breaker, clock):
    fail(breaker, clock)
    fail(breaker, clock)
    assert refused(breaker) is None
    fail(breaker, clock)
    fault = refused(breaker)
    assert (fault.reason, fault.final) == (ModelReason.UNAVAILABLE, True)


def test_failures_side_by_side_are_one(breaker, clock):
    clock.now = 1.0
    for _ in range(20):
        breaker.failed(GONE, sent_at=0.0)
    assert refused(breaker) is None


def test_waits_that_ran_out_count_one_by_one_and_cost_nothing_more(breaker, clock):
    clock.now = 60.0
    for _ in range(3):
        breaker.failed(LATE, sent_at=0.0)
    fault = refused(breaker)
    assert (fault.reason, fault.charged) == (ModelReason.TIMEOUT, False)


def test_success_between_failures_begins_the_count_anew(breaker, clock):
    for _ in range(5):
        fail(breaker, clock)
        fail(breaker, clock)
        assert refused(breaker) is None
        breaker.succeeded()


def test_refusals_are_signs_of_life(breaker, clock):
    fail(breaker, clock)
    fail(breaker, clock)
    fail(breaker, clock, ModelFault(reason=ModelReason.RATE_LIMITED))
    fail(breaker, clock)
    assert refused(breaker) is None


@pytest.mark.parametrize(
    "reason", [ModelReason.UNAUTHORIZED, ModelReason.NO_CREDIT, ModelReason.UNKNOWN_MODEL]
)
def test_what_no_repeating_mends_opens_it_at_once(breaker, clock, reason):
    fail(breaker, clock, ModelFault(reason=reason, detail="no"))
    assert refused(breaker).reason is reason


def test_one_goes_ahead_after_the_cooling_and_the_rest_follow_its_answer(breaker, clock):
    for _ in range(3):
        fail(breaker, clock)
    clock.now += 61
    breaker.check()
    assert refused(breaker) is None
    assert refused(breaker) is not None
    breaker.succeeded()
    assert refused(breaker) is None


def test_one_that_goes_ahead_in_vain_closes_the_way_again(breaker, clock):
    for _ in range(3):
        fail(breaker, clock)
    clock.now += 61
    assert refused(breaker) is None
    fail(breaker, clock)
    assert refused(breaker) is not None
    clock.now += 61
    assert refused(breaker) is None
