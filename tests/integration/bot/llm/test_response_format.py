"""Servers that understand less than others, and what is remembered of them."""

from __future__ import annotations

import asyncio
import json

import pytest

from bot.llm.response_format import Dialect, Rung
from handlers.ports.model_port import ModelError, ModelReason
from tests.integration.bot.llm.asking import GOOD, SCHEMA, request, text_request
from tests.servers.model import Raw, Says, error


def good(sent):
    return Says(text=GOOD)


async def test_server_with_json_mode_alone_gets_the_schema_in_words(serve, connect):
    server = serve(answer=good, formats={"json_object"})
    setup = connect(server)
    reply = await setup.model.complete(request())
    assert [sent.format for sent in server.asked] == ["json_schema", "json_object"]
    system = server.asked[1].body["messages"][0]["content"]
    assert "JSON" in system
    assert json.dumps(SCHEMA, sort_keys=True, separators=(",", ":")) in system
    assert reply.usage.calls == 2
    assert setup.ledger.calls[0].usage.tokens == 0
    assert setup.model.dialect.rung is Rung.OBJECT


async def test_server_without_any_format_is_asked_in_words(serve, connect):
    server = serve(answer=good, formats=())
    setup = connect(server)
    await setup.model.complete(request())
    assert [sent.format for sent in server.asked] == ["json_schema", "json_object", ""]
    assert setup.model.dialect.rung is Rung.TEXT
    await setup.model.complete(request())
    assert len(server.asked) == 4


async def test_rung_is_remembered_from_one_run_to_the_next(serve, connect):
    server = serve(answer=good, formats={"json_object"})
    first = connect(server)
    await first.model.complete(request())
    second = connect(server, memory=first.memory)
    await second.model.complete(request())
    assert [sent.format for sent in server.asked] == ["json_schema", "json_object", "json_object"]


async def test_questions_side_by_side_find_the_rung_together(serve, connect):
    server = serve(answer=good, formats=(), latency=0.02)
    setup = connect(server, concurrency=8)
    replies = await asyncio.gather(*(setup.model.complete(request()) for _ in range(24)))
    assert len(replies) == 24
    assert setup.model.dialect.rung is Rung.TEXT
    # The eight that started together fell down together; nobody after them did.
    assert len(server.asked) <= 24 + 2 * 8


async def test_server_that_takes_a_schema_and_does_not_keep_it_loses_the_rung(serve, connect):
    server = serve(Says(text='{"colour": "blue"}'), answer=good)
    setup = connect(server)
    await setup.model.complete(request())
    assert setup.model.dialect.rung is Rung.OBJECT
    await setup.model.complete(request())
    assert [sent.format for sent in server.asked] == ["json_schema", "json_object", "json_object"]


async def test_server_that_never_keeps_to_a_format_is_asked_in_words_from_the_first_question_on(
    serve, connect
):
    wrong = Says(text='{"colour": "blue"}')
    server = serve(answer=lambda sent: wrong if sent.format else good(sent))
    setup = connect(server)
    for _ in range(3):
        await setup.model.complete(request())
    formats = [sent.format for sent in server.asked]
    assert formats == ["json_schema", "json_object", "", "", ""]
    assert setup.memory.recall(setup.config.base_url, setup.config.name).rung is Rung.TEXT


async def test_model_that_keeps_to_no_form_is_asked_once_on_each_rung(serve, connect):
    server = serve(answer=lambda _: Says(text='{"colour": "blue"}'))
    setup = connect(server)
    with pytest.raises(ModelError) as caught:
        await setup.model.complete(request())
    assert caught.value.reason is ModelReason.WRONG_SHAPE
    assert [sent.format for sent in server.asked] == ["json_schema", "json_object", ""]


async def test_reply_that_only_the_caller_refuses_keeps_the_rung(serve, connect):
    seen = []

    def read(found):
        seen.append(found)
        if len(seen) == 1:
            raise ValueError("say more")
        return found

    server = serve(answer=good)
    setup = connect(server)
    await setup.model.complete(request(read=read))
    assert setup.model.dialect.rung is Rung.STRICT


@pytest.mark.parametrize(
    "words",
    [
        "Unknown name 'response_format': cannot find field",
        "Invalid parameter: json_schema is not supported by this model",
        "'messages' must contain the word 'json' in some form, to use 'response_format'",
        "No endpoints found that can handle the requested parameters",
        "guided decoding is not enabled",
        "This model is not available with response_format",
    ],
)
@pytest.mark.parametrize("status", [400, 404, 422])
async def test_complaint_about_the_format_leads_down_a_rung(serve, connect, words, status):
    server = serve(error(status, words), answer=good)
    setup = connect(server)
    await setup.model.complete(request())
    assert setup.model.dialect.rung is Rung.OBJECT


async def test_complaint_about_something_else_keeps_the_rung(serve, connect):
    server = serve(error(400, "messages must not be empty"))
    setup = connect(server)
    with pytest.raises(ModelError) as caught:
        await setup.model.complete(request())
    assert caught.value.reason is ModelReason.REJECTED
    assert setup.model.dialect == Dialect()


async def test_plain_text_is_never_asked_for_in_a_format(serve, connect):
    server = serve(Says(text="An answer."), formats=())
    setup = connect(server)
    assert (await setup.model.complete(text_request())).value == "An answer."
    assert "response_format" not in server.asked[0].body


@pytest.mark.parametrize(
    ("refused", "instead"),
    [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")],
)
async def test_field_of_the_limit_is_changed_where_it_is_refused(serve, connect, refused, instead):
    server = serve(answer=good, refused_fields={refused})
    setup = connect(server, output_limit=refused)
    await setup.model.complete(request())
    await setup.model.complete(request())
    assert instead in server.asked[-1].body
    assert refused not in server.asked[-1].body
    assert len(server.asked) == 3


async def test_temperature_is_left_out_where_it_is_refused(serve, connect):
    server = serve(answer=good, refused_fields={"temperature"})
    setup = connect(server, temperature=0.2)
    await setup.model.complete(request())
    assert server.asked[0].body["temperature"] == 0.2
    assert "temperature" not in server.asked[1].body


async def test_server_that_refuses_every_way_of_asking_is_given_up(serve, connect):
    server = serve(refused_fields={"max_tokens", "max_completion_tokens"})
    with pytest.raises(ModelError) as caught:
        await connect(server).model.complete(request())
    assert caught.value.reason is ModelReason.REJECTED
    assert len(server.asked) <= 8


async def test_more_fields_of_the_configuration_are_sent(serve, connect):
    server = serve(answer=good)
    setup = connect(server, extra={"reasoning_effort": "low", "chat_template_kwargs": {"a": 1}})
    await setup.model.complete(request())
    body = server.asked[0].body
    assert (body["reasoning_effort"], body["chat_template_kwargs"]) == ("low", {"a": 1})


async def test_same_question_is_sent_with_the_same_bytes(serve, connect):
    server = serve(answer=good, formats={"json_object"})
    setup = connect(server)
    for _ in range(3):
        await setup.model.complete(request())
    sent = [json.dumps(one.body) for one in server.asked[1:]]
    assert len(set(sent)) == 1


async def test_reply_in_one_piece_where_the_server_ignores_that_a_stream_was_asked_for(
    serve, connect
):
    whole = {"choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}]}
    server = serve(Raw(json.dumps(whole)))
    events = [event async for event in connect(server).model.stream(request())]
    assert [type(event).__name__ for event in events] == ["ModelReply"]
