"""Responses: a page in its form, with headers that allow nothing from other sites."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from http import HTTPStatus
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bot.web.pages.page_request import Form, PageRequest
from bot.web.pages.page_text import PHRASES
from bot.web.pages.site import Page
from bot.web.pages.templating import STYLE, render_pieces
from digest.markdown import markdown

log = structlog.get_logger(__name__)

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Only our own files, no inline scripts or styles, no framing by other sites.
https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP"""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

_PIECE = 8192  # characters sent at once: enough to be worth a packet or two
_FIRST = 512  # characters sent first: the browser fetches the style while the changes are rendered

_TYPES = {
    Form.HTML: "text/html; charset=utf-8",
    Form.MARKDOWN: "text/markdown; charset=utf-8",
    Form.JSON: "application/json",
}


def tag_of(*parts: str) -> str:
    """A weak entity tag from the parts that determine a response (RFC 9110, section 8.8.3)."""
    digest = hashlib.blake2b("\0".join((STYLE, *parts)).encode("utf-8", "replace"), digest_size=12)
    return f'W/"{digest.hexdigest()}"'


def is_unchanged(request: Request, tag: str, cut: Collection[str] = ()) -> bool:
    """Whether the reader already has the version named by the tag, unless it was ``cut``."""
    known = request.headers.get("if-none-match", "")
    return tag not in cut and tag in (one.strip() for one in known.split(","))


def headers_of(tag: str = "", *, kept: bool = True) -> dict[str, str]:
    """The headers of a response; one that is not to be ``kept`` holds secrets."""
    caching = "private, no-cache" if kept else "no-store"
    vary = "Accept-Encoding, Accept-Language, Cookie"
    headers = {**HEADERS, "cache-control": caching, "vary": vary}
    return {**headers, "etag": tag} if tag else headers


def not_modified(tag: str) -> Response:
    """The response to a reader whose copy is current."""
    return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers_of(tag))


async def reply(asked: PageRequest, page: Page, tag: str) -> Response:
    """A page in the requested form."""
    headers = headers_of(tag)
    media = _TYPES[asked.form]
    if asked.form is not Form.HTML and page.ready is not None:
        await page.ready()
    if asked.form is Form.JSON:
        return Response(as_json(page.json()), page.status, headers, media)
    if asked.form is Form.MARKDOWN:
        text = markdown(page.document())
        return Response(text.encode("utf-8", "replace"), page.status, headers, media)
    pieces = render_pieces(page.template, asked, title=page.title, **page.values)
    body = _gathered(pieces, page.ready, asked, tag)
    return StreamingResponse(body, page.status, headers, media)


def as_json(value: Mapping[str, Any]) -> bytes:
    """JSON text in UTF-8; a lone surrogate, which UTF-8 cannot hold, is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


_CONTENT = '<main id="content">'
_SAID = '<p class="remark" role="alert">{}</p></main></body></html>'
_CLOSED = "</select></svg></table></details></details></ul></section>"
"""Closes whatever a page was cut in, so that the text after it is seen."""


async def _gathered(
    pieces: Iterator[str], ready: Callable[[], Awaitable[None]] | None, asked: PageRequest, tag: str
) -> AsyncIterator[bytes]:
    """The pieces of a template, most of which are a few characters, joined into larger ones.

    Each ends with a whole tag. Other requests are served between two of them. Threads would not be
    faster: while one of them renders a change, the others wait for the interpreter. If the rest
    cannot be made, the page ends with a text and the trace of the log.
    """
    held: list[str] = []
    length, enough = 0, _FIRST
    try:
        for piece in pieces:
            held.append(piece)
            length += len(piece)
            if length >= enough:
                whole, end, rest = "".join(held).rpartition(">")
                yield (whole + end).encode("utf-8", "replace")
                held, length = [rest], len(rest)
                if enough == _FIRST and ready is not None:
                    await ready()
                await asyncio.sleep(0)
                enough = _PIECE
    except Exception:
        log.exception("web.broken", path=asked.path)
        asked.site.cut.add(tag)
        # The head and the navigation need nothing that was not there.
        for piece in pieces:
            held.append(piece)
            if _CONTENT in piece:
                break
        trace = structlog.contextvars.get_contextvars().get("trace", "")
        said = PHRASES["cut_off"].text(asked.language, trace=trace)
        held = [*"".join(held).rpartition(">")[:2], _CLOSED, _SAID.format(said)]
    yield "".join(held).encode("utf-8", "replace")
