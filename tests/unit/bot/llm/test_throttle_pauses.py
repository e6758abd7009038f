from bot.llm.throttle import Pauses, Tries
from bot.llm.transport_values import ModelFault
from handlers.ports.model_port import ModelReason


def pauses_for(fault, most=20):
    tries = Tries(Pauses(first=1, longest=10))
    found = []
    while len(found) < most and (pause := tries.pause(fault)) is not None:
        found.append(pause)
    return found


def test_pauses_grow_to_the_longest():
    found = pauses_for(ModelFault(reason=ModelReason.RATE_LIMITED))
    assert len(found) == 8
    for pause, most in zip(found, [1, 2, 4, 8, 10, 10, 10, 10], strict=True):
        assert most / 2 <= pause <= most


def test_pauses_of_a_limit_go_from_half_a_second_to_half_a_minute(monkeypatch):
    monkeypatch.setattr("random.uniform", lambda _, most: most)
    tries, fault = Tries(Pauses()), ModelFault(reason=ModelReason.RATE_LIMITED)
    assert [tries.pause(fault) for _ in range(9)] == [0.5, 1, 2, 4, 8, 16, 30, 30, None]


def test_what_the_server_asks_for_is_waited_for_however_long_and_often():
    found = pauses_for(ModelFault(reason=ModelReason.RATE_LIMITED, retry_after=900.0))
    assert len(found) == 20
    assert all(900 <= pause <= 901 for pause in found)


def test_retry_after_nothing_still_pauses():
    assert min(pauses_for(ModelFault(reason=ModelReason.UNAVAILABLE, retry_after=0.0))) >= 1


def test_what_may_have_to_be_paid_is_hardly_repeated():
    assert len(pauses_for(ModelFault(reason=ModelReason.BROKEN, charged=True))) == 1
    assert not pauses_for(ModelFault(reason=ModelReason.TIMEOUT, charged=True))


def test_what_repeating_cannot_mend_is_not_repeated():
    for reason in (ModelReason.UNAUTHORIZED, ModelReason.CONTEXT_LENGTH, ModelReason.FILTERED):
        assert not pauses_for(ModelFault(reason=reason))
    assert not pauses_for(ModelFault(reason=ModelReason.UNAVAILABLE, final=True, retry_after=1.0))
