"""The table of all pages and the schemas of their JSON (JSON Schema 2020-12; keys may be added)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
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
from digest.core.grade import Level
from digest.frozen import frozen

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_MAYBE: Schema = {"type": ["string", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": ["integer", "null"]}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_MOMENT: Schema = {"type": "string", "format": "date-time"}
_LEVEL: Schema = {"type": "string", "enum": [str(level) for level in Level]}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _many(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _the(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _each(of: Schema, *names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, of)


_FLAG: Schema = {"type": "boolean"}
_ANY: Schema = {"type": "object"}
_BY_LEVEL = _each(_COUNT, *map(str, Level))
_HEAD = {"schema": _COUNT, "repository": _TEXT}
_PAGED = _each(_COUNT, "page", "pages")

_LINE = {
    **_each(_TEXT, "sha", "title", "author"),
    "pr": _NUMBER,
    "committed_at": _MOMENT,
    "level": _LEVEL,
    "score": _SHARE,
}

_DIGEST: dict[str, Schema] = {
    **_each(_TEXT, "id", "path", "span"),
    **_each(_MOMENT, "since", "until", "created_at"),
    "kind": _TEXT,
    "weekly": _FLAG,
    "counts": _ANY,
}

_SECTIONS = ("impact", "insights", "risks", "suggestions")

SCHEMAS: dict[str, Schema] = {
    "Missing": _object(error=_TEXT),
    "Window": _object(since=_MOMENT, until=_MOMENT, tz=_TEXT),
    "Evidence": _object(
        path=_TEXT, line=_COUNT, side={"type": "string", "enum": ["old", "new", "message"]}
    ),
    "Statement": _object(text=_TEXT, aspect=_TEXT, evidence=_many(_the("Evidence"))),
    "Line": _object(**_LINE),
    "Day": _object(day={"type": "string", "format": "date"}, **_BY_LEVEL, read=_FLAG),
    "Calendar": _object(**_HEAD, days=_many(_the("Day")), **_PAGED),
    "File": _object(
        **_each(_TEXT, "path", "status", "area"),
        **_each(_COUNT, "added", "deleted"),
        old_path=_MAYBE,
        omitted=_FLAG,
    ),
    "Entry": _object(
        **_each(_TEXT, "sha", "author", "subject", "summary"),
        **_each(_many(_TEXT), "reasons", "change_types"),
        **_each(_many(_the("Statement")), *_SECTIONS),
        pr=_NUMBER,
        committed_at=_MOMENT,
        level=_LEVEL,
        score=_SHARE,
        late=_FLAG,
        files=_many(_the("File")),
        facts=_ANY,
    ),
    "Report": _object(
        **_each(_TEXT, "repo", "branch", "lead"),
        schema=_COUNT,
        window=_the("Window"),
        counts=_object(total=_COUNT, **_BY_LEVEL),
        commits=_many(_the("Entry")),
        unread=_many(_the("Window")),
        **_PAGED,
    ),
    "Change": _object(**_HEAD, path=_TEXT, change=_the("Entry")),
    "Found": _object(
        **_HEAD,
        **_PAGED,
        total=_COUNT,
        levels=_object(**_BY_LEVEL),
        near=_many(_TEXT),
        changes=_many(_object(**_LINE, **_each(_TEXT, "area", "line", "why"))),
    ),
    "Upgrade": _object(
        **_each(_TEXT, "kind", "action", "name", "sha", "path"),
        **_each(_MAYBE, "before", "after"),
        pr=_NUMBER,
        line=_COUNT,
    ),
    "Compared": _object(
        **_HEAD,
        **_PAGED,
        **_each(_COUNT, "total", "missing", "people"),
        title=_TEXT,
        levels=_object(**_BY_LEVEL),
        areas={"type": "object", "additionalProperties": _COUNT},
        upgrade=_many(_the("Upgrade")),
        changes=_many(_object(**_LINE, area=_TEXT, kind=_MAYBE)),
    ),
    "Releases": _object(**_HEAD, releases=_many(_object(**_each(_TEXT, "tag", "before", "path")))),
    "Hunk": _object(
        **_each(_COUNT, "old_start", "new_start"), **_each(_many(_TEXT), "removed", "added")
    ),
    "Diff": _object(
        **_HEAD,
        sha=_TEXT,
        files=_many(
            _object(path=_TEXT, **_each(_COUNT, "added", "deleted"), hunks=_many(_the("Hunk")))
        ),
    ),
    "Digest": _object(
        **_HEAD,
        **_DIGEST,
        **_each(_TEXT, "branch", "title", "posted"),
        window=_the("Window"),
        changes=_many(_object(sha=_TEXT, posted=_FLAG, state=_TEXT)),
    ),
    "Answer": _object(**_HEAD, **_each(_TEXT, "question", "title", "answer")),
    "Repository": _object(
        **_each(_TEXT, "repository", "web", "path"),
        **_each(_MAYBE, "first", "last"),
        changes=_COUNT,
    ),
    "Index": _object(schema=_COUNT, repositories=_many(_the("Repository"))),
    "Overview": {
        "allOf": [
            _the("Repository"),
            _object(
                schema=_COUNT,
                days=_many(_the("Day")),
                places=_many(_object(path=_TEXT, changes=_COUNT)),
                newest=_many(_the("Line")),
                digests=_many(_object(**_DIGEST)),
            ),
        ]
    },
    "Feed": _object(
        **_each(_TEXT, "title", "home_page_url", "feed_url"),
        version={"const": "https://jsonfeed.org/version/1.1"},
        items=_many(
            _object(
                **_each(_TEXT, "id", "url", "title", "content_html"),
                date_published=_MOMENT,
                tags=_many(_TEXT),
            )
        ),
    ),
}
"""Schemas by name; ``Report`` and ``Entry`` are those of ``docs/json.md``."""

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
