"""``/hooks/<forge>``: the webhooks of forges as an ASGI application, and the work they start.

Only a body with a valid signature has any effect; anything else gets 401 and leaves only a log
line. The answer is sent at once and the work follows: GitHub waits ten seconds, and counts no
answer as a failure. A repeated delivery, by its id, is answered and does nothing.

https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries,
https://docs.gitlab.com/user/project/integrations/webhooks/ (a token, not a signature),
https://docs.gitea.com/usage/webhooks.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from bot.messaging.receiver import AsgiReceive, AsgiScope, AsgiSend, body_of, reply
from bot.store.ledger import HOOK, SqlLedger
from bot.util.tracing import trace
from digest.frozen import frozen

if TYPE_CHECKING:
    from bot.config.forge_section import ForgeConfig

log = structlog.get_logger(__name__)


@frozen
class Arrived:
    """A branch of a repository moved, or a request was changed or merged."""

    host: str
    repository: str  # its path on the host, such as ``owner/name``
    moved: bool  # there are new commits, and not only new text


Tell = Callable[[Arrived], Awaitable[None]]  # handles an event; its errors are logged


class Taking(Protocol):
    """Accepts deliveries of a forge, so that the answer need not wait for the work."""

    async def take(self, forge: str, delivery: str, arrived: Arrived) -> bool:
        """Whether a delivery, by its id, is new; one without an id always is."""

    async def settle(self) -> None:
        """Wait until everything that was started here is done."""


class AtOnce:
    """Handles events in this process. Implements :class:`Taking`."""

    def __init__(self, ledger: SqlLedger, tell: Tell) -> None:
        self._ledger = ledger
        self._tell = tell
        self._work: set[asyncio.Task[None]] = set()

    async def take(self, forge: str, delivery: str, arrived: Arrived) -> bool:
        """Claim the delivery, and start handling it."""
        if delivery and not await self._ledger.claim_slot(f"{HOOK}{forge}", delivery):
            return False
        task = asyncio.create_task(self._finish(arrived))
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return True

    async def settle(self) -> None:
        """Wait until everything that was accepted is done."""
        while self._work:
            await asyncio.wait(set(self._work))

    async def _finish(self, arrived: Arrived) -> None:
        try:
            await self._tell(arrived)
        except Exception:
            log.exception("hook.broken", repository=arrived.repository)


LARGEST = 25 * 2**20  # the most bytes of a delivery, GitHub's own limit
PREFIX = "/hooks/"
_TEXT = ((b"content-type", b"text/plain"),)
_LONGEST_ID = 200


@frozen
class _Manner:
    """How a kind of forge writes its deliveries; names of headers are in lower case."""

    event: str
    delivery: str
    signature: str
    prefix: str = ""
    signed: bool = True


_MANNERS: Mapping[str, _Manner] = {
    "github": _Manner(
        event="x-github-event",
        delivery="x-github-delivery",
        signature="x-hub-signature-256",
        prefix="sha256=",
    ),
    "gitea": _Manner(
        event="x-gitea-event", delivery="x-gitea-delivery", signature="x-gitea-signature"
    ),
    "gitlab": _Manner(
        event="x-gitlab-event",
        delivery="x-gitlab-event-uuid",
        signature="x-gitlab-token",
        signed=False,
    ),
}
_MOVES = {"push", "Push Hook"}
_REQUESTS = {"pull_request", "Merge Request Hook", "pull_request_review", "pull_request_label"}


class Hooks:
    """The application; ``settle`` waits for the work that deliveries started."""

    def __init__(self, forges: Mapping[str, ForgeConfig], taking: Taking) -> None:
        self._forges = {
            name: forge for name, forge in forges.items() if forge.webhook_secret is not None
        }
        self._taking = taking

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one delivery."""
        if scope["type"] == "http":
            await reply(send, await self._status(scope, receive), headers=_TEXT)

    async def settle(self) -> None:
        """Wait until everything that was accepted is done."""
        await self._taking.settle()

    async def _status(self, scope: AsgiScope, receive: AsgiReceive) -> int:
        name = str(scope["path"]).rpartition("/")[2]
        settings = self._forges.get(name)
        if settings is None:
            return 404
        if scope["method"] != "POST":
            return 405
        headers = {key.decode("latin-1"): value for key, value in scope["headers"]}
        manner = _MANNERS[settings.kind]
        # A signature can only be checked over the whole body; without one nothing is read.
        if manner.signature not in headers:
            return self._refuse(name)
        body = await body_of(receive, LARGEST)
        if body is None:
            return self._refuse(name, 413)
        assert settings.webhook_secret is not None
        secret = settings.webhook_secret.get_secret_value().encode()
        if not _genuine(manner, secret, headers[manner.signature], body):
            return self._refuse(name)
        arrived = _read(manner, headers, body, settings.host)
        delivery = headers.get(manner.delivery, b"")[:_LONGEST_ID].decode("latin-1")
        if arrived is not None:
            with structlog.contextvars.bound_contextvars(trace=trace()):
                await self._take(name, delivery, arrived)
        return 202

    def _refuse(self, name: str, status: int = 401) -> int:
        log.warning("hook.refused", forge=name, status=status)
        return status

    async def _take(self, name: str, delivery: str, arrived: Arrived) -> None:
        fresh = await self._taking.take(name, delivery, arrived)
        log.info("hook.heard" if fresh else "hook.repeated", forge=name, delivery=delivery)


def _genuine(manner: _Manner, secret: bytes, given: bytes, body: bytes) -> bool:
    """Whether the sender knows the secret, compared in constant time."""
    if not manner.signed:
        return hmac.compare_digest(given, secret)
    right = manner.prefix + hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(given.lower(), right.encode())


def _read(manner: _Manner, headers: Mapping[str, bytes], body: bytes, host: str) -> Arrived | None:
    """The event in a delivery; ``None`` for irrelevant ones, such as a star."""
    event = headers.get(manner.event, b"").decode("latin-1")
    if event not in _MOVES | _REQUESTS:
        return None
    try:
        data: Any = json.loads(body)
        project = data["repository"] if manner.signed else data["project"]
        home = project["full_name" if manner.signed else "path_with_namespace"]
        merged = event in _REQUESTS and _is_merge(data)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(home, str) or not home:
        return None
    return Arrived(host=host, repository=home, moved=event in _MOVES or merged)


def _is_merge(data: Any) -> bool:
    """Whether a request was merged just now."""
    if "object_attributes" in data:
        return bool(data["object_attributes"].get("action") == "merge")
    request = data.get("pull_request") or {}
    return bool(data.get("action") == "closed" and request.get("merged"))
