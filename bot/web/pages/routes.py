"""The routes of all pages, and the OpenAPI 3.1 description of their JSON.

Both are made from the table of pages. https://spec.openapis.org/oas/v3.1.1
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http import HTTPStatus
from importlib.metadata import version
from typing import Any
from urllib.parse import quote, unquote

import httpx
import structlog
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, Router

from bot.store.browsing import ChangeLine
from bot.util.page_links import REPOSITORIES, WITHIN, path_of
from bot.web.pages import feeds, page_table
from bot.web.pages.admin import Admin
from bot.web.pages.calendar_page import begin
from bot.web.pages.page_request import ASKED, CHOSEN, Form, PageRequest, language_of
from bot.web.pages.response import (
    HEADERS,
    as_json,
    headers_of,
    is_unchanged,
    not_modified,
    reply,
    tag_of,
)
from bot.web.pages.session import Sessions
from bot.web.pages.site import Moved, NotThere, Site, SiteRepository
from bot.web.pages.templating import files_by_name, render_pieces
from digest.core.grade import Repository

_PART = re.compile(r"\{(\w+)(?::\w+)?\}")

_PARTS = {
    "repository": ("Name such as owner/name; its slashes may be written as %2F", {}),
    "day": ("A calendar day in the zone of the pages", {"format": "date"}),
    "week": ("An ISO 8601 week", {"pattern": "^[0-9]{4}-W[0-9]{2}$"}),
    "change": ("Commit hash of at least 7 digits, or number of a pull request", {}),
    "topic": ("A topic or a synonym of it", {}),
    "author": ("An author's name in full", {}),
    "digest": ("Id of the digest, as in links from posts", {"pattern": "^[0-9a-f]{16}$"}),
    "span": ("Two tags, branches, commits or days: v1.0...v1.1; or one, up to the tip", {}),
}

_JSON = "application/json"

_FEEDS = (
    ("feed", page_table.FEED, "The newest changes", ("topic", "level"), feeds.changes_feed),
    ("digest_feed", page_table.DIGEST_FEED, "The newest digests", (), feeds.digests_feed),
    (
        "all_feed",
        page_table.ALL_FEED,
        "The newest changes of all repositories",
        ("level",),
        feeds.all_feed,
    ),
)


def description(public_url: str = "") -> dict[str, Any]:
    """The OpenAPI description; ``public_url`` is where it is served, if known."""
    paths = {
        _PART.sub(r"{\1}", one.path_in("json")): _operation(
            one.name, one.path, one.summary, one.asks, answer=one.answer
        )
        for one in page_table.PAGES
    }
    for name, feed, summary, asks, _ in _FEEDS:
        path, said = _PART.sub(r"{\1}", f"{feed}.json"), f"{summary} as JSON Feed 1.1"
        paths[path] = _operation(name, feed, said, asks, answer="Feed", media=feeds.JSON)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "digestbot",
            "version": version("digestbot"),
            "summary": "Changes of git repositories, graded and explained, with evidence",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": public_url or "/"}],
        "paths": paths,
        "components": {"schemas": page_table.schemas()},
    }


def _operation(
    name: str, path: str, summary: str, asks: tuple[str, ...], *, answer: str, media: str = _JSON
) -> dict[str, Any]:
    content = {media: {"schema": {"$ref": f"#/components/schemas/{answer}"}}}
    missing = {_JSON: {"schema": {"$ref": "#/components/schemas/Missing"}}}
    in_path = [
        {
            "name": part,
            "in": "path",
            "required": True,
            "description": _PARTS[part][0],
            "schema": {"type": "string", **_PARTS[part][1]},
        }
        for part in _PART.findall(path)
    ]
    in_query = [
        {"name": asked, "in": "query", "description": ASKED[asked][0], "schema": ASKED[asked][1]}
        for asked in (*asks, "lang")
    ]
    responses = {
        "200": {"description": "The requested page", "content": content},
        "304": {"description": "The version named by If-None-Match is current"},
        "404": {
            "description": "Does not exist, or is not visible to this reader",
            "content": missing,
        },
    }
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "parameters": [*in_path, *in_query],
            "responses": responses,
        }
    }


Endpoint = Callable[[Request], Awaitable[Response]]
_SQUEEZED = [Middleware(GZipMiddleware, minimum_size=1024, compresslevel=5)]
_REFRESHED = 2  # seconds after which a page that shows reading progress reloads
_YEAR = 365 * 86_400
_FOREVER = f"public, max-age={_YEAR}, immutable"

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def routes(site: Site) -> list[BaseRoute]:
    """Every page of the site, its feeds, its files, and the description of its JSON.

    Mount them at the root, after all other routes.
    """
    endpoints = _Endpoints(site)
    found: list[BaseRoute] = [
        Route("/static/{style}/{name}", endpoints.file, middleware=_SQUEEZED),
        Route("/openapi.json", endpoints.openapi, middleware=_SQUEEZED),
        Route("/robots.txt", endpoints.robots),
        *Admin(endpoints.sessions, endpoints.asked_plainly, site.office).routes(),
        Route(f"{page_table.REPOSITORY}{WITHIN}/read", endpoints.read, methods=["POST"]),
    ]
    for _, path, _, _, make in _FEEDS:
        for ending, written in (("atom", feeds.atom), ("json", feeds.json_feed)):
            answer = endpoints.feed(written(make))
            found.append(Route(f"{path}.{ending}", answer, middleware=_SQUEEZED))
    for entry in page_table.PAGES:
        for form in (Form.JSON, Form.MARKDOWN, Form.HTML):
            path = entry.path_in(form) if form else entry.path
            found.append(Route(path, endpoints.page(entry, form), middleware=_SQUEEZED))
    return [*found, Route("/{rest:path}", endpoints.nothing)]


class _Endpoints:
    def __init__(self, site: Site) -> None:
        self._site = site
        self.sessions = Sessions(site.token, site.public_url)

    def asked(self, request: Request, form: Form) -> PageRequest:
        path = quote(request.scope["path"])
        # A repository's name may end like a form.
        name = f"{request.path_params.get('repository', '')}.{form}"
        signed_in = self.sessions.signed_in(request)
        alone = form and set(request.path_params) == {"repository"}
        if alone and self._site.find(name, signed_in=signed_in):
            request.path_params["repository"] = name
            form = Form.HTML
        if form:
            path = path.removesuffix(f".{form}")
        return PageRequest(
            site=self._site,
            request=request,
            path="/" if path == "/index" else path,
            language=language_of(request, self._site.language),
            form=form,
            signed_in=signed_in,
        )

    def asked_plainly(self, request: Request) -> PageRequest:
        """The parsed request for an address that has only one form."""
        return self.asked(request, Form.HTML)

    def page(self, entry: page_table.PageRoute, form: Form) -> Endpoint:
        async def answer(request: Request) -> Response:
            asked = self.asked(request, form)
            try:
                # Before the version is read: the page shows what was not read until then.
                reading = self._reading(asked)
                tag = await self._tag(asked)
                if is_unchanged(request, tag, asked.site.cut) and not reading:
                    return not_modified(tag)
                page = await entry.view(asked)
            except NotThere:
                return await self._missing(asked)
            except Moved as moved:
                return RedirectResponse(moved.path, HTTPStatus.SEE_OTHER, headers_of(kept=False))
            except Exception:
                log.exception("web.broken", path=asked.path)
                return self._broken(asked)
            if page.rests_on:
                tag = tag_of(tag, page.rests_on)
                if is_unchanged(request, tag, asked.site.cut) and not reading:
                    return not_modified(tag)
            reading = reading or self._reading(asked)
            response = await reply(asked, page, "" if reading else tag)
            if reading:
                response.headers["refresh"] = str(_REFRESHED)
            if request.query_params.get("lang"):
                response.set_cookie(CHOSEN, asked.language, max_age=_YEAR, samesite="lax")
            return response

        return answer

    def _reading(self, asked: PageRequest) -> bool:
        """Whether the page's repository is being read, so that the page changes by itself."""
        if "repository" not in asked.request.path_params:
            return False
        return asked.site.histories.reading(asked.shown()) is not None

    async def read(self, request: Request) -> Response:
        """Start reading what was not read."""
        asked = self.asked_plainly(request)
        try:
            return await begin(asked, request, self.sessions)
        except NotThere:
            return await self._missing(asked)

    def feed(self, make: Callable[[PageRequest, str], Awaitable[Response]]) -> Endpoint:
        async def answer(request: Request) -> Response:
            asked = self.asked(request, Form.HTML)
            try:
                tag = await self._tag(asked)
                if is_unchanged(request, tag):
                    return not_modified(tag)
                return await make(asked, tag)
            except NotThere:
                return await self._missing(asked)

        return answer

    async def _tag(self, asked: PageRequest) -> str:
        """The entity tag of everything that the page is made of. Raises ``NotThere``."""
        if "repository" in asked.request.path_params:
            shown = [asked.shown()]
        else:
            shown = self._site.visible(signed_in=asked.signed_in)
        versions = [await asked.version(one.repository) for one in shown]
        strays: list[str] = []
        for one in shown:
            await asked.covered(one)
            strays += await asked.strays(one)
        today = asked.site.clock.now().astimezone(asked.site.zone).date().isoformat()
        # Feeds contain the address that they were requested by.
        return tag_of(
            *(one.repository.name for one in shown),
            *versions,
            *strays,
            today,
            str(asked.request.url),
            asked.language,
            str(asked.signed_in),
        )

    async def file(self, request: Request) -> Response:
        """A file that pages load, cached forever: its address changes with its content."""
        name = request.path_params["name"]
        content = files_by_name().get(name)
        if content is None:
            return await self._missing(self.asked_plainly(request))
        headers = {**HEADERS, "cache-control": _FOREVER}
        media = _TYPES[name.rpartition(".")[2]]
        return Response(content, headers=headers, media_type=media)

    async def openapi(self, request: Request) -> Response:
        body = as_json(description(self._site.public_url))
        tag = tag_of(body.decode())
        if is_unchanged(request, tag):
            return not_modified(tag)
        return Response(body, headers=headers_of(tag), media_type="application/json")

    async def robots(self, _: Request) -> Response:
        """Forbids search engines: they would crawl the pages of every day endlessly."""
        return Response("User-agent: *\nDisallow: /\n", headers=HEADERS, media_type="text/plain")

    async def nothing(self, request: Request) -> Response:
        return await self._missing(self.asked_plainly(request))

    def _shown(self, asked: PageRequest) -> SiteRepository | None:
        """The repository that an unknown address begins with, if the reader may see it."""
        path = unquote(asked.path)
        below = path.removeprefix(f"{REPOSITORIES}/")
        name = below.partition(f"{WITHIN}/")[0]
        return self._site.find(name, signed_in=asked.signed_in) if below != path else None

    async def _missing(self, asked: PageRequest) -> Response:
        if shown := self._shown(asked):
            await asked.covered(shown)
        return self._without_content(asked, HTTPStatus.NOT_FOUND, {"error": "not found"})

    def _broken(self, asked: PageRequest) -> Response:
        """A page that could not be made: the navigation needs nothing that was not there."""
        trace = structlog.contextvars.get_contextvars().get("trace", "")
        said = {"error": "internal error", "trace": trace}
        return self._without_content(asked, HTTPStatus.INTERNAL_SERVER_ERROR, said)

    def _without_content(
        self, asked: PageRequest, status: HTTPStatus, said: dict[str, str]
    ) -> Response:
        headers = headers_of(kept=False)
        if asked.form is Form.JSON:
            return Response(as_json(said), status, headers, "application/json")
        shown = self._shown(asked)
        values = {**({"shown": shown} if shown else {}), "said": said}
        pieces = render_pieces("missing.html", asked, title=str(status.value), **values)
        body = "".join(pieces).encode("utf-8", "replace")
        return Response(body, status, headers, "text/html; charset=utf-8")


