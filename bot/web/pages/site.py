"""The data behind the pages: repositories, archive, git, and a page before it takes a form.

Results of many changes that are asked for often are kept until the archive changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from bot.store.browsing import SqlBrowsing
from bot.store.digests import SqlDigests
from bot.util.machine import Newest
from digest.core.enums import Language
from digest.core.grade import Repository, Thresholds
from digest.document import Block, Document, Heading, Text
from digest.frozen import frozen
from digest.question.commit_range import Span
from handlers.ports.forge_port import Requests
from handlers.ports.storage import Archive, Clock, CoveragePort

if TYPE_CHECKING:
    from bot.web.pages.admin import AdminData
    from bot.web.site_factory import GitHistories

_T = TypeVar("_T")
_MOST = 256


class Memo:
    """A cache of recently used values; a key names all that its value depends on."""

    def __init__(self, most: int = _MOST) -> None:
        self._kept: Newest[Hashable, Any] = Newest(most)
        self._turn = asyncio.Lock()

    async def of(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """The value of a key, made if it is not cached."""
        if key in self._kept:
            self._kept.move_to_end(key)
            kept: _T = self._kept[key]
            return kept
        value = self._kept[key] = await make()
        return value

    async def in_turn(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """As :meth:`of`, for slow values: one value is made at a time, and none twice."""
        async with self._turn:
            return await self.of(key, make)


Json = dict[str, Any]


class NotThere(Exception):
    """Nothing to show: it does not exist, or this reader may not see it."""


class Moved(Exception):
    """The requested page is at another ``path``."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def with_heading(title: str, language: Language, *blocks: Block) -> Document:
    """A document with its title as heading."""
    heading = Heading(1, (Text(title),))
    return Document(title=title, blocks=(heading, *blocks), language=str(language))


@frozen
class Page:
    """A page in all of its forms; parts needed by only one form are made on demand.

    ``values`` are the template's. Generators among them are consumed once, while the page is sent.
    ``ready`` reads what the head does not need: it is awaited once, while the head is being sent.
    ``rests_on`` names what the page is made of besides the archive: a reader's copy is current
    while both are unchanged.
    """

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    document: Callable[[], Document]
    json: Callable[[], Json]
    ready: Callable[[], Awaitable[None]] | None = None
    rests_on: str = ""
    status: HTTPStatus = HTTPStatus.OK


@frozen
class SiteRepository:
    """A repository with pages. A ``private`` one is visible only to signed-in readers."""

    repository: Repository
    private: bool = True
    branch: str = ""
    thresholds: Thresholds | None = None
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)


_COMPARISONS = 8  # comparisons that are cached, each of some thousand lines at most
_PATCHES = 16  # patches that are cached, each of some megabytes at most
_WINDOWS = 64  # days and weeks whose rows are cached, each of some hundred rows


@frozen
class HistorySpan:
    """A span of history: full hashes, newest first; ``head`` was the tip of the watched branch."""

    span: Span
    names: tuple[str, ...]
    head: str


Others = Callable[[Sequence[str]], Awaitable[Sequence[str]]]
"""Finds the archived commits of a repository that are none of the given ones."""


@frozen
class Site:
    """Everything that pages are made of.

    Times are shown in ``zone``; ``language`` is the default. ``public_url`` is the address that
    feeds contain; if empty, it is that of the request. Without a ``token`` nobody can sign in, and
    without an ``office`` there are no admin pages. ``strangers_read`` lets everybody ask questions
    and start reading from git what the archive lacks; otherwise only signed-in readers may.
    """

    repositories: Sequence[SiteRepository]
    archive: Archive
    coverage: CoveragePort
    browsing: SqlBrowsing
    digests: SqlDigests
    requests: Requests
    histories: GitHistories
    clock: Clock
    zone: ZoneInfo
    language: Language = Language.EN
    public_url: str = ""
    token: SecretStr | None = None
    strangers_read: bool = False
    office: AdminData | None = None
    memo: Memo = field(default_factory=Memo)
    comparisons: Memo = field(default_factory=lambda: Memo(_COMPARISONS))
    patches: Memo = field(default_factory=lambda: Memo(_PATCHES))
    rows: Memo = field(default_factory=lambda: Memo(_WINDOWS))
    cut: set[str] = field(default_factory=set)
    """Entity tags of pages that ended with an error after their head was sent."""

    def visible(self, *, signed_in: bool) -> list[SiteRepository]:
        """The repositories that the reader may see."""
        return [one for one in self.repositories if signed_in or not one.private]

    def find(self, name: str, *, signed_in: bool) -> SiteRepository | None:
        """The repository of a name; ``None`` also if the reader may not see it."""
        visible = self.visible(signed_in=signed_in)
        return next((one for one in visible if one.repository.name == name), None)
