"""What probes and Prometheus ask: ``/healthz``, ``/readyz`` and ``/metrics``.

``/healthz`` says that the process answers, and nothing else: restarting it is the cure where it
does not. ``/readyz`` says whether it can do its work, with the reasons where it cannot; a restart
helps against none of them. Neither tells a secret: reasons are those of the program's own errors,
which hold none, and pass the redaction of the logs once more.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bot.messaging.receiver import Attentive, Receiver
from bot.messaging.sender import Sender
from bot.store.database import Database
from bot.store.job_queue import Depth, depth
from bot.store.sqlite import DatabaseHealth, pending
from bot.telemetry.logs import Redaction
from bot.telemetry.metrics import CONTENT_TYPE, Metrics
from digest.errors import UserError

STALE = 30 * 60.0
"""Seconds after which a sweep is missed: they come every five minutes, and one that builds digests
with a model lasts as long as the model is waited for."""

Look = Callable[[], Awaitable[str]]
"""Finds out why something is not ready; an empty text where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What readiness and figures are made of. ``receivers`` are accounts by name."""

    database: Database
    fitness: DatabaseHealth
    metrics: Metrics
    receivers: Mapping[str, Sender] = field(default_factory=dict)
    secrets: Sequence[str] = ()
    sweeps: bool = True
    """Whether this process takes up what is left; else nobody waits for it to."""
    shared: Look | None = None
    """Asks what processes share; its trouble is told and makes nothing unready, as all goes on."""
    began: float = field(default_factory=time.monotonic)

    async def looks(self) -> dict[str, str]:
        """Everything that was looked at, with what is wrong with it."""
        redact = Redaction(self.secrets).text
        found = {"archive": await self.fitness.trouble(), "sweep": self._sweep()}
        found |= {f"receiver {name}": trouble for name, trouble in self.deaf().items()}
        return {subject: redact(trouble) for subject, trouble in found.items()}

    def deaf(self) -> dict[str, str]:
        """Of each receiver why it does not hear; empty where it does."""
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
    """The three routes; with a ``token`` figures are for those alone who show it."""

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
        # What is away is one of the figures: the others are wanted then most of all.
        with suppress(UserError):
            jobs, waiting = await depth(health.database), await pending(health.database)
        told = health.metrics.text(pending=waiting, deaf=health.deaf(), jobs=jobs)
        return Response(told, media_type=CONTENT_TYPE)

    return [
        Route("/healthz", alive),
        Route("/readyz", ready),
        Route("/metrics", figures),
    ]


def _shown(request: Request, token: SecretStr) -> bool:
    given = request.headers.get("authorization", "")
    wanted = f"Bearer {token.get_secret_value()}"
    return hmac.compare_digest(given.encode(), wanted.encode())
