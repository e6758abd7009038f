"""One request through gate, breaker and budget, however it ends; time is virtual."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from bot.config.model_section import CapsSettings, ModelConfig
from bot.llm.calls import CallContext, CappedBudget, ModelCalls, Outdated
from bot.llm.response_format import Dialect, Rung
from bot.llm.transport_values import Ask, Finish, Metered, ModelFault, ModelResponse
from handlers.ports.model_port import BillingAccount, BudgetSpent, CallKind, ModelReason
from tests.support.fakes import FakeClock
from tests.support.fakes_model import FakeCallLedger
from tests.support.virtual import run_in_virtual_time

TEAM = BillingAccount(kind=CallKind.ANALYSIS, channel="team")
ASK = Ask(messages=(), output_tokens=100, dialect=Dialect(), estimated=1000.0)
ANSWER = ModelResponse(
    text="done", finish=Finish.STOP, model="m-1", metered=Metered(input=900, output=50, cached=400)
)
MOST = 1101  # a tenth above the estimate, and one
PRICE = {"input": "2", "cached": "1", "output": "10"}


@dataclass
class Server:
    """Answers in a second; ``plays`` are answers or faults in order, ``say`` what it streams."""

    plays: list[ModelResponse | ModelFault] = field(default_factory=list)
    say: tuple[str, ...] = ()
    seconds: float = 1.0
    at: list[float] = field(default_factory=list)

    async def send(self, ask, hear=None):
        self.at.append(asyncio.get_running_loop().time())
        for piece in self.say if hear else ():
            hear(piece)
        await asyncio.sleep(self.seconds)
        play = self.plays.pop(0) if self.plays else ANSWER
        if isinstance(play, ModelFault):
            raise play
        return play


class Setup:
    """Calls to one server on a virtual loop."""

    def __init__(self, server: Server, caps=None, **config) -> None:
        self.server, self.ledger = server, FakeCallLedger()
        self.budget = CappedBudget(
            CapsSettings.model_validate(caps or {}), self.ledger, FakeClock()
        )
        self.calls = ModelCalls(
            ModelConfig(name="m", price=PRICE, **config),
            server,
            ledger=self.ledger,
            budget=self.budget,
            clock=FakeClock(),
        )
        self.dialect = Dialect()

    async def ask(self, ask=ASK, patience=600.0, hear=None) -> CallContext | Exception:
        until = asyncio.get_running_loop().time() + patience
        question = CallContext(account=TEAM, deadline=until, dialect=lambda: self.dialect)
        try:
            await self.calls.send(ask, question, hear)
        except (ModelFault, Outdated, BudgetSpent) as error:
            return error
        return question

    def run(self, work: Callable[[Setup], Awaitable[object]]) -> object:
        return run_in_virtual_time(lambda _: work(self))


def booked(setup: Setup) -> list[tuple[str, int, int, int]]:
    return [
        (call.outcome, call.usage.input_tokens, call.usage.output_tokens, call.usage.cached_tokens)
        for call in setup.ledger.calls
    ]


def fault(reason: ModelReason = ModelReason.UNAVAILABLE, **more) -> ModelFault:
    return ModelFault(reason=reason, detail="no", **more)


def test_answer_is_booked_with_what_the_server_counted_and_its_price():
    setup = Setup(Server())
    question = setup.run(Setup.ask)
    (call,) = setup.ledger.calls
    assert booked(setup) == [("ok", 900, 50, 400)]
    assert call.usage == question.usage
    assert call.usage.cost == Decimal(500 * 2 + 400 + 50 * 10) / 1_000_000
    assert (call.model, call.rung, call.seconds, call.account) == ("m-1", "", 1.0, TEAM)


def test_answer_without_counts_is_booked_at_most_with_the_text_that_came():
    setup = Setup(Server(plays=[replace(ANSWER, metered=None, model="")]))
    setup.run(lambda s: s.ask(replace(ASK, schema={})))
    (call,) = setup.ledger.calls
    assert booked(setup) == [("ok", MOST, 1, 0)]
    assert (call.model, call.rung) == ("m", Rung.STRICT.value)


@pytest.mark.parametrize(
    ("failed", "say", "entry"),
    [
        (fault(), (), ("unavailable", 0, 0, 0)),
        (fault(charged=True), (), ("unavailable", MOST, 100, 0)),
        (fault(ModelReason.BROKEN, charged=True), ("12345", "67890"), ("broken", MOST, 14, 0)),
        (fault(), ("12345", "67890"), ("unavailable", MOST, 14, 0)),
    ],
)
def test_fault_costs_nothing_unless_the_server_may_have_worked(failed, say, entry):
    setup, heard = Setup(Server(plays=[failed], say=say)), []
    with capture_logs() as logs:
        assert setup.run(lambda s: s.ask(hear=heard.append)) is failed
    assert booked(setup) == [entry]
    assert tuple(heard) == say
    assert [line["event"] for line in logs if line["log_level"] == "warning"] == ["model.fault"]


def test_request_that_takes_too_long_is_booked_whole():
    setup = Setup(Server(seconds=500), timeout=180)
    failed = setup.run(Setup.ask)
    assert (failed.reason, failed.detail) == (ModelReason.TIMEOUT, "no answer in 1.8e+02 s")
    assert booked(setup) == [("timeout", MOST, 100, 0)]
    assert (
        Setup(Server(seconds=500)).run(lambda s: s.ask(patience=50)).detail == "no answer in 50 s"
    )


def test_stream_may_take_as_long_as_the_caller_waits():
    setup = Setup(Server(seconds=500), timeout=180)
    setup.run(lambda s: s.ask(hear=lambda _: None))
    assert booked(setup) == [("ok", 900, 50, 400)]


def test_caller_that_leaves_is_booked_whole_and_holds_nothing():
    async def leaves(setup: Setup) -> None:
        task = asyncio.create_task(setup.ask())
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.wait([task])

    setup = Setup(Server(), caps={"day": {"tokens": 2 * MOST + 200}})
    setup.run(leaves)
    assert booked(setup) == [("cancelled", MOST, 100, 0)]
    setup.run(Setup.ask)
    assert len(setup.server.at) == 2


def test_spent_budget_sends_nothing():
    setup = Setup(Server(), caps={"day": {"tokens": MOST + 99}})
    assert isinstance(setup.run(Setup.ask), BudgetSpent)
    assert setup.server.at == []
    assert Setup(Server(), caps={"day": {"tokens": MOST + 100}}).run(Setup.ask).usage.calls == 1


def test_request_in_an_outdated_dialect_is_not_sent_and_takes_no_turn():
    setup = Setup(Server(), requests_per_minute=1)
    setup.dialect = Dialect(stream=False)
    assert isinstance(setup.run(Setup.ask), Outdated)
    setup.dialect = Dialect()
    setup.run(Setup.ask)
    assert setup.server.at == [0.0]


def test_wait_that_the_server_asks_for_holds_all():
    async def both(setup: Setup) -> list[object]:
        failed = await setup.ask()
        return [failed, *await asyncio.gather(setup.ask(patience=20), setup.ask())]

    slow_down = fault(ModelReason.RATE_LIMITED, retry_after=30.0)
    setup = Setup(Server(plays=[slow_down]))
    _, early, _ = setup.run(both)
    assert early.detail == "the server asked to wait past the deadline"
    assert setup.server.at == [0.0, 31.0]


def test_limits_of_a_minute_and_of_requests_at_once_hold():
    async def many(setup: Setup) -> list[object]:
        return await asyncio.gather(*(setup.ask(patience=100) for _ in range(6)))

    setup = Setup(Server(seconds=2), requests_per_minute=4, concurrency=2)
    setup.run(many)
    assert setup.server.at == [0, 0, 2, 2, 60.5, 60.5]
    setup = Setup(Server(), tokens_per_minute=2 * MOST)
    setup.run(many)
    assert setup.server.at == [0, 1, 60.5, 61.5]


def test_request_without_a_slot_in_time_is_late():
    async def two(setup: Setup) -> list[object]:
        return await asyncio.gather(setup.ask(), setup.ask(patience=5))

    setup = Setup(Server(seconds=10), concurrency=1)
    _, late = setup.run(two)
    assert (late.reason, late.detail, late.final) == (
        ModelReason.TIMEOUT,
        "no slot became free in time",
        True,
    )


def test_server_that_is_gone_is_left_alone_and_its_return_is_told():
    async def day(setup: Setup) -> list[object]:
        results = [await setup.ask() for _ in range(5)]
        await asyncio.sleep(60)
        return [*results, await setup.ask()]

    setup = Setup(Server(plays=[fault() for _ in range(3)]))
    with capture_logs() as logs:
        results = setup.run(day)
    assert len(setup.server.at) == 4
    assert results[4].detail == "not retried yet; last error: no"
    told = [line["event"] for line in logs if line["event"] in {"model.gone", "model.back"}]
    assert told == ["model.gone", "model.back"]


def test_estimates_follow_what_the_server_counts():
    setup = Setup(Server(plays=[replace(ANSWER, metered=Metered(input=2000, output=1))]))
    before = setup.calls.estimator.factor
    setup.run(Setup.ask)
    assert setup.calls.estimator.factor > before


@pytest.mark.parametrize(
    ("play", "estimated", "calls"),
    [(ANSWER, False, 1), (replace(ANSWER, metered=None), True, 1), (fault(charged=True), True, 1),
     (fault(), False, 1)],
)  # fmt: skip
def test_usage_says_whether_it_was_counted_or_estimated(play, estimated, calls):
    setup = Setup(Server(plays=[play]))
    setup.run(Setup.ask)
    usage = setup.ledger.total
    assert (usage.estimated, usage.calls) == (estimated, calls)


def test_call_is_logged_with_what_it_took_and_how_it_ended():
    setup = Setup(Server(seconds=0.12345))
    with capture_logs() as logs:
        setup.run(Setup.ask)
    (line,) = (line for line in logs if line["event"] == "model.call")
    assert (line["outcome"], line["seconds"], line["input"], line["cached"], line["output"]) == (
        "ok", 0.123, 900, 400, 50,
    )  # fmt: skip
    assert (line["kind"], Decimal(line["cost"])) == (TEAM.kind, setup.ledger.calls[0].usage.cost)


def test_time_of_a_call_is_counted_from_its_own_beginning():
    async def later(setup: Setup) -> object:
        await asyncio.sleep(100)
        await setup.ask()
        return await setup.ask(patience=20)

    setup = Setup(Server(seconds=30))
    with capture_logs() as logs:
        failed = setup.run(later)
    took = [line["seconds"] for line in logs if line["event"] == "model.call"]
    assert took == [30, 20]
    assert failed.detail == "no answer in 20 s"


def test_fault_is_logged_with_its_status():
    setup = Setup(Server(plays=[fault(status=503)]))
    with capture_logs() as logs:
        setup.run(Setup.ask)
    (line,) = (line for line in logs if line["event"] == "model.fault")
    assert (line["reason"], line["detail"], line["status"]) == ("unavailable", "no", 503)


def test_nobody_waits_for_a_turn_at_a_server_that_is_left_alone():
    async def day(setup: Setup) -> float:
        await asyncio.gather(setup.ask(), setup.ask())
        began = asyncio.get_running_loop().time()
        assert isinstance(await setup.ask(), ModelFault)
        return asyncio.get_running_loop().time() - began

    busy = fault(ModelReason.RATE_LIMITED, retry_after=500.0)
    assert Setup(Server(plays=[busy, fault(ModelReason.UNAUTHORIZED)])).run(day) == 0


def test_answers_make_room_again_for_what_they_did_not_use():
    async def three(setup: Setup) -> None:
        for _ in range(3):
            await setup.ask()

    setup = Setup(Server(), tokens_per_minute=950 + 950 + MOST + 100)
    setup.run(three)
    assert setup.server.at == [0, 1, 2]


@pytest.mark.parametrize(
    ("reason", "retry_after", "second"),
    [
        (ModelReason.RATE_LIMITED, 30.0, 31.0),
        (ModelReason.RATE_LIMITED, None, 1.0),
        (ModelReason.UNAVAILABLE, 30.0, 1.0),
    ],
)
def test_only_a_server_that_limits_closes_the_gate_for_all(reason, retry_after, second):
    async def two(setup: Setup) -> None:
        for _ in range(2):
            await setup.ask()

    setup = Setup(Server(plays=[fault(reason, retry_after=retry_after)]))
    setup.run(two)
    assert setup.server.at == [0.0, second]


def test_request_that_waited_is_not_sent_to_a_server_that_failed_meanwhile():
    async def two(setup: Setup) -> list[object]:
        return await asyncio.gather(setup.ask(), setup.ask())

    setup = Setup(Server(plays=[fault(ModelReason.UNAUTHORIZED)]), concurrency=1)
    _, waited = setup.run(two)
    assert isinstance(waited, ModelFault)
    assert setup.server.at == [0.0]
