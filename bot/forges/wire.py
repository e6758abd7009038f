"""Asks a forge over HTTP: with etags, within its limits, and with a closed set of errors.

Nothing that holds a secret goes to another host: redirects and links to further pages are followed
on the forge's own origin alone. Bodies are bounded before and after they are unpacked.
"""

from __future__ import annotations

import asyncio
import json
import logging
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode, urljoin, urlsplit

from bot.forges.credentials import Credentials
from bot.forges.limits import Limits
from digest.errors import ForgeDown, ForgeFailed, ForgeLimited, ForgeUnauthorized, NotOnForge
from handlers.ports import Clock

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

LARGEST = 20 * 2**20
"""Bytes of an answer: a page of 100 files with patches takes a few million at most."""

_KEPT = 2 * 2**20
"""Characters of an answer that are kept to be asked for again by its etag."""

_PATIENCE = {"connect": 5.0, "read": 15.0, "write": 10.0, "pool": 15.0}
"""Seconds for a connection, and for each silence of a server."""

_WHOLE = 40.0
"""Seconds for one answer, redirects included, however slowly it drips."""

_AT_ONCE = 4
_MOST_REDIRECTS = 3
_REDIRECTS = {301, 302, 307, 308}
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
    """The connections to one forge under one account. ``base`` is the API's address.

    The library is imported at the first request.
    """

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
        self.host = urlsplit(base).netloc
        self.limits = Limits()
        self.credentials = credentials
        self._clock = clock
        self._pages = pages
        self._headers = {"user-agent": "digestbot", "accept-encoding": "gzip", **(headers or {})}
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._client: httpx.AsyncClient | None = None

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
        address = self._full(path) + (f"?{urlencode(query)}" if query else "")
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
        answer = await self._asked("POST", self._full(path), what, headers, own=True)
        return self._read(answer, text=False)

    async def look(self, path: str, what: str, headers: Mapping[str, str]) -> Page:
        """An answer to a request with these headers alone, which is not kept."""
        answer = await self._asked("GET", self._full(path), what, headers, own=True)
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
                raise self.odd("not a list")
            found += page.value
        return found

    def odd(self, why: str) -> ForgeDown:
        """The error for an answer that makes no sense."""
        return ForgeDown(self.host, f"an answer that makes no sense: {why}")

    async def aclose(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _full(self, path: str) -> str:
        """An address on the forge's own origin, whatever a forge says of where to go on."""
        if path.startswith("/"):
            return self.base + path
        if _origin(path) != _origin(self.base):
            raise ForgeDown(self.host, "it leads to another host")
        return path

    async def _asked(
        self,
        method: str,
        address: str,
        what: str,
        headers: Mapping[str, str],
        *,
        own: bool = False,
    ) -> _Answer:
        """An answer that is neither an error nor a redirect; asked once more where that helps."""
        for left in (1, 0):
            given = {**({} if own else await self.credentials.headers()), **headers}
            if (until := self.limits.blocked(self._clock.now())) is not None:
                raise ForgeLimited(self.host, until)
            try:
                answer = await self._followed(method, address, given)
            except _Cut as error:
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

    async def _followed(self, method: str, address: str, headers: Mapping[str, str]) -> _Answer:
        import httpx

        try:
            async with asyncio.timeout(_WHOLE), self._places:
                for _ in range(_MOST_REDIRECTS + 1):
                    answer = await self._once(method, address, headers)
                    if answer.status not in _REDIRECTS:
                        return answer
                    address = self._full(urljoin(address, answer.headers.get("location", "")))
        except (TimeoutError, httpx.TimeoutException) as error:
            raise _Cut("no answer in time") from error
        except httpx.HTTPError as error:
            raise _Cut(type(error).__name__) from error
        except httpx.InvalidURL as error:
            raise self.odd("an address that cannot be used") from error
        raise ForgeDown(self.host, "it redirects without end")

    async def _once(self, method: str, address: str, headers: Mapping[str, str]) -> _Answer:
        given = {**self._headers, **headers}
        async with self._opened().stream(method, address, headers=given) as response:
            lowered = {name.lower(): value for name, value in response.headers.items()}
            try:
                body = await _bounded(response)
            except zlib.error as error:
                raise self.odd("it cannot be unpacked") from error
            if len(body) > LARGEST:
                raise self.odd(f"more than {LARGEST} bytes")
            return _Answer(status=response.status_code, headers=lowered, body=body)

    def _opened(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            timeout = httpx.Timeout(**_PATIENCE)
            self._client = httpx.AsyncClient(timeout=timeout, follow_redirects=False)
        return self._client

    def _read(self, answer: _Answer, *, text: bool) -> Page:
        headers = answer.headers
        try:
            value = (
                answer.body.decode("utf-8", "replace")
                if text
                else json.loads(answer.body, object_hook=_slim)
            )
        except (ValueError, RecursionError) as error:
            raise self.odd("no JSON") from error
        etag, link = headers.get("etag", ""), headers.get("link", "")
        return Page(value=value, etag=etag, link=link, headers=headers)

    async def _keep(self, key: str, page: Page) -> None:
        assert self._pages is not None
        if len(json.dumps(page.value)) <= _KEPT:
            await self._pages.put(self.credentials.name, key, page)


class _Cut(Exception):
    """No answer came, which may be otherwise the next time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What came over the wire; names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def start(self) -> str:
        """The begin of the body, where a refusal says why."""
        return self.body[:2000].decode("utf-8", "replace")


async def _bounded(response: httpx.Response) -> bytes:
    """The body, unpacked, and cut one byte above what is allowed."""
    packed = response.headers.get("content-encoding", "").strip().lower() in {"gzip", "x-gzip"}
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS) if packed else None
    body = bytearray()
    async for piece in response.aiter_raw():
        room = LARGEST + 1 - len(body)
        body += unpacking.decompress(piece, room) if unpacking else piece[:room]
        if len(body) > LARGEST:
            break
    return bytes(body)


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


def _origin(address: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", "", None
    standard = {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, (parts.hostname or "").lower(), port or standard
