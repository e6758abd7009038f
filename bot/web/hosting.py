"""What the program hosts, under which paths, and how the server ends with the loop.

- ``/events/<account>``: what platforms call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from starlette.routing import BaseRoute

from bot import runner
from bot.app import App
from bot.platforms.base import Asgi, Called, Sender
from bot.web.config import WebSettings
from bot.web.server import application, serving

Mounts = dict[str, Asgi | Sequence[BaseRoute]]
"""Applications and routes by path, as :func:`bot.web.server.application` takes them."""


def hosted(app: App, senders: Mapping[str, Sender]) -> Mounts:
    """Everything that the program hosts."""
    del app
    mounts: Mounts = {}
    mounts.update(events(senders))
    return mounts


def events(senders: Mapping[str, Sender]) -> dict[str, Asgi]:
    """What platforms call, by the path under which they find it."""
    return {
        f"/events/{name}": sender.web
        for name, sender in senders.items()
        if isinstance(sender, Called) and sender.web is not None
    }


async def run_with_web(
    settings: WebSettings, mounts: Mounts, work: runner.Work, stop: asyncio.Event
) -> None:
    """The loop beside the web server, which ends first: what it took in is still answered.

    Raises ``UserError`` where the server's address cannot be had; nothing is posted then.
    """
    answering = application(mounts, largest=settings.max_body, seconds=settings.body_seconds)
    drained = asyncio.Event()
    async with serving(answering, settings):
        loop = asyncio.create_task(runner.run(work, drained))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({loop, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
    drained.set()
    await loop
