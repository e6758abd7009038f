"""Calls on the books: sums, caps and the report, on a real database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.model_section import CapSettings, CapsSettings
from bot.llm.calls import CappedBudget
from bot.store.analyses import SqlCalls, money, nanos
from bot.store.database import Database
from handlers.ports.model_port import BillingAccount, BudgetSpent, CallKind, ModelCall, Usage
from tests.support.fakes import FakeClock

NOON = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)


@pytest.fixture
def calls(database: Database) -> SqlCalls:
    return SqlCalls(database)


def call(at: datetime = NOON, outcome: str = "ok", **account: object) -> ModelCall:
    usage = Usage(
        calls=1,
        input_tokens=1_000,
        cached_tokens=600,
        output_tokens=200,
        cost=Decimal("0.0123456789"),
    )
    fields = {"kind": CallKind.ANALYSIS, "repository": "octo/engine", "channel": "team"} | account
    return ModelCall(
        at=at,
        account=BillingAccount(**fields),
        model="m",
        rung="json_schema",
        usage=usage,
        seconds=1.5,
        outcome=outcome,
    )


async def test_spent_adds_up_from_the_moment_on(calls: SqlCalls) -> None:
    assert await calls.spent(NOON) == Usage()
    for at in (NOON - timedelta(seconds=1), NOON, NOON + timedelta(hours=3)):
        await calls.add(call(at))
    assert await calls.spent(NOON) == Usage(
        calls=2,
        input_tokens=2_000,
        cached_tokens=1_200,
        output_tokens=400,
        cost=Decimal("0.024691358"),
    )


async def test_spent_is_asked_of_one_channel_or_person(calls: SqlCalls) -> None:
    await calls.add(call(channel="team"))
    await calls.add(call(channel="other"))
    await calls.add(call(channel="other", person="ada"))
    assert (await calls.spent(NOON, channel="other")).calls == 2
    assert (await calls.spent(NOON, person="ada")).calls == 1
    assert (await calls.spent(NOON, channel="team", person="ada")).calls == 0


async def test_an_estimate_among_the_calls_makes_the_sum_one(
    calls: SqlCalls,
) -> None:
    await calls.add(call())
    assert not (await calls.spent(NOON)).estimated
    guessed = call()
    await calls.add(
        ModelCall(
            at=NOON,
            account=guessed.account,
            model="m",
            rung="",
            usage=Usage(calls=1, input_tokens=9, estimated=True),
            seconds=0,
            outcome="timeout",
        )
    )
    assert (await calls.spent(NOON)).estimated


async def test_money_of_another_currency_is_another_sum(database: Database) -> None:
    await SqlCalls(database, "CNY").add(call())
    spent = await SqlCalls(database, "USD").spent(NOON)
    assert (spent.input_tokens, spent.cost) == (1_000, 0)


async def test_caps_hold_over_a_restart(calls: SqlCalls, database: Database) -> None:
    caps = CapsSettings(channel=CapSettings(tokens=2_000))
    most = Usage(calls=1, input_tokens=900, output_tokens=100)
    await CappedBudget(caps, calls, FakeClock(NOON)).reserve(call().account, most)
    await calls.add(call())
    again = CappedBudget(caps, SqlCalls(database), FakeClock(NOON))
    with pytest.raises(BudgetSpent, match="2000 tokens a day of channel 'team'"):
        await again.reserve(call().account, most)
    await again.reserve(call(channel="other").account, most)
    tomorrow = CappedBudget(caps, SqlCalls(database), FakeClock(NOON + timedelta(days=1)))
    await tomorrow.reserve(call().account, most)


async def test_costs_are_told_by_day_repository_and_kind(calls: SqlCalls) -> None:
    await calls.add(call())
    await calls.add(call(outcome="timeout"))
    await calls.add(call(kind=CallKind.LEAD))
    await calls.add(call(repository="other/one"))
    await calls.add(call(NOON + timedelta(hours=12)))
    await calls.add(call(NOON + timedelta(days=9)))
    midnight = NOON - timedelta(hours=12)
    found = await calls.costs(midnight, midnight + timedelta(days=2))
    told = [(c.day.day, c.repository, c.kind.value, c.usage.calls, c.failed) for c in found]
    assert told == [
        (23, "octo/engine", "analysis", 2, 1),
        (23, "octo/engine", "lead", 1, 0),
        (23, "other/one", "analysis", 1, 0),
        (24, "octo/engine", "analysis", 1, 0),
    ]
    assert found[0].day == midnight
    assert found[0].usage.cost == Decimal("0.024691358")
    assert found[0].currency == "USD"


@given(st.decimals(min_value=0, max_value=10**6, places=12))
def test_money_is_never_rounded_down(cost: Decimal) -> None:
    assert cost <= money(nanos(cost)) < cost + Decimal("1e-9")
