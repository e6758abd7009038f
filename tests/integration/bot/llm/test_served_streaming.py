"""Replies that come in pieces, and how they break."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import aclosing

import pytest

from handlers.ports.model_port import ModelError, ModelReason, ModelReply, ReplyPiece, Restart
from tests.integration.bot.llm.asking import GOOD, request, text_request, until
from tests.servers.model import Fails, Raw, Says

LONG = "The flag has another default. Callers that set it see no change, all others do."


async def events_of(setup, wanted):
    """The events, and the error that ends them where one does."""
    events = []
    stream = setup.model.stream(wanted)
    try:
        while True:
            events.append(await anext(stream))
    except StopAsyncIteration:
        return events
    except ModelError as error:
        return [*events, error]


def text_of(events):
    """What a listener shows in the end."""
    shown = ""
    for event in events:
        if isinstance(event, ReplyPiece):
            shown += event.text
        elif isinstance(event, Restart):
            shown = ""
    return shown


async def test_stream_hands_on_pieces_and_ends_with_the_whole(serve, connect):
    server = serve(Says(text=LONG))
    setup = connect(server)
    events = await events_of(setup, text_request())
    *pieces, reply = events
    assert len(pieces) > 5
    assert text_of(pieces) == reply.value == LONG
    assert reply.usage.output_tokens == len(LONG) // 4 + 1
    assert not reply.usage.estimated


async def test_stream_shows_the_first_piece_before_the_last_is_written(serve, connect):
    server = serve(Says(text=LONG))
    shown = threading.Event()
    server.after_piece = lambda: asyncio.to_thread(shown.wait, 60)
    async for _ in connect(server).model.stream(text_request()):
        shown.set()
    assert shown.is_set()


async def test_stream_of_a_shape_ends_with_the_value(serve, connect):
    server = serve(Says(text=GOOD))
    events = await events_of(connect(server), request())
    assert text_of(events) == GOOD
    assert events[-1].value == json.loads(GOOD)


async def test_stream_that_breaks_off_begins_again_and_says_so(serve, connect):
    server = serve(Says(text=LONG, cut=30), Says(text=LONG))
    setup = connect(server)
    events = await events_of(setup, text_request())
    assert Restart(why=ModelReason.BROKEN) in events
    assert text_of(events) == LONG
    assert events[-1].value == LONG
    # What came before the break is booked as far as it was heard.
    broken, whole = setup.ledger.calls
    assert (broken.outcome, whole.outcome) == ("broken", "ok")
    assert broken.usage.estimated
    assert 0 < broken.usage.output_tokens < 40


async def test_stream_that_breaks_off_twice_yields_no_reply(serve, connect):
    server = serve(Says(text=LONG, cut=30), Says(text=LONG, cut=30))
    events = await events_of(connect(server), text_request())
    assert events[-1].reason is ModelReason.BROKEN
    assert not any(isinstance(event, ModelReply) for event in events)


async def test_stream_that_ends_without_saying_why_is_no_reply(serve, connect):
    server = serve(Says(text=LONG, finish=None), Says(text=LONG, finish=None))
    events = await events_of(connect(server), text_request())
    assert events[-1].reason is ModelReason.BROKEN


async def test_stream_that_stops_at_the_limit_begins_again_with_more_room(serve, connect):
    server = serve(Says(text=LONG[:20], finish="length"), Says(text=LONG))
    events = await events_of(connect(server), text_request(output_tokens=100))
    assert Restart(why=ModelReason.CUT_OFF) in events
    assert events[-1].value == LONG
    assert [sent.body["max_tokens"] for sent in server.asked] == [100, 4096]


async def test_stream_that_hangs_is_given_up_after_the_timeout(serve, connect, hand_clock):
    server = serve(Says(text=LONG))
    server.after_piece = asyncio.Event().wait
    setup = connect(server, timeout=60)
    async with aclosing(setup.model.stream(text_request(patience=10**9))) as stream:
        assert isinstance(await anext(stream), ReplyPiece)
        hanging = asyncio.ensure_future(anext(stream))
        await until(hanging.done, lambda: hand_clock.forward(10))
    assert hanging.exception().reason is ModelReason.TIMEOUT
    assert len(server.asked) == 1


async def test_stream_that_flows_may_take_longer_than_the_timeout(serve, connect, hand_clock):
    server = serve(Says(text=LONG))
    shown = threading.Semaphore(0)
    server.after_piece = lambda: asyncio.to_thread(shown.acquire, timeout=60)
    began, events = hand_clock.at, []
    async for event in connect(server, timeout=30).model.stream(text_request(patience=3600)):
        events.append(event)
        hand_clock.forward(20)  # within the time for the next piece, which is written only now
        shown.release()
    assert hand_clock.at - began > 100
    assert events[-1].value == LONG


async def test_stream_with_an_error_inside_is_broken(serve, connect):
    data = 'data: {"error": {"message": "out of memory"}}\n\n'
    server = serve(Raw(data, "text/event-stream"), Raw("data: {nonsense\n\n", "text/event-stream"))
    events = await events_of(connect(server), text_request())
    assert events[-1].reason is ModelReason.BROKEN


@pytest.mark.parametrize("data", ["[]", '"x"', "null", "7", '{"choices": [7]}', '{"choices": {}}'])
async def test_stream_of_something_else_is_broken(serve, connect, data):
    act = Raw(f"data: {data}\n\ndata: [DONE]\n\n", "text/event-stream")
    server = serve(act, act)
    events = await events_of(connect(server), text_request())
    assert events[-1].reason is ModelReason.BROKEN


async def test_stream_without_usage_is_estimated_and_not_asked_for_again(serve, connect):
    server = serve(answer=lambda sent: Says(text=LONG), refused_fields={"stream_options"})
    setup = connect(server)
    events = await events_of(setup, text_request())
    assert events[-1].usage.estimated
    assert events[-1].usage.output_tokens > 10
    await events_of(setup, text_request())
    assert len(server.asked) == 3


async def test_server_that_cannot_stream_gives_the_reply_alone(serve, connect):
    server = serve(answer=lambda sent: Says(text=LONG), streams=False)
    setup = connect(server)
    events = await events_of(setup, text_request())
    assert [type(event) for event in events] == [ModelReply]
    assert events[0].value == LONG


async def test_stream_repeats_what_was_refused_before_any_piece(serve, connect):
    server = serve(Fails(429, ""), Fails(500, ""), Says(text=LONG))
    events = await events_of(connect(server), text_request())
    assert not any(isinstance(event, Restart) for event in events)
    assert events[-1].value == LONG


async def test_thoughts_are_not_shown(serve, connect):
    server = serve(Says(text=f"<think>The user wants </th {LONG}</think>\n\n{LONG}", piece=3))
    events = await events_of(connect(server), text_request())
    assert text_of(events) == LONG
    assert events[-1].value == LONG


async def test_text_about_thoughts_is_shown(serve, connect):
    text = "The parser takes <think> and </think> off now."
    events = await events_of(connect(serve(Says(text=text, piece=3))), text_request())
    assert text_of(events) == events[-1].value == text


async def test_listener_that_leaves_ends_the_request(serve, connect):
    server = serve(Says(text=LONG * 20))
    server.after_piece = asyncio.Event().wait
    setup = connect(server)
    stream = setup.model.stream(text_request())
    assert isinstance(await anext(stream), ReplyPiece)
    await stream.aclose()
    assert setup.ledger.outcomes == ["cancelled"]
    assert 0 < setup.ledger.calls[0].usage.output_tokens < 100
    assert not setup.budget.held


async def test_slow_listener_does_not_use_up_the_time_of_the_server(serve, connect, hand_clock):
    server = serve(Says(text=LONG, piece=40))
    setup = connect(server, timeout=1)
    events = []
    async with aclosing(setup.model.stream(text_request())) as stream:
        events.append(await anext(stream))
        # The reply is read to its end although nobody listens.
        await until(lambda: setup.ledger.outcomes)
        hand_clock.forward(3600)
        events += [event async for event in stream]
    assert setup.ledger.outcomes == ["ok"]
    assert events[-1].value == LONG
