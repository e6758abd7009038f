"""The table of all pages; routes and the API description are made from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.util.page_links import DIGESTS, REPOSITORIES, WITHIN
from bot.web.pages.calendar_page import calendar_page
from bot.web.pages.change_page import change_page, diff_page
from bot.web.pages.compare_page import compare_page
from bot.web.pages.digest_page import digest_page
from bot.web.pages.overview_pages import index_page, releases_page, repository_page
from bot.web.pages.page_request import PageRequest
from bot.web.pages.period_page import day_page, week_page
from bot.web.pages.search_page import ask_page, author_page, search_page, topic_page
from bot.web.pages.site import Page

View = Callable[[PageRequest], Awaitable[Page]]

REPOSITORY = f"{REPOSITORIES}/{{repository:path}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRoute:
    """A kind of page. ``path`` is in Starlette's syntax; other forms add ``.md`` and ``.json``.

    ``asks`` are the parameters that it reads besides ``lang``; ``answer`` names its JSON schema.
    """

    name: str
    path: str
    view: View
    summary: str
    answer: str
    asks: tuple[str, ...] = ()

    def path_in(self, form: str) -> str:
        """The path of another form; the start page's begins with ``/index``."""
        return f"{'/index' if self.path == '/' else self.path}.{form}"


_FILTERS = ("level", "kind", "area", "since", "until", "page")

PAGES = (
    PageRoute(
        name="day",
        path=f"{REPOSITORY}{WITHIN}/days/{{day}}",
        view=day_page,
        summary="The full report of a calendar day",
        answer="Report",
        asks=("level", "page"),
    ),
    PageRoute(
        name="week",
        path=f"{REPOSITORY}{WITHIN}/weeks/{{week}}",
        view=week_page,
        summary="The full report of an ISO 8601 week",
        answer="Report",
        asks=("level", "page"),
    ),
    PageRoute(
        name="calendar",
        path=f"{REPOSITORY}{WITHIN}/calendar",
        view=calendar_page,
        summary="What each day held, by months, the newest first",
        answer="Calendar",
        asks=("page",),
    ),
    PageRoute(
        name="change",
        path=f"{REPOSITORY}{WITHIN}/changes/{{change}}",
        view=change_page,
        summary="One change in full, by commit name or request number",
        answer="Change",
    ),
    PageRoute(
        name="diff",
        path=f"{REPOSITORY}{WITHIN}/changes/{{change}}/diff",
        view=diff_page,
        summary="The patch of a change, where its clone is on the machine",
        answer="Diff",
    ),
    PageRoute(
        name="topic",
        path=f"{REPOSITORY}{WITHIN}/topics/{{topic:path}}",
        view=topic_page,
        summary="The changes of a topic, the most important first",
        answer="Found",
        asks=_FILTERS,
    ),
    PageRoute(
        name="author",
        path=f"{REPOSITORY}{WITHIN}/authors/{{author:path}}",
        view=author_page,
        summary="The changes of an author, the most important first",
        answer="Found",
        asks=_FILTERS,
    ),
    PageRoute(
        name="search",
        path=f"{REPOSITORY}{WITHIN}/search",
        view=search_page,
        summary="Changes whose text holds all words",
        answer="Found",
        asks=("q", "path", "author", *_FILTERS),
    ),
    PageRoute(
        name="compare",
        path=f"{REPOSITORY}{WITHIN}/compare/{{span:path}}",
        view=compare_page,
        summary="What lies between two tags, branches, commits or days: base...tip",
        answer="Compared",
        asks=("level", "page"),
    ),
    PageRoute(
        name="releases",
        path=f"{REPOSITORY}{WITHIN}/compare",
        view=releases_page,
        summary="The newest releases, each to be compared with the one before",
        answer="Releases",
    ),
    PageRoute(
        name="ask",
        path=f"{REPOSITORY}{WITHIN}/ask",
        view=ask_page,
        summary="The answer to a question; only of digestbot serve",
        answer="Answer",
        asks=("q",),
    ),
    PageRoute(
        name="digest",
        path=f"{DIGESTS}/{{digest}}",
        view=digest_page,
        summary="A digest as it was posted, and the changes that it is about",
        answer="Digest",
    ),
    PageRoute(
        name="repository",
        path=REPOSITORY,
        view=repository_page,
        summary="A repository: changes a day, folders of the week, newest digests",
        answer="Overview",
    ),
    PageRoute(
        name="index",
        path="/",
        view=index_page,
        summary="The repositories",
        answer="Index",
    ),
)
"""In the order in which paths are tried: a repository's name may contain any of them."""

FEED = f"{REPOSITORY}{WITHIN}/feed"

DIGEST_FEED = f"{REPOSITORY}{WITHIN}/digests"

ALL_FEED = "/feed"
"""The paths of feeds, which end in ``.atom`` and ``.json``: of a repository's changes, of its

digests, and of the changes of all repositories.
"""
