"""The table of all pages, and the schemas of their JSON, which are in ``schemas.json``."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from bot.util.page_links import DIGESTS, REPOSITORIES, WITHIN
from bot.web.pages.calendar_page import calendar_page
from bot.web.pages.change_page import change_page, diff_page
from bot.web.pages.compare_page import compare_page, releases_page
from bot.web.pages.overview_pages import digest_page, index_page, repository_page
from bot.web.pages.page_request import PageRequest
from bot.web.pages.period_page import day_page, week_page
from bot.web.pages.search_page import ask_page, author_page, search_page, topic_page
from bot.web.pages.site import Page
from digest.core.patterns import read_file
from digest.frozen import frozen


@cache
def schemas() -> dict[str, Any]:
    """Schemas (JSON Schema 2020-12) by name; ``docs/json.md`` explains ``Report`` and ``Entry``."""
    return dict(json.loads(read_file("bot.web.pages", "schemas.json")))


View = Callable[[PageRequest], Awaitable[Page]]
REPOSITORY = f"{REPOSITORIES}/{{repository:path}}"


@frozen(kw_only=False)
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


_FOUND = "Found level kind area since until page"


def _of(name: str, path: str, view: View, summary: str, answers: str) -> PageRoute:
    """A page within a repository; ``answers`` are its schema and what it asks, by blanks."""
    answer, *asks = answers.split()
    return PageRoute(name, f"{REPOSITORY}{WITHIN}/{path}", view, summary, answer, tuple(asks))


_SPAN = "Changes between two tags, branches, commits or days: base...tip"
_RELEASES = "The newest releases, each with a link to compare it with its predecessor"
_ANSWER = "The answer to a question; only digestbot serve"
_POSTED = "A digest as posted, and the changes in it"
_OVERVIEW = "A repository: changes per day, busiest folders, newest digests"
_HOLDING = "Changes whose text contains all words"

PAGES = (
    _of("day", "days/{day}", day_page, "The changes of a calendar day", "Report level page"),
    _of("week", "weeks/{week}", week_page, "The changes of an ISO week", "Report level page"),
    _of("calendar", "calendar", calendar_page, "The changes of each day, counted", "Calendar page"),
    _of("change", "changes/{change}", change_page, "One change in full", "Change"),
    _of("diff", "changes/{change}/diff", diff_page, "The patch of a change", "Diff"),
    _of("topic", "topics/{topic:path}", topic_page, "Changes of a topic", _FOUND),
    _of("author", "authors/{author:path}", author_page, "Changes of an author", _FOUND),
    _of("search", "search", search_page, _HOLDING, f"{_FOUND} q path author"),
    _of("compare", "compare/{span:path}", compare_page, _SPAN, "Compared level page"),
    _of("releases", "compare", releases_page, _RELEASES, "Releases"),
    _of("ask", "ask", ask_page, _ANSWER, "Answer q page"),
    PageRoute("digest", f"{DIGESTS}/{{digest}}", digest_page, _POSTED, "Digest", ("page",)),
    PageRoute("repository", REPOSITORY, repository_page, _OVERVIEW, "Overview"),
    PageRoute("index", "/", index_page, "The repositories", "Index"),
)
"""In the order in which paths are tried: a repository's name may contain any of them."""

FEED = f"{REPOSITORY}{WITHIN}/feed"
DIGEST_FEED = f"{REPOSITORY}{WITHIN}/digests"
ALL_FEED = "/feed"
"""The paths of feeds, which end in ``.atom`` and ``.json``: of a repository's changes, of its
digests, and of the changes of all repositories."""
