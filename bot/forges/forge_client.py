"""Requests to a forge: credentials, etags, rate limits, pages, and a closed set of errors.

Credentials are none, a token, or an app (see :mod:`bot.forges.github`).
:class:`ForgeRepository` holds what all forges' repositories share.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar
from urllib.parse import urlencode

from bot.forges.fields import Json, release, table, tables
from bot.forges.forge_transport import ForgeLimits, ForgeTransport, NoResponse, odd
from bot.messaging.wire import Reply
from bot.store.forge_records import ForgePage, SqlPages
from digest.core.request import PullRequest, Release, RequestState
from digest.errors import ForgeDown, ForgeFailed, ForgeLimited, ForgeUnauthorized, NotOnForge
from handlers.ports.storage import Clock


class Credentials(Protocol):
    """Authenticates every request."""

    name: str  # distinguishes accounts without revealing secrets; pages are stored under it

    known: bool
    """Whether it is an account: without one there are few requests, which are not spent unasked."""

    async def headers(self) -> Mapping[str, str]:
        """The headers, in lower case. Raises the same errors as a request."""

    def refused(self) -> bool:
        """The forge rejected the credentials; return whether new ones are available."""


class Token:
    """A fixed token, or no account. ``header`` and ``scheme`` are how the forge accepts it."""

    def __init__(self, token: str = "", header: str = "authorization", scheme: str = "") -> None:
        self.known = bool(token)
        self.name = f"token {hashlib.sha256(token.encode()).hexdigest()[:16]}" if token else ""
        self._headers = {header: f"{scheme} {token}".strip()} if token else {}

    async def headers(self) -> Mapping[str, str]:
        """The token in its header, if there is one."""
        return self._headers

    def refused(self) -> bool:
        """There are no others."""
        return False


P = ParamSpec("P")
R = TypeVar("R", bound="ForgeRepository")
T = TypeVar("T")
log = logging.getLogger(__name__)

_KEPT = 2 * 2**20  # the most characters of an answer that is stored for revalidation by its etag
_TRANSIENT = {500, 502, 503, 504}
_PAUSE = 0.5  # seconds before the one retry after a cut connection or a server error
_USELESS = ("_links", "repo", "node_id", "permissions")


class ForgeClient:
    """Requests to one forge from one account. ``base`` is the API's address."""

    def __init__(
        self,
        base: str,
        credentials: Credentials,
        clock: Clock,
        *,
        pages: SqlPages | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.base = base.rstrip("/")
        self._transport = ForgeTransport(self.base, headers or {})
        self.host = self._transport.host
        self.limits = ForgeLimits()
        self.credentials = credentials
        self._clock = clock
        self._pages = pages

    async def get(
        self,
        path: str,
        what: str,
        *,
        query: Mapping[str, str | int] | None = None,
        accept: str = "",
    ) -> ForgePage:
        """An answer from the forge, or the stored one if the forge says that nothing changed.

        ``path`` is relative to the base or a full address on its origin; ``what`` names the
        resource in errors. Raises ``NotOnForge``, ``ForgeLimited``, ``ForgeDown`` and
        ``ForgeUnauthorized``.
        """
        address = self._transport.full(path) + (f"?{urlencode(query)}" if query else "")
        key = f"{accept} {address}" if accept else address
        stored = await self._pages.get(self.credentials.name, key) if self._pages else None
        asking = {"accept": accept} if accept else {}
        if stored is not None:
            asking["if-none-match"] = stored.etag
        answer = await self._request("GET", address, what, asking)
        if answer.status == 304 and stored is not None:
            return stored
        page = self._read(answer, text=bool(accept) and "json" not in accept)
        if self._pages and page.etag:
            await self._keep(key, page)
        return page

    async def send(
        self, method: str, path: str, what: str, headers: Mapping[str, str]
    ) -> ForgePage:
        """The answer to a request with these headers alone, which is not stored."""
        answer = await self._request(method, self._transport.full(path), what, headers, own=True)
        return self._read(answer, text=False)

    async def listed(
        self, path: str, what: str, *, query: Mapping[str, str | int], most: int
    ) -> AsyncIterator[ForgePage]:
        """The pages of a list in order, up to ``most`` of them, following their links."""
        page = await self.get(path, what, query=query)
        yield page
        for _ in range(most - 1):
            following = next_page(page.link)
            if not following:
                return
            page = await self.get(following, what)
            yield page

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Raise ``ForgeDown`` in place of ``ValueError``."""
        try:
            yield
        except ValueError as error:
            raise odd(self.host, str(error)) from error

    async def one(self, path: str, what: str) -> Json:
        """An object."""
        page = await self.get(path, what)
        with self.understood():
            return table(page.value)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def _request(
        self, method: str, address: str, what: str, headers: Mapping[str, str], *, own: bool = False
    ) -> Reply:
        """An answer that is neither an error nor a redirect; retried once where that helps."""
        for left in (1, 0):
            given = {**({} if own else await self.credentials.headers()), **headers}
            if (until := self.limits.blocked(self._clock.now())) is not None:
                raise ForgeLimited(self.host, until)
            try:
                answer = await self._transport.ask(method, address, given)
            except NoResponse as error:
                if not left:
                    raise ForgeDown(self.host, str(error)) from error
                await asyncio.sleep(_PAUSE)
                continue
            now = self._clock.now()
            stated = answer.body[:2000].decode("utf-8", "replace")  # where a refusal has its reason
            until = self.limits.heard(answer.status, answer.headers, stated, now)
            log.debug("forge.asked: %s, status %d", self.host, answer.status)
            if until is not None:
                log.warning("forge.limited: %s, until %s", self.host, until.isoformat())
                raise ForgeLimited(self.host, until)
            if left and answer.status in _TRANSIENT:
                await asyncio.sleep(_PAUSE)
                continue
            if left and answer.status == 401 and not own and self.credentials.refused():
                continue
            if answer.status >= 400:
                raise self._error(answer.status, what)
            return answer
        raise AssertionError("the last attempt returns or raises")

    def _error(self, status: int, what: str) -> ForgeFailed:
        if status in {404, 410, 422, 451}:
            return NotOnForge(self.host, what)
        if status == 401:
            return ForgeUnauthorized(self.host, "it rejected the token or key")
        if status == 403:
            return ForgeUnauthorized(self.host, f"its token does not permit {what}")
        return ForgeDown(self.host, f"status {status}")

    def _read(self, answer: Reply, *, text: bool) -> ForgePage:
        headers = answer.headers
        try:
            value = (
                answer.body.decode("utf-8", "replace")
                if text
                else json.loads(answer.body, object_hook=_slim)
            )
        except (ValueError, RecursionError) as error:
            raise odd(self.host, "no JSON") from error
        return ForgePage(value=value, etag=headers.get("etag", ""), link=headers.get("link", ""))

    async def _keep(self, key: str, page: ForgePage) -> None:
        assert self._pages is not None
        if len(json.dumps(page.value)) <= _KEPT:
            await self._pages.put(self.credentials.name, key, page)


def next_page(link: str) -> str:
    """The address of the next page in a ``Link`` header (RFC 8288), or empty."""
    for part in link[:10_000].split(","):
        target, *parameters = part.split(";")
        target = target.strip()
        if target.startswith("<") and target.endswith(">"):
            attributes = {p.strip().replace('"', "").replace(" ", "") for p in parameters}
            if "rel=next" in attributes:
                return target[1:-1]
    return ""


def _slim(data: dict[str, Any]) -> dict[str, Any]:
    """The object without addresses and copies of the repository, most of what a forge sends."""
    return {
        key: value
        for key, value in data.items()
        if key not in _USELESS and not key.endswith("_url")
    }


_LISTED = 1000  # the most requests of a list that are read at a time


def understood(
    method: Callable[Concatenate[R, P], Awaitable[T]],
) -> Callable[Concatenate[R, P], Coroutine[Any, Any, T]]:
    """A method that reads JSON, whose ``ValueError`` for invalid values becomes ``ForgeDown``."""

    @wraps(method)
    async def call(self: R, /, *given: P.args, **named: P.kwargs) -> T:
        with self.wire.understood():
            return await method(self, *given, **named)

    return call


class ForgeRepository(ABC):
    """A repository on a forge. ``name`` is its name for people, ``base`` its path in the API."""

    # It is ``eager`` with an account: without one there are few requests an hour, and optional data
    # is left out.

    requests: tuple[str, str]  # the path of the list of requests, and its name
    newest: Mapping[str, str]  # its query: the merged ones at least, the last updated first
    per_page = ("per_page", 100)  # the parameter for the size of a page, and the largest
    draft = "draft"  # the field that marks a release as not published

    def __init__(self, wire: ForgeClient, name: str, base: str) -> None:
        self.eager = wire.credentials.known
        self.wire = wire
        self._name = name
        self._base = base

    @abstractmethod
    def _read_listed(self, data: Json) -> PullRequest: ...

    def _read_release(self, data: Json) -> Release:
        return release(data)

    async def _one(self, path: str, what: str) -> Json:
        """An object of the repository."""
        return await self.wire.one(f"{self._base}/{path}", what)

    async def _all(self, path: str, what: str, most: int) -> Sequence[Json]:
        """The objects on all pages of a list, up to ``most`` pages."""
        pages = self.wire.listed(
            f"{self._base}/{path}", what, query=dict([self.per_page]), most=most
        )
        return [item async for page in pages for item in tables(page.value)]

    async def recent(self, since: datetime | None) -> AsyncIterator[Sequence[PullRequest]]:
        """The merged requests of a list, the last updated first: weeks of a busy repository."""
        (path, what), (sized, size) = self.requests, self.per_page
        query: dict[str, str | int] = {**self.newest, sized: size}
        pages = self.wire.listed(f"{self._base}/{path}", what, query=query, most=_LISTED // size)
        async for page in pages:
            with self.wire.understood():
                listed = [self._read_listed(one) for one in tables(page.value)]
            fresh = [request for request in listed if since is None or request.updated_at >= since]
            yield [request for request in fresh if request.state is RequestState.MERGED]
            if len(fresh) < len(listed):
                return

    @understood
    async def releases(self, limit: int = 30) -> Sequence[Release]:
        """The newest published releases, without drafts."""
        sized, size = self.per_page
        query = {sized: min(limit, size)}
        page = await self.wire.get(f"{self._base}/releases", "releases", query=query)
        published = (one for one in tables(page.value) if not one.get(self.draft))
        return [self._read_release(one) for one in published][:limit]
