"""What the program hosts, under which paths, and how the server ends with the loop.

- ``/events/<account>``: what platforms call;
- ``/`` and all below it: the pages (:mod:`bot.web.pages`), ``/admin`` among them;
- ``/healthz``, ``/readyz``, ``/metrics``: what probes and Prometheus ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib.metadata import version

from starlette.routing import BaseRoute

from bot.app import App
from bot.platforms.base import Asgi, Called, Sender
from bot.runner.waking import Wake
from bot.store.condition import Fitness
from bot.subscriptions.roster import Channels
from bot.watching.metrics import Metrics
from bot.web.config import WebSettings
from bot.web.health import Health, Look, routes
from bot.web.pages.routes import routes as pages
from bot.web.pages.shelf import Shelf
from bot.web.pages.warming import warm
from bot.web.server import application, serving
from bot.web.shelving import configured

Mounts = dict[str, Asgi | Sequence[BaseRoute]]
"""Applications and routes by path, as :func:`bot.web.server.application` takes them."""

# What was taken in at the very end is handed to the loop within so many seconds.
_HAND_OVER = 0.2


class Hosting:
    """The web server of a process. ``metrics`` is to observe the logs from the beginning."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.metrics = Metrics(version("digestbot"))
        self._shelf: Shelf | None = None

    def mounts(
        self,
        app: App,
        senders: Mapping[str, Sender],
        channels: Channels | None = None,
        shared: Look | None = None,
        *,
        sweeps: bool = True,
        wake: Wake | None = None,
    ) -> Mounts:
        """Everything that the program hosts; pages of ``channels`` and all else where these are.

        ``shared`` asks the Redis of the processes, where there is one; ``sweeps`` says whether
        this process sweeps. ``wake`` is told of channels that admins have something sent to again.
        """
        health = Health(
            database=app.database,
            fitness=Fitness(app.database),
            metrics=self.metrics,
            receivers=senders,
            secrets=app.config.secrets() if app.config else (),
            shared=shared,
            sweeps=sweeps,
        )
        root = [*routes(health, self.settings.metrics_token)]
        if channels is not None and app.config is not None:
            self._shelf = configured(app, app.config, self.settings, channels, wake)
            root += pages(self._shelf)
        mounts: Mounts = {"/": root}
        mounts.update(events(senders))
        return mounts

    async def run(
        self,
        mounts: Mounts,
        work: Callable[[asyncio.Event], Coroutine[None, None, None]],
        stop: asyncio.Event,
    ) -> None:
        """The loop ``work`` beside the web server, which ends first: what it took in is answered.

        Raises ``UserError`` where the server's address cannot be had; nothing is posted then.
        """
        settings = self.settings
        answering = application(mounts, largest=settings.max_body, seconds=settings.body_seconds)
        drained = asyncio.Event()
        async with serving(answering, settings):
            # Beside the loop: who asks before it is done waits as long as they would have.
            warming = asyncio.create_task(self._warm())
            loop = asyncio.create_task(work(drained))
            stopped = asyncio.create_task(stop.wait())
            await asyncio.wait({loop, stopped}, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            warming.cancel()
            await asyncio.wait({warming})
        await asyncio.wait({loop}, timeout=_HAND_OVER)
        drained.set()
        await loop

    async def _warm(self) -> None:
        if self._shelf is not None:
            await warm(self._shelf)


def events(senders: Mapping[str, Sender]) -> dict[str, Asgi]:
    """What platforms call, by the path under which they find it."""
    return {
        f"/events/{name}": sender.web
        for name, sender in senders.items()
        if isinstance(sender, Called) and sender.web is not None
    }
