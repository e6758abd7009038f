"""Asks a forge: with etags, within its limits, page by page, and with a closed set of errors."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from urllib.parse import urlencode

from bot.forges.credentials import Credentials
from bot.forges.limits import Limits
from bot.forges.transport import Answer, Cut, Transport, odd
from digest.errors import ForgeDown, ForgeFailed, ForgeLimited, ForgeUnauthorized, NotOnForge
from handlers.ports import Clock

T = TypeVar("T")

log = logging.getLogger(__name__)

_KEPT = 2 * 2**20
"""Characters of an answer that are kept to be asked for again by its etag."""

_TRANSIENT = {500, 502, 503, 504}
_PAUSE = 0.5
"""Seconds before the one repetition after a cut connection or a server's own error."""

_USELESS = ("_links", "repo", "node_id", "permissions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """An answer: ``value`` is its JSON, or its text; ``link`` the header that leads to others."""

    value: Any
    etag: str = ""
    link: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    unchanged: bool = False


class Pages(Protocol):
    """Answers kept with their etags, by account and address."""

    async def get(self, account: str, address: str) -> Page | None:
        """The answer that was kept."""

    async def put(self, account: str, address: str, page: Page) -> None:
        """Keep an answer in the place of the one before."""


class Wire:
    """What one forge says to one account. ``base`` is the API's address."""

    def __init__(
        self,
        base: str,
        credentials: Credentials,
        clock: Clock,
        *,
        pages: Pages | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.base = base.rstrip("/")
        self._transport = Transport(self.base, headers or {})
        self.host = self._transport.host
        self.limits = Limits()
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
    ) -> Page:
        """An answer, from the forge or, where it says that nothing changed, as it was kept.

        ``path`` begins behind the base or is a full address on its origin; ``what`` names the
        thing in an error. Raises ``NotOnForge``, ``ForgeLimited``, ``ForgeDown`` and
        ``ForgeUnauthorized``.
        """
        address = self._transport.full(path) + (f"?{urlencode(query)}" if query else "")
        key = f"{accept} {address}" if accept else address
        kept = await self._pages.get(self.credentials.name, key) if self._pages else None
        asking = {"accept": accept} if accept else {}
        if kept is not None:
            asking["if-none-match"] = kept.etag
        answer = await self._asked("GET", address, what, asking)
        if answer.status == 304 and kept is not None:
            return Page(value=kept.value, etag=kept.etag, link=kept.link, unchanged=True)
        page = self._read(answer, text=bool(accept) and "json" not in accept)
        if self._pages and page.etag:
            await self._keep(key, page)
        return page

    async def post(self, path: str, what: str, headers: Mapping[str, str]) -> Page:
        """An answer to a request that makes something; asked with these headers alone."""
        answer = await self._asked("POST", self._transport.full(path), what, headers, own=True)
        return self._read(answer, text=False)

    async def look(self, path: str, what: str, headers: Mapping[str, str]) -> Page:
        """An answer to a request with these headers alone, which is not kept."""
        answer = await self._asked("GET", self._transport.full(path), what, headers, own=True)
        return self._read(answer, text=False)

    async def listed(
        self,
        path: str,
        what: str,
        *,
        query: Mapping[str, str | int] | None = None,
        most: int = 30,
    ) -> AsyncIterator[Page]:
        """The pages of a list in order, up to ``most`` of them, by the links between them."""
        page = await self.get(path, what, query=query)
        yield page
        for _ in range(most - 1):
            following = next_page(page.link)
            if not following:
                return
            page = await self.get(following, what)
            yield page

    async def all(
        self,
        path: str,
        what: str,
        *,
        query: Mapping[str, str | int] | None = None,
        most: int = 30,
    ) -> Sequence[Any]:
        """What is on all pages of a list."""
        found: list[Any] = []
        async for page in self.listed(path, what, query=query, most=most):
            if not isinstance(page.value, list):
                raise odd(self.host, "not a list")
            found += page.value
        return found

    def understood(self, read: Callable[[], T]) -> T:
        """What ``read`` makes of an answer. ``ForgeDown`` where it raises ``ValueError``."""
        try:
            return read()
        except ValueError as error:
            raise odd(self.host, str(error)) from error

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._transport.aclose()

    async def _asked(
        self,
        method: str,
        address: str,
        what: str,
        headers: Mapping[str, str],
        *,
        own: bool = False,
    ) -> Answer:
        """An answer that is neither an error nor a redirect; asked once more where that helps."""
        for left in (1, 0):
            given = {**({} if own else await self.credentials.headers()), **headers}
            if (until := self.limits.blocked(self._clock.now())) is not None:
                raise ForgeLimited(self.host, until)
            try:
                answer = await self._transport.ask(method, address, given)
            except Cut as error:
                if not left:
                    raise ForgeDown(self.host, str(error)) from error
                await asyncio.sleep(_PAUSE)
                continue
            now = self._clock.now()
            until = self.limits.heard(answer.status, answer.headers, answer.start, now)
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
        raise AssertionError("the last attempt ends in an answer or an error")

    def _error(self, status: int, what: str) -> ForgeFailed:
        if status in {404, 410, 422, 451}:
            return NotOnForge(self.host, what)
        if status == 401:
            return ForgeUnauthorized(self.host, "its token or key is not taken")
        if status == 403:
            return ForgeUnauthorized(self.host, f"its token does not allow {what}")
        return ForgeDown(self.host, f"status {status}")

    def _read(self, answer: Answer, *, text: bool) -> Page:
        headers = answer.headers
        try:
            value = (
                answer.body.decode("utf-8", "replace")
                if text
                else json.loads(answer.body, object_hook=_slim)
            )
        except (ValueError, RecursionError) as error:
            raise odd(self.host, "no JSON") from error
        etag, link = headers.get("etag", ""), headers.get("link", "")
        return Page(value=value, etag=etag, link=link, headers=headers)

    async def _keep(self, key: str, page: Page) -> None:
        assert self._pages is not None
        if len(json.dumps(page.value)) <= _KEPT:
            await self._pages.put(self.credentials.name, key, page)


def next_page(link: str) -> str:
    """The address of the next page in a ``Link`` header (RFC 8288), or empty."""
    for part in link[:10_000].split(","):
        target, *parameters = part.split(";")
        target = target.strip()
        if target.startswith("<") and target.endswith(">"):
            told = {p.strip().replace('"', "").replace(" ", "") for p in parameters}
            if "rel=next" in told:
                return target[1:-1]
    return ""


def _slim(found: dict[str, Any]) -> dict[str, Any]:
    """An object without addresses and copies of the repository, most of what a forge sends."""
    return {
        key: value
        for key, value in found.items()
        if key not in _USELESS and not key.endswith("_url")
    }
