from datetime import timedelta
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from bot.config.model_section import CapsSettings
from bot.llm.calls import CappedBudget
from handlers.ports.model_port import (
    BillingAccount,
    BudgetSpent,
    CallKind,
    ModelCall,
    ModelReason,
    Usage,
)
from tests.support.fakes import FakeClock
from tests.support.fakes_model import FakeCallLedger

TEAM = BillingAccount(kind=CallKind.ANALYSIS, channel="team", person="ada")

OTHER = BillingAccount(kind=CallKind.EXPLAIN, channel="other", person="bob")


def usage(tokens, cost="0"):
    return Usage(calls=1, input_tokens=tokens, cost=Decimal(cost))


@pytest.fixture
def setup():
    def build(**caps):
        clock, ledger = FakeClock(), FakeCallLedger()
        return CappedBudget(CapsSettings.model_validate(caps), ledger, clock), ledger, clock

    return build


async def book(ledger, clock, account, used):
    await ledger.add(
        ModelCall(
            at=clock.now(), account=account, model="m", rung="", usage=used, seconds=1, outcome="ok"
        )
    )


async def test_nothing_is_capped_where_nothing_is_said(setup):
    budget, _, _ = setup()
    await budget.reserve(TEAM, usage(10**12, "1000000"))


async def test_cap_of_the_day_holds_for_all_together(setup):
    budget, ledger, clock = setup(day={"tokens": 1000})
    await book(ledger, clock, TEAM, usage(900))
    budget.settle(await budget.reserve(OTHER, usage(100)))
    with pytest.raises(BudgetSpent, match=r"1000 tokens a day$") as caught:
        await budget.reserve(OTHER, usage(101))
    assert caught.value.reason is ModelReason.BUDGET


async def test_cap_of_a_channel_and_of_a_person_hold_for_each_alone(setup):
    budget, ledger, clock = setup(channel={"tokens": 1000}, person={"money": "2"})
    await book(ledger, clock, TEAM, usage(1000, "1"))
    with pytest.raises(BudgetSpent, match="channel 'team'"):
        await budget.reserve(TEAM, usage(1))
    await budget.reserve(OTHER, usage(1000, "2"))
    with pytest.raises(BudgetSpent, match="2 a day of person 'ada'"):
        await budget.reserve(BillingAccount(kind=CallKind.EXPLAIN, person="ada"), usage(1, "1.01"))


async def test_calls_under_way_count_until_they_are_settled(setup):
    budget, _, _ = setup(day={"tokens": 1000})
    first = await budget.reserve(TEAM, usage(600))
    with pytest.raises(BudgetSpent):
        await budget.reserve(OTHER, usage(600))
    budget.settle(first)
    await budget.reserve(OTHER, usage(600))


async def test_holds_of_others_do_not_count_for_a_channel(setup):
    budget, _, _ = setup(channel={"tokens": 1000})
    await budget.reserve(TEAM, usage(900))
    await budget.reserve(OTHER, usage(900))
    with pytest.raises(BudgetSpent):
        await budget.reserve(TEAM, usage(900))


async def test_next_day_begins_anew(setup):
    budget, ledger, clock = setup(day={"tokens": 1000})
    await book(ledger, clock, TEAM, usage(1000))
    clock.advance(timedelta(hours=13))
    await budget.reserve(TEAM, usage(1000))


async def test_day_begins_at_midnight_to_the_instant(setup):
    budget, ledger, clock = setup(day={"tokens": 1000})
    midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    clock.advance(midnight + timedelta(days=1, microseconds=-1) - clock.now())
    await book(ledger, clock, TEAM, usage(1000))
    with pytest.raises(BudgetSpent):
        await budget.reserve(TEAM, usage(1))
    clock.advance(timedelta(microseconds=1))
    await book(ledger, clock, TEAM, usage(400))
    clock.advance(timedelta(hours=23))
    await budget.reserve(TEAM, usage(600))
    with pytest.raises(BudgetSpent):
        await budget.reserve(TEAM, usage(1))


async def test_spent_cap_is_told_once_a_day(setup):
    budget, _, clock = setup(day={"tokens": 100}, channel={"tokens": 50})
    with capture_logs() as logs:
        for tokens in (60, 60, 101, 101):
            with pytest.raises(BudgetSpent):
                await budget.reserve(TEAM if tokens == 60 else OTHER, usage(tokens))
        clock.advance(timedelta(days=1))
        with pytest.raises(BudgetSpent):
            await budget.reserve(OTHER, usage(101))
    assert [(line["event"], line["detail"]) for line in logs] == [
        ("model.capped", "50 tokens a day of channel 'team'"),
        ("model.capped", "100 tokens a day"),
        ("model.capped", "100 tokens a day"),
    ]


async def test_money_is_spent_where_a_call_may_cost_more_than_is_left(setup):
    budget, ledger, clock = setup(day={"money": "2"})
    await book(ledger, clock, TEAM, usage(10**9, "1.5"))
    first = await budget.reserve(OTHER, usage(10**9, "0.5"))
    with pytest.raises(BudgetSpent, match="2 a day"):
        await budget.reserve(OTHER, usage(1, "0.01"))
    budget.settle(first)
    with pytest.raises(BudgetSpent):
        await budget.reserve(OTHER, usage(1, "0.51"))


async def test_caps_of_channels_and_people_let_calls_of_neither_pass(setup):
    budget, _, _ = setup(channel={"tokens": 0}, person={"money": "0"})
    await budget.reserve(BillingAccount(kind=CallKind.ANALYSIS), usage(1000, "5"))
    with pytest.raises(BudgetSpent, match="channel 'c'"):
        await budget.reserve(BillingAccount(kind=CallKind.ANALYSIS, channel="c"), usage(1, "1"))
    with pytest.raises(BudgetSpent, match="person 'p'"):
        await budget.reserve(BillingAccount(kind=CallKind.ANALYSIS, person="p"), usage(1, "1"))
