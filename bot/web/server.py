"""What the program hosts, under which paths, and how the server ends with the loop.

- ``/events/<account>``: what platforms call;
- ``/`` and all below it: the pages (:mod:`bot.web.pages`), ``/admin`` among them;
- ``/healthz``, ``/readyz``, ``/metrics``: what probes and Prometheus ask.

One address for everything that is called or looked at over HTTP, served beside the loop.

uvicorn runs in the loop of the program, without its signals and without its logs: the program says
when it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

import structlog
import uvicorn
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import BaseRoute, Mount, Route, Router

from bot.config.file_model import LARGEST, Listen, WebSettings
from bot.delivery.delivery import Wake
from bot.messaging.asgi import Asgi, AsgiReceive, AsgiScope, AsgiSend, Called
from bot.messaging.sender import Sender
from bot.store.sqlite import DatabaseHealth
from bot.subscriptions.channel_registry import Channels
from bot.telemetry.metrics import Metrics
from bot.web.guard import Guard
from bot.web.health import Health, Look, routes
from bot.web.pages.routes import routes as pages
from bot.web.pages.site import Site
from bot.web.pages.warmup import warm
from bot.web.site_factory import configured
from bot.workspace.workspace import Workspace
from digest.errors import UserError

Mounts = dict[str, Asgi | Sequence[BaseRoute]]
"""Applications and routes by path, as :func:`bot.web.server.application` takes them."""

# What was taken in at the very end is handed to the loop within so many seconds.
_HAND_OVER = 0.2


class Hosting:
    """The web server of a process. ``metrics`` is to observe the logs from the beginning."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.metrics = Metrics(version("digestbot"))
        self._shelf: Site | None = None

    def mounts(
        self,
        app: Workspace,
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
            fitness=DatabaseHealth(app.database),
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


log = structlog.get_logger(__name__)

DRAIN = 5
"""Seconds that requests under way have at the end. A platform wants its answer within three."""

_SLOW = 30.0
_BACKLOG = 512


def application(
    mounts: Mapping[str, Asgi | Sequence[BaseRoute]],
    *,
    largest: int = LARGEST,
    seconds: float = _SLOW,
) -> Asgi:
    """What is mounted, behind one address.

    ``mounts`` are applications or routes by the path they stand under, such as ``/events/slack``;
    the longest path that fits answers, ``/`` what is left. A mounted application sees the whole
    path in its scope, and answers at the path itself and below it. ``largest`` bounds every
    request's body in bytes, ``seconds`` the time for sending it.
    """
    routes: list[BaseRoute] = []
    called: dict[str, Asgi] = {}
    for path in sorted(mounts, key=lambda path: (-len(path), path)):
        mounted = mounts[path]
        if callable(mounted):
            # The path itself too: a platform follows no redirect to the same with a slash.
            called[path] = mounted
            routes += [Route(path, _Mounted(mounted)), Mount(path, app=mounted)]
        elif path.strip("/"):
            routes.append(Mount(path, routes=mounted))
        else:
            routes.extend(mounted)
    # Not ``Starlette`` itself, whose outermost layer answers for every error: the guard does.
    return Guard(_Switch(called, ExceptionMiddleware(Router(routes))), largest, seconds)


@asynccontextmanager
async def serving(
    app: Asgi, settings: WebSettings, *, otherwise: str = "name another address with [web] listen"
) -> AsyncIterator[str]:
    """Serve for as long as the block lasts; the address at which it is done.

    At the end no connection is taken any more, and requests under way have ``DRAIN`` seconds.
    Raises ``UserError`` where the address cannot be had; ``otherwise`` says what to do then.
    """
    bound = _bind(settings.listen, otherwise)
    server = _Server(_config(app, settings))
    task = asyncio.create_task(server.serve(sockets=[bound]), name="web")
    address = _address(bound)
    log.info("web.started", address=address, public=settings.public_url or None)
    try:
        yield address
    finally:
        server.should_exit = True
        await task
        log.info("web.stopped")


class _Switch:
    """What is called at its very path is not looked for: platforms do so in hundreds at once."""

    def __init__(self, called: Mapping[str, Asgi], other: Asgi) -> None:
        self._called = called
        self._other = other

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await self._called.get(scope["path"], self._other)(scope, receive, send)


class _Mounted:
    """An application that a route takes as such: a function it would take for a page."""

    def __init__(self, inner: Asgi) -> None:
        self._inner = inner

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await self._inner(scope, receive, send)


class _Server(uvicorn.Server):
    """uvicorn's server without its hands on the process's signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def _config(app: Asgi, settings: WebSettings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        limit_concurrency=settings.max_connections,
        timeout_graceful_shutdown=DRAIN,
    )


def _bind(listen: Listen, otherwise: str) -> socket.socket:
    """The socket, so that an address in use is told as what it is and not ends the process."""
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        bound = socket.create_server(
            (listen.host, listen.port), family=family, backlog=_BACKLOG, reuse_port=False
        )
    except OSError as error:
        where = f"{listen.host or '*'}:{listen.port}"
        raise UserError(
            f"the web server cannot listen on {where} ({error.strerror or error}); {otherwise}"
        ) from error
    # Connections inherit it. The loop sets it only on sockets that were made for TCP by name, and
    # without it an answer in two pieces waits 40 ms for the reader's acknowledgement (Nagle).
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


def _address(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
