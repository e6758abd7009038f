"""Many questions at once: no more than the limits allow, and no slower."""

from __future__ import annotations

import asyncio

import pytest

from bot.llm.throttle import MINUTE, MinuteWindow
from handlers.ports.model_port import ModelReason
from tests.integration.bot.llm.asking import GOOD, request, until
from tests.servers.model import Says, Sent


async def test_no_more_run_at_once_than_configured(serve, connect):
    server = serve(answer=lambda sent: Says(text=GOOD), latency=0.05)
    setup = connect(server, concurrency=3)
    await asyncio.gather(*(setup.model.complete(request()) for _ in range(20)))
    assert server.most_at_once == 3
    assert server.connections == 3


async def test_day_of_calls_ends_near_the_ideal(serve, connect):
    """The server answers eight at a time, when all eight are there: no slot is ever left empty."""
    slots, rounds = 8, 5
    server = serve(answer=lambda sent: Says(text=GOOD))
    setup = connect(server, concurrency=slots)
    full = asyncio.Barrier(slots)

    async def all_eight(sent: Sent) -> None:
        await asyncio.wait_for(full.wait(), 120)  # then the connection breaks, and the call fails

    server.gate = all_eight
    await asyncio.gather(*(setup.model.complete(request()) for _ in range(rounds * slots)))
    assert len(server.asked) == rounds * slots
    assert server.most_at_once == slots


async def test_limits_of_a_minute_hold_back_and_give_up_with_the_callers_time(
    serve, connect, hand_clock
):
    server = serve(answer=lambda sent: Says(text=GOOD))
    setup = connect(server, requests_per_minute=2)
    asking = asyncio.gather(
        *(setup.model.complete(request(patience=30)) for _ in range(4)), return_exceptions=True
    )
    await until(lambda: len(setup.ledger.outcomes) == 2)
    await until(asking.done, lambda: hand_clock.forward(1))
    results = await asking
    reasons = [getattr(result, "reason", None) for result in results]
    assert reasons == [None, None, ModelReason.RATE_LIMITED, ModelReason.RATE_LIMITED]
    assert len(server.asked) == 2


async def test_tokens_that_were_not_taken_make_room(serve, connect, monkeypatch, hand_clock):
    monkeypatch.setattr("bot.llm.throttle._LOOK", 0.001)
    taken = {"prompt_tokens": 20, "completion_tokens": 10}
    server = serve(answer=lambda sent: Says(text=GOOD, usage=taken, latency=0.1))
    # Each sets aside more than 1024 tokens, so that two fit at first, and all once they are done.
    setup = connect(server, tokens_per_minute=2500, concurrency=8)
    asking = asyncio.gather(*(setup.model.complete(request()) for _ in range(6)))
    await until(asking.done, lambda: hand_clock.forward(0.001))  # a minute takes too many steps
    await asking
    assert len(server.asked) == 6
    assert server.most_at_once == 2


@pytest.mark.parametrize("limit", [None, 10])
def test_window_lets_one_amount_above_the_limit_pass_alone(limit):
    window = MinuteWindow(limit)
    assert window.wait(0.0, 50) == 0.0
    window.take(0.0, 50)
    assert window.wait(1.0, 1) == (0.0 if limit is None else MINUTE - 1)
