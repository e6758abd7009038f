"""Serving beside the loop: mounting, bounds, errors, proxies, and an orderly end."""

from __future__ import annotations

import asyncio
import re
import signal
import socket

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs

from bot.config.file_model import Listen, WebSettings
from bot.web import server
from bot.web.server import application, serving
from digest.errors import UserError


async def told(request: Request) -> Response:
    return JSONResponse(
        {
            "path": request.url.path,
            "scheme": request.url.scheme,
            "client": request.client.host if request.client else None,
        }
    )


async def plain(scope, receive, send) -> None:
    """An application without a framework, as the platforms' are: says where it was found."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    answer = PlainTextResponse(f"{scope['root_path']}|{scope['path']}|{len(body)}")
    await answer(scope, receive, send)


async def test_each_path_is_answered_by_what_is_mounted_there(visit):
    mounts = {
        "/": [Route("/", told), Route("/other", told)],
        "/events/a": plain,
        "/api": [Route("/x", told)],
    }
    async with visit(mounts) as client:
        assert (await client.get("/")).json()["path"] == "/"
        assert (await client.get("/other")).json()["path"] == "/other"
        assert (await client.get("/api/x")).json()["path"] == "/api/x"
        assert (
            await client.post("/events/a/more", content=b"123")
        ).text == "/events/a|/events/a/more|3"
        assert (await client.post("/events/a", content=b"123")).text.endswith("|/events/a|3")
        assert (await client.get("/nothing")).status_code == 404


async def test_the_longer_path_wins(visit):
    async def other(scope, receive, send):
        await PlainTextResponse("other")(scope, receive, send)

    async with visit({"/events": other, "/events/a": plain}) as client:
        assert (await client.post("/events/a/")).text.startswith("/events/a|")
        assert (await client.post("/events/b")).text == "other"


async def test_a_body_that_is_too_large_is_refused_said_or_not(visit):
    async def chunks():
        for _ in range(100):
            yield b"x" * 100

    async with visit({"/a": plain}, largest=1000) as client:
        assert (await client.post("/a/", content=b"x" * 1000)).text.endswith("|1000")
        assert (await client.post("/a/", content=b"x" * 1001)).status_code == 413
        assert (await client.post("/a/", content=chunks())).status_code == 413
        assert (await client.post("/a/", content=b"x")).status_code == 200


async def test_bodies_that_are_too_large_together_are_refused_small_ones_are_not(visit):
    largest, held = 400_000, asyncio.Event()

    async def slowly():
        yield b"x" * (largest - 1)
        await held.wait()
        yield b"x"

    heard = 0

    async def counting(scope, receive, send) -> None:
        async def counted():
            nonlocal heard
            message = await receive()
            heard += len(message.get("body", b""))
            return message

        await plain(scope, counted, send)

    async with visit({"/a": counting}, largest=largest) as client:
        slow = [asyncio.create_task(client.post("/a/", content=slowly())) for _ in range(4)]
        async with asyncio.timeout(120):
            while heard < 4 * (largest - 1):
                await asyncio.sleep(0.01)
        assert (await client.post("/a/", content=b"x" * largest)).status_code == 503
        assert (await client.post("/a/", content=b"x" * 1000)).status_code == 200
        held.set()
        assert [one.status_code for one in await asyncio.gather(*slow)] == [200] * 4
        assert (await client.post("/a/", content=b"x" * largest)).status_code == 200


async def test_a_body_that_does_not_come_is_waited_for_no_longer_than_its_time(visit):
    async with visit({"/a": plain}, seconds=0.1) as client:
        url = client.base_url
        reader, writer = await asyncio.open_connection(url.host, url.port)
        writer.write(b"POST /a/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123")
        async with asyncio.timeout(120):
            told = await reader.read()
        assert told.startswith(b"HTTP/1.1 408 ")
        writer.close()
        await writer.wait_closed()


async def test_an_error_is_answered_with_500_and_told_in_the_log_with_its_id(visit):
    async def broken(request: Request) -> Response:
        raise RuntimeError("the secret of the matter")

    async with visit({"/": [Route("/", broken)]}) as client:
        with capture_logs() as logs:
            answer = await client.get("/")
    assert answer.status_code == 500
    assert answer.headers["cache-control"] == "no-store"
    trace = re.search(r"trace <code>([0-9a-f]{12})</code>", answer.text)
    assert trace
    assert "secret" not in answer.text
    (entry,) = [one for one in logs if one["event"] == "web.broken"]
    assert entry["path"] == "/"


async def test_answers_bear_safe_headers_that_an_application_may_change(visit):
    async def framed(request: Request) -> Response:
        return PlainTextResponse("x", headers={"X-Frame-Options": "SAMEORIGIN"})

    async with visit({"/": [Route("/", told), Route("/framed", framed)]}) as client:
        first, second = await client.get("/"), await client.get("/framed")
    assert first.headers["x-content-type-options"] == "nosniff"
    assert first.headers["x-frame-options"] == "DENY"
    assert second.headers.get_list("x-frame-options") == ["SAMEORIGIN"]
    assert "server" not in first.headers


async def test_only_a_trusted_proxy_says_who_the_client_is(visit):
    said = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    async with visit({"/": [Route("/", told)]}) as client:
        assert (await client.get("/", headers=said)).json() == {
            "path": "/",
            "scheme": "https",
            "client": "203.0.113.9",
        }
    async with visit({"/": [Route("/", told)]}, proxies=["192.0.2.0/24"]) as client:
        assert (await client.get("/", headers=said)).json() == {
            "path": "/",
            "scheme": "http",
            "client": "127.0.0.1",
        }


async def test_a_request_under_way_is_answered_before_the_end():
    entered, go_on = asyncio.Event(), asyncio.Event()

    async def slow(request: Request) -> Response:
        entered.set()
        await go_on.wait()
        return PlainTextResponse("done")

    web = WebSettings.model_validate({"listen": "127.0.0.1:0"})
    async with httpx.AsyncClient(trust_env=False) as client:
        async with serving(application({"/": [Route("/", slow)]}), web) as address:
            asking = asyncio.create_task(client.get(address))
            await entered.wait()
            asyncio.get_running_loop().call_later(0.2, go_on.set)
        assert (await asking).text == "done"
        with pytest.raises(httpx.ConnectError):
            await client.get(address)


async def test_an_address_in_use_is_told_as_such():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        web = WebSettings.model_validate({"listen": f"127.0.0.1:{port}"})
        with pytest.raises(UserError, match=rf"127\.0\.0\.1:{port}.*\[web\] listen"):
            async with serving(application({}), web):
                pass


async def test_the_signals_of_the_process_are_left_alone(visit):
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    async with visit({"/": [Route("/", told)]}) as client:
        assert (await client.get("/")).status_code == 200
        assert {n: signal.getsignal(n) for n in before} == before


def test_pieces_of_an_answer_do_not_wait_for_each_other():
    with (
        server._bind(Listen("127.0.0.1", 0), "name another port") as bound,
        socket.create_connection(bound.getsockname()),
    ):
        taken, _ = bound.accept()
        with taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
