"""A request as read: language, form, level, page, and whether the reader is signed in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import partial
from urllib.parse import urlencode

from starlette.requests import Request

from bot.web.pages.site import NotThere, Site, SiteRepository
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Area
from digest.core.grade import Level, Repository
from digest.errors import InvalidDate
from digest.frozen import frozen
from digest.window import YEARS, Window, gaps, parse_date

CHOSEN = "digestbot_language"  # the cookie that stores a chosen language
RECENT = timedelta(minutes=15)
"""Time up to the present that may be unread before a page calls it so."""

_LONGEST = 200  # characters of a question; longer ones are cut
_MOST_PAGES = 10_000
_WEEK = re.compile(r"(\d{4})-W(\d{2})", re.ASCII)

ASKED = {
    "q": ("Words that must all occur", {"type": "string"}),
    "path": ("Start of a path", {"type": "string"}),
    "author": ("Part of an author's name", {"type": "string"}),
    "kind": ("A kind of change", {"type": "string", "enum": [*map(str, ChangeKind)]}),
    "area": ("An area of the project", {"type": "string", "enum": [*map(str, Area)]}),
    "since": ("The first day", {"type": "string", "format": "date"}),
    "until": ("The last day", {"type": "string", "format": "date"}),
    "topic": ("A topic", {"type": "string"}),
    "level": ("The least importance", {"type": "string", "enum": [*map(str, Level)]}),
    "page": (
        "Page number from 1; a number that is too high gives the last page",
        {"type": "integer", "minimum": 1},
    ),
    "lang": ("Language of the texts", {"type": "string", "enum": [*map(str, Language)]}),
}
"""The parameters of pages, with their description and their JSON schema."""


class Form(StrEnum):
    """The forms of a page; the values are the endings of addresses."""

    HTML = ""
    MARKDOWN = "md"
    JSON = "json"


@frozen
class PageRequest:
    """A parsed request. ``path`` is quoted, without the ending that names the form."""

    site: Site
    request: Request
    path: str
    language: Language
    form: Form = Form.HTML
    signed_in: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    """Archive versions by repository, read once so that one request sees one version."""
    read: dict[str, Sequence[Window]] = field(default_factory=dict)
    """The periods that were read by repository, as far as they were asked for."""

    async def version(self, repository: Repository) -> str:
        """A text that changes whenever pages of the repository may change."""
        if repository.name not in self.versions:
            self.versions[repository.name] = await self.site.browsing.version(repository)
        return self.versions[repository.name]

    async def covered(self, shown: SiteRepository) -> Sequence[Window]:
        """The periods of a repository in which every commit was read, earliest first."""
        repository = shown.repository
        key = ("covered", repository.name, shown.branch, await self.version(repository))
        find = self.site.coverage.covered
        found = await self.site.memo.of(key, lambda: find(repository, shown.branch))
        self.read[repository.name] = found
        return found

    async def strays(self, shown: SiteRepository) -> tuple[str, ...]:
        """The archived commits of other branches, which lists and counts leave out."""
        repository, site = shown.repository, self.site
        others = partial(site.browsing.others, repository)

        async def find() -> tuple[str, ...]:
            found = tuple(await site.histories.strays(shown, others))
            site.browsing.leave_out(repository, found)
            return found

        key = ("strays", repository.name, shown.branch, await self.version(repository))
        return await site.memo.of(key, find)

    async def gaps(self, shown: SiteRepository, window: Window) -> Sequence[Window]:
        """The parts of a window that have passed, but for the last minutes, and were not read."""
        now = self.site.clock.now()
        past = replace(window, until=max(window.since, min(window.until, now)))
        found = gaps(past, await self.covered(shown))
        return [one for one in found if one.until < now or one.since <= now - RECENT]

    def as_of(self, repository: Repository) -> datetime | None:
        """When a repository was last read; available after :meth:`covered`."""
        found = self.read.get(repository.name)
        return found[-1].until if found else None

    def stale(self, repository: Repository) -> int:
        """How many whole days ago a repository was last read; available as :meth:`as_of`."""
        read = self.as_of(repository)
        return max((self.site.clock.now() - read).days, 0) if read else 0

    @property
    def may_read(self) -> bool:
        """Whether the reader may ask questions, and start reading what the archive lacks."""
        return self.site.strangers_read or self.signed_in

    def shown(self) -> SiteRepository:
        """The repository that the path names. Raises ``NotThere``."""
        name = str(self.request.path_params["repository"])
        found = self.site.find(name, signed_in=self.signed_in)
        if found is None:
            raise NotThere
        return found

    def part(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def word(self, name: str) -> str:
        """A parameter without surrounding blanks; empty if missing."""
        return self.request.query_params.get(name, "")[:_LONGEST].strip()

    @property
    def level(self) -> Level | None:
        """The requested level; ``None`` for any other word."""
        word = self.word("level")
        return Level(word) if word in list(Level) else None

    @property
    def page(self) -> int:
        """The number of the page, from 1."""
        word = self.word("page")
        number = int(word) if word.isascii() and word.isdigit() else 1
        return min(max(number, 1), _MOST_PAGES)

    def address(self, **changed: str | int | None) -> str:
        """This page's path with parameters changed (``None``: dropped), from its first page."""
        kept = {name: value for name in ASKED if (value := self.word(name))}
        if "page" not in changed:
            kept.pop("page", None)
        asked = {**kept, **changed}
        named = {name: value for name, value in asked.items() if value is not None}
        return f"{self.path}?{urlencode(named)}" if named else self.path

    def feed_words(self, topic: str = "") -> str:
        """The parameters of this view's feed: its level and its topic."""
        level = str(self.level) if self.level else ""
        named = {name: value for name, value in (("level", level), ("topic", topic)) if value}
        return f"?{urlencode(named)}" if named else ""

    def in_form(self, form: str) -> str:
        """The address of this page in another form."""
        path, question, rest = self.address().partition("?")
        return f"{'/index' if path == '/' else path}.{form}{question}{rest}"


def language_of(request: Request, usual: Language) -> Language:
    """The language by ``?lang``, else the chosen one, the browser's, or the usual one.

    From ``Accept-Language`` (RFC 9110, section 12.5.4) the most preferred supported language is
    taken.
    """
    for said in (request.query_params.get("lang"), request.cookies.get(CHOSEN)):
        if said in list(Language):
            return Language(said)
    wanted: list[tuple[float, Language]] = []
    for entry in request.headers.get("accept-language", "")[:500].split(","):
        tag, _, weight = entry.strip().partition(";q=")
        primary = tag.partition("-")[0].lower()
        if primary in list(Language):
            try:
                wanted.append((float(weight or 1), Language(primary)))
            except ValueError:
                continue
    best = max(wanted, key=lambda pair: pair[0], default=(0.0, usual))
    return best[1] if best[0] > 0 else usual


def day_named(text: str) -> date:
    """The day given in an address. Raises ``NotThere``."""
    try:
        return parse_date(text)
    except InvalidDate:
        raise NotThere from None


def week_named(text: str) -> date:
    """The Monday of an ISO week such as ``2026-W04``. Raises ``NotThere``."""
    match = _WEEK.fullmatch(text)
    try:
        if not match or int(match[1]) not in YEARS:
            raise NotThere
        return date.fromisocalendar(int(match[1]), int(match[2]), 1)
    except ValueError:
        raise NotThere from None
