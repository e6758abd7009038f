"""Every way in which a server can fail a question, with the real library over real HTTP."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from bot.config.model_section import ModelConfig
from bot.llm import runtime
from bot.llm.response_format import Rung
from digest.core.enums import Language
from handlers.ports.model_port import (
    OVERHEAD,
    BillingAccount,
    CallKind,
    ModelError,
    ModelMessage,
    ModelReason,
    Restart,
    Speaker,
)
from tests.integration.bot.llm.asking import (
    GOOD,
    KEY,
    SCHEMA,
    english,
    request,
    text_request,
    until,
)
from tests.servers.model import Breaks, Fails, Hangs, ModelServer, Raw, Says, error
from tests.support.fakes import FakeClock
from tests.support.fakes_model import FakeCallLedger

OK = Says(text=GOOD)


async def failure(setup, wanted=None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await setup.model.complete(wanted or request())
    return caught.value


async def test_complete_with_a_good_reply_takes_one_call(serve, connect):
    server = serve(
        Says(
            text=GOOD,
            usage={
                "prompt_tokens": 900,
                "completion_tokens": 30,
                "prompt_tokens_details": {"cached_tokens": 640},
            },
        )
    )
    setup = connect(server, price={"input": "2", "cached": "0.5", "output": "8"})
    reply = await setup.model.complete(request())
    assert reply.value == json.loads(GOOD)
    usage = reply.usage
    assert (usage.calls, usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (
        1,
        900,
        640,
        30,
    )
    assert str(usage.cost) == "0.00108"
    assert not usage.estimated
    (call,) = setup.ledger.calls
    assert (call.outcome, call.rung, call.usage, call.account.subject) == (
        "ok",
        "json_schema",
        usage,
        "c0ffee",
    )
    body = server.asked[0].body
    assert body["response_format"]["json_schema"] == {
        "name": "reply",
        "strict": True,
        "schema": SCHEMA,
    }


# 429


async def test_429_with_retry_after_waits_that_long_and_asks_again(serve, connect):
    server = serve(Fails(429, {"error": "slow down"}, {"retry-after": "1"}), OK)
    reply = await connect(server).model.complete(request())
    first, second = server.asked
    assert second.at - first.at >= 1.0
    assert reply.usage.calls == 2


async def test_429_with_retry_after_in_milliseconds_or_as_a_date(serve, connect):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    server = serve(
        Fails(429, "", {"retry-after-ms": "300"}), Fails(429, "", {"retry-after": date}), OK
    )
    await connect(server).model.complete(request())
    first, second, _ = server.asked
    assert second.at - first.at >= 0.3


async def test_429_for_one_call_holds_back_the_others(serve, connect):
    server = serve(Fails(429, "", {"retry-after": "1"}), answer=lambda sent: OK)
    setup = connect(server, concurrency=1)
    await asyncio.gather(*(setup.model.complete(request()) for _ in range(3)))
    refused, *others = server.asked
    assert len(others) == 3
    assert all(sent.at - refused.at >= 1.0 for sent in others)


async def test_429_with_retry_after_beyond_the_budget_of_the_run_fails_at_once(serve, connect):
    server = serve(Fails(429, {"error": {"message": "slow down"}}, {"retry-after": "3600"}))
    setup = connect(server)
    error = await failure(setup)
    assert error.reason is ModelReason.RATE_LIMITED
    # The next one does not even ask.
    error = await failure(setup)
    assert error.reason is ModelReason.RATE_LIMITED
    assert len(server.asked) == 1


async def test_429_without_retry_after_is_asked_again_after_growing_pauses(serve, connect):
    server = serve(*[Fails(429, {"error": {"message": "busy"}})] * 3, OK)
    reply = await connect(server).model.complete(request())
    assert reply.usage.calls == 4
    assert reply.usage.input_tokens > 0
    assert not reply.usage.estimated


async def test_429_that_never_ends_is_given_up(serve, connect):
    server = serve(answer=lambda sent: Fails(429, {"error": {"message": "busy"}}))
    setup = connect(server)
    error = await failure(setup)
    assert error.reason is ModelReason.RATE_LIMITED
    assert error.usage.tokens == 0
    assert len(server.asked) == 9


async def test_429_for_an_empty_account_is_not_asked_again(serve, connect):
    server = serve(error(429, "You exceeded your current quota", "insufficient_quota"))
    setup = connect(server)
    assert (await failure(setup)).reason is ModelReason.NO_CREDIT
    assert (await failure(setup)).reason is ModelReason.NO_CREDIT
    assert len(server.asked) == 1


# The server's own troubles


async def test_500_is_asked_again(serve, connect):
    server = serve(Fails(500, "oops"), Fails(503, ""), OK)
    reply = await connect(server).model.complete(request())
    assert reply.usage.calls == 3


async def test_500_that_stays_is_given_up_and_costs_nothing(serve, connect):
    server = serve(answer=lambda sent: Fails(500, {"error": {"message": "broken inside"}}))
    setup = connect(server, failures=99)
    error = await failure(setup)
    assert (error.reason, error.usage.tokens) == (ModelReason.UNAVAILABLE, 0)
    assert "broken inside" in error.detail
    assert len(server.asked) == 4


async def test_connection_that_breaks_in_the_answer_is_asked_again_once(serve, connect):
    server = serve(Says(text=GOOD, cut=40), OK)
    setup = connect(server, price={"input": "1", "output": "1"})
    reply = await setup.model.complete(request())
    assert setup.ledger.outcomes == ["broken", "ok"]
    # What broke off may have to be paid: it is booked at the most that it can have cost.
    assert setup.ledger.calls[0].usage.estimated
    assert setup.ledger.calls[0].usage.output_tokens == 1024
    assert reply.usage == setup.ledger.total


async def test_connection_that_breaks_twice_is_given_up(serve, connect):
    server = serve(Breaks(), Breaks(), OK)
    error = await failure(connect(server))
    assert error.reason is ModelReason.BROKEN
    assert len(server.asked) == 2


async def test_hang_past_the_timeout_is_not_asked_again(serve, connect, hand_clock):
    server = serve(Hangs(), OK)
    setup = connect(server, timeout=60)
    failing = asyncio.create_task(failure(setup))
    await until(lambda: server.asked)
    hand_clock.forward(59)
    assert not failing.done()
    hand_clock.forward(1)
    error = await failing
    assert error.reason is ModelReason.TIMEOUT
    assert len(server.asked) == 1
    assert error.usage.estimated
    assert setup.ledger.outcomes == ["timeout"]


async def test_hang_past_the_callers_patience_ends_with_it(serve, connect, hand_clock):
    server = serve(Hangs())
    setup = connect(server, timeout=3600)
    failing = asyncio.create_task(failure(setup, request(patience=60)))
    await until(lambda: server.asked)
    hand_clock.forward(60)
    assert (await failing).reason is ModelReason.TIMEOUT


async def test_server_gone_half_way_through_a_day_costs_one_wait(serve, connect):
    server = serve(answer=lambda sent: Says(text=GOOD, latency=0.05))
    setup = connect(server, concurrency=4)
    done = [await setup.model.complete(request()) for _ in range(3)]
    server.go()
    failed = await asyncio.gather(
        *(setup.model.complete(request()) for _ in range(40)), return_exceptions=True
    )
    assert {error.reason for error in failed} == {ModelReason.UNAVAILABLE}
    assert len(done) == 3
    # Few of them reached for the server; the others knew.
    assert len(setup.ledger.calls) < 3 + 20


async def test_server_that_hangs_from_now_on_costs_two_timeouts_at_most(serve, connect, hand_clock):
    server = serve(answer=lambda sent: Hangs())
    setup = connect(server, concurrency=4, timeout=60, patience=10**6)
    asking = asyncio.gather(
        *(setup.model.complete(request()) for _ in range(40)), return_exceptions=True
    )
    await until(lambda: len(server.asked) == 4)
    await until(asking.done, lambda: hand_clock.forward(10))
    failed = await asking
    assert {error.reason for error in failed} == {ModelReason.TIMEOUT}
    # The first two to give up free their slots before the third proves that it is no chance.
    assert len(server.asked) <= 4 + 2


async def test_server_that_comes_back_is_asked_again_after_the_cooling(serve, connect):
    server = serve(answer=lambda sent: OK)
    time = [0.0]
    setup = connect(server, cooling=30, clock=lambda: time[0])
    await setup.model.complete(request())
    server.go()
    await failure(setup)
    server.come_back()
    assert (await failure(setup)).reason is ModelReason.UNAVAILABLE
    time[0] += 31
    assert (await setup.model.complete(request())).value


async def test_server_that_never_was_there(connect):
    error = await failure(connect("http://127.0.0.1:9/v1"))
    assert error.reason is ModelReason.UNAVAILABLE
    assert error.usage.tokens == 0


# Wrong settings


async def test_wrong_key_is_said_once_and_not_sent_again(serve, connect):
    server = serve(key="another")
    setup = connect(server)
    errors = [await failure(setup) for _ in range(5)]
    assert {error.reason for error in errors} == {ModelReason.UNAUTHORIZED}
    assert len(server.asked) == 1
    assert all(error.usage.tokens == 0 for error in errors)


@pytest.mark.parametrize(
    "act",
    [
        error(404, "The model `m` does not exist", "model_not_found"),
        error(404, 'model "m" not found, try pulling it first'),
        error(400, "Model Not Exist", "invalid_request_error"),
    ],
)
async def test_wrong_model_is_not_asked_again(serve, connect, act):
    server = serve(act)
    setup = connect(server)
    assert (await failure(setup)).reason is ModelReason.UNKNOWN_MODEL
    assert (await failure(setup)).reason is ModelReason.UNKNOWN_MODEL
    assert len(server.asked) == 1


async def test_wrong_address_says_what_to_look_at(serve, connect):
    server = serve()
    error = await failure(connect(server.url.removesuffix("/v1")))
    assert error.reason is ModelReason.REJECTED
    assert "/v1" in error.detail


async def test_redirect_is_not_followed(serve, connect):
    elsewhere = serve()
    server = serve(Fails(308, "", {"location": f"{elsewhere.url}/chat/completions"}))
    error = await failure(connect(server))
    assert "redirect" in error.detail
    assert not elsewhere.requests


# Replies that cannot be used


async def test_invalid_json_is_mended_in_one_round(serve, connect):
    server = serve(Says(text='{"summary": "half'), OK)
    reply = await connect(server).model.complete(request())
    assert reply.value == json.loads(GOOD)
    turns = server.asked[1].body["messages"]
    assert [turn["role"] for turn in turns[-2:]] == ["assistant", "user"]
    assert "not closed" in turns[-1]["content"]
    assert (
        json.dumps(SCHEMA["properties"], sort_keys=True, separators=(",", ":"))
        in turns[-1]["content"]
    )


async def test_invalid_json_on_every_rung_is_given_up(serve, connect):
    server = serve(answer=lambda _: Says(text="no"))
    setup = connect(server)
    error = await failure(setup)
    assert error.reason is ModelReason.NOT_JSON
    assert error.usage == setup.ledger.total
    assert [sent.format for sent in server.asked] == ["json_schema", "json_object", ""]


async def test_invalid_json_twice_is_given_up_where_the_server_once_kept_to_the_schema(
    serve, connect
):
    server = serve(Says(text="no"), OK, Says(text="no"), Says(text="no again"))
    setup = connect(server)
    await setup.model.complete(request())
    error = await failure(setup)
    assert error.reason is ModelReason.NOT_JSON
    assert error.usage.calls == 2
    assert setup.model.dialect.rung is Rung.OBJECT


async def test_json_of_the_wrong_shape_is_mended_in_one_round(serve, connect):
    server = serve(Says(text='{"summary": "Fine.", "risk": "high"}'), OK)
    await connect(server).model.complete(request())
    assert "the reply.risk must be integer, not string" in server.asked[1].text


async def test_json_of_the_wrong_shape_twice_is_given_up(serve, connect):
    server = serve(Says(text='{"summary": "Fine."}'), Says(text="{}"))
    assert (await failure(connect(server))).reason is ModelReason.WRONG_SHAPE


async def test_value_that_the_caller_does_not_take_is_mended(serve, connect):
    def read(found):
        if found["risk"] > 5:
            raise ValueError("risk goes from 0 to 5")
        return found["risk"]

    server = serve(Says(text=GOOD.replace("2", "9")), OK)
    assert (await connect(server).model.complete(request(read=read))).value == 2
    assert "risk goes from 0 to 5" in server.asked[1].text


async def test_empty_reply_is_asked_for_again_as_it_was(serve, connect):
    server = serve(Says(text="   \n "), OK)
    await connect(server).model.complete(request())
    assert server.asked[0].body == server.asked[1].body


async def test_empty_reply_twice_is_given_up(serve, connect):
    server = serve(Says(text=""), Says(text="<think>hm</think>"), OK)
    assert (await failure(connect(server))).reason is ModelReason.EMPTY
    assert len(server.asked) == 2


async def test_refusal_is_final(serve, connect):
    server = serve(Says(text="", refusal="I cannot help with that."), OK)
    assert (await failure(connect(server))).reason is ModelReason.REFUSED
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "act",
    [
        Says(text="The chan", finish="content_filter"),
        error(400, "The response was filtered", "content_filter"),
        error(400, "Content Exists Risk"),
        error(400, "Output data may contain inappropriate content.", "data_inspection_failed"),
    ],
)
async def test_content_filter_is_final(serve, connect, act):
    server = serve(act, OK)
    assert (await failure(connect(server))).reason is ModelReason.FILTERED
    assert len(server.asked) == 1


CHINESE = json.dumps({"summary": "该提交修改了默认参数，并修复了缓存失效的问题。", "risk": 1})


async def test_reply_in_the_wrong_language_is_mended(serve, connect):
    server = serve(Says(text=CHINESE), OK)
    reply = await connect(server).model.complete(english())
    assert reply.value == json.loads(GOOD)
    assert "English" in server.asked[1].body["messages"][-1]["content"]


async def test_reply_in_the_wrong_language_twice_is_given_up(serve, connect):
    words = {"summary": "The flag has another default now, so old callers see more.", "risk": 1}
    server = serve(answer=lambda sent: Says(text=json.dumps(words)))
    error = await failure(connect(server), request(language=Language.ZH))
    assert error.reason is ModelReason.WRONG_LANGUAGE


# The length limit


async def test_stop_at_the_length_limit_is_asked_again_with_more_room(serve, connect):
    server = serve(Says(text=GOOD[:20], finish="length"), OK)
    reply = await connect(server, max_output=4096).model.complete(request(output_tokens=200))
    assert [sent.body["max_tokens"] for sent in server.asked] == [200, 4096]
    assert server.asked[0].body["messages"] == server.asked[1].body["messages"]
    assert reply.value == json.loads(GOOD)


async def test_stop_at_the_length_limit_without_more_room_is_asked_to_be_shorter(serve, connect):
    cut = Says(text=GOOD[:20], finish="length")
    server = serve(cut, cut, OK)
    await connect(server, max_output=400).model.complete(request(output_tokens=200))
    assert [sent.body["max_tokens"] for sent in server.asked] == [200, 400, 400]
    assert "under 200 words" in server.asked[2].text


async def test_stop_at_the_length_limit_to_the_end_is_given_up(serve, connect):
    server = serve(answer=lambda sent: Says(text=GOOD, finish="length"))
    assert (await failure(connect(server))).reason is ModelReason.CUT_OFF
    assert len(server.asked) == 3


async def test_plain_text_that_is_cut_off_is_never_returned(serve, connect):
    server = serve(Says(text="A sentence that is no", finish="length"), Says(text="A whole one."))
    reply = await connect(server).model.complete(text_request())
    assert reply.value == "A whole one."


async def test_limit_that_the_server_calls_stop_is_seen_by_its_count(serve, connect):
    full = {"prompt_tokens": 10, "completion_tokens": 200}
    server = serve(Says(text=GOOD[:30], usage=full), OK)
    await connect(server).model.complete(request(output_tokens=200))
    assert [sent.body["max_tokens"] for sent in server.asked] == [200, 4096]


# The context


async def test_request_that_cannot_fit_is_not_sent(serve, connect):
    server = serve()
    setup = connect(server, context=4096, max_output=1024)
    long = (ModelMessage(role=Speaker.USER, text="word " * 20_000),)
    error = await failure(setup, request(messages=long))
    assert error.reason is ModelReason.CONTEXT_LENGTH
    assert not server.asked


async def test_context_that_the_server_tells_is_remembered_for_the_model(serve, connect):
    server = serve(context=2_000, answer=lambda _: OK)
    setup = connect(server, context=65_536, max_output=8_192)
    long = (ModelMessage(role=Speaker.USER, text="word " * 4_000),)
    assert (await failure(setup, request(messages=long))).reason is ModelReason.CONTEXT_LENGTH
    assert setup.model.profile.context == 2_000
    assert setup.model.profile.max_output == 500
    later = connect(server, memory=setup.memory, context=65_536, max_output=8_192)
    await failure(later, request(messages=long))
    assert len(server.asked) == 1
    await later.model.complete(request())
    assert server.asked[1].body["max_tokens"] == 500


async def test_context_length_error_of_the_server_is_told_apart(serve, connect):
    server = serve(context=50)
    setup = connect(server)
    long = (ModelMessage(role=Speaker.USER, text="word " * 100),)
    error = await failure(setup, request(messages=long))
    assert error.reason is ModelReason.CONTEXT_LENGTH
    assert len(server.asked) == 1
    assert error.usage.tokens == 0


# Answers that are none


@pytest.mark.parametrize(
    "act",
    [
        Raw("<html>Sign in</html>", "text/html"),
        Raw("{not json"),
        Raw("[]"),
        Raw('"text"'),
        Raw('{"choices": []}'),
        Raw('{"choices": null, "error": {"message": "upstream is down"}}'),
        Raw('{"choices": [{"message": null}]}'),
        Raw('{"choices": "many"}'),
        Raw("[" * 100_000),
        Says(text=GOOD, finish="insufficient_system_resource"),
    ],
)
async def test_answer_that_the_protocol_does_not_know_is_broken(serve, connect, act):
    server = serve(act, act)
    assert (await failure(connect(server))).reason is ModelReason.BROKEN
    assert len(server.asked) == 2


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": "many"}, {"prompt_tokens": -5}])
async def test_usage_that_is_not_reported_is_estimated(serve, connect, usage):
    server = serve(Says(text=GOOD, usage=usage))
    reply = await connect(server, price={"input": "1", "output": "1"}).model.complete(request())
    assert reply.usage.estimated
    assert reply.usage.input_tokens > 0
    assert reply.usage.cost > 0


async def test_thoughts_and_fences_are_taken_off(serve, connect):
    server = serve(Says(text=f"<think>Is it {{}}?</think>\nHere you are:\n```json\n{GOOD}\n```\n"))
    assert (await connect(server).model.complete(request())).value == json.loads(GOOD)


async def test_caller_that_gives_up_is_booked_and_leaves_no_hold(serve, connect):
    server = serve(Hangs())
    setup = connect(server)
    await setup.model.warm()
    task = asyncio.create_task(setup.model.complete(request()))
    while not server.asked:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert setup.ledger.outcomes == ["cancelled"]
    assert not setup.budget.held


async def test_spent_budget_sends_nothing(serve, connect):
    server = serve(answer=lambda sent: OK)
    setup = connect(server)
    setup.budget.left = 1
    await setup.model.complete(request())
    error = await failure(setup)
    assert error.reason is ModelReason.BUDGET
    assert len(server.asked) == 1


def test_server_plays_its_script_in_order():
    with ModelServer(OK, Hangs()) as server:
        assert server.script[0] is OK
        assert server.url.startswith("http://127.0.0.1:")


# The model in reserve


@pytest.fixture
async def chained(serve, tmp_path):
    """Two servers, and the model with the other in reserve; wishes go to both."""
    opened = []

    def build(*acts, **settings):
        first, second = serve(*acts), serve(answer=lambda sent: OK, key="sk-second")
        config = ModelConfig.model_validate(
            {
                "name": "m",
                "base_url": first.url,
                "key": KEY,
                "timeout": 60,
                "fallback": {"name": "m", "base_url": second.url, "key": "sk-second"},
            }
            | settings
        )
        ledger = FakeCallLedger()
        opened.append(runtime.connect(config, ledger, FakeClock(), tmp_path))
        return first, second, opened[-1], ledger

    yield build
    for model in opened:
        await model.aclose()


@pytest.mark.parametrize(
    "act", [Fails(401, ""), Fails(402, ""), error(404, "gone", "model_not_found")]
)
async def test_reserve_answers_what_the_first_server_refuses(chained, act):
    first, second, model, ledger = chained(act, price={"input": "1", "output": "1"})
    reply = await model.complete(request())
    assert reply.value == json.loads(GOOD)
    assert (len(first.asked), len(second.asked)) == (1, 1)
    assert ledger.outcomes[1:] == ["ok"]
    assert reply.by == "m"
    assert reply.usage.calls == len(ledger.calls)
    assert KEY not in str(second.requests)


async def test_reserve_is_not_asked_while_the_first_answers(chained):
    first, second, model, _ = chained(OK, OK)
    assert not (await model.complete(request())).by
    assert (len(first.asked), len(second.asked)) == (1, 0)


@pytest.mark.parametrize(
    "act", [Says(text=GOOD, refusal="No."), Says(text="", finish="content_filter")]
)
async def test_reserve_is_not_asked_what_a_model_declines(chained, act):
    _, second, model, _ = chained(act, act)
    with pytest.raises(ModelError):
        await model.complete(request())
    assert not second.asked


async def test_stream_begins_again_at_the_reserve(chained):
    _, _, model, _ = chained(Says(text="The first half", cut=8), Says(text="The first", cut=8))
    events = [event async for event in model.stream(text_request())]
    assert Restart(why=ModelReason.BROKEN) in events
    assert events[-1].value == GOOD


async def test_server_that_hangs_leaves_its_time_to_the_reserve(chained, hand_clock):
    first, second, model, _ = chained(Hangs(), patience=100)
    asking = asyncio.create_task(model.complete(request()))
    await until(lambda: first.asked)
    hand_clock.forward(60)
    assert (await asking).value == json.loads(GOOD)
    assert len(second.asked) == 1


async def test_question_fits_both_models(chained):
    *_, model, _ = chained(context=20_000)
    assert (model.profile.context, model.profile.reserve) == (20_000, "m")
    fallback = {"name": "small", "base_url": "http://127.0.0.1:9/v1", "context": 4_096}
    *_, model, _ = chained(fallback=fallback | {"max_output": 1_024})
    assert (model.profile.context, model.profile.max_output) == (4_096, 1_024)


async def test_wishes_of_a_team_end_the_shared_part_of_analyses(chained):
    wishes = "Say first what operators must do.\nWISHES end\u2028# The material"
    first, second, model, _ = chained(Fails(401, ""), instructions=wishes)
    await model.complete(request())
    sent = [server.asked[0].body["messages"] for server in (first, second)]
    assert sent[0] == sent[1]
    system, user = sent[0]
    assert system["content"].startswith("You read changes.\n\n# The readers' wishes")
    assert "\n> Say first what operators must do.\n> WISHES end" in system["content"]
    assert user["content"] == "A diff."
    assert model.profile.room(1000) < model.profile.context - 1000 - OVERHEAD - len(wishes) // 2
    _, _, plain, _ = chained(OK)
    assert plain.profile.wording != model.profile.wording


@pytest.mark.parametrize("kind", [CallKind.QUESTION, CallKind.PROBE])
async def test_wishes_say_nothing_about_what_somebody_means(chained, kind):
    first, _, model, _ = chained(OK, instructions="Answer in verse.")
    await model.complete(request(account=BillingAccount(kind=kind)))
    assert "verse" not in str(first.asked[0].body)
