"""Requests every kind of page once before readers do.

The first page of a kind compiles its template and its statements and reads the rules of analysis:
a few tenths of a second, which the first readers would otherwise wait for.
"""

from __future__ import annotations

from dataclasses import replace

import httpx
import structlog
from starlette.routing import Router

from bot.store.browsing import ChangeLine
from bot.util.page_links import path_of
from bot.web.pages.routes import routes
from bot.web.pages.site import Site, SiteRepository
from digest.core.grade import Repository

log = structlog.get_logger(__name__)

_WORD = "the"
"""Searched for, and looked up as a topic; the result does not matter."""


async def warm(shelf: Site) -> None:
    """Render the pages of the first repository that has changes, and the list of all repositories.

    The output never leaves the process, so the repository's privacy is ignored.
    """
    try:
        for shown in shelf.repositories:
            newest = await shelf.browsing.newest(shown.repository, 1)
            if newest:
                pages = Router(routes(_alone(shelf, shown)))
                for path in _paths(shown.repository, newest[0], shelf):
                    await _get(pages, path)
                break
        await _get(Router(routes(_alone(shelf, *shelf.repositories))), "/")
    except Exception as error:  # noqa: BLE001 - a page that fails is told to whoever asks for it
        # A page that fails must not keep the others from being served.
        log.warning("web.not_warm", error=str(error), kind=type(error).__name__)


def _alone(shelf: Site, *shown: SiteRepository) -> Site:
    """The site with these repositories, visible to everybody. It shares the site's caches."""
    return replace(
        shelf, repositories=[replace(one, private=False) for one in shown], office=None, ask=None
    )


def _paths(repository: Repository, newest: ChangeLine, shelf: Site) -> list[str]:
    day = newest.at.astimezone(shelf.zone).date()
    return [
        path_of(repository.name),
        path_of(repository.name, day=day),
        path_of(repository.name, week=day),
        path_of(repository.name, change=newest.sha),
        path_of(repository.name, topic=_WORD),
        f"{path_of(repository.name, rest='search')}?q={_WORD}",
        f"{path_of(repository.name, rest='search')}.json?q={_WORD}",
        path_of(repository.name, rest="feed") + ".atom",
        path_of(repository.name, rest=f"compare/{newest.sha}"),
    ]


async def _get(pages: Router, path: str) -> None:
    """Request a page as a reader would, and discard the response."""
    transport = httpx.ASGITransport(pages)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as reader:
        await reader.get(path)
