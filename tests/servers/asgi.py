"""An ASGI application behind a real HTTP server on loopback, in the test's own loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web


@asynccontextmanager
async def served(application: Any) -> AsyncIterator[str]:
    """The address of the application, which runs for as long as the block lasts."""

    async def handle(request: web.Request) -> web.StreamResponse:
        said: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            body = await request.content.readany()
            more = not request.content.at_eof()
            return {"type": "http.request", "body": body, "more_body": more}

        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        await application(
            {
                "type": "http",
                "method": request.method,
                "path": request.path,
                "headers": [(k.lower(), v) for k, v in request.raw_headers],
                "query_string": request.query_string.encode(),
            },
            receive,
            send,
        )
        start, body = said
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        return web.Response(status=start["status"], headers=headers, body=body.get("body", b""))

    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
