"""The web server: everything that the program serves over HTTP at one address.

- ``/events/<account>``: called by platforms;
- ``/`` and all below it: the pages (:mod:`bot.web.pages`), including ``/admin``;
- ``/healthz`` says only that the process answers; if it does not, a restart is the cure;
- ``/readyz`` says whether it can do its work, with redacted reasons that no restart would remove;
- ``/metrics``: for Prometheus.

uvicorn runs in the program's loop without its own signal handlers and logs.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from dataclasses import field
from http import HTTPStatus
from importlib.metadata import version

import structlog
import uvicorn
from pydantic import SecretStr
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router

from bot.config.file_model import LARGEST, Listen, WebSettings
from bot.delivery.delivery import Wake
from bot.messaging.receiver import (
    Asgi,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    Attentive,
    Called,
    Receiver,
)
from bot.messaging.sender import Sender
from bot.store.database import Database
from bot.store.job_queue import Depth, depth
from bot.store.sqlite import DatabaseHealth, pending
from bot.subscriptions.channel_registry import ChannelRegistry
from bot.telemetry.logs import Redaction
from bot.telemetry.metrics import CONTENT_TYPE, Metrics
from bot.web.guard import Guard
from bot.web.pages.routes import routes as pages
from bot.web.pages.routes import warm
from bot.web.pages.site import Site
from bot.web.site_factory import configured_site
from bot.workspace.workspace import Workspace
from digest.errors import UserError
from digest.frozen import frozen

STALE = 30 * 60.0
"""Seconds after which a sweep counts as missed: sweeps run every five minutes, and one that builds
digests with a model lasts as long as the model takes."""

Look = Callable[[], Awaitable[str]]
"""Finds out why something is not ready; returns an empty text if it is."""


@frozen
class Health:
    """The data behind readiness and metrics. ``receivers`` are accounts by name."""

    database: Database
    fitness: DatabaseHealth
    metrics: Metrics
    receivers: Mapping[str, Sender] = field(default_factory=dict)
    secrets: Sequence[str] = ()
    sweeps: bool = True  # whether this process sweeps; if not, missed sweeps are not reported
    shared: Look | None = None
    """Checks what processes share; its problems are reported but do not make the process unready.
    """
    began: float = field(default_factory=time.monotonic)

    async def looks(self) -> dict[str, str]:
        """Every check with its problem."""
        redact = Redaction(self.secrets).text
        found = {"archive": await self.fitness.trouble(), "sweep": self._sweep()}
        found |= {f"receiver {name}": trouble for name, trouble in self.deaf().items()}
        return {subject: redact(trouble) for subject, trouble in found.items()}

    def deaf(self) -> dict[str, str]:
        """For each receiver, why it receives nothing; empty if it does."""
        return {
            name: one.ear.trouble
            for name, one in self.receivers.items()
            if isinstance(one, Receiver) and isinstance(one, Attentive)
        }

    def _sweep(self) -> str:
        if not self.sweeps:
            return ""
        ago = self.metrics.swept_ago
        if ago is None:
            ago = time.monotonic() - self.began
        return f"the last one ended {ago:.0f} s ago" if ago > STALE else ""


def routes(health: Health, token: SecretStr | None = None) -> list[BaseRoute]:
    """The three routes; with a ``token``, metrics are served only to clients that present it."""

    async def alive(_: Request) -> Response:
        return JSONResponse({"alive": True})

    async def ready(_: Request) -> Response:
        found = await health.looks()
        reasons = [f"{subject}: {trouble}" for subject, trouble in found.items() if trouble]
        if health.shared is not None:
            found["shared"] = Redaction(health.secrets).text(await health.shared())
        told = {
            "ready": not reasons,
            "reasons": reasons,
            "checks": {subject: trouble or "ok" for subject, trouble in found.items()},
        }
        status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
        return JSONResponse(told, status, headers={"cache-control": "no-store"})

    async def figures(request: Request) -> Response:
        if token is not None and not _shown(request, token):
            return PlainTextResponse("", HTTPStatus.UNAUTHORIZED, {"www-authenticate": "Bearer"})
        waiting: int | None = None
        jobs: Mapping[str, Depth] = {}
        # An unreachable database is itself reported in the metrics, which are needed most then.
        with suppress(UserError):
            jobs, waiting = await depth(health.database), await pending(health.database)
        told = health.metrics.text(pending=waiting, deaf=health.deaf(), jobs=jobs)
        return Response(told, media_type=CONTENT_TYPE)

    return [Route("/healthz", alive), Route("/readyz", ready), Route("/metrics", figures)]


def _shown(request: Request, token: SecretStr) -> bool:
    given = request.headers.get("authorization", "")
    wanted = f"Bearer {token.get_secret_value()}"
    return hmac.compare_digest(given.encode(), wanted.encode())


Mounts = dict[str, Asgi | Sequence[BaseRoute]]
"""Applications and routes by path, as :func:`application` takes them."""

_HAND_OVER = 0.2  # seconds for handing the last received requests to the loop


class Hosting:
    """The web server of a process. ``metrics`` must observe the logs from the beginning."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.metrics = Metrics(version("digestbot"))
        self._site: Site | None = None

    def mounts(
        self,
        app: Workspace,
        senders: Mapping[str, Sender],
        channels: ChannelRegistry | None = None,
        shared: Look | None = None,
        *,
        sweeps: bool = True,
        wake: Wake | None = None,
    ) -> Mounts:
        """Everything that the program serves; pages only if ``channels`` are given.

        ``shared`` checks the Redis of the processes, if there is one; ``sweeps`` says whether this
        process sweeps. ``wake`` is called with channels for which admins had something resent.
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
            self._site = configured_site(app, app.config, self.settings, channels, wake)
            root += pages(self._site)
        mounts: Mounts = {"/": root}
        mounts.update(events(senders))
        return mounts

    async def run(
        self,
        mounts: Mounts,
        work: Callable[[asyncio.Event], Coroutine[None, None, None]],
        stop: asyncio.Event,
    ) -> None:
        """Run ``work`` beside the web server, which ends first and answers accepted requests.

        Raises ``UserError`` if the server's address is not available; nothing is posted then.
        """
        settings = self.settings
        answering = application(mounts, largest=settings.max_body, seconds=settings.body_seconds)
        drained = asyncio.Event()
        async with serving(answering, settings):
            # In the background: requests before it is done wait no longer than without it.
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
        if self._site is not None:
            await warm(self._site)


def events(senders: Mapping[str, Sender]) -> dict[str, Asgi]:
    """The applications that platforms call, by path."""
    return {
        f"/events/{name}": sender.web
        for name, sender in senders.items()
        if isinstance(sender, Called) and sender.web is not None
    }


log = structlog.get_logger(__name__)

DRAIN = 5  # seconds for requests under way at shutdown. A platform expects its answer within three.
_SLOW = 30.0
_BACKLOG = 512


def application(
    mounts: Mapping[str, Asgi | Sequence[BaseRoute]],
    *,
    largest: int = LARGEST,
    seconds: float = _SLOW,
) -> Asgi:
    """Everything mounted, behind one address.

    ``mounts`` are applications or routes by path, such as ``/events/slack``; the longest matching
    path answers, ``/`` the rest. A mounted application sees the whole path in its scope and answers
    at the path itself and below it. ``largest`` limits every request's body in bytes, ``seconds``
    the time for sending it.
    """
    routes: list[BaseRoute] = []
    called: dict[str, Asgi] = {}
    for path in sorted(mounts, key=lambda path: (-len(path), path)):
        mounted = mounts[path]
        if callable(mounted):
            # The path itself too: platforms do not follow a redirect to the path with a slash.
            called[path] = mounted
            routes += [Route(path, _Mounted(mounted)), Mount(path, app=mounted)]
        elif path.strip("/"):
            routes.append(Mount(path, routes=mounted))
        else:
            routes.extend(mounted)
    # Not ``Starlette`` itself, whose outermost layer answers all errors: the guard does that.
    return Guard(_Switch(called, ExceptionMiddleware(Router(routes))), largest, seconds)


@asynccontextmanager
async def serving(
    app: Asgi, settings: WebSettings, *, otherwise: str = "set another address with [web] listen"
) -> AsyncIterator[str]:
    """Serve while the block runs; yields the address.

    At the end no new connections are accepted, and requests under way have ``DRAIN`` seconds.
    Raises ``UserError`` if the address is not available; ``otherwise`` says what to do then.
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
    """Finds exact paths without routing: platforms send hundreds of such requests at once."""

    def __init__(self, called: Mapping[str, Asgi], other: Asgi) -> None:
        self._called = called
        self._other = other

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await self._called.get(scope["path"], self._other)(scope, receive, send)


class _Mounted:
    """An application as an object: a route would take a function for a page."""

    def __init__(self, inner: Asgi) -> None:
        self._inner = inner

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await self._inner(scope, receive, send)


class _Server(uvicorn.Server):
    """uvicorn's server without its signal handlers."""

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
    """The socket, bound here so that an address in use gives a clear error instead of an exit."""
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
