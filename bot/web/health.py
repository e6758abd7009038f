"""The endpoints for probes and Prometheus: ``/healthz``, ``/readyz`` and ``/metrics``.

``/healthz`` says only that the process answers; if it does not, a restart is the cure. ``/readyz``
says whether it can do its work, with reasons if not; a restart helps against none of them. Neither
reveals secrets: reasons come from the program's own errors, which hold none, and are redacted like
the logs.
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
"""Seconds after which a sweep counts as missed: sweeps run every five minutes, and one that builds

digests with a model lasts as long as the model takes.
"""

Look = Callable[[], Awaitable[str]]
"""Finds out why something is not ready; returns an empty text if it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The data behind readiness and metrics. ``receivers`` are accounts by name."""

    database: Database
    fitness: DatabaseHealth
    metrics: Metrics
    receivers: Mapping[str, Sender] = field(default_factory=dict)
    secrets: Sequence[str] = ()
    sweeps: bool = True
    """Whether this process sweeps; if not, missed sweeps are not reported."""
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