log = structlog.get_logger(__name__)

_WORD = "the"  # searched for, and looked up as a topic; the result does not matter


async def warm(site: Site) -> None:
    """Render the pages of the first repository that has changes, and the list of all repositories.

    The output never leaves the process, so the repository's privacy is ignored.
    """
    try:
        for shown in site.repositories:
            newest = await site.browsing.newest(shown.repository, 1)
            if newest:
                pages = Router(routes(_alone(site, shown)))
                for path in _paths(shown.repository, newest[0], site):
                    await _get(pages, path)
                break
        await _get(Router(routes(_alone(site, *site.repositories))), "/")
    except Exception as error:  # noqa: BLE001 - a page that fails is told to whoever asks for it
        # A page that fails must not keep the others from being served.
        log.warning("web.not_warm", error=str(error), kind=type(error).__name__)


def _alone(site: Site, *shown: SiteRepository) -> Site:
    """The site with these repositories, visible to everybody. It shares the site's caches."""
    return replace(
        site,
        repositories=[replace(one, private=False) for one in shown],
        office=None,
        strangers_read=False,
    )


def _paths(repository: Repository, newest: ChangeLine, site: Site) -> list[str]:
    day = newest.at.astimezone(site.zone).date()
    return [
        path_of(repository.name),
        path_of(repository.name, day=day),
        path_of(repository.name, week=day),
        path_of(repository.name, change=newest.sha),
        path_of(repository.name, topic=_WORD),
        f"{path_of(repository.name, rest='search')}?q={_WORD}",
        f"{path_of(repository.name, rest='search')}.json?q={_WORD}",
        path_of(repository.name, rest="feed") + ".atom",
        path_of(repository.name, rest="feed") + ".atom?level=high",  # with the longest analyses
        path_of(repository.name, rest=f"compare/{newest.sha}"),
    ]


async def _get(pages: Router, path: str) -> None:
    """Request a page as a reader would, and discard the response."""
    transport = httpx.ASGITransport(pages)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as reader:
        await reader.get(path)
